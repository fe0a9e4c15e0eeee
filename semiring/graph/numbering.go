package graph

import "math/bits"

// numbering numbers the states of an implicit graph in the order in which they are
// met: a hash table with open addressing, at most half full, over their list.
type numbering struct {
	states []int32
	slots  []int32 // a power of two of them: number of a state + 1, or 0
	shift  uint8
}

func (n *numbering) slot(state int32) int {
	return int(uint64(uint32(state)) * 0x9E3779B97F4A7C15 >> n.shift)
}

// of returns the number of a state and whether it is met for the first time.
func (n *numbering) of(state int32) (number int32, fresh bool) {
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

func (n *numbering) grow() {
	n.slots = make([]int32, max(64, 2*len(n.slots)))
	n.shift = uint8(64 - bits.TrailingZeros(uint(len(n.slots))))
	mask := len(n.slots) - 1
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
	n.states = n.states[:0]
	clear(n.slots)
}
