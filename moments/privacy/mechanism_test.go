package privacy

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

func repeat(n int, r Range) []Range { return slices.Repeat([]Range{r}, n) }

// within reports whether ln r ≤ x, by an exponential series of its own in rational
// numbers: its sums are below eˣ.
func within(r *big.Rat, x float64) bool {
	power, term, sum := new(big.Rat).SetFloat64(x), big.NewRat(1, 1), big.NewRat(1, 1)
	for n := int64(1); n < 400 && sum.Cmp(r) < 0; n++ {
		term.Mul(term, power)
		term.Quo(term, big.NewRat(n, 1))
		sum.Add(sum, term)
		// Fewer digits, rounded down, keep it a lower bound and quick.
		for _, z := range []*big.Rat{term, sum} {
			scaled := new(big.Int).Lsh(z.Num(), 400)
			z.SetFrac(scaled.Quo(scaled, z.Denom()), new(big.Int).Lsh(big.NewInt(1), 400))
		}
	}
	return sum.Cmp(r) >= 0
}

// worst returns the largest ratio of the probabilities of an outcome for two data.
func worst[D any](t *testing.T, m Mechanism[D], data []D) *big.Rat {
	t.Helper()
	all := make([][]Outcome, len(data))
	for i, d := range data {
		all[i] = must(m.Outcomes(d))
		sum := new(big.Rat)
		for _, o := range all[i] {
			sum.Add(sum, o.P)
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%T: probabilities sum to %s", m, sum)
		}
	}
	ratio := new(big.Rat)
	for _, a := range all {
		for _, b := range all {
			for k := range a {
				if r := new(big.Rat).Quo(a[k].P, b[k].P); r.Cmp(ratio) > 0 {
					ratio = r
				}
			}
		}
	}
	return ratio
}

// confirm checks the privacy loss of m on data that have its worst case.
func confirm[D any](t *testing.T, name string, m Mechanism[D], data []D, epsilon, formula float64) {
	t.Helper()
	ratio := worst(t, m, data)
	if !within(ratio, m.Loss()) {
		t.Errorf("%s: the loss is more than %g", name, m.Loss())
	}
	if below := m.Loss() * (1 - 0x1p-51); within(ratio, below) {
		t.Errorf("%s: a loss of %v is claimed, %v is enough", name, m.Loss(), below)
	}
	if m.Loss() > epsilon {
		t.Errorf("%s: loss %v for ε %v", name, m.Loss(), epsilon)
	}
	near(t, name+": loss", m.Loss(), formula)
	if enumerated := must(EnumeratedLoss(m, data)); math.Abs(enumerated-m.Loss()) > 0x1p-51*enumerated {
		t.Errorf("%s: loss %v, enumerated %v", name, m.Loss(), enumerated)
	}
}

// unbiased checks E[β(o) | data] = want.
func unbiased[D any](t *testing.T, name string, m Mechanism[D], data D, want []float64) {
	t.Helper()
	sum, size := make([]float64, m.Dim()), make([]float64, m.Dim())
	for _, o := range must(m.Outcomes(data)) {
		for j, x := range o.Record.Observation() {
			sum[j] += value(o) * x
			size[j] += value(o) * math.Abs(x)
		}
	}
	for j := range want {
		if !(math.Abs(sum[j]-want[j]) <= 1e-14*max(1, size[j])) {
			t.Errorf("%s: statistic %d is %g, its observations' expectation %g (expected size %g)", name, j, want[j], sum[j], size[j])
		}
	}
}

// corners returns the vectors of ends of ranges with at most n upper ones.
func corners(ranges []Range, n int) [][]float64 {
	all := [][]float64{nil}
	for _, r := range ranges {
		var longer [][]float64
		for _, x := range all {
			longer = append(longer, append(slices.Clone(x), r.Lo), append(slices.Clone(x), r.Hi))
		}
		all = longer
	}
	return slices.DeleteFunc(all, func(x []float64) bool {
		above := 0
		for j, r := range ranges {
			if x[j] == r.Hi {
				above++
			}
		}
		return above > n
	})
}

// epsilon draws an ε from tiny to uselessly large.
func epsilon(rng *rand.Rand) float64 { return math.Exp(rng.Float64()*9 - 6) }

func distribution(rng *rand.Rand, n int) []float64 {
	p, sum := make([]float64, n), 0.0
	for j := range p {
		p[j] = rng.ExpFloat64() + .01
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

func TestRandomizedResponseByEnumeration(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](15)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(5)
		u := distribution(rng, n)
		if rng.IntN(4) == 0 {
			u = nil
		}
		e := epsilon(rng)
		name := fmt.Sprintf("ε %v, u %v", e, u)
		m := must(NewRandomizedResponse(n, u, e))
		data := make([]int, n)
		for y := range data {
			data[y] = y
			indicator := make([]float64, n)
			indicator[y] = 1
			unbiased(t, name, m, y, indicator)
		}
		confirm(t, name, m, data, e, min(e, math.Log(worstCase(m, u, n))))
	}
}

// worstCase returns 1 + k/((1−k)·min u).
func worstCase(m *RandomizedResponse, u []float64, n int) float64 {
	least := 1 / float64(n)
	if u != nil {
		least = slices.Min(u)
	}
	return 1 + float64(m.keep)/float64(one-m.keep)/least
}

func TestStatisticsByEnumeration(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](10)) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.IntN(4)
		ranges := make([]Range, n)
		for j := range ranges {
			lo := rng.NormFloat64()
			ranges[j] = Range{lo, lo + rng.ExpFloat64() + .1}
		}
		delta := 1 + rng.IntN(n)
		d := must(must(NewDomain(ranges...)).Sparse(delta))
		var data []Statistics
		xs := corners(ranges, delta)
		for range 3 { // and inside of their convex hull
			x := slices.Clone(xs[rng.IntN(len(xs))])
			for j, r := range ranges {
				if x[j] == r.Hi {
					x[j] = min(r.Lo+rng.Float64()*(r.Hi-r.Lo), r.Hi)
				}
			}
			xs = append(xs, x)
		}
		for _, x := range xs {
			data = append(data, must(d.Check(x)))
		}
		e, p := epsilon(rng), distribution(rng, n)
		differ := min(n, 2*delta)
		for _, c := range []Calibration{Published, Tight} {
			m := must(NewCoordinateRelease(d, p, e, c))
			v := must(NewPerValue(d, e, c))
			one, several := e, e
			if c == Published {
				one, several = e/2, e*float64(differ)/float64(2*delta)
			}
			name := fmt.Sprintf("ε %v, calibration %d, %d of %d statistics", e, c, delta, n)
			confirm(t, "coordinate "+name, m, data, e, one)
			confirm(t, "per value "+name, v, data, e, several)
			groups := randomGroups(rng, n)
			g := must(NewGroupRelease(d, groups, distribution(rng, len(groups)), e, c))
			most := 0.0
			for _, x := range groups {
				share := e
				if c == Published {
					share *= float64(min(len(x), 2*delta)) / float64(2*min(len(x), delta))
				}
				most = max(most, share)
			}
			confirm(t, fmt.Sprint("groups ", groups, name), g, data, e, most)
			for i, s := range data {
				unbiased(t, "coordinate "+name, m, s, xs[i])
				unbiased(t, "per value "+name, v, s, xs[i])
				unbiased(t, "groups "+name, g, s, xs[i])
			}
		}
	}
}

// randomGroups returns groups of n statistics, of which each is in one or more.
func randomGroups(rng *rand.Rand, n int) [][]int {
	order := rng.Perm(n)
	groups := [][]int{order}
	if n > 1 {
		cut := 1 + rng.IntN(n-1)
		groups = [][]int{order[:cut], order[cut:]}
	}
	for range rng.IntN(3) {
		groups = append(groups, rng.Perm(n)[:1+rng.IntN(n)])
	}
	return groups
}

// TestLargeEpsilon: bits are as accurate as possible, and the loss is the loss of these bits.
func TestLargeEpsilon(t *testing.T) {
	d := must(NewDomain(Range{0, 1}, Range{0, 1}))
	var data []Statistics
	for _, x := range corners(d.ranges, 2) {
		data = append(data, must(d.Check(x)))
	}
	for _, e := range []float64{90, 1e3, math.MaxFloat64} {
		confirm(t, "coordinate", must(NewCoordinateRelease(d, nil, e, Tight)), data, e, 63*math.Ln2)
		confirm(t, "per value", must(NewPerValue(d, e, Tight)), data, e, min(e, 126*math.Ln2))
		confirm(t, "response", must(NewRandomizedResponse(2, nil, e)), []int{0, 1}, e, 64*math.Ln2)
	}
}

// TestVariance: per-value response is better for sparse statistics, coordinate release
// for dense ones, by as much as the formulas say.
func TestVariance(t *testing.T) {
	const n, e = 5, 1.3
	dense := must(NewDomain(repeat(n, Range{0, 1})...))
	variance := func(m Mechanism[Statistics], s Statistics) float64 {
		sum, mean := 0.0, make([]float64, n)
		for _, o := range must(m.Outcomes(s)) {
			for j, x := range o.Record.Observation() {
				sum += value(o) * x * x
				mean[j] += value(o) * x
			}
		}
		for _, x := range mean {
			sum -= x * x
		}
		return sum
	}
	for _, test := range []struct {
		delta           int
		x               []float64
		perValueIsBest  bool
		coordinateTimes float64
	}{
		{1, []float64{0, 1, 0, 0, 0}, true, 2},
		{n, []float64{.2, .9, .5, .4, .7}, false, 2},
	} {
		d := must(dense.Sparse(test.delta))
		s := must(d.Check(test.x))
		published := must(NewCoordinateRelease(d, nil, e, Published))
		c := variance(published, s)
		p := must(NewPerValue(d, e, Published))
		if v := variance(p, s); (v < c) != test.perValueIsBest {
			t.Errorf("δ = %d: variance %g per value, %g by coordinates", test.delta, v, c)
		} else {
			want := 0.0
			for _, x := range test.x {
				q := float64(p.bits[0].hi) / one
				on := 1 - q + (2*q-1)*x
				want += on * (1 - on) / (2*q - 1) / (2*q - 1)
			}
			near(t, "variance", v, want)
		}
		if tight := variance(must(NewCoordinateRelease(d, nil, e, Tight)), s); c < test.coordinateTimes*tight {
			t.Errorf("δ = %d: variance %g by coordinates, %g if tight", test.delta, c, tight)
		}
	}
}

// TestFrequencies: records are drawn with the probabilities that are enumerated.
func TestFrequencies(t *testing.T) {
	d := must(must(NewDomain(Range{0, 1}, Range{-1, 1}, Range{2, 5})).Sparse(2))
	s := must(d.Check([]float64{.3, -1, 4}))
	frequencies(t, must(NewRandomizedResponse(4, []float64{.1, .2, .3, .4}, 1)), 2)
	frequencies(t, must(NewCoordinateRelease(d, []float64{.5, .2, .3}, 1, Published)), s)
	frequencies(t, must(NewPerValue(d, 3, Tight)), s)
	sparse := must(d.Sparse(1))
	frequencies(t, must(NewPerValue(sparse, 3, Optimized)), must(sparse.Check([]float64{.3, -1, 2})))
	frequencies(t, must(NewGroupRelease(d, [][]int{{0, 2}, {1}, {2, 1}}, []float64{.3, .3, .4}, 2, Tight)), s)
}

func frequencies[D any](t *testing.T, m Mechanism[D], data D) {
	t.Helper()
	n := trials.Serial(100000)
	count := map[string]float64{}
	source := NotPrivate(rand.NewPCG(1, 2))
	for range n {
		count[fmt.Sprint(must(m.Release(data, source)).Observation())]++
	}
	outcomes := must(m.Outcomes(data))
	square := 0.0
	for _, o := range outcomes {
		want := float64(n) * value(o)
		off := count[fmt.Sprint(o.Record.Observation())] - want
		square += off * off / want
	}
	// χ² with so few degrees of freedom exceeds 50 with a probability below 1e-7.
	if len(count) != len(outcomes) || square > 50 {
		t.Errorf("%T: %d outcomes of %d, χ² = %g", m, len(count), len(outcomes), square)
	}
}

func TestEnumeratedLossOfNothing(t *testing.T) {
	m := must(NewRandomizedResponse(3, nil, 1))
	wants(t, "no data", ErrInvalid)(EnumeratedLoss(m, nil))
	wants(t, "a category that is not", ErrInvalid)(EnumeratedLoss(m, []int{0, 3}))
	if loss := must(EnumeratedLoss(m, []int{1})); loss != 0 {
		t.Errorf("nobody to be told from, but a loss of %g", loss)
	}
	// Something that tells.
	if loss := must(EnumeratedLoss(tell{}, []int{0, 1})); !math.IsInf(loss, 1) {
		t.Errorf("a loss of %g for the truth", loss)
	}
}

// tell releases the truth about one of two categories; a third is never released.
type tell struct{ Mechanism[int] }

func (tell) Outcomes(category int) ([]Outcome, error) {
	p := []Outcome{{P: new(big.Rat)}, {P: new(big.Rat)}, {P: new(big.Rat)}}
	p[category].P.SetInt64(1)
	return p, nil
}
