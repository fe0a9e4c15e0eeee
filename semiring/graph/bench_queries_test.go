package graph_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func BenchmarkQueries(b *testing.B) {
	g := scaledOf(readGraph(b, "lattice.fsa.txt"))
	benchQueries(b, "lattice", g)
	benchQueries(b, "cyclic", scaledOf(readGraph(b, "cyclic_scc.fsa.txt")))
	b.Run("sample", func(b *testing.B) { benchSample(b, g) })
	b.Run("sample/hand", func(b *testing.B) { benchHandSample(b, g) })
	for _, dim := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("Covariance%d", dim), func(b *testing.B) { benchCovariance(b, g, dim) })
	}
	for _, dim := range []int{1, 10} {
		b.Run(fmt.Sprintf("Covariance%d/vectors", dim), func(b *testing.B) { benchVectors(b, g, dim) })
	}
}

// benchQueries has Posteriors, of which all queries are made, as a baseline.
func benchQueries(b *testing.B, name string, g *graph.Graph[semiring.ScaledFloat]) {
	v := partsOf(g, normal(graphtest.Rand(1), numParts(g)))
	b.Run(name+"/Posteriors", func(b *testing.B) { benchCall(b, g, graph.Posteriors) })
	b.Run(name+"/HessianVector", func(b *testing.B) {
		benchCall(b, g, func(g *graph.Graph[semiring.ScaledFloat]) (graph.Parts, error) { return graph.HessianVector(g, v) })
	})
	b.Run(name+"/NewSampler", func(b *testing.B) { benchCall(b, g, graph.NewSampler) })
	b.Run(name+"/Entropy", func(b *testing.B) { benchCall(b, g, graph.Entropy) })
	b.Run(name+"/KullbackLeibler", func(b *testing.B) {
		q := graph.Map(g, g.Ring(), func(w semiring.ScaledFloat) semiring.ScaledFloat { return w.Mul(semiring.NewScaled(.99)) })
		benchCall(b, g, func(g *graph.Graph[semiring.ScaledFloat]) (float64, error) { return graph.KullbackLeibler(g, q) })
	})
}

// perDrawn reports the time per arc drawn.
func perDrawn(b *testing.B, arcs *int) func() {
	return func() { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(*arcs), "ns/arc") }
}

func benchSample(b *testing.B, g *graph.Graph[semiring.ScaledFloat]) {
	s, err := graph.NewSampler(g)
	if err != nil {
		b.Fatal(err)
	}
	r, arcs := graphtest.Rand(1), 0
	b.ReportAllocs()
	defer perDrawn(b, &arcs)()
	for b.Loop() {
		arcs += len(s.Sample(r).Arcs)
	}
}

// benchHandSample goes through the options of a state one by one, with their
// probabilities computed before, and does not multiply weights.
func benchHandSample(b *testing.B, g *graph.Graph[semiring.ScaledFloat]) {
	p, err := graph.Posteriors(g)
	if err != nil {
		b.Fatal(err)
	}
	row, to := g.Row(), g.To()
	for s, visits := range p.State {
		for e := row[s]; e < row[s+1]; e++ {
			p.Arc[e] /= visits
		}
	}
	r, arcs := graphtest.Rand(1), 0
	sample := func() (path []int32) {
		for s := int32(0); row[s] < row[s+1]; {
			e := row[s]
			for u := r.Float64() - p.Arc[e]; u >= 0 && e+1 < row[s+1]; u -= p.Arc[e] {
				e++
			}
			path = append(path, e)
			s = to[e]
		}
		return path
	}
	defer perDrawn(b, &arcs)()
	for b.Loop() {
		arcs += len(sample()) // a loop in here would be slowed down by b.Loop
	}
}

// features gives every arc one of dim components, of value 1.
func features(arcs, dim int) graph.Values {
	v := graph.Values{Dim: dim, Arc: semiring.Scalars(make([]float64, arcs))}
	for e := range arcs {
		v.Arc.Index[e], v.Arc.Value[e] = int32(e%dim), 1
	}
	return v
}

func benchCovariance(b *testing.B, g *graph.Graph[semiring.ScaledFloat], dim int) {
	v := features(g.NumArcs(), dim)
	b.ReportAllocs()
	defer perArc(b, g.NumArcs()*dim)()
	for b.Loop() {
		if _, _, err := graph.Covariance(g, v); err != nil {
			b.Fatal(err)
		}
	}
}

// benchVectors takes the means of the components by vectors carried along the paths:
// less than half of what a covariance needs.
func benchVectors(b *testing.B, g *graph.Graph[semiring.ScaledFloat], dim int) {
	type weight = semiring.Expected[semiring.ScaledFloat, []semiring.ScaledFloat]
	ring := semiring.Expectation(g.Ring(), semiring.Dense(g.Ring(), dim))
	e := graph.Map(g, ring, func(w semiring.ScaledFloat) weight { return weight{P: w} })
	for i := range e.Weights() {
		w := &e.Weights()[i]
		w.V = make([]semiring.ScaledFloat, dim)
		w.V[i%dim] = w.P
	}
	b.ReportAllocs()
	defer perArc(b, g.NumArcs()*dim)()
	for b.Loop() {
		if _, err := graph.Backward(e); err != nil {
			b.Fatal(err)
		}
	}
}

// A chain of 100 steps of 20 parallel arcs with two labels, of which every sequence
// has about 10^100 paths: the 100 best sequences, beside those that the
// 10000 best paths contain.
func BenchmarkUniqueBestPaths(b *testing.B) {
	g, labels := sausage(100, 20)
	b.Run("unique", func(b *testing.B) {
		for b.Loop() {
			paths, err := graph.UniqueBestPaths(g, labels)
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for range paths {
				if n++; n == 100 {
					break
				}
			}
			b.ReportMetric(float64(n), "sequences")
		}
	})
	b.Run("filtered", func(b *testing.B) {
		for b.Loop() {
			paths, err := graph.BestPaths(g)
			if err != nil {
				b.Fatal(err)
			}
			seen, n := map[string]bool{}, 0
			for p := range paths {
				seen[fmt.Sprint(sequence(p, labels))] = true
				if n++; n == 10000 {
					break
				}
			}
			b.ReportMetric(float64(len(seen)), "sequences")
		}
	})
}
