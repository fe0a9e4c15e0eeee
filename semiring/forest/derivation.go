package forest

import "example.org/pathsum/semiring"

// derivation is a derivation of a node by an edge in which every tail has the
// derivation of a certain rank.
type derivation[W any] struct {
	edge   int32
	last   int32 // the tails before this one have rank 0
	rank   int   // where the ranks of the tails begin in ranking.ranks; 0: all are 0
	weight W
	number int // of equally good ones the one proposed first goes first
}

// agenda is a priority queue of derivations.
type agenda[W any] struct {
	heap  []derivation[W]
	count int
}

func (a *agenda[W]) push(order semiring.Ordered[W], d derivation[W]) {
	a.count++
	d.number = a.count
	a.heap = append(a.heap, d)
	for i := len(a.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.precedes(order, i, parent) {
			break
		}
		a.heap[i], a.heap[parent] = a.heap[parent], a.heap[i]
		i = parent
	}
}

func (a *agenda[W]) precedes(order semiring.Ordered[W], i, j int) bool {
	c := order.Compare(a.heap[i].weight, a.heap[j].weight)
	return c < 0 || c == 0 && a.heap[i].number < a.heap[j].number
}

func (a *agenda[W]) pop(order semiring.Ordered[W]) derivation[W] {
	top, last := a.heap[0], len(a.heap)-1
	a.heap[0] = a.heap[last]
	a.heap[last] = derivation[W]{} // let go of its weight
	a.heap = a.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && a.precedes(order, child+1, child) {
			child++
		}
		if !a.precedes(order, child, i) {
			return top
		}
		a.heap[i], a.heap[child] = a.heap[child], a.heap[i]
		i = child
	}
}
