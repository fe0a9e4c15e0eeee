package phylo

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

const (
	bases = msa.NumBases
	pairs = bases * bases // 16: the bases of two columns, and the entries of a matrix
)

// The weights of forests are indices into a table, where 0 and 1 stand for the numbers 0 and 1: a
// handle is an index of a weight.
type handle int32

const fixedHandles handle = 2

// handles is the ring of handles. Lanes never calls its operations.
type handles struct{}

func (handles) Zero() handle             { return 0 }
func (handles) One() handle              { return 1 }
func (handles) Plus(_, _ handle) handle  { panic("phylo: a handle is not a number") }
func (handles) Times(_, _ handle) handle { panic("phylo: a handle is not a number") }
func (handles) IsZero(a handle) bool     { return a == 0 }

// layout maps the numbered states of a node to weights of the table. A state is a base in one
// column or the bases in two columns.
type layout interface {
	states() int
	// each calls f for the weights that go with the states of node v: at the root, or below
	// the branch.
	each(v int, f func(state int, h handle))
	// base returns the base of a state in a column, −1 if the state does not determine it. The
	// states that do are mutually exclusive.
	base(state, column int) int
}

// singleTable locates the weights of a tree over single columns, for all rate classes.
type singleTable struct {
	first    handle // of the table
	branches int
	classes  int
}

func (t singleTable) root(class, a int) handle { return t.first + handle(class*bases+a) }

// branch returns the handle of the change of base 0 to 0 along a branch; the handle for a to b is
// at offset bases·a + b.
func (t singleTable) branch(class, v int) handle {
	return t.first + handle(t.classes*bases+(class*t.branches+v)*pairs)
}

func (t singleTable) size() int { return t.classes * (bases + t.branches*pairs) }

// states returns the number of states of a node.
func (singleTable) states() int { return bases }

// each calls f for all classes: a tree is of one of them.
func (t singleTable) each(v int, f func(state int, h handle)) {
	for class := range t.classes {
		for state := range bases {
			if v == t.branches {
				f(state, t.root(class, state))
				continue
			}
			for a := range bases {
				f(state, t.branch(class, v)+handle(bases*a+state))
			}
		}
	}
}

// singleLanes is the forest of a column: a node for each base at each end of each branch
// in each rate class. Leaf bases·i + b is base b of species i.
func singleLanes(tree *Tree, t singleTable) (*batch.Lanes, error) {
	b := newBuilder()
	species := make([][]int32, len(tree.Nodes))
	for _, v := range tree.Species() {
		for range bases {
			species[v] = append(species[v], b.leaf())
		}
	}
	for class := range t.classes {
		upper := make([][]int32, len(tree.Nodes))
		for v, n := range tree.Nodes {
			low := species[v]
			if low == nil {
				low = b.lower(bases, n.Children, upper)
			}
			for a := range bases {
				if v == tree.Root() {
					b.root(t.root(class, a), low[a])
					continue
				}
				for c := range bases {
					b.add(t.branch(class, v)+handle(bases*a+c), low[c])
				}
				upper[v] = append(upper[v], b.node())
			}
		}
	}
	return b.lanes()
}

// base returns the state itself.
func (singleTable) base(state, _ int) int { return state }

// windowTable locates the weights of a tree over a window of up to columns neighbouring columns.
// The weights are parameters, in this order: a pair of bases at the root; a base at the root of an
// independent column; changes of the first column; changes of the second in the context of the
// first. The third column has weights of its own for its root and its changes in the context of the
// second, and so on.
type windowTable struct {
	from     handle // of the table
	branches int
	columns  int
}

// root returns the handle of base a left of base c, in the first two columns.
func (t windowTable) root(a, c int) handle { return t.from + handle(bases*a+c) }

// single returns the table of the tree of an independent column, which has the changes of the first
// column.
func (t windowTable) single() singleTable {
	return singleTable{first: t.from + pairs, branches: t.branches, classes: 1}
}

// first returns the handle of the change from a to b in the first column.
func (t windowTable) first(v, a, b int) handle {
	return t.single().branch(0, v) + handle(bases*a+b)
}

// second returns the handle of the change from a to b in a column but the first, where left is the
// new base on its left.
func (t windowTable) second(column, v, left, a, b int) handle {
	from := t.single().branch(0, t.branches)
	if column > 1 {
		from = t.next(column, bases, 0)
	}
	return from + handle(((v*bases+left)*bases+a)*bases+b)
}

// next returns the handle of base b at the root of a column from the third on, where the base
// left of it is a.
func (t windowTable) next(column, a, b int) handle {
	return t.single().branch(0, t.branches) + handle(t.branches*bases*pairs+
		(column-2)*(pairs+t.branches*bases*pairs)+bases*a+b)
}

// size returns the number of weights.
func (t windowTable) size() int { return int(t.next(max(t.columns, 2), 0, 0) - t.from) }

// states returns 16 for each column but the first: the bases of the column and its left neighbour.
func (t windowTable) states() int { return (t.columns - 1) * pairs }

// each implements layout, with state 16·(column−1) + 4·left + right.
func (t windowTable) each(v int, f func(state int, h handle)) {
	for state := range t.states() {
		column, left, right := 1+state/pairs, state/bases%bases, state%bases
		switch {
		case v < t.branches:
			for a := range bases {
				f(state, t.second(column, v, left, a, right))
			}
		case column == 1:
			f(state, t.root(left, right))
		default:
			f(state, t.next(column, left, right))
		}
	}
}

// base implements layout.
func (t windowTable) base(state, column int) int {
	switch {
	case state/pairs == column-1:
		return state % bases
	case column == 0 && state < pairs:
		return state / bases
	}
	return -1
}

// windowLanes returns the forest of a window of columns, with 4 states per column at either end of
// each branch. A branch changes the bases one by one from the left, each given its new left
// neighbour: 128 edges for two columns, instead of 256 from state to state. Leaf n·i + state
// belongs to species i, where a state of n has the bases as digits to the base 4, the first
// column's first.
func windowLanes(tree *Tree, t windowTable) (*batch.Lanes, error) {
	b := newBuilder()
	n := 1 << (2 * t.columns)
	// digit returns the base of a column, and the distance of states that differ in it by 1.
	digit := func(state, column int) (base, step int) {
		step = 1 << (2 * (t.columns - 1 - column))
		return state / step % bases, step
	}
	upper := make([][]int32, len(tree.Nodes))
	for v, node := range tree.Nodes {
		var low []int32
		if len(node.Children) > 0 {
			low = b.lower(n, node.Children, upper)
		} else {
			for range n {
				low = append(low, b.leaf())
			}
		}
		if v == tree.Root() {
			for column := t.columns - 1; column > 1; column-- {
				for prefix := range len(low) / bases {
					for c := range bases {
						b.add(t.next(column, prefix%bases, c), low[bases*prefix+c])
					}
					low[prefix] = b.node()
				}
				low = low[:len(low)/bases]
			}
			for state, u := range low {
				b.root(t.root(state/bases, state%bases), u)
			}
			continue
		}
		for column := t.columns - 1; column >= 0; column-- {
			// Bases left of the column are at the lower end, the others at the upper end.
			between := make([]int32, n)
			for state := range between {
				a, step := digit(state, column)
				for c := range bases {
					w := t.first(v, a, c)
					if column > 0 {
						left, _ := digit(state, column-1)
						w = t.second(column, v, left, a, c)
					}
					b.add(w, low[state+(c-a)*step])
				}
				between[state] = b.node()
			}
			low = between
		}
		upper[v] = low
	}
	return b.lanes()
}

// builder builds a forest node by node, each with its edges, children first.
type builder struct {
	edge, tail, tails []int32
	weight            []handle
	roots             []forest.Root[handle]
	leaves            []int32
}

func newBuilder() *builder { return &builder{edge: []int32{0}, tail: []int32{0}} }

// add adds an edge to the next node.
func (b *builder) add(w handle, tails ...int32) {
	b.tails = append(b.tails, tails...)
	b.tail, b.weight = append(b.tail, int32(len(b.tails))), append(b.weight, w)
}

// node completes the node whose edges have been added and returns its index.
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
	f, err := forest.New(handles{}, b.edge, b.tail, b.tails, b.weight, b.roots)
	if err != nil {
		return nil, nested.Errorf("phylo: %w", err)
	}
	return batch.NewLanes(f, b.leaves)
}

// lower adds the nodes of tree node v for states 0, …, n−1, each the product of the nodes of its
// children for the state, upper[child].
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
