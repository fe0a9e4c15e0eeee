package phylo

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

// builder builds a forest node by node, each with its edges, children first.
type builder struct {
	edge, tail, tails []int32
	weight            []handle
	roots             []forest.Root[handle]
	leaves            []int32
}

func newBuilder() *builder { return &builder{edge: []int32{0}, tail: []int32{0}} }

// add adds an edge to the node to come.
func (b *builder) add(w handle, tails ...int32) {
	b.tails = append(b.tails, tails...)
	b.tail, b.weight = append(b.tail, int32(len(b.tails))), append(b.weight, w)
}

// node ends the node whose edges have been added and returns its number.
func (b *builder) node() int32 {
	b.edge = append(b.edge, int32(len(b.weight)))
	return int32(len(b.edge) - 2)
}

// leaf returns a new leaf.
func (b *builder) leaf() int32 {
	v := b.node()
	b.leaves = append(b.leaves, v)
	return v
}

func (b *builder) root(w handle, v int32) {
	b.roots = append(b.roots, forest.Root[handle]{Node: v, Weight: w})
}

func (b *builder) lanes() (*batch.Lanes, error) {
	f, err := forest.New(semiring.Semiring[handle](handles{}), b.edge, b.tail, b.tails, b.weight, b.roots)
	if err != nil {
		return nil, fmt.Errorf("phylo: %w", err)
	}
	return batch.NewLanes(f, b.leaves)
}

// lower makes the nodes of tree node v for states 0, …, n−1, each the product of what
// its children say of the state, upper[child].
func (b *builder) lower(n int, children []int, upper [][]int32) []int32 {
	nodes, tails := make([]int32, n), make([]int32, len(children))
	for state := range nodes {
		for i, c := range children {
			tails[i] = upper[c][state]
		}
		b.add(1, tails...)
		nodes[state] = b.node()
	}
	return nodes
}
