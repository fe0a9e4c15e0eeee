package ngram

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

func acceptor[W any](t testing.TB, m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W) *fst.FST[W] {
	t.Helper()
	f, err := Acceptor(m, ring, weight)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// weigh returns the weight of a string.
func weigh[W any](t testing.TB, f fst.Machine[W], s []int32) W {
	t.Helper()
	w, err := fst.Weight(f, s, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// checkModel asserts that machines weigh random strings as the model does.
func checkModel(t *testing.T, rng *rand.Rand, m *Model, scaled fst.Machine[semiring.ScaledFloat], log fst.Machine[semiring.LogProb], symbolic fst.Machine[expr.W], space *expr.Space) {
	t.Helper()
	for range 15 {
		s := randomString(rng, m)
		want := m.LogProb(s)
		h := weigh(t, symbolic, s)
		values, err := space.Evaluate(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for ring, got := range map[string]float64{"Scaled": weigh(t, scaled, s).Log(), "Log": float64(weigh(t, log, s)), "expressions": values[h].Log()} {
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("order %d, %v: path sum of %s %v, log probability %v", m.Order(), s, ring, got, want)
			}
		}
	}
}

// randomString returns up to 8 symbols.
func randomString(rng *rand.Rand, m *Model) []int32 {
	s := make([]int32, rng.IntN(9))
	for j := range s {
		s[j] = 1 + rng.Int32N(m.Vocabulary())
	}
	return s
}

func TestAcceptorIsTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 20 {
		order, vocabulary := 1+trial%4, 2+rng.Int32N(4)
		all, weights := random(rng, 10, vocabulary)
		m := trainWith(t, order, vocabulary, all, weights, &Options{Smoothing: Smoothing(trial % 2), MinCount: []float64{0, float64(rng.IntN(3))}})
		scaled := acceptor(t, m, semiring.Scaled{}, nil)
		log := acceptor(t, m, semiring.Log{}, nil)
		space := expr.New()
		symbolic := acceptor(t, m, space, space.Const)
		checkModel(t, rng, m, scaled, log, symbolic, space)
	}
}

// TestAcceptorSums: the states are complete and deterministic, each sums to 1, and
// so does the set of all strings.
// An n-gram may have been kept whose last symbol is none by itself.
func TestAcceptorWithoutUnigrams(t *testing.T) {
	m := trainWith(t, 3, 2, [][]int32{{1, 1, 2}, {1}}, []float64{.25, 1}, &Options{MinCount: []float64{.4, .9, .2}})
	if m.find(0, 2) > 0 || m.find(m.find(0, 1), 2) == 0 {
		t.Fatal("2 is an n-gram, or 12 is none")
	}
	f := acceptor(t, m, semiring.Scaled{}, nil)
	for _, s := range [][]int32{{1, 2}, {1, 1, 2, 1}, {2, 1, 2, 2, 1}} {
		if got, want := weigh(t, f, s).Log(), m.LogProb(s); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: log path sum %v, log probability %v", s, got, want)
		}
	}
}

func TestAcceptorSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 12 {
		order, vocabulary := 1+trial%4, 2+rng.Int32N(4)
		all, weights := random(rng, 10, vocabulary)
		m := trainWith(t, order, vocabulary, all, weights, &Options{Smoothing: Smoothing(trial % 2), MinCount: []float64{0, float64(rng.IntN(3))}})
		f := acceptor(t, m, semiring.Real{}, nil)
		if f.NumStates() > contexts(m) || f.NumArcs() != f.NumStates()*int(vocabulary) {
			t.Errorf("%d states and %d arcs from %d contexts and %d symbols", f.NumStates(), f.NumArcs(), contexts(m), vocabulary)
		}
		for s := range int32(f.NumStates()) {
			sum := f.Final(s)
			for i, a := range f.AppendArcs(nil, s) {
				if a.In != int32(i+1) || a.Out != a.In {
					t.Fatalf("state %d: arc %d is labeled %d:%d", s, i, a.In, a.Out)
				}
				sum += a.Weight
			}
			if math.Abs(sum-1) > 1e-13 {
				t.Errorf("state %d sums to %v", s, sum)
			}
		}
		if sum, err := graph.PathSum(f.Graph()); err != nil || math.Abs(sum-1) > 1e-10 {
			t.Errorf("all strings sum to %v (%v), want 1", sum, err)
		}
	}
}

// contexts returns the number of contexts.
func contexts(m *Model) int {
	n := 0
	for k := range m.backoff {
		if m.isContext(int32(k)) {
			n++
		}
	}
	return n
}

// TestAcceptorIsCompact: contexts that no string leads to are no states.
func TestAcceptorIsCompact(t *testing.T) {
	m := train(t, 3, 2, [][]int32{{1, 2}, {2, 1}}) // empty, ^, 1, 2, ^1, ^2, 12, 21
	f := acceptor(t, m, semiring.Real{}, nil)
	// ^; ^1, ^2; 12, 21, and 1, 2 after 11 and 22, which were not seen.
	if contexts(m) != 8 || f.NumStates() != 7 {
		t.Errorf("%d contexts, %d states, want 8 and 7", contexts(m), f.NumStates())
	}
	one := acceptor(t, train(t, 1, 4, [][]int32{{1, 2}}), semiring.Real{}, nil)
	if one.NumStates() != 1 || one.NumArcs() != 4 {
		t.Errorf("order 1: %d states, %d arcs", one.NumStates(), one.NumArcs())
	}
}

func TestAcceptorErrors(t *testing.T) {
	m := train(t, 2, 2, [][]int32{{1, 2}})
	if _, err := Acceptor(m, expr.New(), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("expressions without a weight: %v", err)
	}
	wide, err := Fit(2, 1<<30, data([][]int32{{1}, {2, 3}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acceptor(wide, semiring.Real{}, nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("2³⁰ symbols: %v", err)
	}
}
