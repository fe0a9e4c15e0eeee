package graph

import (
	"errors"
	"iter"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/agenda"
	"example.org/pathsum/semiring/internal/weights"
)

// Sequence is a label sequence and ⊕ over all paths that have it.
type Sequence[W any] struct {
	Labels []int32
	Weight W
}

// SequenceOptions are the options of BestSequences; nil stands for the zero value.
type SequenceOptions struct {
	// MaxStates is the limit on the number of pairs of a prefix that is tried and a state that it
	// leads to; 0 stands for ten million.
	MaxStates int
}

// BestSequences returns an iterator over the label sequences of paths, the greatest mass first,
// each once and with the sum over all of its paths. labels has one label per arc; 0 is ε and does
// not belong to a sequence. The ring's weights must be probabilities that ⊕ adds, and not
// negative: Real, Scaled, Log and rings derived from them. If ⊕ selects, use UniqueBestPaths,
// which ranks sequences by their best paths. Use it as well if best paths suffice: it is far
// cheaper.
//
// Sums are in the ring, over every path. Sequences whose masses have a relative difference below
// 1e-10 may come in either order. A cyclic graph may have infinitely many sequences; each takes a
// finite time.
//
// The graph is determinized along the prefixes of sequences, best first: a prefix stands for the
// states that it leads to, each with the mass of its paths so far. Its priority is the bound
// Σ mass ⊗ h. Per state, h is a bound on the mass of any single sequence from there: the sum over
// ε-arcs plus the greatest sum over the arcs of one label. If states agree on the best
// continuation, this finds the best sequence at once.
//
// The problem is NP-hard in general (F. Casacuberta & C. de la Higuera, Computational complexity
// of problems on probabilistic grammars and transducers, ICGI 2000). But a prefix is tried only
// if the total mass of its paths is at least the mass of the sequence yielded next: if that is
// 1/n of the path sum, at most n prefixes of each length are tried.
//
// Before the first sequence it takes a backward pass over the graph, about the cost of
// Posteriors. Each prefix tried takes O(1) per arc from its states.
//
// The error wraps semiring.ErrShape if labels and arcs differ in number, or semiring.ErrLimit if
// MaxStates do not suffice. If the weights are not masses it wraps semiring.ErrCapability,
// semiring.ErrNegative or semiring.ErrNotFinite, and the last also if the paths that begin with
// the labels of a prefix overflow in Real. Otherwise it is as for PathSum. It is the last element
// of the sequence. Every range over the iterator starts again; several goroutines may use it at
// once.
func BestSequences[W any](g *Graph[W], labels []int32, opts *SequenceOptions) iter.Seq2[Sequence[W], error] {
	return func(yield func(Sequence[W], error) bool) {
		s, err := newSequenceSearch(g, labels, opts)
		if err == nil {
			err = s.run(func(q Sequence[W]) bool { return yield(q, nil) })
		}
		if err != nil && !errors.Is(err, ErrNoPath) {
			yield(Sequence[W]{}, err)
		}
	}
}

// sequenceSearch is one run of the iterator.
type sequenceSearch[W any] struct {
	tree    *prefixTree[W]
	limit   int // of states in the tree
	endings []ending[W]
	queue   agenda.Agenda[hope, semiring.ScaledFloat]
}

// hope is the number of a prefix to be tried, or ^n for the ending with number n.
type hope int32

// ending is a sequence that ends with a prefix.
type ending[W any] struct {
	prefix int32
	weight W
}

// boundRounding is the largest relative rounding error of a bound.
const boundRounding = 1e-10

func newSequenceSearch[W any](g *Graph[W], labels []int32, opts *SequenceOptions) (*sequenceSearch[W], error) {
	if len(labels) != g.NumArcs() {
		return nil, nested.Errorf("graph: %w: %d labels for %d arcs", semiring.ErrShape, len(labels), g.NumArcs())
	}
	if weights.MassOf(g.ring) == nil {
		return nil, nested.Errorf("graph: best sequences: %w: weights of %s are not probabilities that ⊕ adds",
			semiring.ErrCapability, typename.Of(g.ring))
	}
	d, err := randomPaths(g).Distribution()
	if err != nil {
		return nil, err
	}
	s := &sequenceSearch[W]{limit: defaultMaxStates}
	if opts != nil && opts.MaxStates != 0 {
		s.limit = min(opts.MaxStates, math.MaxInt32)
	}
	s.push(0, d.Total)
	s.tree, err = newPrefixTree(g, d, labels)
	return s, err
}

func (s *sequenceSearch[W]) run(yield func(Sequence[W]) bool) error {
	t, order := s.tree, semiring.Viterbi{}
	for s.queue.Len() > 0 {
		bound := s.queue.Best()
		next, err := s.follow(s.queue.Pop(order), bound.Mul(semiring.NewScaled(1-boundRounding)))
		if err != nil {
			return err
		}
		if next < 0 {
			end := s.endings[^next]
			if !yield(Sequence[W]{t.sequence(end.prefix), end.weight}) {
				return nil
			}
		}
	}
	return nil
}

// follow extends a prefix by the best continuation as long as its bound is least or better, at
// best to an ending, which it returns. With the queue alone, all prefixes of equal bounds, up to
// rounding, would be tried before a longer one.
func (s *sequenceSearch[W]) follow(next hope, least semiring.ScaledFloat) (hope, error) {
	for next >= 0 {
		best, bound, err := s.try(int32(next))
		if err != nil {
			return 0, err
		}
		if bound.Cmp(least) < 0 {
			s.push(best, bound)
			return 0, nil
		}
		next = best
	}
	return next, nil
}

// try returns the best continuation of a prefix, and queues all others.
func (s *sequenceSearch[W]) try(prefix int32) (best hope, bound semiring.ScaledFloat, err error) {
	t := s.tree
	first := len(t.prefixes)
	bounds, weight, err := t.expand(prefix)
	if err != nil {
		return 0, bound, err
	}
	if len(t.state) > s.limit {
		return 0, bound, nested.Errorf("graph: best sequences: %w: more than %d states of the prefixes tried",
			semiring.ErrLimit, s.limit)
	}
	if bound = t.mass(weight); !bound.IsZero() {
		best = ^hope(len(s.endings))
		s.endings = append(s.endings, ending[W]{prefix, weight})
	}
	for i, b := range bounds {
		h := hope(first + i)
		if bound.Cmp(b) < 0 {
			h, best, b, bound = best, h, bound, b
		}
		s.push(h, b)
	}
	return best, bound, nil
}

func (s *sequenceSearch[W]) push(h hope, bound semiring.ScaledFloat) {
	if !bound.IsZero() {
		s.queue.Push(semiring.Viterbi{}, h, bound)
	}
}

// UniqueBestPaths returns an iterator over the label sequences of paths, each once, with the best
// path of that sequence, best first. labels has one label per arc; 0 is ε and does not belong to
// a sequence. The ring must be semiring.Ordered. Equally good sequences come in an order that
// depends only on the graph and the labels, and each is yielded after a finite time; a cyclic
// graph may have infinitely many. As with BestPaths, weights may step back by a rounding error.
//
// The graph is determinized only along the best sequences (after M. Mohri & M. Riley, An
// efficient algorithm for the n-best-strings problem, ICSLP 2002): a best-first search over pairs
// of a prefix of a sequence and a state, which visits every pair once, on its best path. So paths
// of equal labels merge where they meet in a state, however many they are.
//
// After a pass as for BestPath, it takes O(log) operations and constant memory per pair and per
// arc tried from there. This is at least the number of labels of the sequences yielded, and at
// most the cost of determinizing all their prefixes, usually far less.
//
// Every range over the iterator starts again; several goroutines may use it at once. The error
// wraps semiring.ErrShape if labels and arcs differ in number, or is as for BestPath. If ⊕ adds,
// BestSequences adds up the paths of every sequence.
func UniqueBestPaths[W any](g *Graph[W], labels []int32) (iter.Seq2[[]int32, Path[W]], error) {
	if len(labels) != g.NumArcs() {
		return nil, nested.Errorf("graph: %w: %d labels for %d arcs", semiring.ErrShape, len(labels), g.NumArcs())
	}
	t, err := newBestTree(g)
	if err != nil {
		return nil, err
	}
	return func(yield func([]int32, Path[W]) bool) {
		copied := *t
		copied.steps = make([]nextStep, g.NumStates())
		u := &uniqueEnumeration[W]{
			of:       newEnumeration(&copied),
			labels:   labels,
			prefixes: []prefix{{parent: -1}},
			longer:   make(map[prefixAnd]int32),
			visited:  make(map[prefixAnd]bool),
		}
		u.run(yield)
	}, nil
}

// uniqueEnumeration is one run of the iterator. It uses the options of states and the queue of an
// enumeration of paths, and visits instead of heaps of sidetracks.
//
// All weights include the best continuation, so candidates get worse along a path, and the first
// candidate to reach a pair of prefix and state is the best one. Its best continuation is
// followed at once. So the search is not breadth-first among sequences of equal weight, and every
// candidate ends in a new sequence or at a known pair.
type uniqueEnumeration[W any] struct {
	of       *enumeration[W]
	labels   []int32
	prefixes []prefix
	longer   map[prefixAnd]int32 // prefix and one additional label
	visits   []visit[W]
	visited  map[prefixAnd]bool // prefix and state
}

// prefix is a label sequence: prefix number parent and one additional label.
type prefix struct {
	parent, label int32
	yielded       bool
}

// prefixAnd is the number of a prefix and a label or state.
type prefixAnd struct{ prefix, x int32 }

// visit is the best way to a state by the labels of a prefix: by arc (−1 for a start) from visit
// number prev.
type visit[W any] struct {
	prefix, state, arc, prev int32
	weight                   W
}

func (u *uniqueEnumeration[W]) run(yield func([]int32, Path[W]) bool) {
	t := u.of.tree
	if t.best < 0 {
		return
	}
	u.visits = append(u.visits, visit[W]{state: source, arc: -1, prev: -1, weight: u.of.one})
	u.offer(0, 0)
	v, ok := u.take(0, sidetrack{source, int32(t.best)})
	for {
		if ok && !yield(u.sequence(v), u.path(v)) {
			return
		}
		if u.of.queue.Len() == 0 {
			return
		}
		c := u.of.queue.Pop(t.order)
		u.offer(c.parent, c.index+1)
		state := u.visits[c.parent].state
		v, ok = u.take(c.parent, sidetrack{state, u.of.sorted(state)[c.index].arc})
	}
}

// offer queues the option of the given index of the state of visit v.
func (u *uniqueEnumeration[W]) offer(v int32, index int) {
	at := u.visits[v]
	if all := u.of.sorted(at.state); index < len(all) {
		weight := u.of.tree.g.ring.Times(at.weight, all[index].weight)
		u.of.queue.Push(u.of.tree.order, candidate[W]{index: index, parent: v}, weight)
	}
}

// take leaves the state of visit v by the given sidetrack and then follows the best continuation.
// It returns the last visit, or false if it reaches a pair visited before. It offers all other
// continuations.
func (u *uniqueEnumeration[W]) take(v int32, side sidetrack) (int32, bool) {
	for {
		w, state, more := u.of.follow(side)
		if !more {
			end := &u.prefixes[u.visits[v].prefix]
			again := end.yielded
			end.yielded = true
			return v, !again
		}
		from := u.visits[v]
		to := visit[W]{from.prefix, state, -1, v, u.of.tree.g.ring.Times(from.weight, w)}
		if side.state != source {
			to.arc = side.arc
			to.prefix = u.extend(from.prefix, u.labels[side.arc])
		}
		place := prefixAnd{to.prefix, state}
		if u.visited[place] {
			return v, false
		}
		u.visited[place] = true
		u.visits = append(u.visits, to)
		v = int32(len(u.visits) - 1)
		u.offer(v, 0)
		side = sidetrack{state, u.of.tree.next(state).arc}
	}
}

// extend returns the prefix with one additional label.
func (u *uniqueEnumeration[W]) extend(n, label int32) int32 {
	if label == 0 {
		return n
	}
	longer, ok := u.longer[prefixAnd{n, label}]
	if !ok {
		longer = int32(len(u.prefixes))
		u.prefixes = append(u.prefixes, prefix{parent: n, label: label})
		u.longer[prefixAnd{n, label}] = longer
	}
	return longer
}

// sequence returns the labels on the way to visit v.
func (u *uniqueEnumeration[W]) sequence(v int32) []int32 {
	var s []int32
	for n := u.visits[v].prefix; n != 0; n = u.prefixes[n].parent {
		s = append(s, u.prefixes[n].label)
	}
	slices.Reverse(s)
	return s
}

// path returns the path that ends with visit v.
func (u *uniqueEnumeration[W]) path(v int32) Path[W] {
	g, at := u.of.tree.g, u.visits[v]
	p := Path[W]{Weight: g.ring.Times(at.weight, g.final[at.state])}
	for ; at.arc >= 0; at = u.visits[at.prev] {
		p.Arcs = append(p.Arcs, at.arc)
	}
	p.Start = at.state
	slices.Reverse(p.Arcs)
	return p
}
