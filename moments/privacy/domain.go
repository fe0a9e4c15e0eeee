package privacy

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
)

// Range is the declared closed interval of a statistic. It must be known without the data.
type Range struct{ Lo, Hi float64 }

// Domain is the set of possible vectors of statistics. It is immutable.
type Domain struct {
	name   string
	ranges []Range
	sparse int
}

// NewDomain returns the domain of vectors with one statistic in each range. The error wraps
// ErrInvalid without ranges, or if a range is empty, a single point (such as the zero Range) or not
// of finite length.
func NewDomain(ranges ...Range) (*Domain, error) {
	if len(ranges) == 0 {
		return nil, nested.Errorf("privacy: %w: a domain without ranges", ErrInvalid)
	}
	for j, r := range ranges {
		if !(r.Lo < r.Hi) || math.IsInf(r.Hi-r.Lo, 0) {
			return nil, nested.Errorf("privacy: %w: statistic %d has [%g, %g], want finite length above 0", ErrInvalid, j, r.Lo, r.Hi)
		}
	}
	d := &Domain{ranges: slices.Clone(ranges), sparse: len(ranges)}
	for j := range d.ranges {
		d.ranges[j].Lo += 0 // not −0, whose description would differ
		d.ranges[j].Hi += 0
	}
	return d, nil
}

// Named returns the domain for statistics φ with the given name, such as "products of features,
// second questionnaire". Records of domains with different names cannot be combined.
func (d *Domain) Named(phi string) *Domain {
	return &Domain{phi, d.ranges, d.sparse}
}

// describe returns a complete description of d. Records of domains with equal descriptions can be
// combined.
func (d *Domain) describe() string {
	return fmt.Sprintf("%q %x %d", d.name, d.ranges, d.sparse)
}

// Sparse returns the subset of the domain in which at most n statistics are above the lower ends of
// their ranges. The error wraps ErrInvalid if n is less than 1.
func (d *Domain) Sparse(n int) (*Domain, error) {
	if n < 1 {
		return nil, nested.Errorf("privacy: %w: at most %d values above the lower ends of their ranges, want at least 1", ErrInvalid, n)
	}
	return &Domain{d.name, d.ranges, min(n, len(d.ranges))}, nil
}

// Dim returns the number of statistics.
func (d *Domain) Dim() int { return len(d.ranges) }

// Statistics is a vector in a domain. Only Check and Clip return one.
type Statistics struct {
	domain   *Domain
	fraction []uint64 // of each range, in units of 1/one
}

// Check returns x as statistics. The error wraps ErrInvalid if a value is NaN or not in its range,
// for a wrong number of values, or if more values are above the lower ends of their ranges than
// Sparse allows.
func (d *Domain) Check(x []float64) (Statistics, error) {
	return d.confine(x, func(j int, v float64, r Range) (float64, error) {
		if v < r.Lo || v > r.Hi {
			return 0, nested.Errorf("privacy: %w: statistic %d is %g, not in [%g, %g]", ErrInvalid, j, v, r.Lo, r.Hi)
		}
		return v, nil
	})
}

// Clip returns x as statistics. It replaces each value outside its range, including infinities, by
// the nearer end. The error wraps ErrInvalid as for Check.
func (d *Domain) Clip(x []float64) (Statistics, error) {
	return d.confine(x, func(_ int, v float64, r Range) (float64, error) {
		return min(max(v, r.Lo), r.Hi), nil
	})
}

// confine returns x as statistics, each value confined by a function that is never called with NaN.
func (d *Domain) confine(x []float64, value func(j int, v float64, r Range) (float64, error)) (Statistics, error) {
	if len(x) != len(d.ranges) {
		return Statistics{}, nested.Errorf("privacy: %w: %d values for %d ranges", ErrInvalid, len(x), len(d.ranges))
	}
	fraction := make([]uint64, len(x))
	above := 0
	for j, v := range x {
		if math.IsNaN(v) {
			return Statistics{}, nested.Errorf("privacy: %w: statistic %d is NaN", ErrInvalid, j)
		}
		r := d.ranges[j]
		v, err := value(j, v, r)
		if err != nil {
			return Statistics{}, err
		}
		// Differences and quotients of floating-point numbers round monotonically, so
		// the quotient is in [0, 1]; times 2⁶³ it is exact.
		fraction[j] = uint64((v - r.Lo) / (r.Hi - r.Lo) * one)
		if fraction[j] > 0 {
			above++
		}
	}
	if above > d.sparse {
		return Statistics{}, nested.Errorf("privacy: %w: %d values above the lower ends of their ranges, at most %d were declared", ErrInvalid, above, d.sparse)
	}
	return Statistics{d, fraction}, nil
}

// of returns an error that wraps ErrInvalid unless s belongs to domain d.
func (s Statistics) of(d *Domain) error {
	switch s.domain {
	case d:
		return nil
	case nil:
		return nested.Errorf("privacy: %w: statistics that were neither checked nor clipped", ErrInvalid)
	}
	return nested.Errorf("privacy: %w: statistics of a domain of dimension %d that is not the mechanism's own, of dimension %d", ErrInvalid, s.domain.Dim(), d.Dim())
}
