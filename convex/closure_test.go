package convex_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

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
		is, err := convex.IsEquivalence(r)
		if err != nil || is != slices.EqualFunc(r, closed, slices.Equal[[]bool]) {
			t.Errorf("seed %d: %v, %v for %v", seed, is, err, r)
		}
		if !is {
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

func TestThreshold(t *testing.T) {
	m := mat.NewSymDense(3, []float64{1, .6, .4, 0, 1, .5, 0, 0, 1})
	r := convex.Threshold(m, .5)
	if want := [][]bool{{true, true, false}, {true, true, true}, {false, true, true}}; !reflect.DeepEqual(r, want) {
		t.Errorf("%v, want %v", r, want)
	}
	if is, err := convex.IsEquivalence(r); is || err != nil {
		t.Errorf("%v, %v: the relation is not transitive", is, err)
	}
	closed, err := convex.Closure(r)
	if err != nil {
		t.Fatal(err)
	}
	if labels, err := convex.Labels(closed); err != nil || !slices.Equal(labels, []int{0, 0, 0}) {
		t.Errorf("labels %v, %v", labels, err)
	}
}
