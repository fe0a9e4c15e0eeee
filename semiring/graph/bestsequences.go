package graph

import (
	"errors"
	"iter"
	"math"

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
	// MaxStates is the limit on the states that are kept, which a state is once for every
	// prefix of a sequence that leads to it and is tried; 0 stands for ten million.
	MaxStates int
}

// BestSequences returns an iterator over the label sequences of paths, the greatest mass
// first, each once and with the sum over all of its paths. labels has one
// label per arc; 0 is ε and no part of a sequence. The ring's weights must be
// probabilities that ⊕ adds, and not negative: Real, Scaled, Log and rings derived from
// them. Where ⊕ selects, UniqueBestPaths does the same by the best path of each
// sequence, which is far easier; it is the one to take where the best path will do.
//
// Sums are in the ring, over every path. Sequences whose masses differ by less than
// 1e-10 of themselves may come in either order. There may be infinitely many on a cyclic
// graph; each takes a finite time.
//
// The graph is determinized along the prefixes of sequences, best first: a prefix stands
// for the states that it leads to, each with the mass of its paths so far, and is tried
// by the bound Σ mass ⊗ h. Per state, h is a bound on the mass of any one sequence from
// there, the sum over ε-arcs plus the greatest sum over the arcs of one label. Where states
// agree on how to go on, that finds the best sequence at once. The problem is NP-hard in
// general (F. Casacuberta & C. de la Higuera, Computational complexity of problems on
// probabilistic grammars and transducers, ICGI 2000), but a prefix is tried only if its
// paths weigh as much, all together, as the sequence yielded next: if that has the n-th
// part of the path sum, at most n prefixes of each length are.
//
// Before the first sequence it takes a backward pass over the graph, about as much as
// Posteriors, and per prefix tried O(1) per arc from its states.
//
// The error wraps semiring.ErrShape if there are not as many labels as arcs, or
// semiring.ErrLimit once MaxStates have not been enough. If the weights are no masses it
// wraps semiring.ErrCapability, semiring.ErrNegative or semiring.ErrNotFinite, and the last
// also if the paths that begin with the labels of a prefix overflow in Real. Otherwise it is
// as for PathSum. It is the last element of the sequence. Every range over the
// iterator starts anew; it may be used by several goroutines at once.
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

// hope is the number of a prefix to be tried, or ^n for ending number n.
type hope int32

// ending is a sequence that ends with a prefix.
type ending[W any] struct {
	prefix int32
	weight W
}

// boundRounding is how much of itself a bound may lose by rounding.
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

// follow goes on from a prefix by the best way as long as its bound is least or better,
// at best to an ending, which it returns: if that were left to the queue, all prefixes of
// equal bounds, up to rounding, would be tried before a longer one.
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

// try returns the best way to go on from a prefix, and queues all others.
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
