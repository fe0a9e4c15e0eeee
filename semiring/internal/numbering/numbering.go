// Package numbering numbers states that are met one after the other, however far apart they are.
package numbering

import "example.org/pathsum/internal/keytable"

// Table numbers the states of a graph in the order in which they are
// met. A graph that numbers its states as it makes them does the same for the most part,
// and as long as it does there is nothing to keep. Else it is done by a table over all
// states as long as that is not too empty, and else by hashing.
type Table struct {
	same   int32                 // how many states have been met, each with its own number; explicit
	states keytable.Table[int32] // empty before; finds none while there is a table
	table  []int32               // per state: its number + 1, or 0
	hashed bool                  // there will be no table again
}

// explicit says that states and table hold the numbers.
const explicit = -1

// emptiness is how many cells of the table there may be for a state.
const emptiness = 4

// Len returns how many states have been met.
func (n *Table) Len() int { return max(int(n.same), len(n.states.Keys())) }

// State returns the state of a number.
func (n *Table) State(number int32) int32 {
	if n.same >= 0 {
		return number
	}
	return n.states.Keys()[number]
}

// Of returns the number of a state and whether it is met for the first time.
func (n *Table) Of(state int32) (number int32, fresh bool) {
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
func (n *Table) list() {
	for state := range n.same {
		n.find(state)
	}
	n.same = explicit
}

// find is Of where numbers are explicit.
func (n *Table) find(state int32) (number int32, fresh bool) {
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
func (n *Table) widen(state int) bool {
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

// Reset forgets all states.
func (n *Table) Reset() {
	for _, s := range n.states.Keys() {
		if int(s) < len(n.table) {
			n.table[s] = 0
		}
	}
	n.states.Reset()
	n.same = 0
}
