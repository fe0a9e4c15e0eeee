// Package agenda is the priority queue of an enumeration that goes from best to worst.
package agenda

import "example.org/pathsum/semiring"

// Agenda holds items by weight; equally good ones leave in order of insertion. Its zero value is
// empty. All calls must use the same order.
type Agenda[T, W any] struct {
	heap  []entry[T, W]
	count int
}

type entry[T, W any] struct {
	item   T
	weight W
	number int
}

// Len returns the number of items.
func (a *Agenda[T, W]) Len() int { return len(a.heap) }

// Best returns the weight of the best item; there must be one.
func (a *Agenda[T, W]) Best() W { return a.heap[0].weight }

// Push adds an item. O(log Len).
func (a *Agenda[T, W]) Push(order semiring.Ordered[W], item T, weight W) {
	a.count++
	a.heap = append(a.heap, entry[T, W]{item, weight, a.count})
	for i := len(a.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.precedes(order, i, parent) {
			break
		}
		a.heap[i], a.heap[parent] = a.heap[parent], a.heap[i]
		i = parent
	}
}

func (a *Agenda[T, W]) precedes(order semiring.Ordered[W], i, j int) bool {
	c := order.Compare(a.heap[i].weight, a.heap[j].weight)
	return c < 0 || c == 0 && a.heap[i].number < a.heap[j].number
}

// Pop removes and returns the best item; there must be one. O(log Len).
func (a *Agenda[T, W]) Pop(order semiring.Ordered[W]) T {
	top, last := a.heap[0], len(a.heap)-1
	a.heap[0] = a.heap[last]
	a.heap[last] = entry[T, W]{} // release its weight
	a.heap = a.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top.item
		}
		if child+1 < last && a.precedes(order, child+1, child) {
			child++
		}
		if !a.precedes(order, child, i) {
			return top.item
		}
		a.heap[i], a.heap[child] = a.heap[child], a.heap[i]
		i = child
	}
}
