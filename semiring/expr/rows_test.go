package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"

	"example.org/pathsum/internal/memtest"
)

// TestRowsReadBack: a table read into its own space has the same handles, and read into
// another one the same values to the last bit, and the same text.
func TestRowsReadBack(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		rows, place := tr.space.FormatRows(tr.made)
		own, err := tr.space.ParseRows(rows)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, w := range tr.made {
			if own[place[i]] != w {
				t.Fatalf("seed %d: %s read back as %s", seed, tr.space.String(w), tr.space.String(own[place[i]]))
			}
		}
		other := New()
		ws, err := other.ParseRows(rows)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, where := other.FormatRows(ws)
		if !slices.Equal(again, rows) {
			t.Fatalf("seed %d: %q written again is %q", seed, rows, again)
		}
		for i, at := range where {
			if int(at) != i {
				t.Fatalf("seed %d: row %d is now row %d", seed, i, at)
			}
		}
		theta := scaled(tr.theta...)
		want, err := tr.space.Evaluate(nil, theta)
		if err != nil {
			continue // a star that diverges
		}
		got, err := other.Evaluate(nil, theta)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, w := range tr.made {
			if got[ws[place[i]]] != want[w] {
				t.Errorf("seed %d: %s is %v, was %v", seed, tr.space.String(w), got[ws[place[i]]], want[w])
			}
		}
	}
}

// Results of Untempered and Whole are read back unchanged.
func TestRowsOfWholes(t *testing.T) {
	s := New()
	a, b := s.Param(0), s.Param(1)
	star, _ := s.Star(s.Times(a, s.Const(semiring.NewScaled(.4))))
	z := s.Untempered(s.Plus(s.Times(a, b), s.Times(star, s.Plus(a, s.Const(semiring.NewScaled(.1))))))
	quotient, ok := s.RDiv(s.Times(a, star), s.Whole(z))
	if !ok {
		t.Fatal("no quotient")
	}
	rows, place := s.FormatRows([]W{quotient, z})
	other := New()
	ws, err := other.ParseRows(rows)
	if err != nil {
		t.Fatalf("%v of %q", err, rows)
	}
	theta := scaled(.3, .6)
	for _, beta := range []float64{1, .5} {
		want, errWant := s.EvaluateTempered(nil, theta, beta)
		got, errGot := other.EvaluateTempered(nil, theta, beta)
		if errWant != nil || errGot != nil {
			t.Fatal(errWant, errGot)
		}
		for i, w := range []W{quotient, z} {
			if got[ws[place[i]]] != want[w] {
				t.Errorf("β = %v: %v is read back as %v", beta, want[w], got[ws[place[i]]])
			}
		}
	}
}

// TestRowsAreShort: the text grows with the table, where trees grow exponentially and
// nest without bound.
func TestRowsAreShort(t *testing.T) {
	s := New()
	const depth = 10_000
	w := s.Param(0)
	for range depth {
		loop, _ := s.Star(w)
		w = s.Plus(s.Times(w, loop), w)
	}
	rows, place := s.FormatRows([]W{w})
	size := 0
	for _, text := range rows {
		size += len(text)
	}
	if size > 100*depth {
		t.Errorf("%d bytes for %d layers", size, depth)
	}
	ws, err := s.ParseRows(rows)
	if err != nil || ws[place[0]] != w {
		t.Errorf("not read back: %v", err)
	}
}

func TestParseRows(t *testing.T) {
	s := New()
	a, b := s.Param(0), s.Param(1)
	ab, sum := s.Times(a, b), s.Plus(a, b)
	ws, err := s.ParseRows([]string{"$0", "$1", "@0*@1", "@2", "@0+@1", "@4^2*@0", "2#@2+@4", "(@2)", "1", "@8+@0", "@2*1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []W{a, b, ab, ab, sum, s.Times(a, s.Times(sum, sum)), ws[6], ab, One, s.Plus(One, a), ab} {
		if ws[i] != want {
			t.Errorf("row %d is %s, want %s", i, s.Format(ws[i]), s.Format(want))
		}
	}
	const long = "$0*$1*$2*$3*$4*$5*$6*$7*$8"
	for _, bad := range [][]string{
		{"@0"}, {"$0", "@1"}, {"$0", "@-1"}, {"$0", "@"}, {"$0", "@0@0"}, {"$0", "@x"}, {"$0", "0.5@0"},
		{long, "@0*$5"}, {long, "$5*@0"}, {long, "(@0)^2"}, {"$0", "@0+"},
	} {
		if _, err := s.ParseRows(bad); !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), fmt.Sprintf("expression %d", len(bad)-1)) {
			t.Errorf("%q: error %v", bad, err)
		}
	}
	if _, err := s.Parse("@0"); !errors.Is(err, ErrSyntax) {
		t.Errorf("a reference outside of a table: %v", err)
	}
}

// hostile are rows that would take memory out of proportion.
func hostile() map[string][]string {
	var factors []string
	for p := range 2000 {
		factors = append(factors, fmt.Sprint("$", p))
	}
	growing := []string{strings.Join(factors[:1000], "*")}
	for i, f := range factors[1000:] {
		growing = append(growing, fmt.Sprintf("@%d*%s", i, f))
	}
	powers := []string{growing[0]}
	for range 1000 {
		powers = append(powers, "@0^7", "@0*2")
	}
	return map[string][]string{
		"a long product": {strings.Join(factors, "*")}, "products of products": growing, "powers of a product": powers,
	}
}

func TestParseRowsMemory(t *testing.T) {
	for name, rows := range hostile() {
		t.Run(name, func(t *testing.T) {
			memtest.Bound(t, size(rows), 400, func() { New().ParseRows(rows) })
		})
	}
}

func size(rows []string) (bytes int) {
	for _, text := range rows {
		bytes += len(text) + 1
	}
	return bytes
}

func FuzzParseRows(f *testing.F) {
	f.Add("$0\n$1\n@0*@1^-1\nstar(@2)\n2#@3+0.5")
	f.Add("1\n@0+@0\n@1+@1\n@2*@2^-7")
	for _, rows := range hostile() {
		f.Add(strings.Join(rows[:min(30, len(rows))], "\n")[:min(500, len(rows[0]))])
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows := strings.Split(text, "\n")
		s := New()
		var ws []W
		var err error
		memtest.Bound(t, len(text)+1, 400, func() { ws, err = s.ParseRows(rows) })
		if err != nil {
			return
		}
		again, place := s.FormatRows(ws)
		back, err := s.ParseRows(again)
		if err != nil {
			t.Fatalf("%q was written as %q: %v", rows, again, err)
		}
		for i, w := range ws {
			if back[place[i]] != w {
				t.Errorf("row %d of %q was written as %q", i, rows, again)
			}
		}
	})
}
