package fst

import (
	"errors"
	"fmt"

	"example.org/pathsum/internal/nonnil"
)

// ErrCyclic is wrapped by the error for a machine with a cycle where there should be
// none.
var ErrCyclic = errors.New("machine has a cycle")

// Renumber returns f with its states in another order: state s becomes state
// position[s]. Any ring will do. The error wraps ErrInvalid if position is no
// permutation of 0 … NumStates()−1. O(states + arcs).
func Renumber[W any](f *FST[W], position []int32) (*FST[W], error) {
	nonnil.Check("fst: Renumber", "machine", f)
	n := f.NumStates()
	if len(position) != n {
		return nil, fmt.Errorf("fst: %w: positions of %d states, want %d", ErrInvalid, len(position), n)
	}
	state := make([]int32, n)
	for p := range state {
		state[p] = -1
	}
	for s, p := range position {
		if p < 0 || int(p) >= n || state[p] >= 0 {
			return nil, fmt.Errorf("fst: %w: state %d has position %d, which is another's or not one of %d", ErrInvalid, s, p, n)
		}
		state[p] = int32(s)
	}
	d := new(draft[W])
	for _, s := range state {
		d.state(f.final[s])
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			d.arcs.add(f.arcs.in[e], f.arcs.out[e], position[f.arcs.to[e]], f.arcs.w[e])
		}
	}
	for _, s := range f.starts {
		d.start(position[s.State], s.Weight)
	}
	return part(d, f), nil
}

// TopSort returns f with its states in topological order: every arc leads to a state
// of a higher number. Any ring will do. The error wraps ErrCyclic, and names a state on
// a cycle; an arc counts whatever its weight. O(states + arcs).
func TopSort[W any](f *FST[W]) (*FST[W], error) {
	nonnil.Check("fst: TopSort", "machine", f)
	order, ok := f.Graph().TopologicalOrder()
	if !ok {
		return nil, fmt.Errorf("fst: topological order: %w: through state %d", ErrCyclic, onCycle(f))
	}
	position := make([]int32, len(order))
	for p, s := range order {
		position[s] = int32(p)
	}
	return Renumber(f, position)
}

// onCycle returns the target of an arc within a component.
func onCycle[W any](f *FST[W]) int32 {
	component, _ := f.Graph().Components()
	for s := range int32(f.NumStates()) {
		for _, t := range f.arcs.to[f.labels.row[s]:f.labels.row[s+1]] {
			if component[s] == component[t] {
				return t
			}
		}
	}
	panic("fst: no cycle")
}
