package grid

// Segment sets the number of nodes above which m cuts grids into segments.
func (m *Machine) Segment(mostNodes int) { m.mostNodes = mostNodes }
