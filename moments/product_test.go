package moments_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

// sequences calls yield with all sequences of n numbers below k.
func sequences(n, k int, yield func([]int)) {
	s := make([]int, n)
	for {
		yield(s)
		t := 0
		for ; t < n; t++ {
			if s[t]++; s[t] < k {
				break
			}
			s[t] = 0
		}
		if t == n {
			return
		}
	}
}

// The expectation of β is φ, for all labels, by the sum over all observations, where every
// position has a channel of its own and parts have one to three positions.
func TestProductIsUnbiased(t *testing.T) {
	for seed := range trials.Seeds(20) {
		r := random(seed)
		const n = 3
		labels := 2 + r.IntN(2)
		outputs := labels + r.IntN(2)
		var channels []*mat.Dense
		var inverses []*mat.Dense
		for range n {
			s := mat.NewDense(outputs, labels, nil)
			for y := range labels {
				p := distribution(r, outputs)
				p[y]++ // far from singular
				floats.Scale(.5, p)
				s.SetCol(y, p)
			}
			channels = append(channels, s)
			inverses = append(inverses, must(must(moments.NewChannel(s))(t).Inverse())(t))
		}
		places := [][]int{{0}, {2, 1}, {0, 1, 2}, {}}
		values := make([]map[string]float64, len(places))
		for i := range values {
			values[i] = map[string]float64{}
		}
		of := func(i int, y []int) float64 {
			key := string(rune('a'+len(y))) + string(slices.Collect(func(yield func(byte) bool) {
				for _, x := range y {
					if !yield(byte(x)) {
						return
					}
				}
			}))
			if _, ok := values[i][key]; !ok {
				values[i][key] = r.NormFloat64()
			}
			return values[i][key]
		}
		beta := moments.Product(func(_, t int) mat.Matrix { return inverses[t] }, func(int) iter.Seq[moments.Part] {
			return func(yield func(moments.Part) bool) {
				for i, at := range places {
					if !yield(moments.Part{At: at, Add: func(dst []float64, y []int, times float64) { dst[i] += times * of(i, y) }}) {
						return
					}
				}
			}
		})
		sequences(n, labels, func(y []int) {
			got, want := make([]float64, len(places)), make([]float64, len(places))
			sequences(n, outputs, func(o []int) {
				p := 1.0
				for t := range o {
					p *= channels[t].At(o[t], y[t])
				}
				b := make([]float64, len(places))
				if err := beta(b, 0, o); err != nil {
					t.Fatal(err)
				}
				floats.AddScaled(got, p, b)
			})
			for i, at := range places {
				var own []int
				for _, t := range at {
					own = append(own, y[t])
				}
				want[i] = of(i, own)
			}
			near(t, "expectation", got, want, 1e-9)
		})
	}
}

func TestProductErrors(t *testing.T) {
	c := must(moments.RandomizedResponse(.5, []float64{.5, .5}))(t)
	inverse := must(c.Inverse())(t)
	of := func(at ...int) moments.Observation[int, []int] {
		return moments.Product(func(int, int) mat.Matrix { return inverse }, func(int) iter.Seq[moments.Part] {
			return slices.Values([]moments.Part{{At: at, Add: func([]float64, []int, float64) {}}})
		})
	}
	for name, err := range map[string]error{
		"a position twice":     of(0, 1, 0)(nil, 0, []int{0, 1}),
		"no such position":     of(2)(nil, 0, []int{0, 1}),
		"a negative position":  of(-1)(nil, 0, []int{0, 1}),
		"no such observation":  of(0)(nil, 0, []int{2}),
		"negative observation": of(0)(nil, 0, []int{-1}),
	} {
		if !errors.Is(err, moments.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := of(1, 0)(nil, 0, []int{0, 1}); err != nil {
		t.Error(err)
	}
	same := must(moments.NewChannel(mat.NewDense(2, 2, []float64{.5, .5, .5, .5})))(t)
	if _, err := same.Inverse(); !errors.Is(err, moments.ErrUnidentifiable) {
		t.Errorf("labels that look alike: %v", err)
	}
}

// For sums that are possible for data, the estimate equals the result of an M step; for others, no
// distribution is nearer to the frequencies. Priors are included.
func TestEstimate(t *testing.T) {
	for seed := range trials.Seeds(50) {
		r := random(seed)
		p := em.NewParams()
		laws := []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 1.5}, em.Multinomial{}, em.Fixed{}, em.Dirichlet{Alpha: 3}}
		var groups []*em.Group
		for i, law := range laws {
			groups = append(groups, p.Group(fmt.Sprint("g", i), 2+r.IntN(3), law))
		}
		total := make([]float64, p.Len())
		for i := range total {
			total[i] = 100 * r.Float64()
		}
		clear(groups[2].In(total))
		clear(groups[4].In(total))
		theta := must(moments.Estimate(p, total))(t)
		want := p.Start()
		for i, g := range groups {
			if err := laws[i].Maximize(g.In(want), slices.Clone(g.In(total))); err != nil {
				t.Fatal(err)
			}
		}
		near(t, "M step", theta, want, 1e-12)
		own := groups[0].In(total)
		own[0] = -own[1] / 2
		frequency, sum := slices.Clone(own), floats.Sum(own)
		floats.Scale(1/sum, frequency)
		theta = must(moments.Estimate(p, total))(t)
		got := groups[0].In(theta)
		if math.Abs(floats.Sum(got)-1) > 1e-12 || floats.Min(got) < 0 {
			t.Fatalf("seed %d: %v is not a distribution", seed, got)
		}
		for range 50 {
			other := distribution(r, len(own))
			if floats.Distance(other, frequency, 2) < floats.Distance(got, frequency, 2)-1e-12 {
				t.Errorf("seed %d: %v is nearer to %v than %v", seed, other, frequency, got)
			}
		}
		floats.Scale(-1, own)
		if floats.Sum(own) <= 0 { // nothing is known
			near(t, "start", groups[0].In(must(moments.Estimate(p, total))(t)), groups[0].In(p.Start()), 0)
		}
	}
	p := em.NewParams()
	p.Group("w", 2, must(em.NewLogLinear(2, nil, em.LogLinearOptions{}))(t))
	q := em.NewParams()
	q.Group("p", 2, em.Multinomial{})
	for name, of := range map[string]struct {
		p     *em.Params
		total []float64
	}{
		"log-linear": {p, []float64{1, 2}}, "one for two": {q, []float64{1}}, "NaN": {q, []float64{1, math.NaN()}},
		"infinite": {q, []float64{math.Inf(1), 1}}, "overflow": {q, []float64{1e308, 1e308}},
	} {
		if _, err := moments.Estimate(of.p, of.total); !errors.Is(err, moments.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
