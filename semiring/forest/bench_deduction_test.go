package forest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// BenchmarkCKY times the rules of CKY, and passes over the forest that they build, beside
// loops over a chart that do the same: a sentence of 35 words, 20 nonterminals, 400 binary
// rules.
func BenchmarkCKY(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	g := randomCNF(r, 20, 50, 1, 0, 400)
	words := sentence(r, 35, 50)
	d := g.deduction()
	c, err := g.parse(d, words)
	if err != nil {
		b.Fatal(err)
	}
	scaled := forest.Map(c.Forest, semiring.Scaled{}, semiring.NewScaled)
	total, l := must(forest.TreeSum(c.Forest)), newLoops(g).inside(words)
	for _, x := range []struct {
		name string
		run  func() error
	}{
		{"build/again", func() error {
			_, err := g.parse(d, words)
			return err
		}},
		{"build/first", func() error {
			_, err := g.parse(g.deduction(), words)
			return err
		}},
		{"inside/loops", func() error { return l.inside(words).check(total) }},
		{"inside/Real", func() error { return l.check(must(forest.TreeSum(c.Forest))) }},
		{"inside/Scaled", func() error { return l.check(must(forest.TreeSum(scaled)).Float64()) }},
		{"posteriors/loops", func() error {
			l.inside(words).outside()
			return l.check(total)
		}},
		{"posteriors/Real", func() error {
			_, err := forest.Posteriors(c.Forest)
			return err
		}},
		{"posteriors/Scaled", func() error {
			_, err := forest.Posteriors(scaled)
			return err
		}},
	} {
		b.Run(x.name, func(b *testing.B) {
			defer benchtime.Per(b, c.Forest.NumEdges(), "edge")()
			for b.Loop() {
				if err := x.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDeductionAfterLongRun times runs of a thousand items after one of a million.
func BenchmarkDeductionAfterLongRun(b *testing.B) {
	for _, long := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint(long), func(b *testing.B) {
			last := long
			d := fibonacci(&last)
			runFibonacci(b, d, last)
			last = 1000
			defer benchtime.Per(b, last, "item")()
			for b.Loop() {
				runFibonacci(b, d, last)
			}
		})
	}
}

// loops is CKY by hand: a flat chart, a flat list of rules.
type loops struct {
	n, x    int // words and nonterminals
	lexical [][]float64
	rules   []struct {
		a, b, c int
		p       float64
	}
	in, out []float64 // [i][j][x]
	count   []float64 // by rule
}

func newLoops(g *cnf) *loops {
	l := &loops{x: len(g.lexical), lexical: g.lexical}
	for b := range g.binary {
		for c, rules := range g.binary[b] {
			for _, r := range rules {
				l.rules = append(l.rules, struct {
					a, b, c int
					p       float64
				}{int(r.parent), b, c, r.p})
			}
		}
	}
	return l
}

func (l *loops) at(chart []float64, i, j int) []float64 {
	begin := (i*(l.n+1) + j) * l.x
	return chart[begin : begin+l.x]
}

func (l *loops) inside(words []int) *loops {
	l.n = len(words)
	l.in = make([]float64, l.n*(l.n+1)*l.x)
	for i, w := range words {
		for x, p := range l.lexical {
			l.at(l.in, i, i+1)[x] = p[w]
		}
	}
	for width := 2; width <= l.n; width++ {
		for i := 0; i+width <= l.n; i++ {
			a := l.at(l.in, i, i+width)
			for k := i + 1; k < i+width; k++ {
				b, c := l.at(l.in, i, k), l.at(l.in, k, i+width)
				for r := range l.rules {
					rule := &l.rules[r]
					a[rule.a] += rule.p * b[rule.b] * c[rule.c]
				}
			}
		}
	}
	return l
}

func (l *loops) outside() {
	l.out = make([]float64, len(l.in))
	l.count = make([]float64, len(l.rules))
	l.at(l.out, 0, l.n)[0] = 1 / l.at(l.in, 0, l.n)[0]
	for width := l.n; width >= 2; width-- {
		for i := 0; i+width <= l.n; i++ {
			a := l.at(l.out, i, i+width)
			for k := i + 1; k < i+width; k++ {
				b, c := l.at(l.in, i, k), l.at(l.in, k, i+width)
				outB, outC := l.at(l.out, i, k), l.at(l.out, k, i+width)
				for r := range l.rules {
					rule := &l.rules[r]
					w := a[rule.a] * rule.p
					left, right := b[rule.b], c[rule.c]
					outB[rule.b] += w * right
					outC[rule.c] += w * left
					l.count[r] += w * left * right
				}
			}
		}
	}
}

// check compares another total with that of the chart.
func (l *loops) check(total float64) error {
	if z := l.at(l.in, 0, l.n)[0]; !agrees(total, z) {
		return fmt.Errorf("total %v, want %v", total, z)
	}
	return nil
}
