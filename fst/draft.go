package fst

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// draft is a machine under construction: arcs in the order of their states.
type draft[W any] struct {
	row    []int32 // first arc of each state so far
	arcs   arcs[W]
	starts []Start[W]
	final  []W
}

// state starts the next state, whose arcs are added next, and returns its number.
func (d *draft[W]) state(final W) int32 {
	d.row = append(d.row, int32(d.arcs.len()))
	d.final = append(d.final, final)
	return int32(len(d.final) - 1)
}

// start makes s initial.
func (d *draft[W]) start(s int32, w W) {
	d.starts = append(d.starts, Start[W]{State: s, Weight: w})
}

// freeze returns the finished machine, which takes the draft's slices.
func (d *draft[W]) freeze(ring semiring.Semiring[W]) (*FST[W], error) {
	if max(d.arcs.len(), len(d.final)) > maxLimit {
		return nil, fmt.Errorf("fst: %w: more than 2³¹−1 states or arcs", semiring.ErrLimit)
	}
	row, a := append(d.row, int32(d.arcs.len())), d.arcs
	g, err := graph.New(ring, row, a.to, a.w, d.starts, d.final)
	if err != nil {
		return nil, fmt.Errorf("fst: %w: %w", ErrInvalid, err)
	}
	return &FST[W]{
		ring:   ring,
		labels: &labels{row: row, in: a.in, out: a.out},
		arcs:   a,
		starts: d.starts,
		final:  d.final,
		sorted: new(sorted[W]),
		graph:  g,
	}, nil
}
