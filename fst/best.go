package fst

import (
	"fmt"
	"iter"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// ShortestPaths returns a machine of the n best paths of f, or all if there are
// fewer: a tree from every start, with one path to every final state. The ring must
// be semiring.Ordered. Of equally good paths it takes those that come first in an
// order that depends on f alone. The error is that of graph.BestPaths, or wraps
// semiring.ErrLimit.
//
// O(arcs) and then O(log n) per path and O(1) per arc of a path: see graph.BestPaths,
// which gives the paths themselves.
func ShortestPaths[W any](f *FST[W], n int) (*FST[W], error) {
	nonnil.Check("fst: ShortestPaths", "machine", f)
	paths, err := graph.BestPaths(f.Graph())
	if err != nil {
		return nil, fmt.Errorf("fst: shortest paths: %w", err)
	}
	return newTree(f).grow(paths, n)
}

// ShortestStrings is ShortestPaths with one path, the best, for every string that is
// read: the n best strings. It takes more where many paths read the same (see
// graph.UniqueBestPaths).
//
// In a ring of probabilities that ⊕ adds it is the acceptor of the n most probable
// strings that are read, each with the sum over its paths: see graph.BestSequences, which
// gives the strings themselves, and whose error is then that of ShortestStrings.
func ShortestStrings[W any](f *FST[W], n int) (*FST[W], error) {
	nonnil.Check("fst: ShortestStrings", "machine", f)
	if _, ok := semiring.As[semiring.Ordered[W]](f.ring); !ok {
		return probableStrings(f, n)
	}
	unique, err := graph.UniqueBestPaths(f.Graph(), f.arcs.in)
	if err != nil {
		return nil, fmt.Errorf("fst: shortest strings: %w", err)
	}
	return newTree(f).grow(func(yield func(graph.Path[W]) bool) {
		for _, p := range unique {
			if !yield(p) {
				return
			}
		}
	}, n)
}

// probableStrings returns a tree of the n most probable strings; each has its weight at
// the end.
func probableStrings[W any](f *FST[W], n int) (*FST[W], error) {
	b := NewBuilder(f.ring)
	b.SetSymbols(f.inSymbols, f.inSymbols)
	root := b.AddState()
	var child keytable.Table[uint64] // state and label: which state but the root
	for s, err := range graph.BestSequences(f.Graph(), f.arcs.in, nil) {
		if err != nil {
			return nil, fmt.Errorf("fst: shortest strings: %w", err)
		}
		if n--; n < 0 {
			break
		}
		at := root
		for _, label := range s.Labels {
			next, fresh := child.Number(keytable.Pair(at, label))
			next++
			if fresh {
				b.AddState()
				b.AddArc(at, Arc[W]{In: label, Out: label, To: next, Weight: f.ring.One()})
			}
			at = next
		}
		b.SetFinal(at, s.Weight)
	}
	b.AddStart(root, f.ring.One())
	return b.Freeze()
}

// tree is a machine of some paths of f that share the arcs that they begin with.
type tree[W any] struct {
	f     *FST[W]
	roots map[int32]int32        // node where the paths from a state of f begin
	child keytable.Table[uint64] // node and arc of f: which child
	nodes []int32                // per child: its node
	arc   []int32                // by which arc of f a node is entered, −1 for roots
	from  []int32                // and from which node
	state []int32                // the state of f that a node stands for
	end   []bool
}

func newTree[W any](f *FST[W]) *tree[W] { return &tree[W]{f: f, roots: map[int32]int32{}} }

func (t *tree[W]) node(from, arc, state int32) int32 {
	t.arc, t.from, t.state = append(t.arc, arc), append(t.from, from), append(t.state, state)
	t.end = append(t.end, false)
	return int32(len(t.arc) - 1)
}

// grow adds the first n paths, and returns the machine.
func (t *tree[W]) grow(paths iter.Seq[graph.Path[W]], n int) (*FST[W], error) {
	if n > 0 {
		for p := range paths {
			t.add(p)
			if n--; n == 0 {
				break
			}
		}
	}
	return t.freeze()
}

// add adds a path. Those with several starts at one state count once.
func (t *tree[W]) add(p graph.Path[W]) {
	at, ok := t.roots[p.Start]
	if !ok {
		at = t.node(-1, -1, p.Start)
		t.roots[p.Start] = at
	}
	for _, e := range p.Arcs {
		n, fresh := t.child.Number(keytable.Pair(at, e))
		if fresh {
			t.nodes = append(t.nodes, t.node(at, e, t.f.arcs.to[e]))
		}
		at = t.nodes[n]
	}
	t.end[at] = true
}

// freeze returns the machine.
func (t *tree[W]) freeze() (*FST[W], error) {
	f := t.f
	b := NewBuilder(f.ring)
	b.AddStates(len(t.arc))
	b.from, b.arcs = make([]int32, 0, len(t.arc)), make([]Arc[W], 0, len(t.arc))
	for n, e := range t.arc {
		if e >= 0 {
			b.AddArc(t.from[n], Arc[W]{In: f.arcs.in[e], Out: f.arcs.out[e], To: int32(n), Weight: f.arcs.w[e]})
		} else {
			b.AddStart(int32(n), t.startWeight(t.state[n]))
		}
		if t.end[n] {
			b.SetFinal(int32(n), f.final[t.state[n]])
		}
	}
	b.SetSymbols(f.inSymbols, f.outSymbols)
	return b.Freeze()
}

// startWeight returns the weight of the best start at state s of f.
func (t *tree[W]) startWeight(s int32) W {
	sum := t.f.ring.Zero()
	for _, x := range t.f.starts {
		if x.State == s {
			sum = t.f.ring.Plus(sum, x.Weight)
		}
	}
	return sum
}
