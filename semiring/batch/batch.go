package batch

import (
	"maps"
	"math/rand/v2"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Batch holds many small graphs and forests, for example a shard of lattices or charts, in one
// concatenation of compressed rows. It takes twelve bytes per edge and four per node. A batch of
// graphs only takes eight bytes per arc and has faster loops. The weight of an edge is an index
// into a table of numbers that the caller passes, so one batch serves any number of weightings;
// index 0 stands for the number 0 and index 1 for the number 1.
//
// Every item is trimmed and has one root; the root of a graph is its source. Nodes are in
// topological order, tails first, because passes from the tails up come first and then read
// memory forward. Node 0 has the sum 1: it is the sink of a graph, and in a forest it replaces
// missing tails. An edge of a forest has two tails; further tails are multiplied in extra nodes.
// An arc of a graph has one tail.
//
// The zero value is an empty batch. AppendGraph and AppendForest need exclusive access;
// all other methods may be called by several goroutines at once.
type Batch struct {
	first   []int32 // item i has the nodes first[i], …, first[i+1]−1
	row     []int32 // the edges of node v are row[v], …, row[v+1]−1
	k, left []int32 // per edge: its weight is table[k]
	right   []int32 // per edge; empty if all items are graphs

	cyclic map[int32]cyclicItem // items without a topological order

	graphs  *graphAssembler // scratch of AppendGraph
	forests *forestAssembler
}

// Len returns the number of items: graphs and forests.
func (b *Batch) Len() int { return max(0, len(b.first)-1) }

// NumEdges returns the number of edges, or arcs, of all items.
func (b *Batch) NumEdges() int { return len(b.k) }

// NumEdgesOf returns the number of edges, or arcs, of item i.
func (b *Batch) NumEdgesOf(i int) int { return int(b.row[b.first[i+1]] - b.row[b.first[i]]) }

// Weights returns the weights of the edges of item i, as indices into a table, with repetition.
// Its sum depends only on these weights. The caller must not modify the slice.
func (b *Batch) Weights(i int) []int32 { return b.item(i).k }

// Cyclic reports whether item i has no topological order: its sum is computed by package graph or
// forest, which is several times slower and allocates.
func (b *Batch) Cyclic(i int) bool { return b.cyclic[int32(i)] != nil }

// NumNodes returns the number of nodes, or states, of all items.
func (b *Batch) NumNodes() int { return max(0, len(b.row)-1) }

// Bytes returns the memory that the items occupy, without scratch. A graph with a cycle takes 16
// bytes per arc and 32 per node, as its first sum caches its arcs by target state. Bytes does not
// include plans of elimination or forests with cycles.
func (b *Batch) Bytes() int {
	bytes := 4 * (cap(b.first) + cap(b.row) + cap(b.k) + cap(b.left) + cap(b.right))
	for i := range b.cyclic {
		bytes += b.cyclic[i].bytes(b.item(int(i)))
	}
	return bytes
}

// Clone returns a copy of b that has no spare capacity. To fill batches of exact size, append to
// one batch, clone it, reset it, and repeat.
func (b *Batch) Clone() *Batch {
	exact := func(s []int32) []int32 { return append(make([]int32, 0, len(s)), s...) }
	c := &Batch{
		first: exact(b.first), row: exact(b.row),
		k: exact(b.k), left: exact(b.left), right: exact(b.right),
		cyclic: maps.Clone(b.cyclic),
	}
	for i, x := range c.cyclic {
		c.cyclic[i] = x.clone()
	}
	return c
}

// AppendItem adds to b a copy of item i of another batch. It panics if either batch contains
// forests. O(nodes + arcs).
func (b *Batch) AppendItem(from *Batch, i int) {
	if len(b.right)+len(from.right) > 0 {
		panic("batch: AppendItem: a forest, want graphs")
	}
	b.begin()
	x, shift := from.item(i), int32(len(b.k))
	for _, e := range x.row[1:] {
		b.row = append(b.row, e-x.row[0]+shift)
	}
	b.k, b.left = append(b.k, x.k...), append(b.left, x.left...)
	b.end()
	if c := from.cyclic[int32(i)]; c != nil {
		b.setCyclic(c.clone())
	}
}

// Reset removes all items and keeps the storage.
func (b *Batch) Reset() {
	b.first, b.row = b.first[:0], b.row[:0]
	b.k, b.left, b.right = b.k[:0], b.left[:0], b.right[:0]
	clear(b.cyclic)
}

// item is one graph or forest; a graph is a forest whose edges have one tail.
type item struct {
	row     []int32 // node v has the edges row[v]−row[0], …, row[v+1]−row[0]−1
	k, left []int32
	right   []int32 // nil in a batch of graphs
}

func (b *Batch) item(i int) item {
	row := b.row[b.first[i] : b.first[i+1]+1]
	lo, hi := row[0], row[len(row)-1]
	x := item{row: row, k: b.k[lo:hi], left: b.left[lo:hi]}
	if len(b.right) > 0 {
		x.right = b.right[lo:hi]
	}
	return x
}

// root returns the last node.
func (x *item) root() int { return len(x.row) - 2 }

// edges returns the first edge of node v, and the edge after its last.
func (x *item) edges(v int) (lo, hi int32) { return x.row[v] - x.row[0], x.row[v+1] - x.row[0] }

// cyclicItem is a graph or a forest without a topological order. Its methods implement the
// methods of Batch by package graph or forest. Every call passes the same rows.
type cyclicItem interface {
	sum(x item, table []semiring.ScaledFloat) (semiring.ScaledFloat, error)
	counts(x item, table []semiring.ScaledFloat, weight float64, count []float64) (semiring.ScaledFloat, error)
	// sampledCounts adds share for each edge of each draw.
	sampledCounts(x item, table []semiring.ScaledFloat, share float64, draws int, r *rand.Rand, count []float64) (semiring.ScaledFloat, error)
	hessianVector(x item, table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64) (semiring.ScaledFloat, error)
	best(x item, table []semiring.ScaledFloat, dst []int32) ([]int32, semiring.ScaledFloat, error)
	// bytes returns the memory used in addition to the rows.
	bytes(x item) int
	// clone returns the item for a copy of the rows.
	clone() cyclicItem
}

// setCyclic makes c the implementation of the last item.
func (b *Batch) setCyclic(c cyclicItem) {
	if b.cyclic == nil {
		b.cyclic = make(map[int32]cyclicItem)
	}
	b.cyclic[int32(b.Len()-1)] = c
}

// failed wraps err with the name of this package; nil stays nil.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return nested.Errorf("batch: %w", err)
}

// Scratch is working storage for the methods of Batch that take one. Its zero value is
// ready for use; one goroutine uses it at a time.
type Scratch struct {
	sum          []semiring.ScaledFloat // per node: sum of its derivations
	term         []float64              // per edge: its share of the head's sum, in mantissa units
	flow         []float64              // per node: expected uses
	gain         []float64              // per edge: the expected V of derivations that begin with it
	below, above []float64              // per node: expectations below and above it, for HessianVector
	open         []int32                // pending nodes of a tree
}

// begin begins an item.
func (b *Batch) begin() {
	if len(b.first) == 0 {
		b.first, b.row = append(b.first, 0), append(b.row, 0)
	}
}

// end ends an item.
func (b *Batch) end() { b.first = append(b.first, int32(len(b.row)-1)) }
