package graph

import (
	"errors"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// ErrOrder is wrapped by the error for an arc that a search cannot follow in
// order: one better than One for Search, one that leads to no later layer for Beam.
var ErrOrder = errors.New("arc out of order")

// Implicit is a graph whose states and arcs are made as they are asked for; there
// may be infinitely many. Machines of package fst are implicit graphs as they are,
// lazy compositions among them.
//
// States are non-negative numbers that the graph hands out through AppendStarts and
// AppendArcs; no other numbers are asked about, and they need not be dense. The same
// question always has the same answer, in the same order. A search asks from one
// goroutine. A graph that may fail has a method Err() error as well, which gives the
// first error, and no arcs and Zero where it was: functions that take the graph return
// that error.
type Implicit[W any] interface {
	// Semiring returns the ring of the weights.
	Semiring() semiring.Semiring[W]
	// AppendStarts appends the start states to dst. Several entries may name one
	// state; they add up.
	AppendStarts(dst []Start[W]) []Start[W]
	// Final returns the final weight of state s, Zero if s is not final.
	Final(s int32) W
	// AppendArcs appends the arcs that leave state s to dst.
	AppendArcs(dst []Arc[W], s int32) []Arc[W]
}

// defaultMaxStates is the number of states that a search expands by default.
const defaultMaxStates = 10_000_000

// failure returns the first error of m.
func failure[W any](m Implicit[W]) error {
	if x, ok := m.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// Found is a path through an implicit graph.
type Found[W any] struct {
	Start  int32    // its first state
	Arcs   []Arc[W] // its arcs, in order
	Weight W        // λ ⊗ arc weights ⊗ ρ, multiplied in this order
}

// Expansion is a finite part of an implicit graph, frozen.
type Expansion[W any] struct {
	Graph   *Graph[W]
	State   []int32 // per state of Graph: its number in the implicit graph
	In, Out []int32 // per arc of Graph: its labels
	Dropped int     // states that were met and left out; 0: m is all there
}

// Path returns a path of Graph as one of the implicit graph.
func (p *Expansion[W]) Path(path Path[W]) Found[W] {
	f := Found[W]{Start: p.State[path.Start], Weight: path.Weight}
	if len(path.Arcs) > 0 {
		f.Arcs = make([]Arc[W], len(path.Arcs))
	}
	for i, e := range path.Arcs {
		f.Arcs[i] = Arc[W]{In: p.In[e], Out: p.Out[e], To: p.State[p.Graph.To()[e]], Weight: p.Graph.weight[e]}
	}
	return f
}

// numbering numbers the states of an implicit graph in the order in which they are
// met. A graph that numbers its states as it makes them does the same for the most part,
// and as long as it does there is nothing to keep. Else it is done by a table over all
// states as long as that is not too empty, and else by hashing.
type numbering struct {
	same   int32                 // how many states have been met, each with its own number; explicit
	states keytable.Table[int32] // empty before; finds none while there is a table
	table  []int32               // per state: its number + 1, or 0
	hashed bool                  // there will be no table again
}

// explicit says that states and table hold the numbers.
const explicit = -1

// emptiness is how many cells of the table there may be for a state.
const emptiness = 4

// len returns how many states have been met.
func (n *numbering) len() int { return max(int(n.same), len(n.states.Keys())) }

// state returns the state of a number.
func (n *numbering) state(number int32) int32 {
	if n.same >= 0 {
		return number
	}
	return n.states.Keys()[number]
}

// of returns the number of a state and whether it is met for the first time.
func (n *numbering) of(state int32) (number int32, fresh bool) {
	switch {
	case n.same < 0:
	case state == n.same:
		n.same++
		return state, true
	case state >= 0 && state < n.same:
		return state, false
	default:
		n.list()
	}
	return n.find(state)
}

// list makes the numbers explicit.
func (n *numbering) list() {
	for state := range n.same {
		n.find(state)
	}
	n.same = explicit
}

// find is of where numbers are explicit.
func (n *numbering) find(state int32) (number int32, fresh bool) {
	if int(state) >= len(n.table) && !n.widen(int(state)) {
		return n.states.Number(state)
	}
	cell := &n.table[state]
	if *cell > 0 {
		return *cell - 1, false
	}
	number = n.states.List(state)
	*cell = number + 1
	return number, true
}

// widen makes the table include a state, or drops it if it would be nearly empty.
func (n *numbering) widen(state int) bool {
	if n.hashed {
		return false
	}
	if most := emptiness * (len(n.states.Keys()) + 64); state < most {
		size := min(max(state+1, 2*len(n.table)), most)
		n.table = append(n.table, make([]int32, size-len(n.table))...)
		return true
	}
	n.table, n.hashed = nil, true
	return false
}

// reset forgets all states.
func (n *numbering) reset() {
	for _, s := range n.states.Keys() {
		if int(s) < len(n.table) {
			n.table[s] = 0
		}
	}
	n.states.Reset()
	n.same = 0
}
