package bayes_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	plain "example.org/pathsum/internal/text"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// javaBayes is a network as JavaBayes writes it: parents follow their child without a bar.
const javaBayes = `network "Two" { //2 variables
}
variable  "light" { //2 values
	type discrete[2] {  "true"  "false" };
	property "position = (1, 2)" ;
}
variable  "out" {
	type discrete[2] {  "true"  "false" };
}
probability (  "light"  "out" ) { //2 variable(s) and 4 values
	table 0.6 0.05 0.4 0.95 ;
}
probability (  "out" ) {
	table 0.15 0.85 ;
}
`

// Byte order marks and line ends of other systems do not matter either.
func TestReadBIFWithoutBar(t *testing.T) {
	for _, in := range []string{javaBayes, "\ufeff" + javaBayes, strings.ReplaceAll(javaBayes, "\n", "\r"), strings.ReplaceAll(javaBayes, "\n", "\r\n"),
		strings.Replace(javaBayes, `"light"  "out"`, `"light", "out"`, 1), strings.Replace(javaBayes, `"light"  "out"`, `"light" | "out"`, 1)} {
		n, err := bayes.ReadBIF(strings.NewReader(in), "no-bar.bif")
		if err != nil {
			t.Fatal(err)
		}
		if p, want := must(n.P("light", "true", nil)), .15*.6+.85*.05; math.Abs(p-want) > 1e-15 {
			t.Errorf("P(light) = %v, want %v", p, want)
		}
	}
	if _, err := bayes.ReadBIF(strings.NewReader("\xfe\xff\x00n"), "x"); !errors.Is(err, plain.ErrUTF16) {
		t.Errorf("UTF-16: %v", err)
	}
}

// A message has at most 40 characters of a name.
func TestBIFLongNames(t *testing.T) {
	long := strings.Repeat("x", 10000)
	for _, in := range []string{long, "network " + long, "variable " + long + " { type " + long, "variable a { type discrete [1] { b }; } probability ( " + long,
		"variable " + long + " { } ", "variable a { type discrete [1] { b }; } probability ( a ) { table " + long, "variable a { type discrete [" + long} {
		if _, err := bayes.ReadBIF(strings.NewReader(in), "x"); err == nil || len(err.Error()) > 250 {
			t.Errorf("%.60s: a message of %d bytes", in, len(err.Error()))
		}
	}
}

// hostile are names that a file may not be able to hold.
var hostile = []string{"", " ", "a b", "a\tb", "a\nb", "a\rb", "\"", "a\"b", "'", ",", ";", "|", "{", "}", "(", ")", "[x]", "//", "/*", "*/", "/", "\\", "#",
	"\ufeff", "\x00", "a\x00", "\xff", "ü", "日本", "table", "default", "property", "type", "variable", "probability", "network", "discrete", "?", "NA", "-", "_",
	"0", "\u00a0", "\u2028", "\v", "\f", strings.Repeat("n", 65535), strings.Repeat("n", 65536), strings.Repeat(" ", 65536)}

// What is written is an error, or comes back.
func TestWriteBIFComesBack(t *testing.T) {
	written := 0
	for seed := range trials.Seeds(300) {
		rng := graphtest.Rand(seed)
		name := func(other string) string {
			if rng.IntN(3) > 0 {
				return other
			}
			return hostile[rng.IntN(len(hostile))]
		}
		n, err := bayes.New([]bayes.Variable{{Name: name("a"), States: []string{name("x"), name("y")}}, {Name: name("b"), States: []string{name("u"), name("v")}}},
			[]bayes.Family{{Children: []int{0}, Table: []float64{.25, .75}}, {Children: []int{1}, Parents: []int{0}, Table: []float64{.1, .9, 1, 0}}})
		if err != nil {
			continue
		}
		var b bytes.Buffer
		if err := n.WriteBIF(&b); err != nil {
			if !errors.Is(err, bayes.ErrInvalid) || len(err.Error()) > 300 {
				t.Fatalf("%.300v", err)
			}
			continue
		}
		written++
		again, err := bayes.ReadBIF(&b, "x")
		if err != nil || fmt.Sprint(n.Variables()) != fmt.Sprint(again.Variables()) || !slices.Equal(n.Family(1).Table, again.Family(1).Table) {
			t.Fatalf("seed %d: %.300v: %.300v is read as %.300v", seed, err, n.Variables(), again)
		}
	}
	if written < 50 {
		t.Errorf("%d networks were written", written)
	}
}
