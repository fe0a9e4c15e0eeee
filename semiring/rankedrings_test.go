package semiring_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
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

// shortlex is the ring of strings in which the shorter one is better, and the lesser one of equal
// length: selective, bounded, and not commutative.
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

// rankedValues tests the laws of KBest of best masses with values along them. Few masses and
// values make ties frequent; sums and products of them are exact.
func rankedValues[V any](t *testing.T, values Semiring[V], gen func(r *rand.Rand, p float64) V) {
	t.Helper()
	costs, masses := Semiring[Cost](Tropical{}), Semiring[ScaledFloat](Viterbi{})
	for _, k := range []int{1, 3} {
		best := lexOf(t, masses, values)
		semiringtest.Test(t, kBestOf(t, best, k), rankedBy(t, best, k, func(r *rand.Rand) Pair[ScaledFloat, V] {
			p := math.Ldexp(1, -r.IntN(3))
			return Pair[ScaledFloat, V]{First: NewScaled(p), Second: gen(r, p)}
		}), nil)
		cheapest := lexOf(t, costs, values)
		semiringtest.Test(t, kBestOf(t, cheapest, k), rankedBy(t, cheapest, k, func(r *rand.Rand) Pair[Cost, V] {
			return Pair[Cost, V]{First: fewCosts(r), Second: gen(r, math.Ldexp(1, -r.IntN(3)))}
		}), nil)
	}
}

// rankedBy draws lists of up to k weights, in the order in which KBest adds them up.
func rankedBy[W any](t *testing.T, base Semiring[W], k int, gen func(*rand.Rand) W) func(*rand.Rand) Ranked[W] {
	ring := kBestOf(t, base, k)
	return func(r *rand.Rand) (a Ranked[W]) {
		for range r.IntN(k + 1) {
			if w := gen(r); !base.IsZero(w) {
				a = ring.Plus(a, Ranked[W]{w})
			}
		}
		return a
	}
}

func TestKBestOfExpectationsLaws(t *testing.T) {
	reals, scaled, logs := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{}), Semiring[LogProb](Log{})
	whole := func(r *rand.Rand, p float64) float64 { return p * float64(r.IntN(4)-1) }
	rankedValues(t, Expectation(reals, Scalar(reals)), func(r *rand.Rand, p float64) carried {
		return carried{P: p, V: whole(r, p)}
	})
	rankedValues(t, Expectation(scaled, Dense(scaled, 2)), func(r *rand.Rand, p float64) Expected[ScaledFloat, []ScaledFloat] {
		w := Expected[ScaledFloat, []ScaledFloat]{P: NewScaled(p)}
		if r.IntN(3) > 0 { // otherwise the zero vector that is not stored
			w.V = scaledOf(whole(r, p), whole(r, p))
		}
		return w
	})
	rankedValues(t, Expectation(reals, Sparse(reals)), func(r *rand.Rand, p float64) Expected[float64, SparseVector[float64]] {
		w := Expected[float64, SparseVector[float64]]{P: p}
		for i := range int32(3) {
			if r.IntN(2) == 0 {
				w.V.Index, w.V.Value = append(w.V.Index, i), append(w.V.Value, whole(r, p))
			}
		}
		return w
	})
	rankedValues(t, expectation2Of(t, reals, ScalarProduct(reals)), func(r *rand.Rand, p float64) carried2 {
		return carried2{P: p, R: whole(r, p), S: whole(r, p), T: whole(r, p)}
	})
	rankedValues(t, Expectation(logs, Scalar(logs)), func(r *rand.Rand, p float64) Expected[LogProb, LogProb] {
		return Expected[LogProb, LogProb]{P: LogProb(math.Log2(p)), V: LogProb(math.Inf(-1))}
	})
	rankedValues(t, lexOf(t, Semiring[Cost](Tropical{}), Expectation(reals, Scalar(reals))), pairsOf(whole))
}

// pairsOf draws costs with values along the cheapest path.
func pairsOf(value func(r *rand.Rand, p float64) float64) func(r *rand.Rand, p float64) Pair[Cost, carried] {
	return func(r *rand.Rand, p float64) Pair[Cost, carried] {
		return Pair[Cost, carried]{First: Cost(r.IntN(3)), Second: carried{P: p, V: value(r, p)}}
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
	if _, err := KBest(Expectation(Real{}, Scalar(Real{})), 2); !errors.Is(err, ErrCapability) {
		t.Errorf("error %v", err)
	}
	square := Semiring[matrix](matrices{})
	if _, err := KBest(ViterbiExpectation(square, Scalar(square)), 2); !errors.Is(err, ErrCapability) {
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
	texter, _ := As[Textual[Ranked[Cost]]](kBestOf(t, Tropical{}, 3))
	if a, err := texter.Parse("[3,Infinity,1]"); err != nil || !slices.Equal(a, Ranked[Cost]{1, 3}) {
		t.Errorf("%v, %v", a, err)
	}
	for _, bad := range []string{"", "[1,2,3,4]", "[x]", "(1)"} {
		if a, err := texter.Parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, a)
		}
	}
}

func testDotAllocations[W any](t *testing.T, name string, s Semiring[W], weight W) {
	t.Helper()
	kernel, ok := As[Kernel[W]](s)
	if !ok {
		t.Fatalf("%s has no kernel", name)
	}
	w := []W{weight, weight, weight, weight}
	k, i := []int32{3, 1, 2, 0}, []int32{0, 1, 2, 3}
	dot, dot2 := new(W), new(W)
	allocations := testing.AllocsPerRun(20, func() {
		kernel.Dot(dot, w, k, w, i)
		kernel.Dot(dot, w, nil, w, i)
		kernel.Dot2(dot2, w, k, w, nil, w, k)
	})
	if allocations != 0 {
		t.Errorf("%s: %v allocations", name, allocations)
	}
}

func TestDerivedKernelsDoNotAllocate(t *testing.T) {
	costs := Semiring[Cost](Tropical{})
	testDotAllocations(t, "KBest", kBestOf(t, costs, 5), Ranked[Cost]{1, 2, 5})
}

// Kernels that keep scratch space are safe for concurrent use.
func TestDerivedKernelsAreSafeForConcurrentUse(t *testing.T) {
	costs := Semiring[Cost](Tropical{})
	ranked, lengths := kBestOf(t, costs, 4), Series(costs, 4)
	var group sync.WaitGroup
	for worker := range uint64(4) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(13, worker))
			for range 300 {
				checkDot(t, r, ranked, rankedOf(costs, 4, length))
				checkDot(t, r, lengths, polynomialOf(4, length))
			}
		})
	}
	group.Wait()
}

// checkDot compares a dot product of random weights with its fold; sums are exact.
func checkDot[W any](t *testing.T, r *rand.Rand, s Semiring[W], gen func(*rand.Rand) W) {
	w, x := make([]W, 1+r.IntN(5)), make([]W, 5)
	for n := range x {
		x[n] = gen(r)
		w[n%len(w)] = gen(r)
	}
	want := s.Zero()
	for n := range w {
		want = s.Plus(want, s.Times(w[n], x[n]))
	}
	var got W
	KernelOf(s).Dot(&got, w, nil, x, nil)
	metric, _ := As[Metric[W]](s)
	if metric.Dist(got, want) != 0 {
		t.Errorf("%T: %v, want %v", s, got, want)
	}
}

func TestStringLaws(t *testing.T) {
	semiringtest.Test(t, LeftString{}, word, nil)
	semiringtest.Test(t, RightString{}, word, nil)
	semiringtest.Test(t, Gallic(Tropical{}), pairOf(word, cost), nil)
	semiringtest.Test(t, Gallic(Scaled{}), pairOf(word, scaledAnywhere), nil)
}

func TestStrings(t *testing.T) {
	w := func(labels ...int32) Word { return NewWord(labels...) }
	left, right := LeftString{}, RightString{}
	for _, c := range []struct{ a, b, prefix, suffix Word }{
		{w(1, 2, 3), w(1, 2, 4), w(1, 2), w()},
		{w(1, 2, 3), w(4, 2, 3), w(), w(2, 3)},
		{w(256), w(257), w(), w()}, // three bytes in common
		{w(1), w(0x2000001), w(), w()},
		{w(-1), w(-1, -1), w(-1), w(-1)},
		{w(), w(5), w(), w()},
		{Word{}, w(5), w(5), w(5)},
		{Word{}, Word{}, Word{}, Word{}},
	} {
		if got := left.Plus(c.a, c.b); got != c.prefix {
			t.Errorf("%v and %v have the prefix %v, want %v", c.a, c.b, got, c.prefix)
		}
		if got := right.Plus(c.a, c.b); got != c.suffix {
			t.Errorf("%v and %v have the suffix %v, want %v", c.a, c.b, got, c.suffix)
		}
		// A sum divides its summands, from its side.
		if x, ok := left.LDiv(c.prefix, c.a); ok != c.prefix.Finite() || ok && left.Times(c.prefix, x) != c.a {
			t.Errorf("%v\\%v = %v, %v", c.prefix, c.a, x, ok)
		}
		if x, ok := right.RDiv(c.a, c.suffix); ok != c.suffix.Finite() || ok && right.Times(x, c.suffix) != c.a {
			t.Errorf("%v/%v = %v, %v", c.a, c.suffix, x, ok)
		}
		// Reversal maps one ring to the other.
		if left.Plus(c.a, c.b).Reverse() != right.Plus(c.a.Reverse(), c.b.Reverse()) ||
			left.Times(c.a, c.b).Reverse() != right.Times(c.b.Reverse(), c.a.Reverse()) {
			t.Errorf("%v and %v read backwards", c.a, c.b)
		}
	}
	if _, ok := left.LDiv(w(1, 2), w(1, 3)); ok {
		t.Error("12 is a prefix of 13")
	}
	if got := w(7, -8, math.MaxInt32).Labels(); !slices.Equal(got, []int32{7, -8, math.MaxInt32}) {
		t.Errorf("labels %v", got)
	}
	if (Word{}).Finite() || (Word{}).Len() != 0 || !left.IsZero(Word{}) || left.IsZero(w()) {
		t.Error("the zero value is not 0̄")
	}
	for _, bad := range []string{"", "_", "1__2", "x", "99999999999", "epsilon"} {
		if got, err := (LeftString{}).Parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

func TestSides(t *testing.T) {
	if got := Distributes(LeftString{}); got != LeftSide {
		t.Errorf("LeftString distributes from %v", got)
	}
	if got := Distributes(Gallic(Tropical{})); got != LeftSide {
		t.Errorf("Gallic distributes from %v", got)
	}
	if got := Distributes(Product(LeftString{}, RightString{})); got != 0 {
		t.Errorf("a product distributes from %v", got)
	}
	if got := Distributes(Expectation(LeftString{}, Scalar(LeftString{}))); got != LeftSide {
		t.Errorf("an expectation distributes from %v", got)
	}
	if got := Distributes(Real{}); got != BothSides {
		t.Errorf("Real distributes from %v", got)
	}
}
