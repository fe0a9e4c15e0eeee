package convex_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/trials"
)

// TestClosure compares with merging the classes of related elements until nothing changes.
func TestClosure(t *testing.T) {
	repaired := 0
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 20))
		n := rng.IntN(9)
		r := make([][]bool, n)
		for i := range r {
			r[i] = make([]bool, n)
			for j := range r[i] {
				r[i][j] = rng.IntN(8) == 0
			}
		}
		class := make([]int, n)
		for i := range class {
			class[i] = i
		}
		for range n {
			for i := range n {
				for j := range n {
					if r[i][j] {
						class[i] = min(class[i], class[j])
						class[j] = class[i]
					}
				}
			}
		}
		closed, err := convex.Closure(r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if closed[i][j] != (class[i] == class[j]) {
					t.Errorf("seed %d: %v closed to %v", seed, r, closed)
				}
			}
		}
		if !slices.EqualFunc(r, closed, slices.Equal[[]bool]) {
			repaired++
			if _, err := convex.Labels(r); !errors.Is(err, convex.ErrInvalid) {
				t.Errorf("seed %d: error %v", seed, err)
			}
		}
		labels, err := convex.Labels(closed)
		if err != nil || !sameClasses(labels, class) {
			t.Errorf("seed %d: labels %v for classes %v: %v", seed, labels, class, err)
		}
	}
	if repaired == 0 {
		t.Error("nothing to repair")
	}
}
