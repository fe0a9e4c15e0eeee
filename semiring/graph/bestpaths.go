package graph

import (
	"cmp"
	"iter"
	"slices"

	"example.org/pathsum/semiring/internal/agenda"
	"example.org/pathsum/semiring/internal/rows"
)

// BestPaths returns an iterator over all paths, best first; the ring must be semiring.Ordered.
// Each path is yielded once. Equally good paths come in an order that depends only on the graph.
// On a cyclic graph the sequence may be infinite. The order is by weights multiplied in another
// order than Path.Weight, so path weights may step back by a rounding error. Errors are as for
// BestPath.
//
// The algorithm is Eppstein's (1998), without division. Each state has a heap of the sidetracks
// along the best path from it, which shares structure with the heap of the next state on that
// path and is built on first use. After a pass as for BestPath, k paths take O(n + k log k) and
// their own length, with n the number of arcs that leave the states on the paths. Every range
// over the iterator starts again; several goroutines may use it at once.
func BestPaths[W any](g *Graph[W]) (iter.Seq[Path[W]], error) {
	t, err := newBestTree(g)
	if err != nil {
		return nil, err
	}
	return func(yield func(Path[W]) bool) {
		copied := *t
		copied.steps = make([]nextStep, g.NumStates())
		newEnumeration(&copied).run(yield)
	}, nil
}

// enumeration is one run of the iterator.
//
// The options of a state are its arcs and ending there, except the best continuation. The heap of
// a state s holds the states on the best path from s. The key of each is the weight of the best
// path from s that leaves the best path there, by the best option of that state. Its other
// options, sorted, become candidates after that option is taken.
type enumeration[W any] struct {
	tree    *bestTree[W]
	one     W
	nodes   []heapNode[W] // number 0 stands for the empty heap
	heaps   []heap[W]     // built so far
	made    []int32       // per state: index of its heap in heaps, plus one
	trail   []int32       // scratch of heapOf
	options map[int32][]option[W]

	unsorted []option[W] // scratch of sorted
	ranked   []int32     // indices in unsorted, best first

	found  []branch
	queue  agenda.Agenda[candidate[W], W]
	length int // of the last path
}

// option is a way to leave a state, with the weight of the best path that continues with it. Arc
// −1 stands for ending there.
type option[W any] struct {
	arc    int32
	weight W
}

// branch is a found path: it follows path number parent up to sidetrack.state, leaves it by the
// sidetrack, and then takes the best continuation.
type branch struct {
	sidetrack
	parent int32
}

// candidate is a future path: it follows path parent up to the state of the heap's root, and
// leaves it by its option of the given index.
type candidate[W any] struct {
	heap   heap[W] // before includes the way from the start
	index  int
	parent int32
}

// source is the state before the starts; its arcs are the indices of
// bestTree.states.
const source = -1

func newEnumeration[W any](t *bestTree[W]) *enumeration[W] {
	return &enumeration[W]{
		tree:    t,
		one:     t.g.ring.One(),
		nodes:   make([]heapNode[W], 1),
		made:    make([]int32, t.g.NumStates()),
		options: make(map[int32][]option[W]),
	}
}

func (n *enumeration[W]) run(yield func(Path[W]) bool) {
	if n.tree.best < 0 {
		return
	}
	n.found = append(n.found, branch{parent: -1})
	if !yield(n.path(0)) {
		return
	}
	n.propose(n.sourceHeap(), 0)
	ring := n.tree.g.ring
	for n.queue.Len() > 0 {
		c := n.queue.Pop(n.tree.order)
		node := n.nodes[c.heap.root]
		all := n.sorted(node.state)
		side := sidetrack{node.state, all[c.index].arc}
		n.found = append(n.found, branch{side, c.parent})
		number := int32(len(n.found) - 1)
		if !yield(n.path(number)) {
			return
		}
		if c.index == 0 {
			n.propose(n.extended(c.heap.before, node.left), c.parent)
			n.propose(n.extended(c.heap.before, node.right), c.parent)
		}
		before := ring.Times(c.heap.before, node.reach)
		if i := c.index + 1; i < len(all) {
			n.queue.Push(n.tree.order, candidate[W]{c.heap, i, c.parent}, ring.Times(before, all[i].weight))
		}
		if w, state, ok := n.follow(side); ok {
			n.propose(n.extended(ring.Times(before, w), n.heapOf(state)), number)
		}
	}
}

// follow returns the weight of a sidetrack and its target state, or false if the sidetrack ends
// the path.
func (n *enumeration[W]) follow(s sidetrack) (w W, state int32, ok bool) {
	t := n.tree
	switch {
	case s.state == source:
		return t.lambda[s.arc], t.states[s.arc], true
	case s.arc < 0:
		return w, 0, false
	}
	return t.g.weight[s.arc], t.g.To()[s.arc], true
}

// path returns the path of the given number.
func (n *enumeration[W]) path(number int32) Path[W] {
	var s []sidetrack
	for ; number > 0; number = n.found[number].parent {
		s = append(s, n.found[number].sidetrack)
	}
	slices.Reverse(s)
	start := n.tree.best
	if len(s) > 0 && s[0].state == source {
		start, s = int(s[0].arc), s[1:]
	}
	p := n.tree.path(start, s, n.length)
	n.length = len(p.Arcs)
	return p
}

// each calls visit for all options of state s.
func (n *enumeration[W]) each(s int32, visit func(option[W])) {
	t, g := n.tree, n.tree.g
	try := func(arc int32, w, rest W) {
		if !g.ring.IsZero(w) && !g.ring.IsZero(rest) {
			visit(option[W]{arc, g.ring.Times(w, rest)})
		}
	}
	if s == source {
		for i, q := range t.states {
			if i != t.best {
				try(int32(i), t.lambda[i], t.beta[q])
			}
		}
		return
	}
	best := t.next(s).arc
	if best >= 0 {
		try(-1, g.final[s], n.one)
	}
	for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
		if e != best {
			try(e, g.weight[e], t.beta[g.To()[e]])
		}
	}
}

// sorted returns the options of state s, best first.
func (n *enumeration[W]) sorted(s int32) []option[W] {
	sorted, ok := n.options[s]
	if !ok {
		all, order := n.unsorted[:0], n.tree.order
		n.each(s, func(o option[W]) { all = append(all, o) })
		n.ranked = rows.Sorted(n.ranked, len(all), func(i, j int32) int {
			return cmp.Or(order.Compare(all[i].weight, all[j].weight), cmp.Compare(all[i].arc, all[j].arc))
		})
		sorted, n.unsorted = rows.Picked(all, n.ranked), all
		n.options[s] = sorted
	}
	return sorted
}

// heap is a leftist heap whose nodes are shared with other heaps. All its weights have the left
// factor before, the weight of the way from the heap's state to their states.
type heap[W any] struct {
	before W
	root   int32
}

type heapNode[W any] struct {
	state       int32
	rank        int32 // length of the path to the right
	reach       W     // weight of the way to state
	weight      W     // reach ⊗ the best option there
	left, right heap[W]
}

// sourceHeap returns the heap of the state before the starts.
func (n *enumeration[W]) sourceHeap() heap[W] {
	t := n.tree
	rest := n.heapOf(t.states[t.best])
	return n.merge(n.single(source), n.extended(t.lambda[t.best], rest))
}

// heapOf returns the heap of a state on some path.
func (n *enumeration[W]) heapOf(s int32) heap[W] {
	t := n.tree
	n.trail = n.trail[:0]
	for s >= 0 && n.made[s] == 0 {
		n.trail = append(n.trail, s)
		s = t.next(s).to
	}
	var h heap[W]
	if s >= 0 {
		h = n.heaps[n.made[s]-1]
	}
	for i := len(n.trail) - 1; i >= 0; i-- {
		s := n.trail[i]
		if arc := t.next(s).arc; arc >= 0 {
			h = n.extended(t.g.weight[arc], h)
		}
		h = n.merge(n.single(s), h)
		n.heaps = append(n.heaps, h)
		n.made[s] = int32(len(n.heaps))
	}
	return h
}

// single returns a heap of state s only, or the empty heap if s has no option.
func (n *enumeration[W]) single(s int32) heap[W] {
	node, any := heapNode[W]{state: s, rank: 1, reach: n.one}, false
	n.each(s, func(o option[W]) {
		if !any || n.tree.order.Compare(o.weight, node.weight) < 0 {
			node.weight, any = o.weight, true
		}
	})
	if !any {
		return heap[W]{}
	}
	return n.add(node)
}

// add returns the heap with the given root.
func (n *enumeration[W]) add(node heapNode[W]) heap[W] {
	n.nodes = append(n.nodes, node)
	return heap[W]{n.one, int32(len(n.nodes) - 1)}
}

// extended returns h with before as an additional left factor of all weights.
func (n *enumeration[W]) extended(before W, h heap[W]) heap[W] {
	if h.root == 0 {
		return h
	}
	return heap[W]{n.tree.g.ring.Times(before, h.before), h.root}
}

// first returns the weight of the best path of a heap that is not empty.
func (n *enumeration[W]) first(h heap[W]) W {
	return n.tree.g.ring.Times(h.before, n.nodes[h.root].weight)
}

// merge returns the union of two heaps and leaves them unchanged.
func (n *enumeration[W]) merge(a, b heap[W]) heap[W] {
	if a.root == 0 {
		return b
	}
	if b.root == 0 {
		return a
	}
	weight := n.first(a)
	if other := n.first(b); n.tree.order.Compare(other, weight) < 0 {
		a, b, weight = b, a, other
	}
	top := n.nodes[a.root]
	top.reach, top.weight = n.tree.g.ring.Times(a.before, top.reach), weight
	top.left = n.extended(a.before, top.left)
	top.right = n.merge(n.extended(a.before, top.right), b)
	if n.nodes[top.left.root].rank < n.nodes[top.right.root].rank {
		top.left, top.right = top.right, top.left
	}
	top.rank = n.nodes[top.right.root].rank + 1
	return n.add(top)
}

// propose queues the first path of h, a heap whose weights include the way from the start.
func (n *enumeration[W]) propose(h heap[W], parent int32) {
	if h.root != 0 {
		n.queue.Push(n.tree.order, candidate[W]{heap: h, parent: parent}, n.first(h))
	}
}
