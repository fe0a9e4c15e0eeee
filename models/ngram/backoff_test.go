package ngram

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

func matched[W any](t testing.TB, m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W) fst.Machine[W] {
	t.Helper()
	f, err := BackoffAcceptor(m, ring, weight)
	if err != nil {
		t.Fatal(err)
	}
	return fst.Match(f, fst.Matching{Tape: fst.Input, Failure: m.Vocabulary() + 1})
}

// TestBackoffAcceptor: with failure arcs, in rings that sum, every string has its
// probability by one path, and each state sums to 1.
func TestBackoffAcceptor(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 8))
		order, vocabulary := 1+int(seed)%4, 2+rng.Int32N(4)
		all, weights := random(rng, 10, vocabulary)
		opts := options(rng, Smoothing(seed%2))
		m := trainWith(t, order, vocabulary, all, weights, &opts)
		if seed%3 == 0 {
			var err error
			if m, err = m.Pruned(.01); err != nil {
				t.Fatal(err)
			}
		}
		scaled := matched(t, m, semiring.Scaled{}, nil)
		log := matched(t, m, semiring.Log{}, nil)
		paths := matched(t, m, semiring.Counting{}, func(semiring.ScaledFloat) *big.Int { return big.NewInt(1) })
		space := expr.New()
		symbolic := matched(t, m, space, space.Const)
		explicit := acceptor(t, m, semiring.Scaled{}, nil)
		checkModel(t, rng, m, scaled, log, symbolic, space)
		for range 12 {
			s := randomString(rng, m)
			if got, want := weigh(t, explicit, s).Log(), m.LogProb(s); math.Abs(got-want) > 1e-12 {
				t.Fatalf("seed %d, %v: explicit log path sum %v, log probability %v", seed, s, got, want)
			}
			if got := weigh(t, paths, s); got.Cmp(big.NewInt(1)) != 0 {
				t.Fatalf("seed %d, %v: %v paths", seed, s, got)
			}
		}
		real, err := BackoffAcceptor(m, semiring.Real{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if arcs := real.NumArcs(); arcs > len(m.symbol)+len(m.backoff)+int(vocabulary) {
			t.Fatalf("%d arcs of %d n-grams and %d contexts", arcs, len(m.symbol), len(m.backoff))
		}
		exact := matched(t, m, semiring.Real{}, nil)
		for s := range int32(real.NumStates()) {
			sum := exact.Final(s)
			for _, a := range exact.AppendArcs(nil, s) {
				sum += a.Weight
			}
			if math.Abs(sum-1) > 1e-11 {
				t.Fatalf("seed %d: state %d sums to %v", seed, s, sum)
			}
		}
	}
}

// TestBackoffAcceptorOfText: probabilities of 0 stop the way down, and where they cannot
// there is an error.
func TestBackoffAcceptorOfText(t *testing.T) {
	symbols := fst.NewSymbols()
	m := readARPA(t, handARPA, symbols)
	b, _ := symbols.Find("b")
	a, _ := symbols.Find("a")
	exact := matched(t, m, semiring.Real{}, nil)
	for _, s := range [][]int32{{}, {a}, {a, a}, {a, b}, {b, b, a}, {a, a, b}} {
		if got, want := weigh(t, exact, s), math.Exp(m.LogProb(s)); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v weighs %v, want %v", s, got, want)
		}
	}
	zero := readARPA(t, strings.Replace(handARPA, "-0.75 b </s>", "-99 b </s>", 1), symbols)
	if _, err := BackoffAcceptor(zero, semiring.Real{}, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("a string that cannot end after b: %v", err)
	}
	if _, err := BackoffAcceptor(m, expr.New(), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("expressions without a weight: %v", err)
	}
	wide, err := Fit(2, 1<<31-2, data([][]int32{{1}, {2, 3}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := BackoffAcceptor(wide, semiring.Real{}, nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("2³¹−2 symbols: %v", err)
	}
}
