package forest_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/internal/erased"
)

// sameList compares lists, of which zeros at the end may be left out.
func sameList(a, b []float64) bool {
	for len(a) < len(b) {
		a = append(slices.Clip(a), 0)
	}
	for len(b) < len(a) {
		b = append(slices.Clip(b), 0)
	}
	return slices.EqualFunc(a, b, near)
}

func TestSumsInRingsOfLists(t *testing.T) {
	cost := func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(9)) }
	for _, k := range []int{1, 3} {
		ring := must(semiring.KBest(semiring.Tropical{}, k))
		tryErased(t, ring, 300, func(r *rand.Rand) semiring.Ranked[semiring.Cost] {
			list := make(semiring.Ranked[semiring.Cost], 1+r.IntN(k))
			for i := range list {
				list[i] = cost(r)
			}
			slices.Sort(list)
			return list
		}, func(a, b semiring.Ranked[semiring.Cost]) bool { return slices.Equal(a, b) })
	}
	tryErased(t, must(semiring.KBest(words{}, 3)), 300, func(r *rand.Rand) semiring.Ranked[word] {
		return semiring.Ranked[word]{{float64(r.IntN(3)), string(rune('a' + r.IntN(3)))}}
	}, func(a, b semiring.Ranked[word]) bool { return slices.Equal(a, b) })

	tryErased(t, semiring.Series(semiring.Real{}, 4), 300, func(r *rand.Rand) semiring.Polynomial[float64] {
		return semiring.Polynomial[float64]{r.Float64(), r.Float64(), 0, r.Float64()}[:1+r.IntN(4)]
	}, func(a, b semiring.Polynomial[float64]) bool { return sameList(a, b) })
}

func TestSumsInRingsOfPairs(t *testing.T) {
	type counted = semiring.Pair[semiring.Cost, *big.Int]
	tryErased(t, must(semiring.Lex(semiring.Tropical{}, semiring.Counting{})), 300,
		func(r *rand.Rand) counted {
			return counted{First: semiring.Cost(r.IntN(3)), Second: big.NewInt(int64(1 + r.IntN(3)))}
		}, func(a, b counted) bool { return a.First == b.First && a.Second.Cmp(b.Second) == 0 })

	type best = semiring.Pair[semiring.ScaledFloat, semiring.Expected[float64, float64]]
	tryErased(t, semiring.ViterbiExpectation(semiring.Real{}, semiring.Scalar(semiring.Real{})), 300,
		func(r *rand.Rand) best {
			p := 1 / float64(int(1)<<r.IntN(3)) // products are exact, and ties happen
			return best{First: semiring.NewScaled(p), Second: semiring.Expected[float64, float64]{P: p, V: p * r.Float64()}}
		}, func(a, b best) bool {
			return a.First == b.First && near(a.Second.P, b.Second.P) && near(a.Second.V, b.Second.V)
		})

	type second = semiring.Expected2[float64, float64, float64, float64]
	tryErased(t, must(semiring.Expectation2(semiring.Real{}, semiring.ScalarProduct(semiring.Real{}))), 300,
		func(r *rand.Rand) second {
			return second{P: r.Float64(), R: r.Float64(), S: r.Float64(), T: r.Float64()}
		}, func(a, b second) bool {
			return near(a.P, b.P) && near(a.R, b.R) && near(a.S, b.S) && near(a.T, b.T)
		})
}

// The k best weights are those of the k best trees.
func TestKBestIsBestTrees(t *testing.T) {
	const k = 10
	ring := must(semiring.KBest(semiring.Tropical{}, k))
	long := 0
	for seed := range trials.Seeds(600) {
		f := merged(foresttest.New(graphtest.Rand(seed), semiring.Tropical{}, shapes[seed%3],
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(20)) }))
		var want semiring.Ranked[semiring.Cost]
		for tree := range must(forest.BestTrees(f)) {
			if want = append(want, tree.Weight); len(want) == k {
				long++
				break
			}
		}
		ranked := forest.Map(f, ring, func(c semiring.Cost) semiring.Ranked[semiring.Cost] {
			if (semiring.Tropical{}).IsZero(c) {
				return nil
			}
			return semiring.Ranked[semiring.Cost]{c}
		})
		if got := must(forest.TreeSum(ranked)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, best trees weigh %v", seed, got, want)
		}
	}
	if long < 100 {
		t.Errorf("only %d forests of %d trees", long, k)
	}
}

func randomWord(r *rand.Rand) semiring.Word {
	labels := make([]int32, r.IntN(3))
	for i := range labels {
		labels[i] = r.Int32N(2)
	}
	return semiring.NewWord(labels...)
}

func anyWord(r *rand.Rand) any { return randomWord(r) }

func refusesSide(t *testing.T, what string, err error, side string) {
	t.Helper()
	if !errors.Is(err, semiring.ErrCapability) || !strings.Contains(err.Error(), "want "+side) {
		t.Fatalf("%s: error %v, want one that asks for %s", what, err, side)
	}
}

// What distributes from the left has sums of derivations as long as there is nothing to
// the right of a tail, and never sums of contexts.
func TestOneSidedRings(t *testing.T) {
	unary, refused := 0, 0
	for seed := range trials.Seeds(600) {
		shape := shapes[seed%2]
		left := foresttest.New(graphtest.Rand(seed), erased.Of(semiring.LeftString{}), shape, anyWord)
		sum, err := forest.TreeSum(left)
		inside, insideErr := forest.Inside(left)
		if unaryOnly(left) {
			if err != nil || insideErr != nil || sum != oracle.TreeSum(left) {
				t.Fatalf("seed %d: %v (%v, %v), want %v", seed, sum, err, insideErr, oracle.TreeSum(left))
			}
			checkSlices(t, "inside", inside, oracle.Inside(left), equal)
			unary++
		} else {
			refusesSide(t, "tree sum", err, "both sides")
			refusesSide(t, "inside", insideErr, "both sides")
			refused++
		}
		_, _, err = forest.Through(left)
		refusesSide(t, "through", err, "both sides")
		if _, _, err = forest.Outside(left); unaryOnly(left) {
			refusesSide(t, "outside", err, "both sides")
		} else if !errors.Is(err, semiring.ErrCapability) {
			t.Fatalf("seed %d: outside: %v", seed, err)
		}
		if _, err := forest.Posteriors(left); !errors.Is(err, semiring.ErrCapability) {
			t.Fatalf("seed %d: posteriors: %v", seed, err)
		}

		right := foresttest.New(graphtest.Rand(seed), erased.Of(semiring.RightString{}), shapes[0], anyWord)
		_, err = forest.TreeSum(right)
		refusesSide(t, "tree sum", err, "the left")
		_, err = forest.Inside(forest.Map(right, erased.Of(semiring.Gallic(semiring.Tropical{})), func(w any) any {
			return semiring.Pair[semiring.Word, semiring.Cost]{First: w.(semiring.Word)}
		}))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if unary < 100 || refused < 100 {
		t.Errorf("%d forests summed, %d refused", unary, refused)
	}
}
