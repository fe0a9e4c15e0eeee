package graph

import "math/bits"

// numbering numbers the states of an implicit graph in the order in which they are
// met: by a table over all states as long as that is not too empty, as where the graph
// itself numbers its states as it makes them, and else by a hash table with open
// addressing, at most half full.
type numbering struct {
	states []int32
	table  []int32 // per state: its number + 1, or 0
	slots  []int32 // number of a state + 1, or 0; a power of two of them, none while there is a table
	shift  uint8
}

// emptiness is how many cells of the table there may be for a state.
const emptiness = 4

func (n *numbering) slot(state int32) int {
	return int(uint64(uint32(state)) * 0x9E3779B97F4A7C15 >> n.shift)
}

// of returns the number of a state and whether it is met for the first time.
func (n *numbering) of(state int32) (number int32, fresh bool) {
	if int(state) >= len(n.table) && !n.widen(int(state)) {
		return n.hash(state)
	}
	cell := &n.table[state]
	if *cell > 0 {
		return *cell - 1, false
	}
	n.states = extended(n.states, state)
	*cell = int32(len(n.states))
	return *cell - 1, true
}

// widen makes the table include a state, or drops it for the hash table if it would be
// nearly empty.
func (n *numbering) widen(state int) bool {
	if len(n.slots) > 0 {
		return false
	}
	if most := emptiness * (len(n.states) + 64); state < most {
		size := min(max(state+1, 2*len(n.table)), most)
		n.table = append(n.table, make([]int32, size-len(n.table))...)
		return true
	}
	n.table = nil
	n.grow()
	return false
}

// hash is of for the hash table.
func (n *numbering) hash(state int32) (number int32, fresh bool) {
	if 2*len(n.states) >= len(n.slots) {
		n.grow()
	}
	mask := len(n.slots) - 1
	for i := n.slot(state); ; i++ {
		slot := &n.slots[i&mask]
		if *slot == 0 {
			n.states = extended(n.states, state)
			*slot = int32(len(n.states))
			return *slot - 1, true
		}
		if n.states[*slot-1] == state {
			return *slot - 1, false
		}
	}
}

// grow makes a hash table that is at most a quarter full.
func (n *numbering) grow() {
	size := 64
	for size < 4*len(n.states) {
		size *= 2
	}
	n.slots = make([]int32, size)
	n.shift = uint8(64 - bits.TrailingZeros(uint(size)))
	mask := size - 1
	for number, state := range n.states {
		i := n.slot(state)
		for n.slots[i&mask] != 0 {
			i++
		}
		n.slots[i&mask] = int32(number + 1)
	}
}

// reset forgets all states.
func (n *numbering) reset() {
	for _, s := range n.states {
		if int(s) < len(n.table) {
			n.table[s] = 0
		}
	}
	n.states = n.states[:0]
	clear(n.slots)
}
