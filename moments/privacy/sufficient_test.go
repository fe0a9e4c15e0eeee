package privacy

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The mechanism for the statistic has the same distribution of outcomes, is unbiased, and is at
// least as private: by enumeration of random mechanisms, statistics and distributions.
func TestSufficient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for trial := range 60 {
		n := 2 + r.IntN(5)
		u := make([]float64, n)
		sum := 0.0
		for o := range u {
			u[o] = .1 + r.Float64()
			sum += u[o]
		}
		for o := range u {
			u[o] /= sum
		}
		m := must(NewRandomizedResponse(n, u, .1+3*r.Float64()))
		data, statistic, p := make([]int, n), make([]int, n), make([]float64, n)
		values := 1 + r.IntN(n)
		for y := range data {
			data[y], statistic[y], p[y] = y, r.IntN(values), .01+r.Float64()
			if y < values {
				statistic[y] = y
			}
		}
		s := must(NewSufficient(m, data, statistic, p))
		before, after := make([]float64, n), make([]float64, n)
		numbers := make([]int, values)
		for y := range data {
			for o, x := range must(m.Outcomes(y)) {
				before[o] += p[y] * value(x)
			}
			for o, x := range must(s.Outcomes(statistic[y])) {
				after[o] += p[y] * value(x)
			}
		}
		for o := range before {
			near(t, "P(o)", after[o], before[o])
		}
		for k := range numbers {
			numbers[k] = k
			total, mean := new(big.Rat), make([]float64, values)
			for _, x := range must(s.Outcomes(k)) {
				total.Add(total, x.P)
				for y, b := range x.Record.Observation() {
					mean[statistic[y]] += value(x) * b
				}
			}
			if total.Cmp(big.NewRat(1, 1)) != 0 {
				t.Fatalf("trial %d: outcomes of %d sum to %v", trial, k, total)
			}
			for j, x := range mean { // the indicator of the statistic
				want := 0.0
				if j == k {
					want = 1
				}
				near(t, "E[β]", x, want)
			}
		}
		if loss := must(EnumeratedLoss(s, numbers)); s.Loss() > m.Loss() || s.Loss() != min(loss, m.Loss()) || loss > must(EnumeratedLoss(m, data)) {
			t.Errorf("trial %d: loss %g, enumerated %g, of a mechanism of %g", trial, s.Loss(), loss, m.Loss())
		}
	}
}

// Randomized response of four categories in two classes of two has the loss ln(1 + 2k/(1−k))
// instead of ln(1 + 4k/(1−k)).
func TestSufficientLoss(t *testing.T) {
	m := must(NewRandomizedResponse(4, nil, 1.5))
	s := must(NewSufficient(m, []int{0, 1, 2, 3}, []int{0, 1, 0, 1}, nil))
	k := m.Keep()
	near(t, "loss", s.Loss(), math.Log1p(2*k/(1-k)))
	near(t, "loss of a category", m.Loss(), math.Log1p(4*k/(1-k)))
	if s.Dim() != 4 || s.Fingerprint() == m.Fingerprint() || s.Fingerprint() == must(NewSufficient(m, []int{0, 1, 2, 3}, []int{0, 1, 0, 0}, nil)).Fingerprint() {
		t.Error("identity of the mechanism")
	}
}

// Records have the probabilities that Outcomes returns.
func TestSufficientRelease(t *testing.T) {
	m := must(NewRandomizedResponse(3, nil, 2))
	s := must(NewSufficient(m, []int{0, 1, 2}, []int{0, 1, 0}, []float64{.6, .3, .1}))
	source := NotPrivate(rand.NewPCG(3, 4))
	const n = 20000
	count := make([]float64, 3)
	for range n {
		count[must(s.Release(0, source)).index]++
	}
	chi := 0.0
	for o, x := range must(s.Outcomes(0)) {
		want := n * value(x)
		chi += (count[o] - want) * (count[o] - want) / want
	}
	if chi > 13.8 { // 2 degrees of freedom: one time in a thousand
		t.Errorf("counts %v: χ² %g", count, chi)
	}
}

func TestSufficientErrors(t *testing.T) {
	m := must(NewRandomizedResponse(3, nil, 2))
	for name, x := range map[string]struct {
		data, statistic []int
		p               []float64
	}{
		"none":        {},
		"statistics":  {[]int{0, 1}, []int{0}, nil},
		"p":           {[]int{0, 1}, []int{0, 0}, []float64{1}},
		"negative":    {[]int{0, 1}, []int{0, 0}, []float64{1, -1}},
		"NaN":         {[]int{0, 1}, []int{0, 0}, []float64{1, math.NaN()}},
		"gap":         {[]int{0, 1}, []int{0, 2}, nil},
		"empty":       {[]int{0, 1}, []int{0, 1}, []float64{1, 0}},
		"missing":     {[]int{0, 1, 2}, []int{0, 2, 2}, nil},
		"no category": {[]int{0, 3}, []int{0, 1}, nil},
		"rare":        {[]int{0, 1}, []int{0, 0}, []float64{1, 1e-20}},
		"before 0":    {[]int{0, 1}, []int{0, -1}, nil},
	} {
		if _, err := NewSufficient(m, x.data, x.statistic, x.p); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := must(NewSufficient(m, []int{0, 1}, []int{0, 1}, nil))
	if _, err := s.Release(2, nil); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if _, err := s.Outcomes(-1); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
