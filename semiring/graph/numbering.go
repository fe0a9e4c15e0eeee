package graph

import "example.org/pathsum/internal/keytable"

// numbering numbers the states of an implicit graph in the order in which they are
// met: by a table over all states as long as that is not too empty, as where the graph
// itself numbers its states as it makes them, and else by hashing.
type numbering struct {
	states keytable.Table[int32] // finds none while there is a table
	table  []int32               // per state: its number + 1, or 0
	hashed bool                  // there will be no table again
}

// emptiness is how many cells of the table there may be for a state.
const emptiness = 4

// state returns the state of a number.
func (n *numbering) state(number int32) int32 { return n.states.Keys()[number] }

// of returns the number of a state and whether it is met for the first time.
func (n *numbering) of(state int32) (number int32, fresh bool) {
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
}
