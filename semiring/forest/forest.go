package forest

import (
	"errors"
	"math"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

var (
	// ErrCycle reports an operation that is not possible on a cyclic forest.
	ErrCycle = errors.New("cyclic derivation")
	// ErrNoTree reports that a forest has no tree, so random trees are undefined.
	ErrNoTree = errors.New("forest has no tree")
)

// Root makes Node a root: the weights of trees that derive it are multiplied by Weight.
type Root[W any] struct {
	Node   int32
	Weight W
}

// Forest is a frozen hypergraph in compressed rows. A hyperedge (an edge for short) derives its
// head from a sequence of zero or more tails. A tree is a choice of one edge for a root, for
// every tail of that edge, and so on. Its weight is the weight of the root entry ⊗ the weight of
// the root's derivation. A derivation by an edge of weight w with tails t₁ … t_n weighs w ⊗ t₁ ⊗
// … ⊗ t_n, in this order even if ⊗ is not commutative.
//
// Data that depend only on the topology are computed when first needed and shared by all forests
// made with WithWeights and Map. A Forest is safe for concurrent use.
type Forest[W any] struct {
	ring     semiring.Semiring[W]
	topology *topology
	weight   []W
	roots    []Root[W]
}

// New returns the forest of len(edge)−1 nodes in which node v is derived by the edges edge[v], …,
// edge[v+1]−1, and edge e has the tails tails[tail[e]:tail[e+1]] and weight[e]. Several roots may
// have the same node; their weights are summed. New takes ownership of all slices. Passes are
// fastest if every tail has a smaller number than its head, but any order of the nodes is
// allowed. Nodes may be derived from themselves; then there are infinitely many trees, each of
// them finite.
//
// The error wraps semiring.ErrShape if the slices do not match each other, and semiring.ErrLimit
// if they are too long for int32.
func New[W any](ring semiring.Semiring[W], edge, tail, tails []int32, weight []W, roots []Root[W]) (*Forest[W], error) {
	t, err := newTopology(edge, tail, tails)
	if err != nil {
		return nil, err
	}
	return (&Forest[W]{ring: ring, topology: t}).WithWeights(weight, roots)
}

// newTopology returns the topology of a forest. Errors are as for New.
func newTopology(edge, tail, tails []int32) (*topology, error) {
	if max(len(edge)+len(tails), len(tail)) > math.MaxInt32 {
		return nil, nested.Errorf("forest: %w: %d nodes, %d edges, %d tails", semiring.ErrLimit, len(edge), len(tail), len(tails))
	}
	if err := checkRows("edge", edge, len(tail)-1); err != nil {
		return nil, err
	}
	if err := checkRows("tail", tail, len(tails)); err != nil {
		return nil, err
	}
	nodes := len(edge) - 1
	for n, v := range tails {
		if uint32(v) >= uint32(nodes) {
			return nil, nested.Errorf("forest: %w: tail %d is node %d of %d", semiring.ErrShape, n, v, nodes)
		}
	}
	t := &topology{edge: edge, tail: tail, tails: tails}
	for e := range tail[1:] {
		t.mostTails = max(t.mostTails, int(tail[e+1]-tail[e]))
	}
	t.sort()
	return t, nil
}

// checkRows checks offsets into n things.
func checkRows(name string, row []int32, n int) error {
	if len(row) == 0 || row[0] != 0 || int(row[len(row)-1]) != n {
		return nested.Errorf("forest: %w: %s offsets do not go from 0 to %d", semiring.ErrShape, name, n)
	}
	for i, end := range row[1:] {
		if end < row[i] {
			return nested.Errorf("forest: %w: %s offset %d is %d, below the one before, %d", semiring.ErrShape, name, i+1, end, row[i])
		}
	}
	return nil
}

// WithWeights returns a forest with the topology of f, sharing its caches, and other
// weights. It takes ownership of the slices; the error wraps semiring.ErrShape if
// they do not fit the topology.
func (f *Forest[W]) WithWeights(weight []W, roots []Root[W]) (*Forest[W], error) {
	c := &Forest[W]{ring: f.ring, topology: f.topology}
	if err := setWeights(c, weight, roots); err != nil {
		return nil, err
	}
	return c, nil
}

// setWeights gives f weights. Unexported operations on a forest are functions, because methods
// would be compiled in every package that mentions a Forest.
func setWeights[W any](f *Forest[W], weight []W, roots []Root[W]) error {
	if len(weight) != f.NumEdges() {
		return misfit(len(weight), f.NumEdges())
	}
	for i, r := range roots {
		if uint32(r.Node) >= uint32(f.NumNodes()) {
			return noNode(i, r.Node, f.NumNodes())
		}
	}
	f.weight, f.roots = weight, roots
	return nil
}

// misfit returns the error for a number of weights that does not fit a forest.
func misfit(weights, edges int) error {
	return nested.Errorf("forest: %w: %d weights for %d edges", semiring.ErrShape, weights, edges)
}

// noNode returns the error for root entry i, whose node is not one of the forest's nodes.
func noNode(i int, node int32, nodes int) error {
	return nested.Errorf("forest: %w: root %d names node %d of %d", semiring.ErrShape, i, node, nodes)
}

// Map returns the image of f under h, a forest over ring with the topology of f, sharing its
// caches. If h is a homomorphism, it also maps the tree sum of f to the tree sum of the image.
func Map[A, B any](f *Forest[A], ring semiring.Semiring[B], h func(A) B) *Forest[B] {
	m := &Forest[B]{
		ring:     ring,
		topology: f.topology,
		weight:   make([]B, len(f.weight)),
		roots:    make([]Root[B], len(f.roots)),
	}
	for e, w := range f.weight {
		m.weight[e] = h(w)
	}
	for i, r := range f.roots {
		m.roots[i] = Root[B]{r.Node, h(r.Weight)}
	}
	return m
}

// Ring returns the ring of the weights.
func (f *Forest[W]) Ring() semiring.Semiring[W] { return f.ring }

// NumNodes returns the number of nodes.
func (f *Forest[W]) NumNodes() int { return len(f.topology.edge) - 1 }

// NumEdges returns the number of edges.
func (f *Forest[W]) NumEdges() int { return len(f.topology.tail) - 1 }

// NumTails returns the number of tails of all edges.
func (f *Forest[W]) NumTails() int { return len(f.topology.tails) }

// Edges returns the offsets of the edges by head, a slice of NumNodes()+1 numbers: node v is
// derived by the edges Edges()[v], …, Edges()[v+1]−1. The caller must not modify it.
func (f *Forest[W]) Edges() []int32 { return f.topology.edge }

// Tails returns the tails of edge e. The caller must not modify the slice.
func (f *Forest[W]) Tails(e int32) []int32 {
	t := f.topology
	return t.tails[t.tail[e]:t.tail[e+1]]
}

// Order returns the nodes in an order in which every tail comes before its head, unless both are
// on a common cycle; nodes of a cycle are adjacent. It is nil if the numbers of the nodes are
// such an order and there is no cycle. The caller must not modify the slice.
func (f *Forest[W]) Order() []int32 { return f.topology.order }

// Cyclic reports whether a node is derived from itself.
func (f *Forest[W]) Cyclic() bool { return len(f.topology.cycles) > 0 }

// Weights returns the weight of every edge. The caller must not modify the slice.
func (f *Forest[W]) Weights() []W { return f.weight }

// Roots returns the root entries. The caller must not modify the slice.
func (f *Forest[W]) Roots() []Root[W] { return f.roots }

// topology is a forest without its weights. It caches derived data, computed once on first use.
type topology struct {
	edge  []int32 // the edges that derive node v are edge[v], …, edge[v+1]−1
	tail  []int32 // the tails of edge e are tails[tail[e]:tail[e+1]]
	tails []int32
	order []int32 // nodes, tails before heads; nil for 0, 1, 2, …
	// Nodes that are derived from each other are adjacent in order and form cycles, tails first.
	cycles   []*cycle
	position []int32 // the inverse of order; nil if there is no cycle

	mostTails int // the greatest number of tails of an edge
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

// pairs returns the edges in the form that the kernels require.
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

// tailRows returns, per node, the index of the first tail of its edges; the additional last entry
// is the number of tails.
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

// pairs presents every edge as one of two tails, so that a node costs one kernel call, for any
// arities of its edges. The sums run over a vector x that holds the inside weights of the n nodes
// and more:
//
//	x[v]        the inside weight of node v < n
//	x[n]        One, the tail that an edge of fewer than two lacks
//	x[n+1], …   for every edge of m > 2 tails, a wide one, m contexts: the products,
//	            in order, of all tails but the first, all but the second, …
//
// With its first context a wide edge has two tails; the other contexts are for outside weights
// only.
type pairs struct {
	first, second []int32 // indices in x, per edge
	width         []width // per node, the width of its widest edge
	widest        width
	wide          []int32 // the wide edges, in increasing order
	wideRow       []int32 // node v has wide[wideRow[v]:wideRow[v+1]]
	context       []int32 // index in x of a wide edge's first context; at the end, the length of x
}

// width is a class of arities.
type width uint8

const (
	none   width = iota // it has no edge
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

// uses is a forest by tail: node v is a tail of the edges edge[n], with head head[n], for n =
// row[v], …, row[v+1]−1, in increasing order of edges, once per occurrence. beside[n] is the
// index in x (see pairs) of the product of the other tails.
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
