package privacy

import (
	"fmt"
	"math/big"
	"slices"
)

// PerValue is per-value φ-randomized response: it releases every statistic with one
// randomized bit. Two people's bits differ in at most min(d, 2δ) places if at most δ of d
// statistics are above the lower ends of their ranges (Domain.Sparse); the privacy loss
// grows with that number, so that it is for sparse statistics.
type PerValue struct {
	domain *Domain
	bit    bit
	loss   float64
}

var _ Mechanism[Statistics] = (*PerValue)(nil)

// NewPerValue returns per-value response for statistics of a domain. A bit is true with
// probability q, ln q/(1−q) = ε/2δ (Published) or ε/min(d, 2δ) (Tight); the privacy loss
// is min(d, 2δ) times that. The error wraps ErrEpsilon.
func NewPerValue(d *Domain, epsilon float64, c Calibration) (*PerValue, error) {
	differ := min(d.Dim(), 2*d.sparse)
	b, err := newBit(epsilon, c.bits(2*d.sparse, differ))
	if err != nil {
		return nil, err
	}
	return &PerValue{d, b, b.loss(differ)}, nil
}

// Dim returns the number of statistics.
func (m *PerValue) Dim() int { return m.domain.Dim() }

// Loss returns the privacy loss, at most the ε asked for.
func (m *PerValue) Loss() float64 { return m.loss }

// Release draws a record of s. The error wraps ErrDomain if s is not of the mechanism's
// domain, and ErrRandomness.
func (m *PerValue) Release(s Statistics, source *Source) (Record, error) {
	if err := s.of(m.domain); err != nil {
		return Record{}, err
	}
	var words [64]uint64
	bits := make([]uint64, 0, (m.Dim()+63)/64)
	for part := range slices.Chunk(s.fraction, len(words)) {
		if err := source.fill(words[:len(part)]); err != nil {
			return Record{}, err
		}
		var set uint64
		for j, f := range part {
			set |= draw(words[j], m.bit.threshold(f)) << j
		}
		bits = append(bits, set)
	}
	return Record{by: m, bits: bits, private: source.private()}, nil
}

// maxEnumerated is the largest number of statistics whose outcomes are enumerated.
const maxEnumerated = 20

// Outcomes returns the probabilities of all 2^d vectors of bits, in the order of the
// binary numbers that they are, the bit of the first statistic last. The error wraps
// ErrDomain, and ErrLimit for more than 20 statistics.
func (m *PerValue) Outcomes(s Statistics) ([]Outcome, error) {
	if err := s.of(m.domain); err != nil {
		return nil, err
	}
	if m.Dim() > maxEnumerated {
		return nil, fmt.Errorf("%w: 2^%d, want at most 2^%d", ErrLimit, m.Dim(), maxEnumerated)
	}
	p := []*big.Rat{big.NewRat(1, 1)} // of the bits so far
	for _, f := range s.fraction {
		t := m.bit.threshold(f)
		n := len(p)
		for _, x := range p[:n] {
			p = append(p, new(big.Rat).Mul(x, probability(t)))
		}
		for _, x := range p[:n] {
			x.Mul(x, probability(one-t))
		}
	}
	outcomes := make([]Outcome, len(p))
	for o := range p {
		outcomes[o] = Outcome{Record{by: m, bits: []uint64{uint64(o)}}, p[o]}
	}
	return outcomes, nil
}

func (m *PerValue) observe(r *Record, add func(j int, x float64)) {
	for j, of := range m.domain.ranges {
		add(j, of.Lo+(of.Hi-of.Lo)*m.bit.worth[r.bits[j/64]>>(j%64)&1])
	}
}
