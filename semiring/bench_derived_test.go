package semiring_test

import (
	"math"
	"math/big"
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
	b.Run("fold", pass(KernelOf(Semiring[W](plainRing[W]{s}))))
}

// plainRing is a ring without its capabilities.
type plainRing[W any] struct{ Semiring[W] }

func BenchmarkDerived(b *testing.B) {
	g := newLattice()
	costs, scaled := Semiring[Cost](Tropical{}), Semiring[ScaledFloat](Scaled{})
	asCost := func(l float64) Cost { return Cost(math.Round(-8 * l)) }
	b.Run("Product", func(b *testing.B) {
		forwardBoth(b, g, Product(scaled, costs), func(l float64) Pair[ScaledFloat, Cost] {
			return Pair[ScaledFloat, Cost]{First: ScaledFromLog(l), Second: Cost(-l)}
		})
	})
	b.Run("Bottleneck", func(b *testing.B) {
		forwardBoth[Width](b, g, Bottleneck{}, func(l float64) Width { return Width(-l) })
	})
	b.Run("Lex(Tropical, Counting)", func(b *testing.B) {
		one := big.NewInt(1)
		forwardBoth(b, g, lexOf[Cost, *big.Int](b, costs, Counting{}), func(l float64) Pair[Cost, *big.Int] {
			return Pair[Cost, *big.Int]{First: asCost(l), Second: one}
		})
	})
	b.Run("KBest 10", func(b *testing.B) {
		forwardBoth(b, g, kBestOf(b, costs, 10), func(l float64) Ranked[Cost] { return Ranked[Cost]{Cost(-l)} })
	})
	b.Run("Series 8", func(b *testing.B) {
		forwardBoth(b, g, Series(scaled, 8), func(l float64) Polynomial[ScaledFloat] {
			p := ScaledFromLog(l)
			return Polynomial[ScaledFloat]{p, p}
		})
	})
	b.Run("Expectation2 scalar", func(b *testing.B) {
		product := ScalarProduct(scaled)
		forwardBoth(b, g, expectation2Of(b, scaled, product), func(l float64) Expected2[ScaledFloat, ScaledFloat, ScaledFloat, ScaledFloat] {
			return secondOrder(product, ScaledFromLog(l), NewScaled(-l), NewScaled(1))
		})
	})
	b.Run("Expectation2 3x3", func(b *testing.B) {
		product := DenseScaledProduct(3, 3)
		forwardBoth(b, g, expectation2Of(b, scaled, product), func(l float64) scaled2 {
			v := NewScaledVector([]float64{-l, 1, 0})
			return secondOrder(product, ScaledFromLog(l), v, v)
		})
	})
}
