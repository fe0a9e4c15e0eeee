package phylo

import (
	"fmt"

	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

const (
	bases = msa.NumBases
	pairs = bases * bases // 16: the states of two columns, and the entries of a matrix
)

// The weights of forests are indices into a table, where 0 and 1 stand for the numbers 0
// and 1: a handle is a weight that only says where it is.
type handle int32

const fixedHandles handle = 2

// handles is the ring of handles; forests that are run through Lanes never use it.
type handles struct{}

func (handles) Zero() handle             { return 0 }
func (handles) One() handle              { return 1 }
func (handles) Plus(_, _ handle) handle  { panic("phylo: a handle is no number") }
func (handles) Times(_, _ handle) handle { panic("phylo: a handle is no number") }
func (handles) IsZero(a handle) bool     { return a == 0 }

// layout says which weights of the table tell the state of a node.
type layout interface {
	states() int
	each(v int, f func(state int, h handle))
}

// singleTable says where the weights of a tree over single columns are, for all rate
// classes.
type singleTable struct {
	first    handle // of the table
	branches int
	classes  int
}

func (t singleTable) root(class, a int) handle { return t.first + handle(class*bases+a) }

// branch returns the handle of the change of base 0 to 0 along a branch; the handle for a to
// b is bases·a + b further.
func (t singleTable) branch(class, v int) handle {
	return t.first + handle(t.classes*bases+(class*t.branches+v)*pairs)
}

func (t singleTable) size() int { return t.classes * (bases + t.branches*pairs) }

// states returns the number of states of a node.
func (singleTable) states() int { return bases }

// each calls f for the weights that go with the states of node v: at the root, or below the
// branch. A tree uses one of them.
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

// pairTable says where the weights of a tree over pairs of columns are.
type pairTable struct{ branches int }

// root returns the handle of base a left of base c.
func (t pairTable) root(a, c int) handle { return fixedHandles + handle(bases*a+c) }

// single returns where the tree of a column without a partner has its weights: the
// changes are the left column's.
func (t pairTable) single() singleTable {
	return singleTable{first: fixedHandles + pairs, branches: t.branches, classes: 1}
}

// first returns the handle of the change from a to b on the left.
func (t pairTable) first(v, a, b int) handle {
	return t.single().branch(0, v) + handle(bases*a+b)
}

// second returns the handle of the change from a to b on the right where the left base
// below the branch is left.
func (t pairTable) second(v, left, a, b int) handle {
	return t.single().branch(0, t.branches) + handle(((v*bases+left)*bases+a)*bases+b)
}

// states returns the number of states of a node.
func (pairTable) states() int { return pairs }

// each is as for singleTable, with state bases·left + right.
func (t pairTable) each(v int, f func(state int, h handle)) {
	for state := range pairs {
		left, right := state/bases, state%bases
		if v == t.branches {
			f(state, t.root(left, right))
			continue
		}
		for a := range bases {
			f(state, t.second(v, left, a, right))
		}
	}
}

// pairLanes is the forest of a pair of columns, with 16 states at each end of each
// branch. A branch changes first the left base and then, seeing the new one, the right
// base: 128 edges, in place of 256 from state to state. Leaf 16·i + 4·a + b is base a
// left of base b in species i.
func pairLanes(tree *Tree, t pairTable) (*batch.Lanes, error) {
	b := newBuilder()
	upper := make([][]int32, len(tree.Nodes))
	for v, n := range tree.Nodes {
		var low []int32
		if len(n.Children) > 0 {
			low = b.lower(pairs, n.Children, upper)
		} else {
			for range pairs {
				low = append(low, b.leaf())
			}
		}
		if v == tree.Root() {
			for state, u := range low {
				b.root(t.root(state/bases, state%bases), u)
			}
			continue
		}
		between := make([]int32, pairs) // the left base is that below, the right one above
		for state := range between {
			left, a := state/bases, state%bases
			for c := range bases {
				b.add(t.second(v, left, a, c), low[bases*left+c])
			}
			between[state] = b.node()
		}
		for state := range pairs {
			a, right := state/bases, state%bases
			for c := range bases {
				b.add(t.first(v, a, c), between[bases*c+right])
			}
			upper[v] = append(upper[v], b.node())
		}
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
