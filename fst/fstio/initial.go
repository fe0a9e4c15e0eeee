package fstio

import "example.org/pathsum/fst"

// initial is the one initial state of weight One that OpenFst's forms have room
// for.
type initial[W any] struct {
	state int32        // -1: none
	arcs  []fst.Arc[W] // nil unless state is a new one, numbered after those of the machine
}

// initialOf returns the initial state of f if there is just one and its weight is
// One, and otherwise a new one with arcs ε:ε to those of f.
func initialOf[W any](f *fst.FST[W], isOne func(w W) bool) initial[W] {
	starts := f.AppendStarts(nil)
	switch {
	case len(starts) == 0:
		return initial[W]{state: -1}
	case len(starts) == 1 && isOne(starts[0].Weight):
		return initial[W]{state: starts[0].State}
	}
	i := initial[W]{state: int32(f.NumStates())}
	for _, s := range starts {
		i.arcs = append(i.arcs, fst.Arc[W]{To: s.State, Weight: s.Weight})
	}
	return i
}

// numStates returns the number of states of f and the new one.
func (i initial[W]) numStates(f *fst.FST[W]) int32 {
	return int32(f.NumStates()) + int32(min(len(i.arcs), 1))
}
