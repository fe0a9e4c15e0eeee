package privacy

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
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
		e := must(Mean(All(records)))
		if e.Records != 20000 {
			t.Errorf("%d records", e.Records)
		}
		mean, stderr := e.Mean, e.StdErr
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
	e := must(Mean(All([]Record{r})))
	if e.Records != 1 || e.StdErr[0] != m.deviation(0) || e.Mean[0] != r.Observation()[0] {
		t.Errorf("%+v", e)
	}
	of := func(records ...Record) (any, error) { return Mean(All(records)) }
	wants(t, "none", ErrInvalid)(of())
	wants(t, "one that was not released", ErrInvalid)(of(r, Record{}))
	wants(t, "two dimensions", ErrInvalid)(of(r, must(must(NewRandomizedResponse(2, nil, 1)).Release(0, nil))))
	broken := errors.New("broken")
	_, err := Mean(func(yield func(Record, error) bool) { _ = yield(r, nil) && yield(Record{}, broken) })
	wants(t, "a broken stream", broken)(nil, err)
}

// Observations are finite for every range: if ε is too small for a range, the mechanism is
// rejected. If observations are in the range of float64, so are their mean and its error.
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
		e, of := must(Mean(All(long))), must(Mean(All(short)))
		mean, stderr, want, deviation := e.Mean, e.StdErr, of.Mean, of.StdErr
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

// Records can be combined if they estimate the same statistics, whatever their ε and their groups.
func TestMeanOfDifferentMechanisms(t *testing.T) {
	d := must(NewDomain(Range{0, 1}, Range{0, 2}))
	groups := func(d *Domain, groups [][]int, p []float64, epsilon float64) Record {
		m := must(NewGroupRelease(d, groups, p, epsilon, Tight))
		return must(m.Release(must(d.Check([]float64{0, 1})), nil))
	}
	response := func(u []float64, epsilon float64) *RandomizedResponse {
		return must(NewRandomizedResponse(2, u, epsilon))
	}
	each := [][]int{{0}, {1}}
	var prints []Fingerprint
	different := map[string][]Record{
		"groups": {
			groups(d, each, nil, 1), groups(d, each, nil, 2), groups(d, each, []float64{.25, .75}, 1),
			groups(d, [][]int{{0, 1}}, nil, 1), groups(d, [][]int{{1}, {0}}, nil, 1),
		},
		"domain":    {groups(must(NewDomain(Range{0, 1}, Range{0, 3})), each, nil, 1)},
		"sparse":    {groups(must(d.Sparse(1)), each, nil, 1)},
		"name":      {groups(d.Named("x"), each, nil, 1)},
		"of a name": {must(response(nil, 1).Named("smokes").Release(1, nil))},
		"response": {
			must(response(nil, 1).Release(1, nil)), must(response(nil, 2).Release(1, nil)),
			must(response([]float64{.25, .75}, 1.5).Release(1, nil)), must(response([]float64{.75, .25}, 1.5).Release(1, nil)),
		},
	}
	for a, xs := range different {
		for _, x := range xs {
			if slices.Contains(prints, x.Fingerprint()) {
				t.Errorf("%s: a fingerprint that another mechanism has", a)
			}
			prints = append(prints, x.Fingerprint())
			for b, ys := range different {
				for _, y := range ys {
					_, err := Mean(All([]Record{x, x, y}))
					if a == b && err != nil || a != b && !errors.Is(err, ErrInvalid) {
						t.Errorf("%s and %s: %v", a, b, err)
					}
				}
			}
		}
	}
	// Another mechanism that is the same has the same fingerprint.
	for _, twins := range [][2]Record{
		{must(response(nil, 1).Release(1, nil)), must(response([]float64{.5, .5}, 1).Release(1, nil))},
		{groups(d, each, nil, 1), groups(must(NewDomain(Range{math.Copysign(0, -1), 1}, Range{0, 2})), each, []float64{.5, .5}, 1)},
	} {
		if twins[0].Fingerprint() != twins[1].Fingerprint() {
			t.Errorf("%v and %v", twins[0].Fingerprint(), twins[1].Fingerprint())
		}
	}
	if (Record{}).Fingerprint() != (Fingerprint{}) || len(prints[0].String()) != 32 {
		t.Error("fingerprints of nothing, or of another length")
	}
}

// TestDeviation: the largest standard deviation of an observation equals the maximum over many
// values, by enumeration of all outcomes.
func TestDeviation(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](6)) {
		rng := rand.New(rand.NewPCG(seed, 13))
		e := epsilon(rng)
		lo := rng.NormFloat64()
		r := Range{lo, lo + .1 + rng.ExpFloat64()}
		d := must(must(NewDomain(Range{0, 1}, r)).Sparse(1))
		for _, m := range []*GroupRelease{
			must(NewCoordinateRelease(d, distribution(rng, 2), e, Tight)),
			must(NewPerValue(d, e, Optimized)),
			must(NewGroupRelease(d, [][]int{{0, 1}, {1}}, distribution(rng, 2), e, Published)),
		} {
			worst := 0.0
			for k := range 101 {
				x := min(r.Lo+(r.Hi-r.Lo)*float64(k)/100, r.Hi)
				worst = max(worst, spread(must(m.Outcomes(must(d.Check([]float64{0, x})))), 1))
			}
			if got := m.deviation(1); worst > got*(1+1e-12) || worst < got*.999 {
				t.Errorf("seed %d: deviation %g, the worst of 101 values has %g", seed, got, worst)
			}
		}
		c := must(NewRandomizedResponse(3, distribution(rng, 3), e))
		worst := 0.0 // the mixture of being of the category with probability f
		for k := range 101 {
			f := float64(k) / 100
			var all []Outcome
			for y, share := range []float64{f, 1 - f} {
				for _, o := range must(c.Outcomes(y)) {
					all = append(all, Outcome{o.Record, o.P.Mul(o.P, new(big.Rat).SetFloat64(share))})
				}
			}
			worst = max(worst, spread(all, 0))
		}
		if got := c.deviation(0); worst > got*(1+1e-12) || worst < got*.999 {
			t.Errorf("seed %d: deviation %g of a category, the worst of 101 shares has %g", seed, got, worst)
		}
	}
}

// spread returns the standard deviation of the observation of statistic j.
func spread(outcomes []Outcome, j int) float64 {
	sum, square := 0.0, 0.0
	for _, o := range outcomes {
		x := o.Record.Observation()[j]
		sum += value(o) * x
		square += value(o) * x * x
	}
	return math.Sqrt(square - sum*sum)
}

// TestPrecision: the mean of records of several mechanisms is the mean of their means, weighted by
// their precisions. It is better than the mean of all records and within its standard error, and it
// depends neither on the order of the records nor on their division among tallies.
func TestPrecision(t *testing.T) {
	d := must(NewDomain(Range{0, 1}, Range{-1, 1}))
	ms := []*GroupRelease{
		must(NewPerValue(d, .5, Tight)),
		must(NewCoordinateRelease(d, nil, 4, Tight)),
		must(NewCoordinateRelease(d, nil, 1, Published)),
	}
	rng := rand.New(rand.NewPCG(14, 15))
	truth := []float64{.3, -.2}
	s := must(d.Check(truth))
	var squares, plain [2]float64
	n := trials.Serial(60)
	for range n {
		var records []Record
		var parts []Estimate
		for _, m := range ms {
			var own []Record
			for range 200 {
				own = append(own, must(m.Release(s, NotPrivate(rng))))
			}
			parts = append(parts, must(Mean(All(own))))
			records = append(records, own...)
		}
		e := must(Mean(All(records)))
		for j := range truth {
			sum, weight, variance, all := 0.0, 0.0, 0.0, 0.0
			for i, p := range parts {
				w := 200 / math.Pow(ms[i].deviation(j), 2)
				sum, weight, variance = sum+w*p.Mean[j], weight+w, variance+math.Pow(w*p.StdErr[j], 2)
				all += p.Mean[j] / 3
			}
			near(t, "mean", e.Mean[j], sum/weight)
			near(t, "standard error", e.StdErr[j], math.Sqrt(variance)/weight)
			off := (e.Mean[j] - truth[j]) / e.StdErr[j]
			squares[j] += off * off
			off = (all - truth[j]) / e.StdErr[j]
			plain[j] += off * off
		}
		rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		var one, two Tally
		for i, r := range records {
			of := &one
			if i%3 == 0 {
				of = &two
			}
			if err := of.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := one.Merge(&two); err != nil {
			t.Fatal(err)
		}
		if again := must(one.Estimate()); !reflect.DeepEqual(again, e) {
			t.Fatalf("%v in another order, %v", again, e)
		}
	}
	for j := range truth { // χ², whose mean is n and whose deviation √2n
		if x := squares[j] / float64(n); math.Abs(x-1) > 5*math.Sqrt(2/float64(n)) || plain[j] < 1.5*squares[j] {
			t.Errorf("statistic %d: mean square of the error %g of its size, %g without weights", j, x, plain[j]/float64(n))
		}
	}
	var other Tally
	if err := other.Add(must(must(NewRandomizedResponse(2, nil, 1)).Release(0, nil))); err != nil {
		t.Fatal(err)
	}
	var tally Tally
	if err := tally.Add(must(ms[0].Release(s, nil))); err != nil {
		t.Fatal(err)
	}
	wants(t, "another mechanism's", ErrInvalid)(nil, tally.Merge(&other))
}
