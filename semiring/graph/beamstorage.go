package graph

// beamStorage is what a run of Beam needs that is no part of its result.
type beamStorage[W any] struct {
	free []*layer[W]
	arcs []partArc[W]
	buf  []Arc[W]
}

// repay gives the storage of b back.
func (b *beam[W]) repay() {
	for _, l := range b.pending { // of a run that was cut off
		b.free = append(b.free, l)
	}
	b.arcs = b.arcs[:0]
	repaid(b.beamStorage)
}
