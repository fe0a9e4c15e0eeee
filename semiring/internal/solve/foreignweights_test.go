package solve_test

import (
	"cmp"
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// foreign is a ring with a type of weights for which the algorithms are not compiled, and with
// the operations of a ring of numbers.
type foreign[N ~float64] struct{ of semiring.Semiring[N] }

type foreignWeight float64

func (r foreign[N]) Zero() foreignWeight { return foreignWeight(r.of.Zero()) }
func (r foreign[N]) One() foreignWeight  { return foreignWeight(r.of.One()) }
func (r foreign[N]) Plus(a, b foreignWeight) foreignWeight {
	return foreignWeight(r.of.Plus(N(a), N(b)))
}
func (r foreign[N]) Times(a, b foreignWeight) foreignWeight {
	return foreignWeight(r.of.Times(N(a), N(b)))
}
func (r foreign[N]) IsZero(a foreignWeight) bool { return r.of.IsZero(N(a)) }

// closedRing, orderedRing and measuredRing have a capability each.
type closedRing struct{ foreign[float64] }

func (r closedRing) Star(a foreignWeight) (foreignWeight, bool) {
	s, ok := semiring.Real{}.Star(float64(a))
	return foreignWeight(s), ok
}

type orderedRing struct{ foreign[semiring.Cost] }

func (r orderedRing) Compare(a, b foreignWeight) int { return cmp.Compare(a, b) }

type measuredRing struct{ foreign[semiring.Cost] }

func (r measuredRing) Laws() semiring.Laws { return semiring.Commutative | semiring.Bounded }

func (r measuredRing) Dist(a, b foreignWeight) float64 {
	if a == b {
		return 0
	}
	return 1
}

// A ring of any type of weights has the same sums as a ring of numbers with its operations: by
// elimination, by labels and by relaxation.
func TestForeignWeights(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](200)) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .3+.6*r.Float64())
		costs := graph.Map(g, semiring.Tropical{}, func(w float64) semiring.Cost { return semiring.Cost(-math.Log(w)) })
		sameSums(t, seed, graph.Map(g, closedRing{foreign[float64]{semiring.Real{}}}, func(w float64) foreignWeight { return foreignWeight(w) }), g)
		sameSums(t, seed, graph.Map(costs, orderedRing{foreign[semiring.Cost]{semiring.Tropical{}}}, toForeign), costs)
		sameSums(t, seed, graph.Map(costs, measuredRing{foreign[semiring.Cost]{semiring.Tropical{}}}, toForeign), costs)
		if t.Failed() {
			return
		}
	}
}

func toForeign(c semiring.Cost) foreignWeight { return foreignWeight(c) }

func sameSums[N ~float64](t *testing.T, seed uint64, g *graph.Graph[foreignWeight], h *graph.Graph[N]) {
	t.Helper()
	same := func(a, b float64) bool { return a == b || nearTo(a, b) }
	alpha, errA := graph.Forward(g)
	beta, errB := graph.Backward(g)
	wantAlpha, wantA := graph.Forward(h)
	wantBeta, wantB := graph.Backward(h)
	if err := errors.Join(errA, errB, wantA, wantB); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for s := range alpha {
		if !same(float64(alpha[s]), float64(wantAlpha[s])) || !same(float64(beta[s]), float64(wantBeta[s])) {
			t.Errorf("seed %d, %T, state %d: %v and %v, want %v and %v", seed, g.Ring(), s, alpha[s], beta[s], wantAlpha[s], wantBeta[s])
		}
	}
}
