package pairgram

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
)

// words returns pairs of about the length of words and their sounds: what becomes of a
// symbol depends on the next one, now and then on chance, and some become nothing.
func words(rng *rand.Rand, n int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		p := &pairs[i]
		for range 4 + rng.IntN(9) {
			p.Source = append(p.Source, 1+int32(27*rng.Float64()*rng.Float64()))
		}
		for j, x := range p.Source {
			next := p.Source[min(j+1, len(p.Source)-1)]
			switch {
			case rng.IntN(30) == 0:
				p.Target = append(p.Target, 1+rng.Int32N(39), 1+rng.Int32N(39))
			case x%5 != 0 || next%2 == 0:
				p.Target = append(p.Target, 1+(x+9*(next%3))%39)
			}
		}
	}
	return pairs
}

// BenchmarkAlign: an E step with its M step, lattices kept.
func BenchmarkAlign(b *testing.B) {
	pairs := words(rand.New(rand.NewPCG(1, 1)), 5000)
	a := newTestAligner(b, pairs, nil)
	l, err := a.Likelihood(pairs)
	if err != nil {
		b.Fatal(err)
	}
	q := em.Query{Theta: a.Theta, Workers: 1}
	e, err := l.Expect(b.Context(), q)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if e, err = l.Expect(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(e.Arcs), "ns/arc")
}

func benchModel(b *testing.B) (*Model, []Pair) {
	pairs := words(rand.New(rand.NewPCG(1, 1)), 5000)
	a := newTestAligner(b, pairs, nil)
	if _, err := a.Fit(b.Context(), pairs, nil); err != nil {
		b.Fatal(err)
	}
	c, err := a.Count(b.Context(), pairs, nil)
	if err != nil {
		b.Fatal(err)
	}
	m, err := c.Model(nil)
	if err != nil {
		b.Fatal(err)
	}
	return m, pairs
}

// BenchmarkCount: counting in lattices, from the alignment to the model.
func BenchmarkCount(b *testing.B) {
	pairs := words(rand.New(rand.NewPCG(1, 1)), 5000)
	a := newTestAligner(b, pairs, nil)
	if _, err := a.Fit(b.Context(), pairs, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := a.Count(b.Context(), pairs, &CountOptions{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Model(nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pairs)), "µs/pair")
}

// BenchmarkBest: the ten best targets, and the search alone.
func BenchmarkBest(b *testing.B) {
	m, pairs := benchModel(b)
	d := newTestPredictor(b, m, nil)
	each := func(do func(p *Pair) error) func(*testing.B) {
		return func(b *testing.B) {
			i := 0
			for b.Loop() {
				if err := do(&pairs[i%500]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		}
	}
	b.Run("ten", each(func(p *Pair) error { _, err := d.Best(b.Context(), p.Source, 10); return err }))
	b.Run("lattice", each(func(p *Pair) error { _, err := d.Lattice(b.Context(), p.Source); return err }))
	b.Run("score", each(func(p *Pair) error { _, err := d.LogProb(p.Source, p.Target); return err }))
}

// BenchmarkConditional: the ten best targets of sources, by strengths of most of their
// features.
func BenchmarkConditional(b *testing.B) {
	m, pairs := benchModel(b)
	c := newConditional(newTestPredictor(b, m, nil), 4e-3, new(index), nil)
	var xs [][]int32
	for _, p := range pairs[:100] {
		xs = append(xs, p.Source)
	}
	c.strengthen(b, rand.New(rand.NewPCG(2, 2)), xs...)
	i := 0
	for b.Loop() {
		if _, err := c.Best(b.Context(), xs[i%len(xs)], 10); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
