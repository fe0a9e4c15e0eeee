package forest

import (
	"fmt"
	"sync"

	"example.org/pathsum/semiring/internal/rows"
)

// topology is what a forest is apart from its weights, with what follows from it,
// computed once on first use.
type topology struct {
	edge  []int32 // the edges that derive node v are edge[v], …, edge[v+1]−1
	tail  []int32 // the tails of edge e are tails[tail[e]:tail[e+1]]
	tails []int32
	order []int32 // nodes, every tail before its head; nil: 0, 1, 2, …

	pairsOnce sync.Once
	pairsMade *pairs
	usesOnce  sync.Once
	usesMade  *uses
}

func (t *topology) numNodes() int { return len(t.edge) - 1 }

// node returns the node at position p of the order, tails first.
func (t *topology) node(p int) int32 {
	if t.order == nil {
		return int32(p)
	}
	return t.order[p]
}

// pairs returns the edges as the kernels want them.
func (t *topology) pairs() *pairs {
	t.pairsOnce.Do(func() { t.pairsMade = newPairs(t) })
	return t.pairsMade
}

// uses returns the edges by tail.
func (t *topology) uses() *uses {
	t.usesOnce.Do(func() { t.usesMade = newUses(t) })
	return t.usesMade
}

// sort finds an order of the nodes in which every tail comes before its head.
func (t *topology) sort() error {
	if t.sorted() {
		return nil
	}
	nodes := make([]int32, len(t.edge)-1)
	for v := range nodes {
		nodes[v] = int32(v)
	}
	order, cyclic := rows.Postorder(t.tailRows(), t.tails, nodes)
	if cyclic >= 0 {
		return fmt.Errorf("forest: %w: node %d is derived from itself", ErrCycle, cyclic)
	}
	t.order = order
	return nil
}

// tailRows returns where the tails of every node's edges begin; one more: their end.
func (t *topology) tailRows() []int32 {
	row := make([]int32, len(t.edge))
	for v, e := range t.edge {
		row[v] = t.tail[e]
	}
	return row
}

// sorted reports whether every tail has a smaller number than its head.
func (t *topology) sorted() bool {
	for v := range len(t.edge) - 1 {
		for _, u := range t.tails[t.tail[t.edge[v]]:t.tail[t.edge[v+1]]] {
			if int(u) >= v {
				return false
			}
		}
	}
	return true
}
