package grid

// Segment sets the number of nodes above which m cuts grids into segments.
func (m *Machine) Segment(mostNodes int) { m.mostNodes = mostNodes }

// Rescale makes m rescale rows for all strings.
func (m *Machine) Rescale() { m.longestPlain = -1 }

// Plain reports whether m sums over the paths of x and y without rescaling rows, and the length of
// the longest x for which it may.
func (m *Machine) Plain(x, y []int32, s *Scratch) (longest int, ok bool) {
	own := contentOf(s)
	if own.pair.take(m, x, y) {
		_, ok = own.plain.alphas(&own.pair)
	}
	return m.longestPlain, ok
}

// ByNumbers reports whether Counts of x and y needs no sums weight by weight if it rescales rows.
func (m *Machine) ByNumbers(x, y []int32, weight float64, s *Scratch) bool {
	own := contentOf(s)
	if !own.pair.take(m, x, y) {
		return false
	}
	own.numbers.take(&own.pair, m.numbers)
	_, ok := own.numbers.counts(weight, arcParts[float64]{})
	return ok
}
