package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// benchQueries has Posteriors, on which all queries are based, as a baseline.
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

// benchHandSample tries the options of a state one by one, with precomputed probabilities, and
// does not multiply weights.
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

// benchVectors computes the means of the components by vectors carried along the paths: less than
// half of the work for a covariance.
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

// A chain of 100 steps of 20 parallel arcs with two labels, in which every sequence has about
// 10^100 paths: the 100 best sequences, compared with the sequences of the 10000 best paths.
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

// decoded returns a lattice of a string decoder, with one layer of states per symbol read. A
// state is the last label written, and every label is written with a mass that depends on layer,
// label and state, whose logarithm has the given deviation. So do ε-arcs, which write no label.
func decoded(r *rand.Rand, layers, width, arcs int, deviation float64) (*graph.Graph[semiring.ScaledFloat], []int32) {
	row, to, label, weight := []int32{0}, []int32{}, []int32{}, []semiring.ScaledFloat{}
	for layer := 1; layer <= layers; layer++ {
		likely := make([]float64, width)
		for l := range likely {
			likely[l] = deviation * r.NormFloat64()
		}
		for q := range width {
			for i := range arcs {
				l := r.IntN(width)
				x := likely[l] + r.NormFloat64()
				if i == 0 {
					to, label = append(to, int32(layer*width+q)), append(label, 0)
					x = deviation*r.NormFloat64() - 1
				} else {
					to, label = append(to, int32(layer*width+l)), append(label, int32(1+l))
				}
				weight = append(weight, semiring.ScaledFromLog(x))
			}
			row = append(row, int32(len(to)))
		}
	}
	final := make([]semiring.ScaledFloat, (layers+1)*width)
	for q := range width {
		row = append(row, int32(len(to)))
		final[layers*width+q] = semiring.NewScaled(1)
	}
	g, err := graph.New(semiring.Scaled{}, row, to, weight, []graph.Start[semiring.ScaledFloat]{{Weight: semiring.NewScaled(1)}}, final)
	if err != nil {
		panic(err)
	}
	return g, label
}

// Ten sequences of lattices of 300 states and 3000 arcs, compared with a backward pass and with
// the sequences of the 200 best paths, which have only a part of their mass.
func BenchmarkBestSequences(b *testing.B) {
	for _, deviation := range []float64{1, 2, 4} {
		g, labels := decoded(graphtest.Rand(1), 14, 20, 10, deviation)
		name := fmt.Sprintf("deviation %g/", deviation)
		b.Run(name+"sum", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n, mass := 0, semiring.ScaledFloat{}
				for s, err := range graph.BestSequences(g, labels, nil) {
					if err != nil {
						b.Fatal(err)
					}
					mass = mass.Add(s.Weight)
					if n++; n == 10 {
						break
					}
				}
				b.ReportMetric(mass.Log(), "ln-mass")
			}
		})
		best := graph.Map(g, semiring.Tropical{}, func(w semiring.ScaledFloat) semiring.Cost { return semiring.Cost(-w.Log()) })
		b.Run(name+"paths", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				paths, err := graph.BestPaths(best)
				if err != nil {
					b.Fatal(err)
				}
				n, sums := 0, map[string]float64{}
				for p := range paths {
					sums[fmt.Sprint(sequence(p, labels))] += math.Exp(-float64(p.Weight))
					if n++; n == 200 {
						break
					}
				}
			}
		})
		b.Run(name+"Backward", func(b *testing.B) {
			for b.Loop() {
				if _, err := graph.Backward(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// masses is Real as a user of this module would implement it, with its own passes.
type masses struct{ semiring.Semiring[float64] }

func (masses) Laws() semiring.Laws { return semiring.Commutative }

// rowsOf returns order, or all rows if that is nil.
func rowsOf(order, row []int32) []int32 {
	if order != nil {
		return order
	}
	for s := range int32(len(row) - 1) {
		order = append(order, s)
	}
	return order
}

func (masses) Sweep(x []float64, order, row []int32, w []float64, i []int32) {
	for _, s := range rowsOf(order, row) {
		sum := x[s]
		for n := int(row[s]); n < int(row[s+1]); n++ {
			sum += w[n] * x[i[n]]
		}
		x[s] = sum
	}
}

func (masses) Spread(x []float64, order, row []int32, w []float64, i []int32) {
	for _, s := range rowsOf(order, row) {
		for n := int(row[s]); n < int(row[s+1]); n++ {
			x[i[n]] += x[s] * w[n]
		}
	}
}

// kernels is Real without its passes: one call of its kernel per state.
type kernels struct {
	semiring.Semiring[float64]
	semiring.Kernel[float64]
}

// folds is Real without any capability: two calls per arc.
type folds struct{ semiring.Semiring[float64] }

func (folds) Laws() semiring.Laws { return semiring.Commutative }

// The effect of a ring's capabilities, on a lattice of a million arcs.
func BenchmarkUserRing(b *testing.B) {
	costs := randomCosts(b, 1_000_000, 50)
	real := realOf(costs)
	over := func(ring semiring.Semiring[float64]) *graph.Graph[float64] {
		return graph.Map(real, ring, func(w float64) float64 { return w })
	}
	for _, c := range []struct {
		name string
		g    *graph.Graph[float64]
	}{
		{"Real", real},
		{"own passes", over(masses{semiring.Real{}})},
		{"own Kernel", over(kernels{semiring.Real{}, semiring.Real{}})},
		{"neither", over(folds{semiring.Real{}})},
	} {
		b.Run(c.name+"/PathSum", func(b *testing.B) { benchCall(b, c.g, graph.PathSum) })
		b.Run(c.name+"/Forward", func(b *testing.B) { benchCall(b, c.g, graph.Forward) })
	}
	b.Run("hand/PathSum", func(b *testing.B) { benchHandReal(b, real) })
}

// benchHandReal is a single-purpose loop.
func benchHandReal(b *testing.B, g *graph.Graph[float64]) {
	row, to, w := g.Row(), g.To(), g.Weights()
	beta := make([]float64, g.NumStates())
	pass := func() {
		beta[len(beta)-1] = 1
		for s := len(beta) - 2; s >= 0; s-- {
			lo, hi := row[s], row[s+1]
			next, ws, sum := to[lo:hi], w[lo:hi], 0.0
			for n, t := range next {
				sum += ws[n] * beta[t]
			}
			beta[s] = sum
		}
	}
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		pass() // a loop in here would be slowed down by b.Loop
	}
}
