package semiring_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
)

// lattice is a random acyclic graph: 10⁶ arcs, ten out of each state, the first
// to the next state and the others up to 50 ahead. Arcs are listed by target;
// arc n has the weight perm[n] in order of source.
type lattice struct {
	row, from, perm []int32
	log             []float64 // in order of source
	// In order of source: to[10s:10s+10].
	to []int32
}

const (
	latticeStates = 100_000
	latticeDegree = 10
)

func newLattice() *lattice {
	r := rand.New(rand.NewPCG(6, 1))
	g := &lattice{row: make([]int32, latticeStates+1)}
	for s := range latticeStates - latticeDegree {
		for j := range latticeDegree {
			to := s + 1
			if j > 0 {
				to = min(s+1+r.IntN(50), latticeStates-1)
			}
			g.to = append(g.to, int32(to))
			g.log = append(g.log, math.Log(0.01+0.3*r.Float64()))
			g.row[to+1]++
		}
	}
	for s := range latticeStates {
		g.row[s+1] += g.row[s]
	}
	next := append([]int32(nil), g.row...)
	g.from, g.perm = make([]int32, len(g.to)), make([]int32, len(g.to))
	for n, to := range g.to {
		at := next[to]
		next[to]++
		g.from[at], g.perm[at] = int32(n/latticeDegree), int32(n)
	}
	return g
}

// weights returns the weights in order of source, and in order of target.
func (g *lattice) weights(fromLog func(float64) float64) (bySource, byTarget []float64) {
	for _, l := range g.log {
		bySource = append(bySource, fromLog(l))
	}
	for _, n := range g.perm {
		byTarget = append(byTarget, bySource[n])
	}
	return bySource, byTarget
}

func perArc(b *testing.B, arcs int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
}

// forward benchmarks one pull pass by kernel calls.
func forward[W any](b *testing.B, g *lattice, s Semiring[W], kernel Kernel[W]) {
	prober, _ := As[Probabilistic[W]](s)
	bySource, byTarget, x := make([]W, len(g.log)), make([]W, len(g.log)), make([]W, latticeStates)
	for n, l := range g.log {
		bySource[n] = prober.FromLog(l)
	}
	for n, k := range g.perm {
		byTarget[n] = bySource[k]
	}
	pass := func(dot func(dst *W, lo, hi int32)) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				x[0] = s.One()
				for q := 1; q < latticeStates; q++ {
					dot(&x[q], g.row[q], g.row[q+1])
				}
			}
			perArc(b, len(g.log))
		}
	}
	b.Run("contiguous", pass(func(dst *W, lo, hi int32) { kernel.Dot(dst, byTarget[lo:hi], nil, x, g.from[lo:hi]) }))
	b.Run("permuted", pass(func(dst *W, lo, hi int32) { kernel.Dot(dst, bySource, g.perm[lo:hi], x, g.from[lo:hi]) }))
}

func BenchmarkForward(b *testing.B) {
	g := newLattice()
	b.Run("Real", func(b *testing.B) { forward(b, g, Real{}, Real{}) })
	b.Run("Real hand-written", func(b *testing.B) { forwardReal(b, g) })
	b.Run("Real fold", func(b *testing.B) { forward(b, g, Real{}, KernelOf(logless{})) })
	b.Run("Scaled", func(b *testing.B) { forward(b, g, Scaled{}, Scaled{}) })
	b.Run("Viterbi", func(b *testing.B) { forward(b, g, Viterbi{}, Viterbi{}) })
	b.Run("Tropical", func(b *testing.B) { forward(b, g, Tropical{}, Tropical{}) })
	b.Run("Tropical hand-written", func(b *testing.B) { forwardTropical(b, g) })
	b.Run("Log", func(b *testing.B) { forward(b, g, Log{}, Log{}) })
	b.Run("Log hand-written", func(b *testing.B) { forwardLog(b, g) })
	scaled := Semiring[ScaledFloat](Scaled{})
	ring := Expectation(scaled, Scalar(scaled))
	b.Run("Expectation", func(b *testing.B) { forward(b, g, ring, KernelOf(ring)) })
}

func forwardReal(b *testing.B, g *lattice) {
	_, w := g.weights(math.Exp)
	x := make([]float64, latticeStates)
	for b.Loop() {
		x[0] = 1
		for q := 1; q < latticeStates; q++ {
			lo, hi := g.row[q], g.row[q+1]
			from, sum := g.from[lo:hi], 0.0
			for n, v := range w[lo:hi] {
				sum += v * x[from[n]]
			}
			x[q] = sum
		}
	}
	perArc(b, len(w))
}

func forwardTropical(b *testing.B, g *lattice) {
	_, w := g.weights(func(l float64) float64 { return -l })
	x := make([]float64, latticeStates)
	for b.Loop() {
		x[0] = 0
		for q := 1; q < latticeStates; q++ {
			lo, hi := g.row[q], g.row[q+1]
			from, best := g.from[lo:hi], math.Inf(1)
			for n, v := range w[lo:hi] {
				best = min(best, v+x[from[n]])
			}
			x[q] = best
		}
	}
	perArc(b, len(w))
}

// forwardLog is the usual numerically stable method, which finds the maximum first.
func forwardLog(b *testing.B, g *lattice) {
	_, w := g.weights(func(l float64) float64 { return l })
	x := make([]float64, latticeStates)
	for b.Loop() {
		x[0] = 0
		for q := 1; q < latticeStates; q++ {
			lo, hi := g.row[q], g.row[q+1]
			from, top := g.from[lo:hi], math.Inf(-1)
			for n, v := range w[lo:hi] {
				top = max(top, v+x[from[n]])
			}
			sum := 0.0
			for n, v := range w[lo:hi] {
				sum += math.Exp(v + x[from[n]] - top)
			}
			x[q] = top + math.Log(sum)
		}
	}
	perArc(b, len(w))
}

// marginals benchmarks the posteriors of all arcs, given masses around 1.
func marginals[W any](b *testing.B, g *lattice, s Semiring[W], kernel Kernel[W]) {
	prober, _ := As[Probabilistic[W]](s)
	w, x := make([]W, len(g.log)), make([]W, latticeStates)
	for n, l := range g.log {
		w[n] = prober.FromLog(l)
	}
	for q := range x {
		x[q] = prober.FromLog(-float64(q%64) / 8)
	}
	p := make([]float64, len(w))
	for b.Loop() {
		for at := 0; at < len(w); at += latticeDegree {
			end := at + latticeDegree
			kernel.Marginals(p[at:end], x[at/latticeDegree], w[at:end], nil, x, g.to[at:end])
		}
	}
	perArc(b, len(w))
}

func BenchmarkMarginals(b *testing.B) {
	g := newLattice()
	b.Run("Real", func(b *testing.B) { marginals(b, g, Real{}, Real{}) })
	b.Run("Scaled", func(b *testing.B) { marginals(b, g, Scaled{}, Scaled{}) })
	b.Run("Log", func(b *testing.B) { marginals(b, g, Log{}, Log{}) })
}

// BenchmarkDense multiplies a dense matrix by a vector: all indices nil.
func BenchmarkDense(b *testing.B) {
	const n = 300
	r := rand.New(rand.NewPCG(6, 2))
	a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range a {
		a[i], x[i%n] = r.Float64()/n, r.Float64()
	}
	scale := func(v []float64) []ScaledFloat {
		s := make([]ScaledFloat, len(v))
		for i, x := range v {
			s[i] = NewScaled(x)
		}
		return s
	}
	b.Run("Real", func(b *testing.B) {
		for b.Loop() {
			for i := range y {
				Real{}.Dot(&y[i], a[n*i:n*i+n], nil, x, nil)
			}
		}
		perArc(b, n*n)
	})
	b.Run("Real hand-written", func(b *testing.B) {
		for b.Loop() {
			for i := range y {
				row, sum := a[n*i:n*i+n], 0.0
				for j, v := range row {
					sum += v * x[j]
				}
				y[i] = sum
			}
		}
		perArc(b, n*n)
	})
	b.Run("Scaled", func(b *testing.B) {
		a, x, y := scale(a), scale(x), make([]ScaledFloat, n)
		for b.Loop() {
			for i := range y {
				Scaled{}.Dot(&y[i], a[n*i:n*i+n], nil, x, nil)
			}
		}
		perArc(b, n*n)
	})
}

// forwardBoth benchmarks a pull pass over weights that lift computes from log probabilities: by
// the kernel of a ring, and by a fold.
func forwardBoth[W any](b *testing.B, g *lattice, s Semiring[W], lift func(logp float64) W) {
	w := make([]W, len(g.log))
	for n, k := range g.perm {
		w[n] = lift(g.log[k])
	}
	pass := func(kernel Kernel[W]) func(*testing.B) {
		return func(b *testing.B) {
			x := make([]W, latticeStates)
			b.ReportAllocs()
			for b.Loop() {
				x[0] = s.One()
				for q := 1; q < latticeStates; q++ {
					lo, hi := g.row[q], g.row[q+1]
					kernel.Dot(&x[q], w[lo:hi], nil, x, g.from[lo:hi])
				}
			}
			perArc(b, len(w))
		}
	}
	b.Run("kernel", pass(KernelOf(s)))
	b.Run("fold", pass(KernelOf(plainRing[W]{s})))
}

// plainRing is a ring without its capabilities.
type plainRing[W any] struct{ Semiring[W] }

func BenchmarkDerived(b *testing.B) {
	g := newLattice()
	costs, scaled := Semiring[Cost](Tropical{}), Semiring[ScaledFloat](Scaled{})
	b.Run("KBest 10", func(b *testing.B) {
		forwardBoth(b, g, kBestOf(b, costs, 10), func(l float64) Ranked[Cost] { return Ranked[Cost]{Cost(-l)} })
	})
	b.Run("Expectation scalar", func(b *testing.B) {
		forwardBoth(b, g, Expectation(scaled, Scalar(scaled)), func(l float64) Expected[ScaledFloat, ScaledFloat] {
			p := ScaledFromLog(l)
			return Expected[ScaledFloat, ScaledFloat]{P: p, V: p.Mul(NewScaled(-l))}
		})
	})
	b.Run("Expectation 3", func(b *testing.B) {
		forwardBoth(b, g, Expectation(scaled, Dense(scaled, 3)), func(l float64) Expected[ScaledFloat, []ScaledFloat] {
			return Expected[ScaledFloat, []ScaledFloat]{P: ScaledFromLog(l), V: scaledOf(-l, 1, 0)}
		})
	})
}
