package privacy

// NewCoordinateRelease returns coordinate release: one statistic j of a domain, drawn from
// p, uniform if nil, is released with one bit. Its variance does not depend on how many
// statistics are above the lower ends of their ranges: it is for dense statistics.
//
// The bit is true with probability q, ln q/(1−q) = ε/2 (Published) or ε (Tight), which is
// the privacy loss. The error wraps ErrEpsilon, ErrShape for len(p) ≠ d.Dim(),
// ErrProbability if p is no distribution or 0 for a statistic, which could not be
// estimated, and ErrRange if a range is so long that an observation is beyond float64.
func NewCoordinateRelease(d *Domain, p []float64, epsilon float64, c Calibration) (*GroupRelease, error) {
	groups := make([][]int, d.Dim())
	for j := range groups {
		groups[j] = []int{j}
	}
	return NewGroupRelease(d, groups, p, epsilon, c)
}
