package privacy

import (
	"fmt"
	"math/big"

	"example.org/pathsum/internal/nested"
)

// RandomizedResponse is classical randomized response: it releases the true category with some
// probability k, and otherwise a category drawn from a distribution u, S(o|y) = k·1[o=y] +
// (1−k)·u(o).
//
// A record estimates the indicator of the category: components 1[o=y]/k − (1−k)/k·u.
// So Σ_y β(o)[y]·φ(x, y) is an unbiased estimate of any statistics φ of the category.
//
// As a channel of package moments it is moments.RandomizedResponse(m.Keep(), m.Replacement()),
// whose first argument is the probability k, not a privacy loss.
//
// For a loss of ε, k is about (e^ε − 1)·min u, and the variance about k⁻²: suitable for a few
// categories, but not for many.
type RandomizedResponse struct {
	identity
	name string
	keep uint64 // k
	u    *weights
	loss float64
}

var (
	_ Mechanism[int] = (*RandomizedResponse)(nil)
	_ Observer       = (*RandomizedResponse)(nil)
)

// NewRandomizedResponse returns randomized response for categories 0, …, n−1, with random
// categories drawn from u; nil means uniform. The privacy loss is ln(1 + k/((1−k)·min u)), and k is
// the largest for which it does not exceed epsilon.
//
// The error wraps ErrInvalid for less than two categories, and for an epsilon that is not a
// positive number or too small for any information. It also wraps ErrInvalid if u is not a
// distribution over the categories or has a zero: releasing that category would reveal it.
func NewRandomizedResponse(n int, u []float64, epsilon float64) (*RandomizedResponse, error) {
	if n < 2 {
		return nil, nested.Errorf("privacy: %w: %d categories, want at least 2", ErrInvalid, n)
	}
	ratio, err := ratioBelow(epsilon, 1)
	if err != nil {
		return nil, err
	}
	w, err := newWeights(u, n)
	if err != nil {
		return nil, err
	}
	least := w.size[0]
	for _, s := range w.size {
		least = min(least, s)
	}
	// k/(1−k) ≤ (e^ε − 1)·min u.
	g := ratio.Sub(ratio, lower(1, 1))
	g.Mul(g, new(big.Float).SetUint64(least))
	g.SetMantExp(g, -63)
	keep := shareBelow(g)
	if keep == 0 {
		return nil, nested.Errorf("privacy: %w: ε of %g for %d categories leaves no information in them", ErrInvalid, epsilon, n)
	}
	// 1 + k/((1−k)·u) over integers.
	excess := new(big.Rat).Quo(probability(keep), probability(one-keep))
	excess.Quo(excess, probability(least))
	m := &RandomizedResponse{keep: keep, u: w, loss: min(epsilon, logAbove(excess.Add(excess, big.NewRat(1, 1)), 1))}
	return m.Named(""), nil
}

// Named returns the same mechanism for a question with the given name. Records of questions with
// different names cannot be combined.
func (m *RandomizedResponse) Named(question string) *RandomizedResponse {
	n := *m
	n.name = question
	n.identify("response", n.statistics(), n.keep, n.u.size)
	return &n
}

// Keep returns k, the probability that the category itself is chosen.
func (m *RandomizedResponse) Keep() float64 { return float64(m.keep) / one }

// Replacement returns u, the distribution of the category that is released otherwise.
func (m *RandomizedResponse) Replacement() []float64 {
	u := make([]float64, m.Dim())
	for o, size := range m.u.size {
		u[o] = float64(size) / one
	}
	return u
}

// Dim returns the number of categories.
func (m *RandomizedResponse) Dim() int { return len(m.u.size) }

// Loss returns the privacy loss, at most the requested ε.
func (m *RandomizedResponse) Loss() float64 { return m.loss }

// Release draws a record of a category. The error wraps ErrInvalid if category is out of range, or
// an error of the source's reader.
func (m *RandomizedResponse) Release(category int, source *Source) (Record, error) {
	if err := m.check(category); err != nil {
		return Record{}, err
	}
	words := make([]uint64, 2)
	if err := source.fill(words); err != nil {
		return Record{}, err
	}
	o := m.u.draw(words[1])
	if draw(words[0], m.keep) == 1 {
		o = category
	}
	return Record{by: m, index: o, private: source.private()}, nil
}

// Outcomes returns S(o | category), by o.
func (m *RandomizedResponse) Outcomes(category int) ([]Outcome, error) {
	if err := m.check(category); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, m.Dim())
	for o, u := range m.u.size {
		p := probability(u)
		p.Mul(p, probability(one-m.keep))
		if o == category {
			p.Add(p, probability(m.keep))
		}
		outcomes[o] = Outcome{Record{by: m, index: o}, p}
	}
	return outcomes, nil
}

func (m *RandomizedResponse) check(category int) error {
	if category < 0 || category >= m.Dim() {
		return nested.Errorf("privacy: %w: category %d, want one from 0 to %d", ErrInvalid, category, m.Dim()-1)
	}
	return nil
}

func (m *RandomizedResponse) observe(r *Record, add func(j int, x float64)) {
	for j := range m.u.size {
		add(j, m.worth(j, j == r.index))
	}
}

// worth returns the estimate of the indicator of category j from a record of it, if seen, or of
// another category.
func (m *RandomizedResponse) worth(j int, seen bool) float64 {
	x := -float64(one-m.keep) / float64(m.keep) * (float64(m.u.size[j]) / one)
	if seen {
		x += one / float64(m.keep)
	}
	return x
}

func (m *RandomizedResponse) statistics() string { return fmt.Sprintf("%q %d", m.name, m.Dim()) }

func (m *RandomizedResponse) shape(index int) (width int, ok bool) {
	return 0, index >= 0 && index < m.Dim()
}

func (m *RandomizedResponse) cells() int { return m.Dim() }

func (m *RandomizedResponse) count(r *Record, cells []int64) { cells[r.index]++ }

func (m *RandomizedResponse) values(cells []int64, add func(j int, x float64, times int64)) {
	n := int64(0)
	for _, c := range cells {
		n += c
	}
	for j, c := range cells {
		add(j, m.worth(j, false), n-c)
		add(j, m.worth(j, true), c)
	}
}

func (m *RandomizedResponse) deviation(j int) float64 {
	keep := float64(m.keep) / one
	random := (1 - keep) * float64(m.u.size[j]) / one
	q := quadratic{lo: 0, hi: 1}
	q.add(m.worth(j, false), 1-random, 1-random-keep)
	q.add(m.worth(j, true), random, random+keep)
	return q.deviation()
}
