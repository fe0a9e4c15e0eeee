package rx_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
)

// numbered returns n symbols x0, x1, … and their alphabet.
func numbered(n int) ([]string, *fst.Symbols) {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i)
	}
	return names, fst.NewSymbols(names...)
}

// epsilons returns the number of arcs ε:ε of f.
func epsilons[W any](f *fst.FST[W]) int {
	n := 0
	for e, in := range f.In() {
		if in == fst.Epsilon && f.Out()[e] == fst.Epsilon {
			n++
		}
	}
	return n
}

func TestSize(t *testing.T) {
	const n = 500
	names, alphabet := numbered(n)
	symbol := func(i int) rx.Expr { return rx.Symbol(names[i]) }
	each := func(f func(i int) rx.Expr) (es []rx.Expr) {
		for i := range n {
			es = append(es, f(i))
		}
		return es
	}
	star := func(i int) rx.Expr { return rx.Star(symbol(i)) }
	nested := func(depth int) rx.Expr {
		e := rx.Concat()
		for i := range depth {
			e = rx.Concat(star(i), e)
		}
		return e
	}
	pairs := each(func(i int) rx.Expr { return rx.Cross(symbol(i), symbol((7*i)%n)) })
	tails := each(func(i int) rx.Expr { return rx.Concat(symbol(i), rx.Optional(symbol(n-1-i))) })
	for _, test := range []struct {
		what                   string
		e                      rx.Expr
		states, arcs, epsilons int // exact
	}{
		{"closure of pairs", rx.Star(rx.Union(pairs[0], pairs[1:]...)), 1, n, 0},
		{"closure of weighted pairs", rx.ProbStar(rx.Number(.5), rx.Union(pairs[0], pairs[1:]...)), 1, n, 0},
		{"one or more", rx.Plus(rx.Union(pairs[0], pairs[1:]...)), 2, 2 * n, 0},
		{"any symbol", rx.Any(), 2, n, 0},
		{"any with one", rx.Cross(symbol(0), rx.Any()), 2, n, 0},
		{"any with any", rx.Cross(rx.Any(), rx.Any()), 3, 2 * n, 0},
		{"few with more", rx.Cross(rx.OneOf(rx.One("x0"), rx.One("x1")), rx.Star(symbol(2))), 3, 5, 0},
		{"text", rx.Concat(each(symbol)...), n + 1, n, 0},
		{"texts, aligned", rx.Cross(rx.Concat(each(symbol)...), rx.Concat(symbol(0), symbol(1))), n + 1, n, 0},
		{"repetition", rx.Repeat(symbol(0), 0, n), n + 1, n, 0},
		{"repetition, then a symbol", rx.Concat(rx.Repeat(symbol(0), 0, n), symbol(1)), n + 2, 2*n + 1, 0},
		{"many, exactly", rx.Repeat(rx.Any(), 3, 3), 4, 3 * n, 0},
		{"words with tails, repeated", rx.Star(rx.Union(tails[0], tails[1:]...)), n + 1, 3 * n, n},
		{"sequence of closures", rx.Concat(each(star)...), n, 5*n - 10, n - 5},
		{"nested closures", nested(40), 40, 40 * 41 / 2, 0},
	} {
		f := must(rx.NewCompiler(semiring.Real{}, alphabet).Compile(test.e))(t)
		if f.NumStates() != test.states || f.NumArcs() != test.arcs || epsilons(f) != test.epsilons {
			t.Errorf("%s: %d states, %d arcs, %d of them ε:ε, want %d, %d, %d", test.what,
				f.NumStates(), f.NumArcs(), epsilons(f), test.states, test.arcs, test.epsilons)
		}
	}
}

// Machines that are referred to keep their final states, except that those without arcs are merged.
func TestSizeOfReferences(t *testing.T) {
	reals := semiring.Real{}
	alphabet := fst.NewSymbols("a", "b")
	b := fst.NewBuilder(reals)
	b.AddStates(4)
	b.AddStart(0, 1)
	for to := int32(1); to < 4; to++ {
		b.AddArc(0, fst.Arc[float64]{In: 1, Out: to % 2, To: to, Weight: .25})
		b.SetFinal(to, 1)
	}
	b.SetFinal(3, .5)
	c := rx.NewCompiler(reals, alphabet)
	if err := c.DefineMachine("m", must(b.Freeze())(t)); err != nil {
		t.Fatal(err)
	}
	f := must(c.Compile(rx.MustParse("@m b")))(t)
	if f.NumStates() != 4 || f.NumArcs() != 5 {
		t.Errorf("%d states and %d arcs, want 4 and 5", f.NumStates(), f.NumArcs())
	}
	for out, want := range map[string]float64{"ab": .25 + .125, "b": .25, "": 0} {
		if got := value(t, f, "ab", out); got != want {
			t.Errorf("(ab, %s) has weight %g, want %g", out, got, want)
		}
	}
}

// A machine for a large lexicon, from text to arcs.
func BenchmarkLexicon(b *testing.B) {
	var text strings.Builder
	letters := "abcdefghijklmnopqrstuvwxyz"
	const words = 10_000
	for i := range words {
		if i > 0 {
			text.WriteString(" | ")
		}
		for k, x := 0, uint32(i)*2654435761+12345; k < 8; k++ {
			text.WriteByte(letters[x%26])
			x = x*1664525 + 1013904223
		}
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if _, err := rx.Parse(text.String()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words*8), "ns/symbol")
	})
	e := rx.MustParse(text.String())
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols(strings.Split(letters, "")...))
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Compile(e); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*words*8), "ns/symbol")
	})
}

// A rule for a string map of many words, wherever they are and between blanks.
func BenchmarkMapRule(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 300 {
		for range 4 + rng.IntN(5) {
			text.WriteByte(byte('a' + rng.IntN(26)))
		}
		fmt.Fprintf(&text, "\t%c\n", 'a'+rng.IntN(26))
	}
	ds := must(rx.ParseDefinitions("letter = [a-z ]; edge = $ | \\ ;"))(b)
	c := rx.NewCompiler(semiring.Tropical{}, must(rx.Alphabet(ds))(b))
	if err := errors.Join(c.DefineAll(ds), c.Define("words", must(rx.ParseStringMap("", text.String()))(b))); err != nil {
		b.Fatal(err)
	}
	for _, rule := range []string{"@words / __", "@words /^longest __", "@words /^longest @edge __ @edge", "@words /^longest^opt_.5 @edge __ @edge"} {
		b.Run(rule, func(b *testing.B) {
			states := 0
			for b.Loop() {
				states = must(c.Compile(rx.MustParse(rule)))(b).NumStates()
			}
			b.ReportMetric(float64(states), "states")
		})
	}
}
