package graph

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// assembler is what Append needs for one graph, reused for the next.
type assembler struct {
	degree   []int32 // arcs into a state that are still to come
	reached  []int32
	order    []int32 // topological
	position []int32 // in the batch's graph; −1: not useful
}

// Append adds g to b: the states and arcs on its paths, states in topological
// order, weights as indices into a table; H is a handle such as an expression,
// with 0 for Zero and 1 for One. Final weights become arcs into a sink and start
// weights arcs from a source, unless there is a single final state, of weight 1
// and without arcs, or a single start, of weight 1. Arcs of one state keep their
// order.
//
// If g has no path, nothing is appended and paths is false. The error wraps
// semiring.ErrLimit if the batch gets too large. O(states + arcs), and no allocation
// but for the batch's growth if g has no cycle.
func Append[H ~int32](b *Batch, g *Graph[H]) (paths bool, err error) {
	if b.build == nil {
		b.build = new(assembler)
	}
	a := b.build
	states, arcs := 2+g.NumStates(), g.NumArcs()+g.NumStates()+len(g.starts)
	if max(len(b.arcs)+arcs, len(b.row)+states) > math.MaxInt32 {
		return false, fmt.Errorf("graph: %w: a batch of %d arcs takes no graph of %d more", semiring.ErrLimit, len(b.arcs), arcs)
	}
	acyclic := sortStates(a, g)
	if acyclic {
		trimSorted(a, g)
	} else {
		trimCyclic(a, g)
	}
	if len(a.order) == 0 {
		return false, nil
	}
	appendSorted(b, g)
	if !acyclic {
		b.addLoop()
	}
	return true, nil
}

// sortStates puts the states that paths reach into a.order, in topological order,
// and reports whether there is one. States of one distance stay together, so that
// passes over the graph need not wait for the result of the state before.
func sortStates[H ~int32](a *assembler, g *Graph[H]) bool {
	if numberedInOrder(a, g) {
		return true
	}
	row, to, weight := g.Row(), g.To(), g.weight
	degree := rows.Resized(a.degree, g.NumStates())
	clear(degree)
	reached := a.reached[:0]
	for _, start := range g.starts {
		if start.Weight != 0 && degree[start.State] == 0 {
			degree[start.State] = 1 // for the start itself
			reached = append(reached, start.State)
		}
	}
	numStarts := len(reached)
	for i := 0; i < len(reached); i++ {
		s := reached[i]
		lo, hi := row[s], row[s+1]
		next, w := to[lo:hi], weight[lo:hi]
		for e, t := range next {
			if w[e] != 0 {
				if degree[t] == 0 {
					reached = append(reached, t)
				}
				degree[t]++
			}
		}
	}
	order := a.order[:0]
	for _, s := range reached[:numStarts] {
		if degree[s]--; degree[s] == 0 {
			order = append(order, s)
		}
	}
	for i := 0; i < len(order); i++ {
		s := order[i]
		lo, hi := row[s], row[s+1]
		next, w := to[lo:hi], weight[lo:hi]
		for e, t := range next {
			if w[e] != 0 {
				if degree[t]--; degree[t] == 0 {
					order = append(order, t)
				}
			}
		}
	}
	a.degree, a.reached, a.order = degree, reached, order
	return len(order) == len(reached)
}

// numberedInOrder does what sortStates does if states are numbered in topological
// order, in half the time.
func numberedInOrder[H ~int32](a *assembler, g *Graph[H]) bool {
	row, to, weight := g.Row(), g.To(), g.weight
	reached := rows.Resized(a.degree, g.NumStates())
	clear(reached)
	for _, start := range g.starts {
		if start.Weight != 0 {
			reached[start.State] = 1
		}
	}
	order := a.order[:0]
	for s, mark := range reached {
		if mark == 0 {
			continue
		}
		order = append(order, int32(s))
		lo, hi := row[s], row[s+1]
		next, w := to[lo:hi], weight[lo:hi]
		for e, t := range next {
			if w[e] != 0 {
				if int(t) <= s {
					return false
				}
				reached[t] = 1
			}
		}
	}
	a.degree, a.order = reached, order
	return true
}

// trimSorted removes from a.order the states that reach no final state, and fills
// in a.position.
func trimSorted[H ~int32](a *assembler, g *Graph[H]) {
	row, to, weight := g.Row(), g.To(), g.weight
	a.position = rows.Resized(a.position, g.NumStates())
	position := a.position
	for s := range position {
		position[s] = -1
	}
	for i := len(a.order) - 1; i >= 0; i-- {
		s := a.order[i]
		if g.final[s] != 0 {
			position[s] = 0
			continue
		}
		lo, hi := row[s], row[s+1]
		next, w := to[lo:hi], weight[lo:hi]
		for e, t := range next {
			if position[t] >= 0 && w[e] != 0 {
				position[s] = 0
				break
			}
		}
	}
	numberStates(a)
}

// numberStates keeps in a.order the states whose position is not −1 and sets it to
// their number, counted from the end.
func numberStates(a *assembler) {
	kept := a.order[:0]
	for _, s := range a.order {
		if a.position[s] >= 0 {
			kept = append(kept, s)
		}
	}
	for i, s := range kept {
		a.position[s] = int32(len(kept) - 1 - i)
	}
	a.order = kept
}

// trimCyclic is sortStates and trimSorted for a graph with a cycle.
func trimCyclic[H ~int32](a *assembler, g *Graph[H]) {
	a.position = rows.Resized(a.position, g.NumStates())
	for s, ok := range g.useful() {
		a.position[s] = -1
		if ok {
			a.position[s] = 0
		}
	}
	c := g.topology.Components()
	a.order = a.order[:0]
	for p := range a.position {
		a.order = append(a.order, c.State(p))
	}
	numberStates(a)
	if start, ok := singleStart(a, g); ok {
		// It belongs to the first component, where any order will do.
		i := len(a.order) - 1 - int(a.position[start])
		copy(a.order[1:i+1], a.order[:i])
		a.order[0] = start
		numberStates(a)
	}
}

// singleStart returns the only start if its weight is 1.
func singleStart[H ~int32](a *assembler, g *Graph[H]) (state int32, ok bool) {
	for _, start := range g.starts {
		if start.Weight == 0 || a.position[start.State] < 0 {
			continue
		}
		if ok || start.Weight != 1 {
			return 0, false
		}
		state, ok = start.State, true
	}
	return state, ok
}

// singleFinal reports whether the last state is the only final one, with weight 1
// and without arcs.
func singleFinal[H ~int32](a *assembler, g *Graph[H]) bool {
	last := a.order[len(a.order)-1]
	if g.final[last] != 1 {
		return false
	}
	for e := g.Row()[last]; e < g.Row()[last+1]; e++ {
		if a.position[g.To()[e]] >= 0 && g.weight[e] != 0 {
			return false
		}
	}
	for _, s := range a.order[:len(a.order)-1] {
		if g.final[s] != 0 {
			return false
		}
	}
	return true
}

// appendSorted appends the states of the assembler's order, last first, and their
// arcs.
func appendSorted[H ~int32](b *Batch, g *Graph[H]) {
	a := b.build
	if len(b.first) == 0 {
		b.first, b.row = append(b.first, 0), append(b.row, 0)
	}
	b.arcs = slices.Grow(b.arcs, g.NumArcs()+len(a.order)+len(g.starts))
	b.row = slices.Grow(b.row, len(a.order)+2)
	arcs := b.arcs[len(b.arcs):cap(b.arcs)]
	n, shift := 0, int32(0)
	needSink := !singleFinal(a, g)
	if needSink {
		shift = 1
		b.row = append(b.row, int32(len(b.arcs)))
	}
	row, to, weight := g.Row(), g.To(), g.weight
	for i := len(a.order) - 1; i >= 0; i-- {
		s := a.order[i]
		lo, hi := row[s], row[s+1]
		next, w := to[lo:hi], weight[lo:hi]
		for e, t := range next {
			if q := a.position[t]; q >= 0 && w[e] != 0 {
				arcs[n] = batchArc{q + shift, int32(w[e])}
				n++
			}
		}
		if f := g.final[s]; needSink && f != 0 {
			arcs[n] = batchArc{0, int32(f)}
			n++
		}
		b.row = append(b.row, int32(len(b.arcs)+n))
	}
	if _, ok := singleStart(a, g); !ok {
		for _, start := range g.starts {
			if q := a.position[start.State]; q >= 0 && start.Weight != 0 {
				arcs[n] = batchArc{q + shift, int32(start.Weight)}
				n++
			}
		}
		b.row = append(b.row, int32(len(b.arcs)+n))
	}
	b.arcs = b.arcs[:len(b.arcs)+n]
	b.first = append(b.first, int32(len(b.row)-1))
}
