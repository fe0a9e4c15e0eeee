package fst

import (
	"iter"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Path is a path from an initial to a final state: its labels other than ε on the two tapes,
// and its weight λ ⊗ w₁ ⊗ … ⊗ wₙ ⊗ ρ.
type Path[W any] struct {
	In, Out []int32
	Weight  W
	// States are the states of the path, the initial one first; nil except from BestPaths.
	States []int32
}

// Paths returns the paths of f by increasing number of arcs; paths with equally many arcs are
// in the order of starts and arcs. The slices of a path belong to the caller. Paths with a
// start, arc or final weight Zero are omitted. If a path contains a cycle, the sequence is
// infinite, and the caller must leave the loop. Different paths may have the same labels.
//
// Any ring is allowed. To follow only arcs on paths of n arcs, the walk keeps the states at
// each distance up to n from a final state. This takes at most O(n·states) memory and O(n·arcs)
// time.
//
//go:noinline
func (f *FST[W]) Paths() iter.Seq[Path[W]] {
	return func(yield func(Path[W]) bool) {
		g := f.Graph()
		w := newWalker(f.labels.row, f.arcs.to, g.Accessible(), func(e int32) bool { return f.ring.IsZero(f.arcs.w[e]) })
		w.incoming, w.from, w.arc = g.Incoming()
		w.end(func(s int32) bool { return !f.ring.IsZero(f.final[s]) })
		w.walkAll(len(f.starts), func(i int) (int32, bool) {
			return f.starts[i].State, !f.ring.IsZero(f.starts[i].Weight)
		}, func(i int, end int32) bool { return yield(pathAlong(f, f.starts[i].Weight, w.path, end)) })
	}
}

// pathAlong returns the path along arcs from a start with the given weight to the final state
// end.
func pathAlong[W any](f *FST[W], weight W, arcs []int32, end int32) Path[W] {
	p := Path[W]{In: labelsOf(f.arcs.in, arcs), Out: labelsOf(f.arcs.out, arcs), Weight: weight}
	for _, e := range arcs {
		p.Weight = f.ring.Times(p.Weight, f.arcs.w[e])
	}
	p.Weight = f.ring.Times(p.Weight, f.final[end])
	return p
}

// labelsOf returns the labels of the given arcs other than ε.
//
//go:noinline
func labelsOf(labels, arcs []int32) []int32 {
	var s []int32
	for _, e := range arcs {
		s = appendLabel(s, labels[e])
	}
	return s
}

// walker enumerates the paths of a machine, as lists of arcs.
type walker struct {
	row, to             []int32
	incoming, from, arc []int32   // arcs by target state
	reached             []bool    // the states that are reachable from the starts
	zero                []bool    // the arcs of weight Zero, which are on no path
	reach               [][]int32 // reach[n]: reached states with n arcs to a final one, ascending
	seen                []bool    // scratch: all false
	path                []int32   // the arcs on the way to the current state
}

func newWalker(row, to []int32, reached []bool, isZero func(e int32) bool) *walker {
	w := &walker{row: row, to: to, reached: reached, zero: make([]bool, len(to)), seen: make([]bool, len(reached))}
	for e := range w.zero {
		w.zero[e] = isZero(int32(e))
	}
	return w
}

// end sets reach[0].
func (w *walker) end(final func(s int32) bool) {
	var ends []int32
	for s, ok := range w.reached {
		if ok && final(int32(s)) {
			ends = append(ends, int32(s))
		}
	}
	w.reach = [][]int32{ends}
}

// longer sets reach[n], given reach[n−1], and reports whether it is not empty.
func (w *walker) longer(n int) bool {
	if n > 0 {
		w.reach = append(w.reach, w.before(w.reach[n-1]))
	}
	return len(w.reach[n]) > 0
}

// before returns the reachable states with an arc into one of states. It returns states itself
// if the set is the same.
func (w *walker) before(states []int32) []int32 {
	var x []int32
	for _, t := range states {
		for k := w.incoming[t]; k < w.incoming[t+1]; k++ {
			if s := w.from[k]; !w.seen[s] && w.reached[s] && !w.zero[w.arc[k]] {
				w.seen[s] = true
				x = append(x, s)
			}
		}
	}
	for _, s := range x {
		w.seen[s] = false
	}
	slices.Sort(x)
	if slices.Equal(x, states) {
		return states
	}
	return x
}

// reaches reports whether a path of n arcs leads from s to a final state.
func (w *walker) reaches(s int32, n int) bool {
	_, ok := slices.BinarySearch(w.reach[n], s)
	return ok
}

// walkAll calls yield with the start and the end of each path from n starts, while path holds
// its arcs. start returns the state of start i, and whether its weight is not Zero. reach[0]
// must be set.
func (w *walker) walkAll(n int, start func(i int) (int32, bool), yield func(i int, end int32) bool) {
	for length := 0; w.longer(length); length++ {
		for i := range n {
			s, ok := start(i)
			if ok && !w.walk(s, length, func(end int32) bool { return yield(i, end) }) {
				return
			}
		}
	}
}

// walk calls yield with the end of each path from state s with n more arcs, while path holds
// its arcs. It returns false to stop.
func (w *walker) walk(s int32, n int, yield func(end int32) bool) bool {
	if !w.reaches(s, n) {
		return true
	}
	if n == 0 {
		return yield(s)
	}
	for e := w.row[s]; e < w.row[s+1]; e++ {
		if w.zero[e] || !w.reaches(w.to[e], n-1) {
			continue
		}
		w.path = append(w.path, e)
		more := w.walk(w.to[e], n-1, yield)
		w.path = w.path[:len(w.path)-1]
		if !more {
			return false
		}
	}
	return true
}

// appendLabel appends label to a string, unless it is ε.
func appendLabel(s []int32, label int32) []int32 {
	if label == Epsilon {
		return s
	}
	return append(s, label)
}

// compact returns labels without ε.
func compact(labels []int32) []int32 {
	if !slices.Contains(labels, Epsilon) {
		return labels
	}
	return slices.DeleteFunc(slices.Clone(labels), func(l int32) bool { return l == Epsilon })
}

// ShortestPaths returns a machine of the n best paths of m, or of all if there are fewer: a
// tree from every start, with one path to every final state. The ring must be semiring.Ordered.
// Ties are broken by an order that depends only on m. The error is as for graph.BestPaths, or
// wraps semiring.ErrLimit. BestPaths returns the paths as a list.
//
// It takes O(arcs) and then O(log n) per path and O(1) per arc of a path: see graph.BestPaths,
// an iterator over the paths.
func ShortestPaths[W any](m Machine[W], n int, o *Options) (*FST[W], error) {
	return computed("ShortestPaths", m, o, func(f *FST[W], _ Options) (*FST[W], error) {
		paths, err := graph.BestPaths(f.Graph())
		if err != nil {
			return nil, err
		}
		return newTree(f).grow(paths, n)
	})
}

// BestPaths returns the n best paths of m, or all if there are fewer, best first, each with its
// states. Ring, ties, errors and cost are as for ShortestPaths. States are numbered as in
// Expand(m, o).
func BestPaths[W any](m Machine[W], n int, o *Options) ([]Path[W], error) {
	f, err := opened("BestPaths", m, o)
	if err != nil {
		return nil, err
	}
	paths, err := graph.BestPaths(f.Graph())
	if err != nil {
		return nil, failure("BestPaths", err, m)
	}
	if n <= 0 {
		return nil, nil
	}
	var best []Path[W]
	for p := range paths {
		path := pathOf(f, p)
		path.States = append(path.States, p.Start)
		for _, e := range p.Arcs {
			path.States = append(path.States, f.arcs.to[e])
		}
		if best = append(best, path); len(best) == n {
			break
		}
	}
	return best, nil
}

// ShortestStrings is ShortestPaths with only the best path for every input string: the n best
// strings. It takes more time if many paths read the same string (see graph.UniqueBestPaths).
//
// In a ring of probabilities that ⊕ adds, it returns the acceptor of the n most probable input
// strings, each with the sum over its paths. graph.BestSequences returns the strings
// themselves, with the same errors.
func ShortestStrings[W any](m Machine[W], n int, o *Options) (*FST[W], error) {
	return computed("ShortestStrings", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return shortestStrings(f, n) })
}

func shortestStrings[W any](f *FST[W], n int) (*FST[W], error) {
	if _, ok := semiring.As[semiring.Ordered[W]](f.ring); !ok {
		return probableStrings(f, n)
	}
	unique, err := graph.UniqueBestPaths(f.Graph(), f.arcs.in)
	if err != nil {
		return nil, err
	}
	return newTree(f).grow(func(yield func(graph.Path[W]) bool) {
		for _, p := range unique {
			if !yield(p) {
				return
			}
		}
	}, n)
}

// probableStrings returns a tree of the n most probable strings, with the weight of each string
// as a final weight.
func probableStrings[W any](f *FST[W], n int) (*FST[W], error) {
	b := NewBuilder(f.ring)
	b.SetSymbols(f.inSymbols, f.inSymbols)
	root := b.AddState()
	var child keytable.Table[uint64] // state and label; child n is state n+1
	for s, err := range graph.BestSequences(f.Graph(), f.arcs.in, nil) {
		if err != nil {
			return nil, err
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

// tree is a machine of some paths of f that share their common prefixes of arcs.
type tree[W any] struct {
	f     *FST[W]
	roots map[int32]int32        // per state of f, the node at which paths from it begin
	child keytable.Table[uint64] // node and arc of f: number of the child
	nodes []int32                // per child: its node
	arc   []int32                // per node: the arc of f into it, −1 for roots
	from  []int32                // per node: its parent
	state []int32                // per node: its state of f
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

// add adds a path. Paths that differ only in their start at the same state are added once.
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
	b.AllowZero()
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

// pathOf returns a path of f.Graph() as a Path.
func pathOf[W any](f *FST[W], p graph.Path[W]) Path[W] {
	return Path[W]{In: labelsOf(f.arcs.in, p.Arcs), Out: labelsOf(f.arcs.out, p.Arcs), Weight: p.Weight}
}

// Sampler draws random paths of a machine, each with probability weight / total. It is
// immutable, so it is safe for concurrent use if every goroutine has its own source of random
// numbers.
type Sampler[W any] struct {
	f     *FST[W]
	paths *graph.Sampler[W]
}

// NewSampler returns a sampler of m, whose weights must be probabilities that ⊕ adds. It takes
// a backward pass; errors are as for graph.NewSampler. To draw random paths of a machine with
// arbitrary weights, use a sampler of Uniform.
func NewSampler[W any](m Machine[W], o *Options) (*Sampler[W], error) {
	f, err := opened("NewSampler", m, o)
	if err != nil {
		return nil, err
	}
	paths, err := graph.NewSampler(f.Graph())
	if err != nil {
		return nil, failure("NewSampler", err, m)
	}
	return &Sampler[W]{f, paths}, nil
}

// Sample draws a path: see graph.Sampler.
func (s *Sampler[W]) Sample(src rand.Source) Path[W] {
	return pathOf(s.f, s.paths.Sample(src))
}

// Uniform returns Connect(m) with the probabilities of a uniform random walk as weights: all
// starts are equally likely, and at each state all arcs are equally likely. At a final state,
// ending is one more equally likely choice. Any ring is allowed. O(states + arcs).
func Uniform[W any](m Machine[W], o *Options) (*FST[float64], error) {
	f, err := opened("Uniform", m, o)
	if err != nil {
		return nil, err
	}
	g, err := uniform(connect(f))
	return g, failure("Uniform", err, m)
}

func uniform[W any](f *FST[W]) (*FST[float64], error) {
	g := mapFrozen(f, semiring.Real{}, func(W) float64 { return 0 })
	weight, final := make([]float64, f.NumArcs()), make([]float64, f.NumStates())
	row := f.labels.row
	for s, w := range f.final {
		p := 1 / float64(row[s+1]-row[s])
		if !f.ring.IsZero(w) {
			p = 1 / float64(row[s+1]-row[s]+1)
			final[s] = p
		}
		for e := row[s]; e < row[s+1]; e++ {
			weight[e] = p
		}
	}
	starts := make([]Start[float64], len(f.starts))
	for i, s := range f.starts {
		starts[i] = Start[float64]{State: s.State, Weight: 1 / float64(len(starts))}
	}
	return g.WithWeights(weight, starts, final)
}
