package bayes_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// complete returns a network with everything that BIF allows.
const complete = `// A comment.
network "a net" { property author = "some; one"; property x ; }
/* Another * one
   / of two lines. */
variable a/b<c { type discrete [ 2 ] { <5, "5, or more" }; property unit "m"; }
variable "two words" {
  property p; type discrete [3] { x-1 +y /z };
}
probability ( a/b<c ) { table 0.25 0.75; }
probability ( "two words" | a/b<c ) {
  default .2, .3, .5;
  ("5, or more") 0.1, 0.2, 0.7;
  property q;
}
variable last { type discrete [ 2 ] { no, yes }; }
probability ( last | "two words", a/b<c ) {
  table .1 .2 .3 .4 .5 .6
        .9 .8 .7 .6 .5 .4;
}
`

func TestReadBIF(t *testing.T) {
	n := must(bayes.ReadBIF(iotest.OneByteReader(strings.NewReader(complete)), "x"))
	want := []bayes.Variable{{"a/b<c", []string{"<5", "5, or more"}}, {"two words", []string{"x-1", "+y", "/z"}}, {"last", []string{"no", "yes"}}}
	if d := cmp.Diff(want, n.Variables()); d != "" {
		t.Error(d)
	}
	for v, table := range [][]float64{{.25, .75}, {.2, .3, .5, .1, .2, .7}, {.1, .9, .2, .8, .3, .7, .4, .6, .5, .5, .6, .4}} {
		if d := cmp.Diff(table, n.Family(v).Table); d != "" {
			t.Errorf("variable %d: %s", v, d)
		}
	}
}

// Rows of a table in any order, and rounded ones.
func TestReadBIFRows(t *testing.T) {
	const head = "variable a {type discrete [2] {f, t};} variable b {type discrete [3] {t, f, u};} variable c {type discrete [2] {0, 1};}" +
		"probability (a) {table .5, .5;} probability (b) {table 0.333, 0.333, 0.333;} probability (c | a, b) {"
	n := must(bayes.ReadBIF(strings.NewReader(head+"(t, u) 0, 1; (f, f) .2, .8; (t, t) .3, .7; (f, u) .4, .6; (t, f) .5, .5; (f, t) .6, .4;}"), "x"))
	if d := cmp.Diff([]float64{.6, .4, .2, .8, .4, .6, .3, .7, .5, .5, 0, 1}, n.Family(2).Table); d != "" {
		t.Error(d)
	}
	for _, p := range n.Family(1).Table {
		if !near(p, 1./3) {
			t.Errorf("rounded thirds are read as %v", n.Family(1).Table)
		}
	}
}

// Whatever is written is read again, to the last bit.
func TestBIFRoundTrip(t *testing.T) {
	odd := []string{"a b", "<5", "a/b", "//", "/*x", "+", "-", "{", "]", "", "|", ";", "a,b", "ü", "\v", "table", "1e5", "variable"}
	for seed := range trials.Seeds(trials.Serial[uint64](300)) {
		rng := graphtest.Rand(seed)
		n := random(rng, false)
		variables := slices.Clone(n.Variables())
		for i := range variables {
			variables[i].Name = odd[rng.IntN(len(odd))] + variables[i].Name
			variables[i].States = slices.Clone(variables[i].States)
			for x := range variables[i].States {
				variables[i].States[x] += odd[rng.IntN(len(odd))]
			}
		}
		n = must(bayes.New(variables, n.Families()))
		var b bytes.Buffer
		if err := n.WriteBIF(&b); err != nil {
			t.Fatal(err)
		}
		same(t, n, must(bayes.ReadBIF(&b, "x")))
		if err := n.Save(&b); err != nil {
			t.Fatal(err)
		}
		same(t, n, must(bayes.Load(&b)))
	}
}

func same(t *testing.T, a, b *bayes.Network) {
	t.Helper()
	if d := cmp.Diff(a.Variables(), b.Variables()) + cmp.Diff(a.Families(), b.Families()); d != "" {
		t.Fatal(d)
	}
}

// TestBIFOfNumbers: BIF has no normal distributions.
func TestBIFOfNumbers(t *testing.T) {
	n := random(graphtest.Rand(4), true)
	if err := n.WriteBIF(io.Discard); !errors.Is(err, bayes.ErrInvalid) {
		t.Errorf("continuous variables in BIF: %v", err)
	}
}

func TestBIFFails(t *testing.T) {
	const ab = "variable a {type discrete [2] {0, 1};}\nvariable b {type discrete [2] {0, 1};}\n"
	broken := errors.New("broken")
	if _, err := bayes.ReadBIF(io.MultiReader(strings.NewReader(ab), iotest.ErrReader(broken)), "x"); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// perByte bounds what ReadBIF allocates for a byte of text, most of it for the entries that
// a default stands for.
const perByte = 1200

func TestReadBIFMemory(t *testing.T) {
	const ab = "variable a {type discrete [2] {0, 1};} variable b {type discrete [2] {0, 1};} "
	many := strings.Builder{} // variables of two states
	for i := range 24 {
		fmt.Fprintf(&many, "variable v%d {type discrete [2] {0, 1};} ", i)
	}
	// def is the table of the first variable given n others.
	def := func(n int, behind string) string {
		s := many.String() + behind + "probability (v0 |"
		for i := range n {
			s += fmt.Sprintf(" v%d", i+1)
		}
		return s + ") {default .5 .5;}"
	}
	for _, x := range []struct {
		head, part string
		says       string
	}{
		{"", "a ", "want network"},
		{"", "variable a ", `"variable", want "{"`},
		{"network x {", "property x; ", "the end"},
		{"variable a {type discrete [2] {", "a ", "the end"},
		{ab + "probability (a | ", "b ", "more than"},
		{ab + "probability (a) {table ", "1 ", "more than 2 numbers"},
		{ab + "probability (a | b) {", "(0) .5 .5; ", "twice"},
		{ab, "/**/", "no family"},
		{"\"", "x", "too long"},
		{def(11, ""), " ", "family"},
		{def(18, ""), " ", "a default for a table of 524288 entries"},
		{def(18, strings.Repeat(" ", 1<<13)), " ", "family"},
		{def(21, ""), " ", "a default for"},
		{def(23, ""), " ", "more than 4194304 entries"},
	} {
		text := x.head + strings.Repeat(x.part, 1+(1<<16)/len(x.part))
		if x.part == " " {
			text = x.head
		}
		var err error
		memtest.Bound(t, len(text), perByte, func() { _, err = bayes.ReadBIF(strings.NewReader(text), "x") })
		if err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%.80q: error %v, want %q", text, err, x.says)
		}
	}
}

func FuzzReadBIF(f *testing.F) {
	f.Add([]byte(complete))
	f.Add([]byte("variable a {type discrete [2] {0, 1};} probability (a) {table .5, .5;}"))
	f.Add([]byte("variable a {type discrete [2] {0, 1};} variable b {type discrete [1] {x};} probability (b) {table 1;} probability (a | b) {default .1 .9; (x) .5 .5;}"))
	for _, s := range []string{"", "network", "variable a", "/", "/*", "\"", "network x{}", "variable a {type discrete [1] {\x00};} probability (a) {default 1;}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var n *bayes.Network
		var err error
		memtest.Bound(t, len(text), perByte, func() { n, err = bayes.ReadBIF(bytes.NewReader(text), "x") })
		var e *bayes.ParseError
		if err != nil {
			if !errors.As(err, &e) || e.Line < 1 || e.Line > 1+bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r")) {
				t.Fatalf("error %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := n.WriteBIF(&b); err != nil {
			t.Fatal(err)
		}
		m, err := bayes.ReadBIF(&b, "x")
		if err != nil {
			t.Fatal(err)
		}
		same(t, n, m)
	})
}

// shared reads a network of the shared data, or skips.
func shared(t testing.TB, name string) *bayes.Network {
	t.Helper()
	file := filepath.Join("..", "..", "..", "shared", "data", "bayesnet", name)
	if _, err := os.Stat(file); err != nil {
		t.Skip("no data: ", err)
	}
	r := must(text.Open(file))
	defer r.Close()
	return must(bayes.ReadBIF(r, name))
}

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
	if _, err := bayes.ReadBIF(strings.NewReader("\xfe\xff\x00n"), "x"); !errors.Is(err, text.ErrUTF16) {
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
