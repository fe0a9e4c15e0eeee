package rows

// Queue is a heap of distinct items 0 … n−1 with keys that may change. Init makes it ready for
// use. It is a pairing heap (Fredman, Sedgewick, Sleator and Tarjan 1986), a tree in which
// entries come after their parents: pushing a new item takes one comparison, and most items of a
// search are never popped.
type Queue[K any] struct {
	first func(a, b Entry[K]) bool // reports whether a comes before b
	nodes []node[K]                // per item
	root  int32                    // −1 if the queue is empty
}

// Entry is an item of a Queue with its key.
type Entry[K any] struct {
	Key  K
	Item int32
}

// node is an item's place in the tree. The children of a node are a list, the last
// one added in front.
type node[K any] struct {
	key   K
	child int32 // the first child, if any
	next  int32 // the next sibling, if any
	prev  int32 // the previous sibling or the parent; −1 at the root; outside
}

const (
	none    = -1
	outside = -2 // the item is not in the queue
)

// Init empties q and allows the items 0, …, n−1. first reports whether a comes before b.
func (q *Queue[K]) Init(n int, first func(a, b Entry[K]) bool) {
	q.first, q.root = first, none
	q.nodes = q.nodes[:0]
	for range n {
		q.Widen()
	}
}

// Forget releases the function passed to Init. Init must be called before q is used again.
func (q *Queue[K]) Forget() { q.first = nil }

// Widen allows one more item.
func (q *Queue[K]) Widen() { q.nodes = Extended(q.nodes, node[K]{prev: outside}) }

// Empty reports whether q is empty.
func (q *Queue[K]) Empty() bool { return q.root == none }

// Top returns the first item of a queue that is not empty, with its key.
func (q *Queue[K]) Top() Entry[K] { return Entry[K]{q.nodes[q.root].key, q.root} }

// Push adds item, or changes its key. O(1) comparisons for a new item.
func (q *Queue[K]) Push(item int32, key K) {
	n := &q.nodes[item]
	if n.prev != outside {
		q.remove(item)
	}
	*n = node[K]{key, none, none, none}
	q.root = q.link(q.root, item)
}

// Pop removes and returns the first item of a queue that is not empty, with its key. It takes
// O(log n) comparisons on average.
func (q *Queue[K]) Pop() Entry[K] {
	top := q.Top()
	q.remove(top.Item)
	return top
}

// remove takes item out of the tree.
func (q *Queue[K]) remove(item int32) {
	n := &q.nodes[item]
	children := q.join(n.child)
	if item == q.root {
		q.root = children
	} else {
		if before := &q.nodes[n.prev]; before.child == item {
			before.child = n.next
		} else {
			before.next = n.next
		}
		if n.next != none {
			q.nodes[n.next].prev = n.prev
		}
		q.root = q.link(q.root, children)
	}
	n.prev = outside
}

// join links the siblings from item on into one tree: first in pairs, then all pairs from the
// last one back. This order makes popping take O(log n) comparisons on average.
func (q *Queue[K]) join(item int32) int32 {
	pairs := int32(none) // list of pairs, the last pair in front
	for item != none {
		a, b := item, q.nodes[item].next
		item = none
		if b != none {
			item = q.nodes[b].next
			a = q.link(a, b)
		}
		q.nodes[a].next = pairs
		pairs = a
	}
	all := int32(none)
	for pairs != none {
		next := q.nodes[pairs].next
		all = q.link(all, pairs)
		pairs = next
	}
	if all != none {
		q.nodes[all].next, q.nodes[all].prev = none, none
	}
	return all
}

// link links two trees, of which either may be empty, into one. It returns the root, whose
// siblings it does not change.
func (q *Queue[K]) link(a, b int32) int32 {
	if a == none {
		return b
	}
	if b == none {
		return a
	}
	x, y := &q.nodes[a], &q.nodes[b]
	if q.first(Entry[K]{y.key, b}, Entry[K]{x.key, a}) {
		a, b, x, y = b, a, y, x
	}
	if y.next = x.child; y.next != none {
		q.nodes[y.next].prev = b
	}
	y.prev, x.child = a, b
	return a
}
