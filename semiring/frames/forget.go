package frames

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/rows"
)

// sweepInterval is the number of frames after which nodes without a continuation are removed.
const sweepInterval = 32

// sweep removes the nodes from which no arcs lead to the last layer. It stops at an unchanged
// layer that an earlier sweep has cleaned.
func (b *Beam) sweep() {
	for t := len(b.layers) - 1; t > 0; t-- {
		next, l := &b.layers[t], &b.layers[t-1]
		b.place = rows.Resized(b.place, len(l.state))
		for n := range b.place {
			b.place[n] = -1
		}
		for i := range next.links {
			if k := &next.links[i]; k.in != 0 {
				b.place[k.from] = 0
			}
		}
		l.reachBack(b.place)
		n := int32(0)
		for i, place := range b.place {
			if place == 0 {
				b.place[i] = n
				n++
			}
		}
		if int(n) == len(l.state) {
			if l.swept {
				return
			}
			l.swept = true
			continue
		}
		l.swept = true
		b.nodes -= len(l.state) - int(n)
		for i := range next.links {
			if k := &next.links[i]; k.in != 0 {
				k.from = b.place[k.from]
			}
		}
		l.renumber(b.place, int(n))
		if t == 1 {
			b.restart()
		}
	}
}

// reachBack marks the nodes from which ε arcs lead to marked nodes. A mark is a place of 0.
func (l *layer) reachBack(place []int32) {
	for changed := true; changed; {
		changed = false
		for i := len(l.links) - 1; i >= 0; i-- {
			if k := &l.links[i]; k.in == 0 && place[k.to] == 0 && place[k.from] < 0 {
				place[k.from], changed = 0, true
			}
		}
	}
}

// renumber keeps the n nodes that have a place.
func (l *layer) renumber(place []int32, n int) {
	state, alpha := make([]int32, n), make([]semiring.ScaledFloat, n)
	for i, place := range place {
		if place >= 0 {
			state[place], alpha[place] = l.state[i], l.alpha[i]
		}
	}
	l.state, l.alpha = state, alpha
	size := 0
	for i := range l.links {
		if place[l.links[i].to] >= 0 {
			size++
		}
	}
	links := make([]link, 0, size)
	for _, k := range l.links {
		k.to = place[k.to]
		if k.in == 0 {
			k.from = place[k.from]
		}
		if k.to >= 0 && k.from >= 0 {
			links = append(links, k)
		}
	}
	l.links = links
}

// Shared returns the greatest number of frames, at most Frames, after which all paths kept so far
// are in the same state. ok is false if there is no such state in the lattice. The part before is
// final: later frames only add a common factor. It takes time proportional to the number of nodes
// of the lattice.
func (b *Beam) Shared() (frames int, ok bool) {
	b.sweep()
	for t := len(b.layers) - 1; t >= 0; t-- {
		if len(b.layers[t].state) == 1 {
			return b.first + t, true
		}
	}
	return 0, false
}

// First returns the number of frames read before the lattice begins: 0 unless Forget was called.
func (b *Beam) First() int { return b.first }

// Forget removes the part of the lattice before the states after the given number of frames,
// which must be from First to Frames. The lattice then starts in these states, with their forward
// weights, so its sums do not change. It panics if the number is out of range.
//
// If keep is not nil, only paths continue that pass a state for which keep returns true. Other
// paths are dropped and count as lost. This takes two passes over the rest of the lattice, and
// the error is as for graph.Forward.
func (b *Beam) Forget(frames int, keep func(state int32) bool) error {
	if frames < b.first || frames > b.Frames() {
		panic(fmt.Sprintf("frames: Beam.Forget(%d) of %d to %d", frames, b.first, b.Frames()))
	}
	if b.err != nil {
		return b.err
	}
	b.sweep()
	if frames > b.first {
		for _, l := range b.layers[:frames-b.first] {
			b.nodes -= len(l.state)
		}
		b.layers = slices.Delete(b.layers, 0, frames-b.first)
		b.first = frames
		l := &b.layers[0]
		l.links = nil
		b.starts = b.starts[:0]
		for n, alpha := range l.alpha {
			b.starts = append(b.starts, graph.Start[semiring.ScaledFloat]{State: int32(n), Weight: alpha})
		}
	}
	if keep != nil {
		if err := b.restrict(keep); err != nil {
			b.err = nested.Errorf("frames: beam: %w", err)
		}
	}
	return b.err
}

// restrict drops the paths that start in a state for which keep returns false.
func (b *Beam) restrict(keep func(state int32) bool) error {
	var wanted, refused []graph.Start[semiring.ScaledFloat]
	for _, start := range b.starts {
		if keep(b.layers[0].state[start.State]) {
			wanted = append(wanted, start)
		} else {
			refused = append(refused, start)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	x, err := b.Lattice()
	if err != nil {
		return err
	}
	forward := func(starts []graph.Start[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error) {
		g, err := x.Graph.WithWeights(x.Graph.Weights(), starts, x.Graph.Finals())
		if err != nil {
			return nil, err
		}
		return graphs.Forward(g)
	}
	alpha, err := forward(refused)
	if err != nil {
		return err
	}
	for _, alpha := range alpha[len(alpha)-len(b.layers[len(b.layers)-1].state):] {
		b.lose(alpha)
	}
	if alpha, err = forward(slices.Clone(wanted)); err != nil {
		return err
	}
	b.starts = wanted
	var before []int32 // places of the preceding layer
	for t := range b.layers {
		l := &b.layers[t]
		size := len(l.state)
		n, place := int32(0), make([]int32, size)
		for i := range place {
			l.alpha[i], place[i] = alpha[i], -1
			if !alpha[i].IsZero() {
				place[i] = n
				n++
			}
		}
		alpha = alpha[size:]
		kept := l.links[:0]
		for _, k := range l.links {
			if k.in != 0 {
				k.from = before[k.from]
			}
			if k.from >= 0 {
				kept = append(kept, k)
			}
		}
		l.links = kept
		if t == len(b.layers)-1 {
			for i, place := range place {
				if place >= 0 && b.chooser == nil {
					b.span[place] = b.span[i]
				}
			}
			b.span = b.span[:min(int(n), len(b.span))]
		}
		b.nodes -= size - int(n)
		l.renumber(place, int(n))
		if before = place; t == 0 {
			b.place = place
			b.restart()
		}
	}
	return nil
}

// Drop drops the states after the last frame for which keep returns false, and counts them as
// lost. A state from which ε arcs lead to a kept state stays.
func (b *Beam) Drop(keep func(state int32) bool) {
	l := &b.layers[len(b.layers)-1]
	b.place = rows.Resized(b.place, len(l.state))
	for i, state := range l.state {
		b.place[i] = -1
		if keep(state) {
			b.place[i] = 0
		}
	}
	l.reachBack(b.place)
	n := int32(0)
	for i, place := range b.place {
		if place < 0 {
			b.lose(l.alpha[i])
			continue
		}
		if b.place[i] = n; b.chooser == nil {
			b.span[n] = b.span[i]
		}
		n++
	}
	b.nodes -= len(l.state) - int(n)
	b.span = b.span[:min(int(n), len(b.span))]
	l.renumber(b.place, int(n))
	if len(b.layers) == 1 {
		b.restart()
	}
}

// Nodes yields the state of each node of the lattice, except nodes without a continuation, frame
// by frame.
func (b *Beam) Nodes(yield func(state int32) bool) {
	b.sweep()
	for t := range b.layers {
		for _, state := range b.layers[t].state {
			if !yield(state) {
				return
			}
		}
	}
}

// Renumber updates the search after the machine has renumbered its states. It calls number with
// the old number of the state of each node of Nodes. So a lazy machine can discard unused states.
func (b *Beam) Renumber(number func(state int32) int32) error {
	b.sweep()
	for t := range b.layers {
		for n, state := range b.layers[t].state {
			b.layers[t].state[n] = number(state)
		}
	}
	b.ahead, b.span = b.ahead[:0], b.span[:0]
	if b.chooser != nil {
		return nil
	}
	for _, state := range b.layers[len(b.layers)-1].state {
		if err := b.list(state); err != nil {
			b.err = nested.Errorf("frames: beam: %w", err)
			return b.err
		}
	}
	return nil
}
