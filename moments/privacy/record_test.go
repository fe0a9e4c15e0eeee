package privacy

import (
	"errors"
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
	wants(t, "none", ErrInvalid)(of())
	wants(t, "one that was not released", ErrInvalid)(of(r, Record{}))
	wants(t, "two dimensions", ErrInvalid)(of(r, must(must(NewRandomizedResponse(2, nil, 1)).Release(0, nil))))
}

// Observations are numbers, whatever the range: where ε is too small for it, the
// mechanism is refused. Their mean and its error are in the range of float64 if they are.
func TestMeanOfLongRanges(t *testing.T) {
	for _, r := range []Range{{-8e307, 8e307}, {0, 1.7e308}, {1.6e308, 1.7e308}} {
		d := must(NewDomain(r, Range{0, 1}))
		wants(t, "long", ErrInvalid)(NewPerValue(d, .1, Tight))
		wants(t, "long", ErrInvalid)(NewCoordinateRelease(d, nil, .1, Published))
	}
	wants(t, "never released alone", ErrInvalid)(NewCoordinateRelease(must(NewDomain(Range{0, 1e300}, Range{0, 1})), []float64{1e-12, 1 - 1e-12}, 1, Tight))

	rng := rand.New(rand.NewPCG(3, 4))
	for _, unit := range []float64{1e-320, 0x1p-1000, 1, 0x1p1000, 4e306} {
		d, one := must(NewDomain(Range{-unit, unit})), must(NewDomain(Range{-1, 1}))
		m, n := must(NewPerValue(d, .1, Tight)), must(NewPerValue(one, .1, Tight))
		var long, short []Record
		for range 1000 {
			x := rng.Float64()
			seed := rng.Uint64()
			long = append(long, must(m.Release(must(d.Clip([]float64{x * unit})), NotPrivate(rand.NewPCG(seed, 1)))))
			short = append(short, must(n.Release(must(one.Clip([]float64{x})), NotPrivate(rand.NewPCG(seed, 1)))))
		}
		mean, stderr, err := Mean(long)
		want, deviation, _ := Mean(short)
		if err != nil {
			t.Fatal(err)
		}
		if unit < 1e-300 { // a few bits
			if !(stderr[0] > 0) {
				t.Errorf("mean %g ± %g in units of %g", mean[0], stderr[0], unit)
			}
			continue
		}
		near(t, "mean", mean[0]/unit, want[0])
		near(t, "standard error", stderr[0]/unit, deviation[0])
	}
}

func TestMeanOfDifferentMechanisms(t *testing.T) {
	d := must(NewDomain(Range{0, 1}, Range{0, 2}))
	groups := func(d *Domain, groups [][]int, p []float64, epsilon float64) Record {
		m := must(NewGroupRelease(d, groups, p, epsilon, Tight))
		return must(m.Release(must(d.Check([]float64{0, 1})), nil))
	}
	response := func(u []float64, epsilon float64) Record {
		return must(must(NewRandomizedResponse(2, u, epsilon)).Release(1, nil))
	}
	each := [][]int{{0}, {1}}
	different := map[string]Record{
		"groups":       groups(d, each, nil, 1),
		"another ε":    groups(d, each, nil, 2),
		"another p":    groups(d, each, []float64{.25, .75}, 1),
		"one group":    groups(d, [][]int{{0, 1}}, nil, 1),
		"order":        groups(d, [][]int{{1}, {0}}, nil, 1),
		"domain":       groups(must(NewDomain(Range{0, 1}, Range{0, 3})), each, nil, 1),
		"sparse":       groups(must(d.Sparse(1)), each, nil, 1),
		"response":     response(nil, 1),
		"response, ε":  response(nil, 2),
		"response, u":  response([]float64{.25, .75}, 1.5),
		"response, u'": response([]float64{.75, .25}, 1.5),
	}
	for a, x := range different {
		for b, y := range different {
			_, _, err := Mean([]Record{x, x, y})
			if a == b && err != nil || a != b && !errors.Is(err, ErrInvalid) {
				t.Errorf("%s and %s: %v", a, b, err)
			}
		}
	}
	// Another mechanism that is the same will do.
	for _, twins := range [][]Record{
		{response(nil, 1), response([]float64{.5, .5}, 1)},
		{groups(d, each, nil, 1), groups(must(NewDomain(Range{0, 1}, Range{0, 2})), each, []float64{.5, .5}, 1)},
	} {
		if _, _, err := Mean(twins); err != nil {
			t.Error(err)
		}
	}
}
