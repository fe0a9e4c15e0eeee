package graph

// heap is a leftist heap whose nodes are shared with other heaps. All its weights
// are to be multiplied by before, the way from its state to theirs.
type heap[W any] struct {
	before W
	root   int32
}

type heapNode[W any] struct {
	state       int32
	rank        int32 // length of the path to the right
	reach       W     // the way to state
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

// single returns the heap of state s alone, the empty one if s has no option.
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

// extended returns h with before in front of everything.
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

// merge returns the union of two heaps, leaving them as they are.
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

// propose queues the first path of h, a heap with the way from the start in front.
func (n *enumeration[W]) propose(h heap[W], parent int32) {
	if h.root != 0 {
		n.queue.Push(n.tree.order, candidate[W]{heap: h, parent: parent}, n.first(h))
	}
}
