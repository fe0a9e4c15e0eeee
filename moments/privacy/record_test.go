package privacy

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMean(t *testing.T) {
	d := must(NewDomain(Range{0, 1}, Range{-3, 1}, Range{5, 9}))
	for _, m := range []Mechanism[Statistics]{
		must(NewCoordinateRelease(d, []float64{.2, .3, .5}, 2, Tight)),
		must(NewPerValue(d, 4, Tight)),
	} {
		rng := rand.New(rand.NewPCG(8, 9))
		truth := make([]float64, 3)
		var records []Record
		var dense [][]float64
		for range 20000 {
			x := []float64{rng.Float64(), rng.Float64()*2 - 3, 5 + rng.Float64()}
			for j := range x {
				truth[j] += x[j] / 20000
			}
			r := must(m.Release(must(d.Check(x)), NotPrivate(rng)))
			records, dense = append(records, r), append(dense, r.Observation())
		}
		mean, stderr, err := Mean(records)
		if err != nil {
			t.Fatal(err)
		}
		for j := range mean {
			sum, square := 0.0, 0.0
			for _, b := range dense {
				sum += b[j] / 20000
			}
			for _, b := range dense {
				square += (b[j] - sum) * (b[j] - sum)
			}
			near(t, "mean", mean[j], sum)
			near(t, "standard error", stderr[j], math.Sqrt(square/20000/19999))
			if math.Abs(mean[j]-truth[j]) > 5*stderr[j] || stderr[j] > 1 {
				t.Errorf("%T: statistic %d is %g ± %g, not %g", m, j, mean[j], stderr[j], truth[j])
			}
		}
	}
}

func TestMeanOfFew(t *testing.T) {
	m := must(NewRandomizedResponse(3, nil, 1))
	r := must(m.Release(0, nil))
	mean, stderr, err := Mean([]Record{r})
	if err != nil || !math.IsInf(stderr[0], 1) || mean[0] != r.Observation()[0] {
		t.Errorf("%v ± %v, %v", mean, stderr, err)
	}
	of := func(records ...Record) (any, error) {
		mean, _, err := Mean(records)
		return mean, err
	}
	wants(t, "none", ErrRecord)(of())
	wants(t, "one that was not released", ErrRecord)(of(r, Record{}))
	wants(t, "two dimensions", ErrShape)(of(r, must(must(NewRandomizedResponse(2, nil, 1)).Release(0, nil))))
}
