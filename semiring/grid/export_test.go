package grid

// Segment makes m cut grids of more nodes than that into segments.
func (m *Machine) Segment(mostNodes int) { m.mostNodes = mostNodes }
