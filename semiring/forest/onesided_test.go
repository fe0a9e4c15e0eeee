package forest_test

import (
	"errors"
	"math/rand/v2"
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
