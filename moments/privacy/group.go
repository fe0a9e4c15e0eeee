package privacy

import (
	"math/big"
	"slices"

	"example.org/pathsum/internal/nested"
)

// GroupRelease draws one group of statistics, with probabilities that do not depend on the data,
// and releases every statistic of the group with one randomized bit. A record's observation is 0
// outside this group. Its other components are estimates of their statistics divided by the
// probability of release. Ranges centred at 0 have the least variance.
//
// For a group of g statistics, the bits of two people differ in at most min(g, 2δ) positions if at
// most δ statistics are above the lower ends of their ranges (Domain.Sparse). The bits share ε: the
// larger a group, the less informative each bit, but the more often it is released.
type GroupRelease struct {
	identity
	domain *Domain
	groups [][]int
	p      *weights  // of groups
	first  []int     // per group: the index of its first cell
	bits   []bit     // per group
	chance []float64 // per statistic: the probability that it is released
	loss   float64
}

var (
	_ Mechanism[Statistics] = (*GroupRelease)(nil)
	_ Observer              = (*GroupRelease)(nil)
)

// NewGroupRelease returns a release of groups of statistics of a domain, drawn from p; nil means
// uniform. A bit of a group of g statistics is true with probability q, where ln q/(1−q) is ε/2n
// with n = min(g, δ) (Published) or ε/min(g, 2δ) (Tight). The privacy loss is the largest min(g,
// 2δ)·ln q/(1−q) of a group. An Optimized bit is 1 with probability 1/2 for a statistic at the
// upper end of its range and 1/(e^(ε/δ)+1) at the lower, with a loss of ε. A statistic may be in
// several groups.
//
// The error wraps ErrInvalid for
//
//   - an epsilon that is not a positive number, or too small for any information,
//   - no groups, or a group that is empty, or has a duplicate statistic or one out of range,
//   - a statistic in no group, which could not be estimated,
//   - len(p) ≠ len(groups), or a p that is not a distribution or 0 for a group,
//   - a range so long that an observation is beyond float64,
//   - a calibration that does not apply to the groups.
func NewGroupRelease(d *Domain, groups [][]int, p []float64, epsilon float64, c Calibration) (*GroupRelease, error) {
	if len(groups) == 0 {
		return nil, nested.Errorf("privacy: %w: no groups", ErrInvalid)
	}
	m := &GroupRelease{domain: d, chance: make([]float64, d.Dim())}
	for i, g := range groups {
		seen := map[int]bool{}
		for _, j := range g {
			if j < 0 || j >= d.Dim() || seen[j] {
				return nil, nested.Errorf("privacy: %w: group %d has statistic %d, want different ones of %d", ErrInvalid, i, j, d.Dim())
			}
			seen[j] = true
		}
		if len(g) == 0 {
			return nil, nested.Errorf("privacy: %w: group %d is empty", ErrInvalid, i)
		}
		m.groups = append(m.groups, slices.Clone(g))
	}
	return m.calibrate(p, epsilon, c)
}

// calibrate completes m, whose groups are known.
func (m *GroupRelease) calibrate(p []float64, epsilon float64, c Calibration) (*GroupRelease, error) {
	var err error
	if m.p, err = newWeights(p, len(m.groups)); err != nil {
		return nil, err
	}
	made := map[int]bit{} // by size
	first := 0
	for i, g := range m.groups {
		b, ok := made[len(g)]
		if !ok {
			shares, spent, err := c.shares(len(g), m.domain.sparse)
			if err != nil {
				return nil, err
			}
			if b, err = newBit(epsilon, shares, c == Optimized); err != nil {
				return nil, err
			}
			made[len(g)] = b
			m.loss = max(m.loss, b.loss(spent))
		}
		m.bits, m.first = append(m.bits, b), append(m.first, first)
		first += 1 + len(g)
		for _, j := range g {
			m.chance[j] += float64(m.p.size[i]) / one
		}
	}
	for j, x := range m.chance {
		if x == 0 {
			return nil, nested.Errorf("privacy: %w: statistic %d is in no group", ErrInvalid, j)
		}
	}
	for i, g := range m.groups {
		for _, j := range g {
			for bit := range uint64(2) {
				if x := m.worth(i, j, bit); x-x != 0 {
					return nil, nested.Errorf("privacy: %w: statistic %d has [%g, %g], which a bit of group %d estimates beyond any number", ErrInvalid, j, m.domain.ranges[j].Lo, m.domain.ranges[j].Hi, i)
				}
			}
		}
	}
	m.identify("groups", m.domain.describe(), m.groups, m.p.size, m.describeBits())
	return m, nil
}

// describeBits returns the probabilities of the bits of each group.
func (m *GroupRelease) describeBits() (p [][2]uint64) {
	for _, b := range m.bits {
		p = append(p, [2]uint64{b.lo, b.hi})
	}
	return p
}

// Dim returns the number of statistics.
func (m *GroupRelease) Dim() int { return m.domain.Dim() }

// Loss returns the privacy loss, at most the requested ε.
func (m *GroupRelease) Loss() float64 { return m.loss }

// Release draws a record of s. The error wraps ErrInvalid if s does not belong to the mechanism's
// domain, or an error of the source's reader.
func (m *GroupRelease) Release(s Statistics, source *Source) (Record, error) {
	if err := s.of(m.domain); err != nil {
		return Record{}, err
	}
	var words [64]uint64
	i := 0
	if len(m.groups) > 1 {
		if err := source.fill(words[:1]); err != nil {
			return Record{}, err
		}
		i = m.p.draw(words[0])
	}
	b, bits := &m.bits[i], make([]uint64, 0, (len(m.groups[i])+63)/64)
	for part := range slices.Chunk(m.groups[i], len(words)) {
		if err := source.fill(words[:len(part)]); err != nil {
			return Record{}, err
		}
		var set uint64
		for k, j := range part {
			set |= draw(words[k], b.threshold(s.fraction[j])) << k
		}
		bits = append(bits, set)
	}
	return Record{by: m, index: i, bits: bits, private: source.private()}, nil
}

// maxEnumerated is the largest group whose outcomes are enumerated.
const maxEnumerated = 20

// Outcomes returns the probabilities of all 2^g vectors of bits of each group, ordered as binary
// numbers in which the bit of the first statistic is the lowest. The error wraps ErrInvalid if s
// does not belong to the mechanism's domain, and for more than 20 statistics in a group.
func (m *GroupRelease) Outcomes(s Statistics) ([]Outcome, error) {
	if err := s.of(m.domain); err != nil {
		return nil, err
	}
	var outcomes []Outcome
	for i, g := range m.groups {
		if len(g) > maxEnumerated {
			return nil, nested.Errorf("privacy: %w: 2^%d outcomes, want at most 2^%d", ErrInvalid, len(g), maxEnumerated)
		}
		p := []*big.Rat{probability(m.p.size[i])} // of the bits so far
		for _, j := range g {
			t := m.bits[i].threshold(s.fraction[j])
			n := len(p)
			for _, x := range p[:n] {
				p = append(p, new(big.Rat).Mul(x, probability(t)))
			}
			for _, x := range p[:n] {
				x.Mul(x, probability(one-t))
			}
		}
		for o, x := range p {
			outcomes = append(outcomes, Outcome{Record{by: m, index: i, bits: []uint64{uint64(o)}}, x})
		}
	}
	return outcomes, nil
}

func (m *GroupRelease) observe(r *Record, add func(j int, x float64)) {
	for k, j := range m.groups[r.index] {
		add(j, m.worth(r.index, j, r.bits[k/64]>>(k%64)&1))
	}
}

func (m *GroupRelease) statistics() string { return m.domain.describe() }

func (m *GroupRelease) shape(index int) (width int, ok bool) {
	if index < 0 || index >= len(m.groups) {
		return 0, false
	}
	return len(m.groups[index]), true
}

// cells returns the number of cells: for each group one for its records, and one for the 1 bits of
// each of its statistics.
func (m *GroupRelease) cells() int {
	n := len(m.groups)
	for _, g := range m.groups {
		n += len(g)
	}
	return n
}

func (m *GroupRelease) count(r *Record, cells []int64) {
	first := m.first[r.index]
	cells[first]++
	for k := range m.groups[r.index] {
		cells[first+1+k] += int64(r.bits[k/64] >> (k % 64) & 1)
	}
}

func (m *GroupRelease) values(cells []int64, add func(j int, x float64, times int64)) {
	for i, g := range m.groups {
		of := cells[m.first[i]:]
		for k, j := range g {
			add(j, m.worth(i, j, 0), of[0]-of[1+k])
			add(j, m.worth(i, j, 1), of[1+k])
		}
	}
}

func (m *GroupRelease) deviation(j int) float64 {
	q := quadratic{lo: m.domain.ranges[j].Lo, hi: m.domain.ranges[j].Hi}
	for i, g := range m.groups {
		if slices.Contains(g, j) {
			b, p := &m.bits[i], float64(m.p.size[i])/one
			q.add(m.worth(i, j, 0), p*float64(one-b.lo)/one, p*float64(one-b.hi)/one)
			q.add(m.worth(i, j, 1), p*float64(b.lo)/one, p*float64(b.hi)/one)
		}
	}
	return q.deviation()
}

// worth returns the estimate of statistic j from its bit in a group.
func (m *GroupRelease) worth(group, j int, bit uint64) float64 {
	of := m.domain.ranges[j]
	return (of.Lo + (of.Hi-of.Lo)*m.bits[group].worth[bit]) / m.chance[j]
}

// NewPerValue returns per-value φ-randomized response: every statistic is released with one bit.
// The bits of two people differ in at most min(d, 2δ) positions if at most δ of d statistics are
// above the lower ends of their ranges (Domain.Sparse), so it suits sparse statistics.
//
// A bit is true with probability q, ln q/(1−q) = ε/2δ (Published) or ε/min(d, 2δ) (Tight); the
// privacy loss is min(d, 2δ) times that. Optimized bits, with d ≥ 2δ, have the least variance if
// most statistics are at their lower ends, such as the indicators of a category. Errors are as for
// NewGroupRelease.
func NewPerValue(d *Domain, epsilon float64, c Calibration) (*GroupRelease, error) {
	all := make([]int, d.Dim())
	for j := range all {
		all[j] = j
	}
	return NewGroupRelease(d, [][]int{all}, nil, epsilon, c)
}

// NewCoordinateRelease returns coordinate release: one statistic j of a domain, drawn from p (nil
// means uniform), is released with one bit. Its variance does not depend on the number of
// statistics above the lower ends of their ranges, so it suits dense statistics.
//
// The bit is true with probability q, ln q/(1−q) = ε/2 (Published) or ε (Tight), which is
// the privacy loss. Errors are as for NewGroupRelease, with a group for each statistic.
func NewCoordinateRelease(d *Domain, p []float64, epsilon float64, c Calibration) (*GroupRelease, error) {
	groups := make([][]int, d.Dim())
	for j := range groups {
		groups[j] = []int{j}
	}
	return NewGroupRelease(d, groups, p, epsilon, c)
}
