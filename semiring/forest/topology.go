package forest

import (
	"sync"

	"example.org/pathsum/semiring/internal/rows"
)

// topology is what a forest is apart from its weights, with what follows from it,
// computed once on first use.
type topology struct {
	edge  []int32 // the edges that derive node v are edge[v], …, edge[v+1]−1
	tail  []int32 // the tails of edge e are tails[tail[e]:tail[e+1]]
	tails []int32
	order []int32 // nodes, tails before heads; nil: 0, 1, 2, …
	// Nodes that are derived from each other are together in order, as cycles, tails first.
	cycles   []*cycle
	position []int32 // the inverse of order; nil: there is no cycle

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

// derives reports whether edge e derives node v.
func (t *topology) derives(e, v int32) bool { return t.edge[v] <= e && e < t.edge[v+1] }

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

// sort finds an order of the nodes in which every tail comes before its head, unless they
// are on a common cycle.
func (t *topology) sort() {
	if t.sorted() {
		return
	}
	nodes := make([]int32, len(t.edge)-1)
	for v := range nodes {
		nodes[v] = int32(v)
	}
	order, cyclic := rows.Postorder(t.tailRows(), t.tails, nodes)
	if cyclic >= 0 {
		t.sortCyclic()
		return
	}
	t.order = order
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

// pairs presents every edge as one of two tails, so that a node costs one kernel call
// whatever the arities of its edges are. The sums run over a vector x that holds more
// than the inside weights of the n nodes:
//
//	x[v]        the inside weight of node v < n
//	x[n]        One, the tail that an edge of fewer than two lacks
//	x[n+1], …   for every edge of m > 2 tails, a wide one, m contexts: the products,
//	            in order, of all tails but the first, all but the second, …
//
// The first context makes a wide edge one of two tails; the others are for outside
// weights only.
type pairs struct {
	first, second []int32 // indices in x, per edge
	width         []width // per node, that of its widest edge
	widest        width
	wide          []int32 // the wide edges, in increasing order
	wideRow       []int32 // those of node v are wide[wideRow[v]:wideRow[v+1]]
	context       []int32 // where the contexts of a wide edge begin in x; one more: its end
}

// width is a class of arities.
type width uint8

const (
	none   width = iota // no edge
	unary               // at most one tail
	binary              // two
	wide                // more
)

func newPairs(t *topology) *pairs {
	nodes, edges := int32(t.numNodes()), len(t.tail)-1
	p := &pairs{
		first:   make([]int32, edges),
		second:  make([]int32, edges),
		width:   make([]width, nodes),
		wideRow: make([]int32, nodes+1),
	}
	end := nodes + 1
	for v := range nodes {
		for e := t.edge[v]; e < t.edge[v+1]; e++ {
			tails := t.tails[t.tail[e]:t.tail[e+1]]
			p.first[e], p.second[e] = nodes, nodes
			w := unary
			if len(tails) > 0 {
				p.first[e] = tails[0]
			}
			if len(tails) == 2 {
				p.second[e] = tails[1]
				w = binary
			}
			if len(tails) > 2 {
				p.wide, p.context = append(p.wide, e), append(p.context, end)
				p.second[e] = end
				end += int32(len(tails))
				w = wide
			}
			p.width[v] = max(p.width[v], w)
		}
		p.wideRow[v+1] = int32(len(p.wide))
		p.widest = max(p.widest, p.width[v])
	}
	p.context = append(p.context, end)
	return p
}

// size returns the length of x.
func (p *pairs) size() int { return int(p.context[len(p.wide)]) }

// uses is a forest by tail: node v is a tail of the edges edge[n], with head head[n],
// for n = row[v], …, row[v+1]−1, in increasing order of edges, once for each time
// that it occurs. beside[n] is the index in x (see pairs) of the product of the other
// tails.
type uses struct{ row, edge, head, beside []int32 }

func newUses(t *topology) *uses {
	nodes, p := t.numNodes(), t.pairs()
	u := &uses{
		row:    make([]int32, nodes+2),
		edge:   make([]int32, len(t.tails)),
		head:   make([]int32, len(t.tails)),
		beside: make([]int32, len(t.tails)),
	}
	// row[v+1] is the next free slot of v while the slots are filled, and then the
	// end of v, that is, the start of v+1.
	for _, v := range t.tails {
		u.row[v+2]++
	}
	for v := range nodes {
		u.row[v+2] += u.row[v+1]
	}
	add := func(v, e, head, beside int32) {
		slot := &u.row[v+1]
		u.edge[*slot], u.head[*slot], u.beside[*slot] = e, head, beside
		*slot++
	}
	wides := 0
	for v := range int32(nodes) {
		for e := t.edge[v]; e < t.edge[v+1]; e++ {
			switch tails := t.tails[t.tail[e]:t.tail[e+1]]; len(tails) {
			case 0:
			case 1, 2:
				add(tails[0], e, v, p.second[e])
				if len(tails) == 2 {
					add(tails[1], e, v, p.first[e])
				}
			default:
				for i, u := range tails {
					add(u, e, v, p.context[wides]+int32(i))
				}
				wides++
			}
		}
	}
	u.row = u.row[:nodes+1]
	return u
}
