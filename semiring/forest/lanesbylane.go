package forest

import "example.org/pathsum/semiring"

// CountsByLane does what TreeSums does, and adds to count[k][lane], for every k whose
// slice is not nil, the expected number of edges of weight table[k] in a random tree of
// the lane, drawn in proportion to its weight: what is hidden in each column, where
// Counts says what is in all of them together. Several k may have the same slice. Lanes
// without a tree add nothing. After an error the counts are undefined.
//
// O((nodes + edges) · lanes), and no allocation once s has grown. It panics if count is
// shorter than table, or one of its slices ends before lane hi.
func (l *Lanes) CountsByLane(table []semiring.ScaledFloat, leaf [][]float64, lo, hi int, count [][]float64, total []semiring.ScaledFloat, s *LanesScratch) error {
	if len(s.count) < len(table) {
		s.count = make([]float64, len(table))
	}
	return l.eachBlock(table, leaf, lo, hi, total, s, func(first int) {
		u := s.unit(int32(len(s.nodes) - 1))
		for i := range u {
			u[i] = 1
		}
		s.byLane, s.first = count, first
		l.push(table, s.count, s)
		s.byLane = nil
	})
}

// ofLanes returns the counts of weight k by lane of the block, nil if nobody asks.
func (s *LanesScratch) ofLanes(k int32) []float64 {
	if s.byLane == nil || s.byLane[k] == nil {
		return nil
	}
	return s.byLane[k][s.first:][:s.lanes]
}

// addByLane counts an edge of weight k by lane: m·x·y times the units u of its head.
func (s *LanesScratch) addByLane(k int32, m float64, u, x, y []float64) {
	z := s.ofLanes(k)
	if z == nil {
		return
	}
	u, x, y = u[:len(z)], x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] += m * (u[i] * x[i] * y[i]) // units are so large that m could be too much
	}
}
