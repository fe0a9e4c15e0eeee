package graph

import "sync"

// beamStorage is what a run of Beam needs that is no part of its result.
type beamStorage[W any] struct {
	free []*layer[W]
	arcs []partArc[W]
	buf  []Arc[W]
}

// beams holds storage that nobody uses: to train with a beam is to run thousands, and
// fresh memory would cost as much as the search.
var beams sync.Pool

// borrowedBeam returns what was repaid, if that was of the same type, or new storage.
func borrowedBeam[W any]() *beamStorage[W] {
	if s, ok := beams.Get().(*beamStorage[W]); ok {
		return s
	}
	return new(beamStorage[W])
}

// repay gives the storage of b back.
func (b *beam[W]) repay() {
	for _, l := range b.pending { // of a run that was cut off
		b.free = append(b.free, l)
	}
	b.arcs = b.arcs[:0]
	beams.Put(b.beamStorage)
}
