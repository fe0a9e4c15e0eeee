package batch

import (
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/rows"
)

// graphAssembler is scratch storage of AppendGraph for one graph, reused for the next.
type graphAssembler struct {
	degree   []int32 // arcs into a state that are not yet visited
	reached  []int32
	order    []int32 // topological
	position []int32 // in the batch's graph; −1 if no path uses the state
}

// AppendGraph adds the states and arcs on the paths of g to b, with states in topological order
// and weights as indices into a table. H is a handle such as an expression, with 0 for Zero and 1
// for One. Final weights become arcs into a sink and start weights arcs from a source, unless
// there is a single final state, of weight 1 and without arcs, or a single start, of weight 1.
// Arcs of one state keep their order.
//
// If g has no path, b is unchanged and paths is false. The error wraps semiring.ErrLimit if the
// batch gets too large. It takes O(states + arcs) and, if g is acyclic, allocates only to grow
// the batch.
func AppendGraph[H ~int32](b *Batch, g *graph.Graph[H]) (paths bool, err error) {
	if b.graphs == nil {
		b.graphs = new(graphAssembler)
	}
	a := b.graphs
	states, arcs := 2+g.NumStates(), g.NumArcs()+g.NumStates()+len(g.Starts())
	if max(len(b.k)+arcs, len(b.row)+states) > math.MaxInt32 {
		return false, nested.Errorf("batch: %w: a batch of %d edges takes no graph of %d more", semiring.ErrLimit, len(b.k), arcs)
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
		b.addCyclic()
	}
	return true, nil
}

// sortStates puts the states that paths reach into a.order, in topological order, and reports
// whether such an order exists. States of one distance stay together, so that passes over the
// graph need not wait for the result of the preceding state.
func sortStates[H ~int32](a *graphAssembler, g *graph.Graph[H]) bool {
	if numberedInOrder(a, g) {
		return true
	}
	row, to, weight := g.Row(), g.To(), g.Weights()
	degree := rows.Resized(a.degree, g.NumStates())
	clear(degree)
	reached := a.reached[:0]
	for _, start := range g.Starts() {
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

// numberedInOrder is sortStates for states that are numbered in topological order, in half the
// time. It returns false for other graphs.
func numberedInOrder[H ~int32](a *graphAssembler, g *graph.Graph[H]) bool {
	row, to, weight := g.Row(), g.To(), g.Weights()
	reached := rows.Resized(a.degree, g.NumStates())
	clear(reached)
	for _, start := range g.Starts() {
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
func trimSorted[H ~int32](a *graphAssembler, g *graph.Graph[H]) {
	row, to, weight, final := g.Row(), g.To(), g.Weights(), g.Finals()
	a.position = rows.Resized(a.position, g.NumStates())
	position := a.position
	for s := range position {
		position[s] = -1
	}
	for i := len(a.order) - 1; i >= 0; i-- {
		s := a.order[i]
		if final[s] != 0 {
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

// numberStates removes states with position −1 from a.order and sets the positions of the others
// to their numbers, counted from the end.
func numberStates(a *graphAssembler) {
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
func trimCyclic[H ~int32](a *graphAssembler, g *graph.Graph[H]) {
	a.position = rows.Resized(a.position, g.NumStates())
	accessible, coaccessible := g.Accessible(), g.Coaccessible()
	for s := range a.position {
		a.position[s] = -1
		if accessible[s] && coaccessible[s] {
			a.position[s] = 0
		}
	}
	topology := rows.Topology{Row: g.Row(), To: g.To()}
	c := topology.Components()
	a.order = a.order[:0]
	for p := range a.position {
		a.order = append(a.order, c.State(p))
	}
	numberStates(a)
	if start, ok := singleStart(a, g); ok {
		// It belongs to the first component, in which any order is valid.
		i := len(a.order) - 1 - int(a.position[start])
		copy(a.order[1:i+1], a.order[:i])
		a.order[0] = start
		numberStates(a)
	}
}

// singleStart returns the only start if its weight is 1.
func singleStart[H ~int32](a *graphAssembler, g *graph.Graph[H]) (state int32, ok bool) {
	for _, start := range g.Starts() {
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
func singleFinal[H ~int32](a *graphAssembler, g *graph.Graph[H]) bool {
	row, to, weight, final := g.Row(), g.To(), g.Weights(), g.Finals()
	last := a.order[len(a.order)-1]
	if final[last] != 1 {
		return false
	}
	for e := row[last]; e < row[last+1]; e++ {
		if a.position[to[e]] >= 0 && weight[e] != 0 {
			return false
		}
	}
	for _, s := range a.order[:len(a.order)-1] {
		if final[s] != 0 {
			return false
		}
	}
	return true
}

// appendSorted appends the states of the assembler's order, last first, and their
// arcs.
func appendSorted[H ~int32](b *Batch, g *graph.Graph[H]) {
	a := b.graphs
	b.begin()
	most := g.NumArcs() + len(a.order) + len(g.Starts())
	b.k, b.left = slices.Grow(b.k, most), slices.Grow(b.left, most)
	b.row = slices.Grow(b.row, len(a.order)+2)
	// Indexing within capacity avoids a capacity check per arc.
	base, n, shift := len(b.k), 0, int32(0)
	k := b.k[base:cap(b.k)]
	left := b.left[base:cap(b.left)]
	needSink := !singleFinal(a, g)
	if needSink {
		shift = 1
		b.row = append(b.row, int32(base))
	}
	row, to, weight, final := g.Row(), g.To(), g.Weights(), g.Finals()
	for i := len(a.order) - 1; i >= 0; i-- {
		s := a.order[i]
		lo, hi := row[s], row[s+1]
		next, w := to[lo:hi], weight[lo:hi]
		for e, t := range next {
			if q := a.position[t]; q >= 0 && w[e] != 0 {
				k[n], left[n] = int32(w[e]), q+shift
				n++
			}
		}
		if f := final[s]; needSink && f != 0 {
			k[n], left[n] = int32(f), 0
			n++
		}
		b.row = append(b.row, int32(base+n))
	}
	if _, ok := singleStart(a, g); !ok {
		for _, start := range g.Starts() {
			if q := a.position[start.State]; q >= 0 && start.Weight != 0 {
				k[n], left[n] = int32(start.Weight), q+shift
				n++
			}
		}
		b.row = append(b.row, int32(base+n))
	}
	b.k, b.left = b.k[:base+n], b.left[:base+n]
	if len(b.right) > 0 {
		b.addRight(n)
	}
	b.end()
}
