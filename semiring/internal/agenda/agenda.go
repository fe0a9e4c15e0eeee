// Package agenda is the priority queue of an enumeration that goes from best to worst.
package agenda

import "example.org/pathsum/semiring"

// Agenda holds items by weight; of equally good ones the first to come goes
// first. Its zero value is empty. All calls must be given the same order.
type Agenda[T, W any] struct {
	heap  heap
	slots []entry[T, W]
	free  []int32 // slots without an item
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
func (a *Agenda[T, W]) Best() W { return a.slots[a.heap[0]].weight }

// Push adds an item. O(log Len).
func (a *Agenda[T, W]) Push(order semiring.Ordered[W], item T, weight W) {
	a.count++
	slot := int32(len(a.slots))
	if n := len(a.free); n > 0 {
		slot, a.free = a.free[n-1], a.free[:n-1]
		a.slots[slot] = entry[T, W]{item, weight, a.count}
	} else {
		a.slots = append(a.slots, entry[T, W]{item, weight, a.count})
	}
	a.heap.push(slot, func(i, j int32) bool { return precedes(order, a.slots, i, j) })
}

// Pop removes and returns the best item; there must be one. O(log Len).
func (a *Agenda[T, W]) Pop(order semiring.Ordered[W]) T {
	slot := a.heap.pop(func(i, j int32) bool { return precedes(order, a.slots, i, j) })
	item := a.slots[slot].item
	a.slots[slot] = entry[T, W]{} // let go of its weight
	a.free = append(a.free, slot)
	return item
}

func precedes[T, W any](order semiring.Ordered[W], slots []entry[T, W], i, j int32) bool {
	x, y := &slots[i], &slots[j]
	c := order.Compare(x.weight, y.weight)
	return c < 0 || c == 0 && x.number < y.number
}

// heap is a binary heap of slots. It is no part of Agenda's type, so that it is compiled once.
type heap []int32

// push adds a slot.
//
//go:noinline
func (h *heap) push(slot int32, precedes func(i, j int32) bool) {
	s := append(*h, slot)
	*h = s
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !precedes(slot, s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = slot
}

// pop removes and returns the first slot.
//
//go:noinline
func (h *heap) pop(precedes func(i, j int32) bool) int32 {
	s := *h
	top, last := s[0], len(s)-1
	slot := s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			if last > 0 {
				s[i] = slot
			}
			return top
		}
		if child+1 < last && precedes(s[child+1], s[child]) {
			child++
		}
		if !precedes(s[child], slot) {
			s[i] = slot
			return top
		}
		s[i] = s[child]
		i = child
	}
}
