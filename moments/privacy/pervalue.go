package privacy

// NewPerValue returns per-value φ-randomized response: every statistic is released with
// one bit. As two people's bits differ in at most min(d, 2δ) places if at most δ of d
// statistics are above the lower ends of their ranges (Domain.Sparse), it is for sparse
// statistics.
//
// A bit is true with probability q, ln q/(1−q) = ε/2δ (Published) or ε/min(d, 2δ) (Tight);
// the privacy loss is min(d, 2δ) times that. The error wraps ErrEpsilon, and
// ErrRange if a range is so long that an observation is beyond float64.
func NewPerValue(d *Domain, epsilon float64, c Calibration) (*GroupRelease, error) {
	all := make([]int, d.Dim())
	for j := range all {
		all[j] = j
	}
	return NewGroupRelease(d, [][]int{all}, nil, epsilon, c)
}
