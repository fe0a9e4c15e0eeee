package moments_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

// ofShares is Shares of counts, without standard errors.
func ofShares(c *moments.Channel, counts ...float64) ([]float64, error) {
	shares, _, err := c.Shares(counts)
	return shares, err
}

// TestSharesAreUnbiased: over all samples of four observations the mean of the shares is the
// distribution, and the mean of the squared standard errors their variance.
func TestSharesAreUnbiased(t *testing.T) {
	const n = 4
	tested := 0
	for seed := range trials.Seeds(50) {
		r := random(seed)
		m := 2 + r.IntN(2)
		k := m + r.IntN(2)
		c, _ := channel(t, r, k, m)
		p := distribution(r, m)
		q := c.Output(p)
		mean, square, variance := make([]float64, m), make([]float64, m), make([]float64, m)
		var failed error
		var visit func(left int, counts []float64, probability float64)
		visit = func(left int, counts []float64, probability float64) {
			if left > 0 {
				for o := range k {
					counts[o]++
					visit(left-1, counts, probability*q[o])
					counts[o]--
				}
				return
			}
			shares, stdErr, err := c.Shares(counts)
			if failed = errors.Join(failed, err); err != nil {
				return
			}
			for y := range m {
				mean[y] += probability * shares[y]
				square[y] += probability * shares[y] * shares[y]
				variance[y] += probability * stdErr[y] * stdErr[y]
			}
		}
		visit(n, make([]float64, k), 1)
		if errors.Is(failed, moments.ErrUnidentifiable) {
			continue // columns may be alike
		}
		if failed != nil {
			t.Fatalf("seed %d: %v", seed, failed)
		}
		tested++
		for y := range m {
			scale := 1 + math.Abs(square[y])
			if want := square[y] - mean[y]*mean[y]; math.Abs(mean[y]-p[y]) > 1e-9*scale || math.Abs(variance[y]-want) > 1e-8*scale {
				t.Errorf("seed %d: value %d has the mean share %g, want %g, and the variance %g, want %g", seed, y, mean[y], p[y], variance[y], want)
			}
		}
	}
	if tested < 25 {
		t.Errorf("only %d channels tell", tested)
	}
}

// TestSharesOfRandomizedResponse: by hand.
func TestSharesOfRandomizedResponse(t *testing.T) {
	const keep = .6
	u, counts := []float64{.5, .3, .2}, []float64{700, 200, 100}
	c := must(moments.RandomizedResponse(keep, u))(t)
	shares, stdErr, err := c.Shares(counts)
	if err != nil {
		t.Fatal(err)
	}
	for y, n := range counts {
		q := n / 1000
		if want := (q - (1-keep)*u[y]) / keep; math.Abs(shares[y]-want) > 1e-12 {
			t.Errorf("share %d is %g, want %g", y, shares[y], want)
		}
		if want := math.Sqrt(q*(1-q)/999) / keep; math.Abs(stdErr[y]-want) > 1e-12 {
			t.Errorf("the standard error of share %d is %g, want %g", y, stdErr[y], want)
		}
	}
	alike := must(moments.Deterministic([]int{0, 1, 1}, 2))(t)
	if _, _, err := alike.Shares([]float64{3, 4}); !errors.Is(err, moments.ErrUnidentifiable) {
		t.Errorf("two values that are observed alike: %v", err)
	}
}
