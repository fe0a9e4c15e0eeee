// Package numbering numbers states in the order in which they are met, however sparse they are.
package numbering

import "example.org/pathsum/internal/keytable"

// Table numbers the states of a graph in the order in which they are met. A graph that numbers
// its states on creation mostly uses the same order, and while it does the table is empty.
// Otherwise the numbers are in a table over all states while it is dense enough, and then in a
// hash table.
type Table struct {
	same   int32                 // number of states met, while each has its own number; then explicit
	states keytable.Table[int32] // empty until then; used as a list while there is a table
	table  []int32               // per state: its number + 1, or 0
	hashed bool                  // the table has been dropped for good
}

// explicit is the value of same if states and table hold the numbers.
const explicit = -1

// emptiness is the greatest number of table cells per state.
const emptiness = 4

// Len returns the number of states met.
func (n *Table) Len() int { return max(int(n.same), len(n.states.Keys())) }

// State returns the state with the given number.
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

// find is Of for explicit numbers.
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

// widen extends the table to include a state, or drops the table if it would be nearly empty.
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

// Reset removes all states.
func (n *Table) Reset() {
	for _, s := range n.states.Keys() {
		if int(s) < len(n.table) {
			n.table[s] = 0
		}
	}
	n.states.Reset()
	n.same = 0
}
