package fst

import (
	"iter"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Path is a path from an initial to a final state: the labels that are not ε on
// its two tapes, and its weight λ ⊗ w₁ ⊗ … ⊗ wₙ ⊗ ρ.
type Path[W any] struct {
	In, Out []int32
	Weight  W
	// States are the states of the path, the initial one first; nil except from BestPaths.
	States []int32
}

// Paths returns the paths of f, those with fewer arcs first; paths with as many
// arcs, in the order of starts and arcs. The slices are the receiver's. Starts,
// arcs and final weights of weight Zero belong to no path. There are infinitely
// many paths if f has a cycle on one, so that the loop must be left; different
// paths may have the same labels.
//
// Any ring will do. To know which arcs lead to a path of n arcs, the walk keeps the states
// at each distance up to n from a final state, and so no arc is followed in vain. That is at
// most O(n·states) memory and O(n·arcs) time.
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

// pathAlong returns the path of some arcs, from a start of a weight to a state where it ends.
func pathAlong[W any](f *FST[W], weight W, arcs []int32, end int32) Path[W] {
	p := Path[W]{In: labelsOf(f.arcs.in, arcs), Out: labelsOf(f.arcs.out, arcs), Weight: weight}
	for _, e := range arcs {
		p.Weight = f.ring.Times(p.Weight, f.arcs.w[e])
	}
	p.Weight = f.ring.Times(p.Weight, f.final[end])
	return p
}

// labelsOf returns the labels of arcs that are not ε.
//
//go:noinline
func labelsOf(labels, arcs []int32) []int32 {
	var s []int32
	for _, e := range arcs {
		s = appendLabel(s, labels[e])
	}
	return s
}

// walker enumerates the paths of a machine, by their arcs.
type walker struct {
	row, to             []int32
	incoming, from, arc []int32   // arcs by target state
	reached             []bool    // the states that starts lead to
	zero                []bool    // the arcs that belong to no path
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

// longer sets reach[n], after reach[n−1], and reports whether there is such a state.
func (w *walker) longer(n int) bool {
	if n > 0 {
		w.reach = append(w.reach, w.before(w.reach[n-1]))
	}
	return len(w.reach[n]) > 0
}

// before returns the states that are reached with an arc into one of states, which is shared
// if it is the same set.
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

// walkAll calls yield with the start and the end of each path from n starts, while path has its
// arcs. start returns the state of start i, and whether it belongs to a path. reach[0] is set.
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

// walk calls yield with the ends of the paths that go on from state s with n more arcs, while
// path has their arcs. It returns false to stop.
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

// ShortestPaths returns a machine of the n best paths of m, or all if there are
// fewer: a tree from every start, with one path to every final state. The ring must
// be semiring.Ordered. Of equally good paths it takes those that come first in an
// order that depends on m alone. The error is as for graph.BestPaths, or wraps
// semiring.ErrLimit. BestPaths has the paths one by one.
//
// O(arcs) and then O(log n) per path and O(1) per arc of a path: see graph.BestPaths,
// which gives the paths themselves.
func ShortestPaths[W any](m Machine[W], n int, o *Options) (*FST[W], error) {
	return computed("ShortestPaths", m, o, func(f *FST[W], _ Options) (*FST[W], error) {
		paths, err := graph.BestPaths(f.Graph())
		if err != nil {
			return nil, err
		}
		return newTree(f).grow(paths, n)
	})
}

// BestPaths returns the n best paths of m, or all if there are fewer, best first, each with the
// states that it goes through. Ring, ties, errors and cost are as for ShortestPaths. The
// numbers of the states are those of Expand(m, o).
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

// ShortestStrings is ShortestPaths with one path, the best, for every string that is
// read: the n best strings. It takes more where many paths read the same (see
// graph.UniqueBestPaths).
//
// In a ring of probabilities that ⊕ adds it is the acceptor of the n most probable
// strings that are read, each with the sum over its paths: see graph.BestSequences, which
// gives the strings themselves, and whose error is as for ShortestStrings.
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

// probableStrings returns a tree of the n most probable strings; each has its weight at
// the end.
func probableStrings[W any](f *FST[W], n int) (*FST[W], error) {
	b := NewBuilder(f.ring)
	b.SetSymbols(f.inSymbols, f.inSymbols)
	root := b.AddState()
	var child keytable.Table[uint64] // state and label: which state but the root
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

// pathOf returns a path of f.Graph() as one of f.
func pathOf[W any](f *FST[W], p graph.Path[W]) Path[W] {
	return Path[W]{In: labelsOf(f.arcs.in, p.Arcs), Out: labelsOf(f.arcs.out, p.Arcs), Weight: p.Weight}
}

// Sampler draws random paths of one machine, each with probability weight / total. It
// is immutable, and so safe for concurrent use as long as every goroutine has its own
// source of random numbers.
type Sampler[W any] struct {
	f     *FST[W]
	paths *graph.Sampler[W]
}

// NewSampler returns a sampler of m, whose weights must be probabilities that ⊕ adds.
// It takes a backward pass; errors are as for graph.NewSampler. For random paths of
// any machine, whatever its weights, take a sampler of Uniform.
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

// Uniform returns Connect(m) with probabilities for weights, by which a path goes on at
// random: all starts are equally likely, and at each state all arcs and, if it is
// final, to end there. Any ring will do. O(states + arcs).
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
