package forest_test

import (
	"errors"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// A mean of 10^12 takes no digits off a variance of 1/4.
func TestCovarianceOfLargeValues(t *testing.T) {
	// Node 0 has two leaves of equal weight; node 1 is derived from it by one edge.
	f, err := forest.New(semiring.Real{}, []int32{0, 2, 3}, []int32{0, 0, 0, 1}, []int32{0}, []float64{1, 1, 1},
		[]forest.Root[float64]{{Node: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	mean, covariance, err := forest.Covariance(f, forest.Values{Dim: 1, Edge: semiring.Scalars([]float64{0, 1, 1e12})})
	if err != nil || mean[0] != 1e12+.5 || covariance.At(0, 0) != .25 {
		t.Errorf("mean %v, variance %v (%v)", mean, covariance, err)
	}
}

func TestPartsThatDoNotFit(t *testing.T) {
	f := doubling(t, 1, 1, 1) // one root, two edges
	if _, err := forest.HessianVector(f, forest.Parts{Edge: []float64{1}}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
}
