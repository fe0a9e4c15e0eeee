package semiring_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

func kBestOf[W any](t testing.TB, base Semiring[W], k int) Semiring[Ranked[W]] {
	t.Helper()
	ring, err := KBest(base, k)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// rankedOf draws lists of up to k weights, repetitions among them.
func rankedOf[W any](base Semiring[W], k int, gen func(*rand.Rand) W) func(*rand.Rand) Ranked[W] {
	order, _ := As[Ordered[W]](base)
	return func(r *rand.Rand) (a Ranked[W]) {
		for range r.IntN(k + 1) {
			if w := gen(r); !base.IsZero(w) {
				a = append(a, w)
			}
		}
		slices.SortFunc(a, order.Compare)
		return a
	}
}

// shortlex is the ring of strings, the shorter and then the lesser of which is the
// better: selective, bounded, and not commutative.
type shortlex struct{ LeftString }

func (shortlex) Distributes() Side { return BothSides }
func (shortlex) Laws() Laws        { return Selective | Bounded | Cancellative }
func (s shortlex) Plus(a, b Word) Word {
	if s.Compare(b, a) < 0 {
		return b
	}
	return a
}
func (shortlex) Compare(a, b Word) int {
	switch {
	case a.Finite() != b.Finite():
		return map[bool]int{true: -1, false: 1}[a.Finite()]
	case a.Len() != b.Len():
		return a.Len() - b.Len()
	}
	return slices.Compare(a.Labels(), b.Labels())
}
func (shortlex) Dist(a, b Word) float64 {
	if a == b {
		return 0
	}
	return 1
}

func word(r *rand.Rand) Word {
	labels := make([]int32, r.IntN(4))
	for i := range labels {
		labels[i] = r.Int32N(3) - 1
	}
	return NewWord(labels...)
}

func length(r *rand.Rand) Cost { return Cost(r.IntN(40)) / 8 }

func TestKBestLaws(t *testing.T) {
	costs, masses, strings := Semiring[Cost](Tropical{}), Semiring[ScaledFloat](Viterbi{}), Semiring[Word](shortlex{})
	semiringtest.Test(t, strings, word, nil)
	for _, k := range []int{1, 3} {
		semiringtest.Test(t, kBestOf(t, costs, k), rankedOf(costs, k, cost), nil)
		semiringtest.Test(t, kBestOf(t, costs, k), rankedOf(costs, k, length), nil)
		semiringtest.Test(t, kBestOf(t, masses, k), rankedOf(masses, k, scaledAnywhere), nil)
		semiringtest.Test(t, kBestOf(t, strings, k), rankedOf(strings, k, word), nil)
		semiringtest.Test(t, kBestOf(t, Boolean{}, k), rankedOf(Boolean{}, k, truth), nil)
	}
}

// All products, sorted, and all words over the list, sorted.
func TestKBestIsAllSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	base := Semiring[Word](shortlex{})
	for range 2000 {
		k := 1 + r.IntN(9)
		ring, gen := kBestOf(t, base, k), rankedOf(base, k, word)
		a, b := gen(r), gen(r)
		best := func(all Ranked[Word]) Ranked[Word] {
			slices.SortFunc(all, shortlex{}.Compare)
			return all[:min(k, len(all))]
		}
		var products Ranked[Word]
		for _, x := range a {
			for _, y := range b {
				products = append(products, base.Times(x, y))
			}
		}
		if got, want := ring.Times(a, b), best(products); !slices.Equal(got, want) {
			t.Fatalf("k = %d: %v ⊗ %v = %v, want %v", k, a, b, got, want)
		}
		if got, want := ring.Plus(a, b), best(slices.Concat(a, b)); !slices.Equal(got, want) {
			t.Fatalf("k = %d: %v ⊕ %v = %v, want %v", k, a, b, got, want)
		}
		a = a[:min(2, len(a))]
		level, all := Ranked[Word]{base.One()}, Ranked[Word]{}
		for range k {
			all = append(all, level...)
			var next Ranked[Word]
			for _, x := range level {
				for _, y := range a {
					next = append(next, base.Times(x, y))
				}
			}
			level = next
		}
		closed, _ := As[Closed[Ranked[Word]]](ring)
		if got, ok := closed.Star(a); !ok || !slices.Equal(got, best(all)) {
			t.Fatalf("k = %d: %v* = %v, %v, want %v", k, a, got, ok, best(all))
		}
	}
}

func TestKBestStarRefusesWhatImproves(t *testing.T) {
	ring := kBestOf(t, Tropical{}, 3)
	closed, _ := As[Closed[Ranked[Cost]]](ring)
	for _, c := range []struct {
		a, want Ranked[Cost]
		ok      bool
	}{
		{nil, Ranked[Cost]{0}, true},
		{Ranked[Cost]{0}, Ranked[Cost]{0, 0, 0}, true},
		{Ranked[Cost]{2, 3}, Ranked[Cost]{0, 2, 3}, true},
		{Ranked[Cost]{5}, Ranked[Cost]{0, 5, 10}, true},
		{Ranked[Cost]{-1, 2}, nil, false},
		{Ranked[Cost]{Cost(math.NaN())}, nil, false},
	} {
		if got, ok := closed.Star(c.a); ok != c.ok || !slices.Equal(got, c.want) {
			t.Errorf("%v* = %v, %v, want %v, %v", c.a, got, ok, c.want, c.ok)
		}
	}
}

func TestKBestNeedsAnOrder(t *testing.T) {
	if _, err := KBest(Real{}, 2); !errors.Is(err, ErrCapability) {
		t.Errorf("error %v", err)
	}
	if _, err := KBest(oneSidedOrder{}, 2); !errors.Is(err, ErrCapability) {
		t.Errorf("error %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for k = 0")
		}
	}()
	KBest(Tropical{}, 0)
}

type oneSidedOrder struct{ shortlex }

func (oneSidedOrder) Distributes() Side { return LeftSide }

func TestKBestText(t *testing.T) {
	texter, _ := As[Texter[Ranked[Cost]]](kBestOf(t, Tropical{}, 3))
	if a, err := texter.Parse("[3,Infinity,1]"); err != nil || !slices.Equal(a, Ranked[Cost]{1, 3}) {
		t.Errorf("%v, %v", a, err)
	}
	for _, bad := range []string{"", "[1,2,3,4]", "[x]", "(1)"} {
		if a, err := texter.Parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, a)
		}
	}
}
