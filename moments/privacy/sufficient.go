package privacy

import (
	"math"
	"math/big"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Sufficient is a mechanism for a statistic φ(x, y), derived from a mechanism for y. The person
// draws a y′ with the same value φ(x, y′) from P(y′ | φ, x), and releases y′ by the mechanism for
// y. So the record depends on y only through φ,
//
//	S′(o | φ) = Σ_{y: φ(x, y) = φ} P(y | φ, x)·S(o | y).
//
// If y has the distribution P, pairs (x, o) have the same distribution as before. For any P, S′ is
// a mixture of the distributions of S, so it is at least as private (Proposition 1 of Raghunathan,
// Frostig, Duchi and Liang 2016). An observation whose expectation given y is φ(x, y) remains
// unbiased, for any P, too.
type Sufficient[D any] struct {
	identity
	inner   Mechanism[D]
	classes []class[D]
	loss    float64
}

// class contains the data with one value of φ.
type class[D any] struct {
	data  []D
	share *weights
}

var _ Mechanism[int] = (*Sufficient[int])(nil)

// NewSufficient returns the mechanism for φ(x, ·) of one x. data contains all values of y,
// statistic[i] is the index, from 0, of the value of φ for data[i], and p[i] is P(data[i] | x); a
// nil p is uniform. Values of probability 0 are never drawn.
//
// It takes time proportional to the outcomes of m times the data, because the loss is enumerated in
// exact arithmetic. The error wraps ErrInvalid if lengths differ or there are no data, or if p has
// a number that is negative or not finite, or a positive one below 2⁻⁶³ of its class. It also wraps
// ErrInvalid if an index of a statistic is negative or has no data of positive probability. Errors
// of m.Outcomes are returned, with the index of the data.
func NewSufficient[D any](m Mechanism[D], data []D, statistic []int, p []float64) (*Sufficient[D], error) {
	nonnil.Check("privacy: NewSufficient", "mechanism", m)
	if len(data) == 0 || len(statistic) != len(data) || p != nil && len(p) != len(data) {
		return nil, nested.Errorf("privacy: %w: %d statistics and %d probabilities of %d data, want one of each", ErrInvalid, len(statistic), len(p), len(data))
	}
	s := &Sufficient[D]{inner: m}
	var shares [][]float64
	for i, k := range statistic {
		x := 1.0
		if p != nil {
			x = p[i]
		}
		if k < 0 || k >= len(data) || !(x >= 0) || math.IsInf(x, 1) {
			return nil, nested.Errorf("privacy: %w: data %d have the statistic %d and the probability %g, want a number below %d and one that is ≥ 0", ErrInvalid, i, k, x, len(data))
		}
		for len(s.classes) <= k {
			s.classes, shares = append(s.classes, class[D]{}), append(shares, nil)
		}
		if x > 0 {
			s.classes[k].data, shares[k] = append(s.classes[k].data, data[i]), append(shares[k], x)
		}
	}
	parts := []any{m.Fingerprint()}
	for k, of := range shares {
		largest, sum := 0.0, 0.0 // normalize in two steps: probabilities may be tiny
		for _, x := range of {
			largest = max(largest, x)
		}
		for i := range of {
			of[i] /= largest
			sum += of[i]
		}
		for i := range of {
			of[i] /= sum
		}
		if len(of) == 0 {
			return nil, nested.Errorf("privacy: %w: no data of positive probability have statistic %d", ErrInvalid, k)
		}
		w, err := newWeights(of, len(of))
		if err != nil {
			return nil, nested.Errorf("privacy: statistic %d: %w", k, err)
		}
		s.classes[k].share = w
		parts = append(parts, w.size)
	}
	s.identify("sufficient", parts...)
	numbers := make([]int, len(s.classes))
	for k := range numbers {
		numbers[k] = k
	}
	loss, err := EnumeratedLoss(s, numbers)
	if err != nil {
		return nil, err
	}
	s.loss = min(m.Loss(), loss)
	return s, nil
}

// Dim returns the number of statistics that a record estimates, as for the mechanism for y.
func (s *Sufficient[D]) Dim() int { return s.inner.Dim() }

// Loss returns the privacy loss, at most the loss of the mechanism for y. Record.Loss of its
// records returns the loss of the mechanism for y, which also interprets the outcomes.
func (s *Sufficient[D]) Loss() float64 { return s.loss }

// Release draws a record of the statistic with the given index. The error wraps ErrInvalid if the
// index is out of range, or comes from the source or the mechanism for y.
func (s *Sufficient[D]) Release(statistic int, source *Source) (Record, error) {
	if err := s.check(statistic); err != nil {
		return Record{}, err
	}
	word := make([]uint64, 1)
	if err := source.fill(word); err != nil {
		return Record{}, err
	}
	of := &s.classes[statistic]
	return s.inner.Release(of.data[of.share.draw(word[0])], source)
}

// Outcomes returns the outcomes of the mechanism for y, with the probabilities S′(o | φ).
func (s *Sufficient[D]) Outcomes(statistic int) ([]Outcome, error) {
	if err := s.check(statistic); err != nil {
		return nil, err
	}
	of := &s.classes[statistic]
	var all []Outcome
	for i, d := range of.data {
		outcomes, err := s.inner.Outcomes(d)
		if err != nil {
			return nil, nested.Errorf("privacy: data %d of statistic %d: %w", i, statistic, err)
		}
		share := probability(of.share.size[i])
		for o, x := range outcomes {
			if i == 0 {
				all = append(all, Outcome{x.Record, new(big.Rat)})
			}
			all[o].P.Add(all[o].P, new(big.Rat).Mul(share, x.P))
		}
	}
	return all, nil
}

func (s *Sufficient[D]) check(statistic int) error {
	if statistic < 0 || statistic >= len(s.classes) {
		return nested.Errorf("privacy: %w: statistic %d, want one from 0 to %d", ErrInvalid, statistic, len(s.classes)-1)
	}
	return nil
}
