package semiring_test

import (
	"testing"

	. "example.org/pathsum/semiring"
)

// forwardBoth benchmarks a pull pass over weights that lift makes of logarithms of
// probabilities: by the kernel of a ring, and by a fold.
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
