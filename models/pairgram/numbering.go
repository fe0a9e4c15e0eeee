package pairgram

// place is a state of a composition: one of what a source is read by, and a context.
type place struct{ at, context int32 }

// numbering numbers places 0, 1, … as they are met. Its zero value is ready for use,
// and its storage is used again after a reset.
type numbering struct {
	all   []place
	table []int32 // 1 + the number of a place, 0 for none; the length is a power of 2
}

// leastTable is the length of the first table.
const leastTable = 1 << 10

// reset forgets all places, and gives up a table that they took a small part of: its
// clearing would cost more than they did.
func (n *numbering) reset() {
	if len(n.table) > max(leastTable, 64*len(n.all)) {
		n.table = nil
	}
	n.all = n.all[:0]
	clear(n.table)
}

// enter returns the number of p.
func (n *numbering) enter(p place) int32 {
	if 2*len(n.all) >= len(n.table) {
		n.grow()
	}
	at := n.slot(p)
	if *at == 0 {
		n.all = append(n.all, p)
		*at = int32(len(n.all))
	}
	return *at - 1
}

// slot returns that of p, or the empty one where it goes.
func (n *numbering) slot(p place) *int32 {
	mask := uint32(len(n.table) - 1)
	h := uint64(uint32(p.at))<<32 | uint64(uint32(p.context))
	h *= 0x9e3779b97f4a7c15
	for i := uint32(h>>32) & mask; ; i = (i + 1) & mask {
		if at := &n.table[i]; *at == 0 || n.all[*at-1] == p {
			return at
		}
	}
}

// grow doubles the table.
func (n *numbering) grow() {
	n.table = make([]int32, max(leastTable, 2*len(n.table)))
	for i, p := range n.all {
		*n.slot(p) = int32(i + 1)
	}
}
