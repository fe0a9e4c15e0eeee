package forest

import (
	"errors"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

var (
	// ErrCycle is wrapped by the error for what cannot be done where a node is derived
	// from itself.
	ErrCycle = errors.New("cyclic derivation")
	// ErrNoTree is wrapped by the error for a question about a random tree of a
	// forest that has none.
	ErrNoTree = errors.New("forest has no tree")
)

// Root makes Node a root: trees that derive it count with the factor Weight.
type Root[W any] struct {
	Node   int32
	Weight W
}

// Forest is a frozen hypergraph in compressed rows. A hyperedge (an edge
// for short) derives its head from a sequence of tails, any number of them; a tree
// is a choice of one edge for a root, for every tail of that edge, and so on. It
// weighs as much as the root entry ⊗ the root's derivation. A derivation by an edge of
// weight w with tails t₁ … t_n weighs w ⊗ t₁ ⊗ … ⊗ t_n, in this order also where ⊗ is
// not commutative.
//
// Whatever depends on topology alone is computed when first needed and shared by all
// forests made with WithWeights and Map. A Forest is safe for concurrent use.
type Forest[W any] struct {
	ring     semiring.Semiring[W]
	topology *topology
	weight   []W
	roots    []Root[W]
}

// New returns the forest of len(edge)−1 nodes in which node v is derived by the edges
// edge[v], …, edge[v+1]−1, and edge e has the tails tails[tail[e]:tail[e+1]] and
// weight[e]. Several roots may name one node: their weights add up. New takes
// ownership of all slices. Passes are fastest where every tail has a smaller number
// than its head, but any order of the nodes will do. Nodes may be derived from themselves:
// then trees, always finite, are without number.
//
// The error wraps semiring.ErrShape if the slices do not fit together, and
// semiring.ErrLimit if they are too long for int32.
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

// setWeights gives f weights. This and the other functions of a forest that are not exported
// are no methods: those would be compiled in every package that mentions a Forest.
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

// noNode returns the error for root entry i, which names a node that a forest of that many does
// not have.
func noNode(i int, node int32, nodes int) error {
	return nested.Errorf("forest: %w: root %d names node %d of %d", semiring.ErrShape, i, node, nodes)
}

// Map returns the image of f under h, a forest over ring with the topology of f,
// sharing its caches. Tree sums are mapped as well if h is a homomorphism.
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

// Edges returns the offsets of the edges by head, one more than nodes: node v is
// derived by the edges Edges()[v], …, Edges()[v+1]−1. Not to be modified.
func (f *Forest[W]) Edges() []int32 { return f.topology.edge }

// Tails returns the tails of edge e. Not to be modified.
func (f *Forest[W]) Tails(e int32) []int32 {
	t := f.topology
	return t.tails[t.tail[e]:t.tail[e+1]]
}

// Order returns the nodes in an order in which every tail comes before its head, unless
// both are on a common cycle: such nodes are together in it. It is nil if the numbers of the
// nodes are such an order, and there is no cycle. Not to be modified.
func (f *Forest[W]) Order() []int32 { return f.topology.order }

// Cyclic reports whether a node is derived from itself.
func (f *Forest[W]) Cyclic() bool { return len(f.topology.cycles) > 0 }

// Weights returns the weight of every edge. Not to be modified.
func (f *Forest[W]) Weights() []W { return f.weight }

// Roots returns the root entries. Not to be modified.
func (f *Forest[W]) Roots() []Root[W] { return f.roots }
