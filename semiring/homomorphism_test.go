package semiring_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
)

// testHomomorphism tries that h maps ⊕ to ⊕, ⊗ to ⊗, 0̄ to 0̄ and 1̄ to 1̄; a star
// goes to a star.
func testHomomorphism[A, B any](t *testing.T, name string, a Semiring[A], b Semiring[B], gen func(*rand.Rand) A, h func(A) B) {
	t.Helper()
	r := rand.New(rand.NewPCG(14, 1))
	metric, _ := As[Metric[B]](b)
	equal := func(law string, got, want B) {
		if !(metric.Dist(got, want) < 1e-10) {
			t.Fatalf("%s: %s: %v, want %v", name, law, got, want)
		}
	}
	closedA, okA := As[Closed[A]](a)
	closedB, okB := As[Closed[B]](b)
	equal("0̄", h(a.Zero()), b.Zero())
	equal("1̄", h(a.One()), b.One())
	for range 300 {
		x, y := gen(r), gen(r)
		equal("⊕", h(a.Plus(x, y)), b.Plus(h(x), h(y)))
		equal("⊗", h(a.Times(x, y)), b.Times(h(x), h(y)))
		if okA && okB {
			if star, ok := closedA.Star(x); ok {
				if image, ok := closedB.Star(h(x)); ok {
					equal("star", h(star), image)
				}
			}
		}
	}
}

func TestDocumentedHomomorphisms(t *testing.T) {
	costs, reals := Semiring[Cost](Tropical{}), Semiring[float64](Real{})
	testHomomorphism(t, "first of KBest", kBestOf(t, costs, 4), costs, rankedOf(costs, 4, cost), func(a Ranked[Cost]) Cost {
		if len(a) == 0 {
			return costs.Zero()
		}
		return a[0]
	})
	testHomomorphism(t, "KBest of fewer", kBestOf(t, costs, 4), kBestOf(t, costs, 2), rankedOf(costs, 4, cost),
		func(a Ranked[Cost]) Ranked[Cost] { return a[:min(2, len(a))] })
	testHomomorphism(t, "first of Lex", lexOf(t, costs, Counting{}), costs, pairOf(fewCosts, number),
		func(x Pair[Cost, *big.Int]) Cost { return x.First })
	testHomomorphism(t, "constant series", reals, Series(reals, 3), probability,
		func(p float64) Polynomial[float64] { return Polynomial[float64]{p} })
	testHomomorphism(t, "constant term", Series(reals, 3), reals, polynomialOf(3, probability), func(a Polynomial[float64]) float64 {
		if len(a) == 0 {
			return 0
		}
		return a[0]
	})
	testHomomorphism(t, "cut off series", Series(reals, 5), Series(reals, 2), polynomialOf(5, probability),
		func(a Polynomial[float64]) Polynomial[float64] { return a[:min(2, len(a))] })
	second := expectation2Of(t, reals, ScalarProduct(reals))
	gen := func(r *rand.Rand) scalar2 {
		return scalar2{P: probability(r), R: probability(r), S: probability(r), T: probability(r)}
	}
	testHomomorphism(t, "mass", second, reals, gen, func(a scalar2) float64 { return a.P })
	testHomomorphism(t, "first order", second, Expectation(reals, Scalar(reals)), gen,
		func(a scalar2) Expected[float64, float64] { return Expected[float64, float64]{P: a.P, V: a.S} })
}
