package forest

import (
	"fmt"
	"sync"
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
	order, cyclic := postorder(t.tailRows(), t.tails, nodes)
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

// postorder returns the nodes that the roots depend on, every tail before its head,
// and −1, or else a node that is derived from itself. The edges of node v have the tails
// tails[row[v]:row[v+1]].
func postorder(row, tails, roots []int32) (order []int32, cyclic int32) {
	const (
		fresh = iota
		open
		done
	)
	nodes := len(row) - 1
	state := make([]byte, nodes)
	next := make([]int32, nodes) // the next tail of a node on the stack
	var stack []int32
	order = make([]int32, 0, nodes)
	push := func(v int32) {
		state[v], next[v] = open, row[v]
		stack = append(stack, v)
	}
	for _, root := range roots {
		if state[root] != fresh {
			continue
		}
		push(root)
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			if next[v] == row[v+1] {
				state[v] = done
				order = append(order, v)
				stack = stack[:len(stack)-1]
				continue
			}
			u := tails[next[v]]
			next[v]++
			switch state[u] {
			case open:
				return nil, u
			case fresh:
				push(u)
			}
		}
	}
	return order, -1
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
