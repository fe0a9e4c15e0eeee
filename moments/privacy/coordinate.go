package privacy

// CoordinateRelease draws one statistic j from a distribution p and releases it with
// one randomized bit for its value. Its variance does not depend on how many statistics
// are not 0: it is for dense statistics.
//
// A record's observation has one component that is not 0, an estimate of statistic j
// divided by p(j). Statistics with ranges about 0 have the least variance.
type CoordinateRelease struct {
	domain *Domain
	p      *weights
	bit    bit
	loss   float64
}

var _ Mechanism[Statistics] = (*CoordinateRelease)(nil)

// NewCoordinateRelease returns coordinate release of statistics of a domain, drawn from
// p, uniform if nil. The bit is true with probability q, ln q/(1−q) = ε/2 (Published) or
// ε (Tight), which is its privacy loss. The error wraps ErrEpsilon, ErrShape for
// len(p) ≠ d.Dim(), and ErrProbability if p is no distribution or 0 for a statistic,
// which could not be estimated.
func NewCoordinateRelease(d *Domain, p []float64, epsilon float64, c Calibration) (*CoordinateRelease, error) {
	w, err := newWeights(p, d.Dim())
	if err != nil {
		return nil, err
	}
	b, err := newBit(epsilon, c.bits(2, 1))
	if err != nil {
		return nil, err
	}
	return &CoordinateRelease{d, w, b, b.loss(1)}, nil
}

// Dim returns the number of statistics.
func (m *CoordinateRelease) Dim() int { return m.domain.Dim() }

// Loss returns the privacy loss, at most the ε asked for.
func (m *CoordinateRelease) Loss() float64 { return m.loss }

// Release draws a record of s. The error wraps ErrDomain if s is not of the mechanism's
// domain, and ErrRandomness.
func (m *CoordinateRelease) Release(s Statistics, source *Source) (Record, error) {
	if err := s.of(m.domain); err != nil {
		return Record{}, err
	}
	words := make([]uint64, 2)
	if err := source.fill(words); err != nil {
		return Record{}, err
	}
	j := m.p.draw(words[0])
	o := int(draw(words[1], m.bit.threshold(s.fraction[j])))
	return Record{by: m, index: 2*j + o, private: source.private()}, nil
}

// Outcomes returns the probabilities of each statistic with bit 0 and 1.
func (m *CoordinateRelease) Outcomes(s Statistics) ([]Outcome, error) {
	if err := s.of(m.domain); err != nil {
		return nil, err
	}
	var outcomes []Outcome
	for j, p := range m.p.size {
		t := m.bit.threshold(s.fraction[j])
		for b, x := range []uint64{one - t, t} {
			outcomes = append(outcomes, Outcome{Record{by: m, index: 2*j + b}, probability(p)})
			o := outcomes[len(outcomes)-1].P
			o.Mul(o, probability(x))
		}
	}
	return outcomes, nil
}

func (m *CoordinateRelease) observe(r *Record, add func(j int, x float64)) {
	j := r.index / 2
	of := m.domain.ranges[j]
	add(j, (of.Lo+(of.Hi-of.Lo)*m.bit.worth[r.index%2])/(float64(m.p.size[j])/one))
}
