package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/numbering"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// SearchOptions are the options of Search; nil stands for the zero value.
type SearchOptions[W any] struct {
	// Heuristic estimates the weight of the best continuation from state s, including its final
	// weight (A*); nil stands for One, which carries no information (Dijkstra). It is called once
	// for each state met. Zero means that s has no continuation.
	//
	// It is admissible if every continuation is at most as good as the estimate; then the paths
	// are exact. It is consistent if, in addition, h(p) is no worse than w ⊗ h(q) for every arc
	// (p, w, q). Then no state is expanded twice before the first path; otherwise a state is
	// expanded again whenever a better way to it is found. An estimate that is too pessimistic
	// costs exactness, not termination.
	Heuristic func(s int32) W
	// MaxStates is the limit on the number of expansions; 0 stands for
	// ten million.
	MaxStates int
	// KeepStates, for ExpandWithin only, limits the beam: after this number of expansions, once a
	// path has been found, the beam does not widen further. 0: no limit.
	KeepStates int
}

// Search returns an iterator over the paths of m, best first, each once. It makes only the part
// of m that it needs: before the first path it expands a state only if the best way to it,
// completed by the heuristic, is at least as good as that path. m may be infinite, and so may the
// number of paths. Start entries of the same state count as one.
//
// Among equally good states the search takes the one with the best estimate, and then the one met
// last. If infinitely many are as good as the path, it may not reach its end.
//
// The ring must be semiring.Ordered, and no arc or final weight on the way may be better than One
// (no negative cost), or the error wraps ErrCapability or ErrOrder. Arcs are checked only when
// they are met: if a later one is better than One, earlier paths may have been out of order. The
// error wraps semiring.ErrLimit if MaxStates expansions do not suffice, semiring.ErrNotFinite if
// the best weight is NaN, and the error of ctx once ctx is done. If m fails, the error is m's. An
// error is the last element of the sequence.
//
// The first path is found by A* (Hart, Nilsson and Raphael 1968) with one label per state met:
// O(a log n) time for a arcs and n states. For further paths the expanded part of m is frozen,
// and BestPaths enumerates it (Eppstein 1998) as long as its paths are no worse than all paths
// that leave the part. Then the search continues until the part has grown by at least a quarter,
// so it is frozen O(log n) times in total. Arcs are not stored but requested again. Weights are
// compared in another order of multiplication than ImplicitPath.Weight, as in BestPaths.
//
// Every range over the iterator starts again.
func Search[W any](ctx context.Context, m Implicit[W], opts *SearchOptions[W]) iter.Seq2[ImplicitPath[W], error] {
	return func(yield func(ImplicitPath[W], error) bool) {
		s, err := newSearch(ctx, m, opts)
		if err == nil {
			defer s.repay()
			err = s.paths(func(p ImplicitPath[W]) bool { return yield(p, nil) })
		}
		if err != nil {
			yield(ImplicitPath[W]{}, nested.Errorf("graph: search: %w", err))
		}
	}
}

// ExpandWithin returns the part of m that lies on paths of weight best ⊗ beam or better, where best
// is the weight of the best path. It is the result of PruneBeam (see there for beams), but it
// expands only the states that this takes. Applied to a lazy operation it gives the pruned result,
// which may be small even if the whole is infinite. States are in the order of their first
// expansions.
//
// It takes the time of Search up to the first path, and then continues to the limit of the beam.
// The estimates of opts must be admissible; a state is expanded only if they complete a path
// within the beam. Memory is proportional to the part and the targets of its arcs. If there is no
// path, the part is empty. After KeepStates expansions the beam stops widening: the result is the
// beam restricted to the states expanded so far, which belong to the best paths. Errors are as
// for Search and PruneBeam.
func ExpandWithin[W any](ctx context.Context, m Implicit[W], beam W, opts *SearchOptions[W]) (*Expansion[W], error) {
	s, err := newSearch(ctx, m, opts)
	if err != nil {
		return nil, nested.Errorf("graph: within a beam: %w", err)
	}
	defer s.repay()
	keep := 0
	if opts != nil {
		keep = opts.KeepStates
	}
	p, err := s.within(beam, keep)
	if err != nil {
		return nil, nested.Errorf("graph: within a beam: %w", err)
	}
	return p, nil
}

func (s *search[W]) within(beam W, keep int) (*Expansion[W], error) {
	best, ok, err := s.first()
	if err != nil {
		return nil, err
	}
	if ok {
		limit := s.ring.Times(best.Weight, beam)
		for !s.queue.Empty() && s.order.Compare(s.queue.Top().Key, limit) <= 0 {
			if keep > 0 && len(s.expanded) >= keep {
				break
			}
			if s.queue.Top().Item == goal { // it was reached again
				s.queue.Pop()
			} else if err := s.expand(); err != nil {
				return nil, err
			}
		}
	}
	all, err := s.part()
	if err != nil {
		return nil, err
	}
	if err := failure(s.m); err != nil {
		return nil, err
	}
	pruned, err := PruneBeam(all.Graph, beam)
	if err != nil {
		return nil, err
	}
	p := &Expansion[W]{Graph: pruned.Graph}
	for _, state := range pruned.State {
		p.State = append(p.State, all.State[state])
	}
	for _, e := range pruned.Arc {
		p.In, p.Out = append(p.In, all.In[e]), append(p.Out, all.Out[e])
	}
	return p, nil
}

// search is a run of A*. States have numbers from 1 in the order in which they are met; goal is
// an additional state after all final ones. Slices without another comment have an entry per
// number.
type search[W any] struct {
	ctx       context.Context
	m         Implicit[W]
	ring      semiring.Semiring[W]
	order     semiring.Ordered[W]
	one, zero W
	heuristic func(s int32) W // nil: One
	maxStates int

	*searchStorage[W]
}

// searchStorage holds the storage of a search that is not part of its result.
type searchStorage[W any] struct {
	met      numbering.Table // from 0: the number in search minus one
	labels   []label[W]
	estimate []W           // of the continuation; empty if there is no heuristic
	queue    rows.Queue[W] // by weight ⊗ estimate

	expanded []int32 // states in the order of their expansions
	arcs     []Arc[W]
}

// label is the best known way to a state: its weight and last step.
type label[W any] struct {
	weight W
	by     hop
}

// goal is the number of the state after the final ones.
const goal = 0

// hop is the last step of a way: from a state by one of its arcs or, if from is source, by one of
// the starts. Arc −1 stands for ending there.
type hop struct{ from, arc int32 }

func newSearch[W any](ctx context.Context, m Implicit[W], opts *SearchOptions[W]) (*search[W], error) {
	ring := m.Semiring()
	order, err := semiring.Require[semiring.Ordered[W]](ring)
	if err != nil {
		return nil, err
	}
	s := &search[W]{ctx: ctx, m: m, ring: ring, order: order, one: ring.One(), zero: ring.Zero(), maxStates: defaultMaxStates}
	if opts != nil {
		s.heuristic = opts.Heuristic
		if opts.MaxStates > 0 {
			s.maxStates = opts.MaxStates
		}
	}
	s.searchStorage = rows.Borrowed[searchStorage[W]]()
	s.met.Reset()
	s.labels, s.estimate, s.expanded = s.labels[:0], s.estimate[:0], s.expanded[:0]
	s.queue.Init(0, s.precedes)
	s.add(s.one) // the goal
	for i, start := range m.AppendStarts(nil) {
		if !ring.IsZero(start.Weight) {
			s.relax(s.number(start.State), start.Weight, hop{source, int32(i)})
		}
	}
	return s, nil
}

// repay returns the storage to the pool.
func (s *search[W]) repay() {
	s.queue.Forget()
	rows.Repaid(s.searchStorage)
}

// precedes puts the better key first. Among equal keys the goal comes first, then the better
// estimate, which is nearer to the goal, then the state met last.
func (s *search[W]) precedes(a, b rows.Entry[W]) bool {
	c := s.order.Compare(a.Key, b.Key)
	switch {
	case c != 0:
		return c < 0
	case a.Item == goal || b.Item == goal:
		return a.Item == goal
	case s.heuristic != nil:
		if c = s.order.Compare(s.estimate[a.Item], s.estimate[b.Item]); c != 0 {
			return c < 0
		}
	}
	return a.Item > b.Item
}

// number returns the number of a state of m.
func (s *search[W]) number(state int32) int32 {
	n, fresh := s.met.Of(state)
	if fresh {
		estimate := s.one
		if s.heuristic != nil {
			estimate = s.heuristic(state)
		}
		s.add(estimate)
	}
	return n + 1
}

// state returns the state of m with the given number.
func (s *search[W]) state(n int32) int32 { return s.met.State(n - 1) }

// add appends the entries of the next number.
func (s *search[W]) add(estimate W) {
	s.labels = rows.Extended(s.labels, label[W]{s.zero, hop{source, -1}})
	s.queue.Widen()
	if s.heuristic != nil {
		s.estimate = rows.Extended(s.estimate, estimate)
	}
}

// relax offers a way of the given weight to state n.
func (s *search[W]) relax(n int32, weight W, by hop) {
	known := &s.labels[n]
	if s.order.Compare(weight, known.weight) >= 0 {
		return
	}
	key := weight
	if s.heuristic != nil {
		if key = s.ring.Times(weight, s.estimate[n]); s.ring.IsZero(key) {
			return
		}
	}
	*known = label[W]{weight, by}
	s.queue.Push(n, key)
}

// expand takes the first state, which must not be the goal, from the queue and follows its arcs.
func (s *search[W]) expand() error {
	if len(s.expanded) >= s.maxStates {
		return fmt.Errorf("%w: %d expansions are not enough", semiring.ErrLimit, s.maxStates)
	}
	if len(s.expanded)%64 == 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	n := s.queue.Pop().Item
	s.expanded = rows.Extended(s.expanded, n)
	state, weight := s.state(n), s.labels[n].weight
	if final := s.m.Final(state); !s.ring.IsZero(final) {
		if s.order.Compare(s.one, final) > 0 {
			return fmt.Errorf("%w: the final weight %v of state %d is better than %v", ErrOrder, final, state, s.one)
		}
		s.relax(goal, s.ring.Times(weight, final), hop{n, -1})
	}
	s.arcs = s.m.AppendArcs(s.arcs[:0], state)
	for i := range s.arcs {
		a := &s.arcs[i]
		if s.ring.IsZero(a.Weight) {
			continue
		}
		if s.order.Compare(s.one, a.Weight) > 0 {
			return fmt.Errorf("%w: arc %d of state %d, %d:%d/%v to state %d, is better than %v",
				ErrOrder, i, state, a.In, a.Out, a.Weight, a.To, s.one)
		}
		s.relax(s.number(a.To), s.ring.Times(weight, a.Weight), hop{n, int32(i)})
	}
	return nil
}

// first finds the best path, or returns false if there is no path.
func (s *search[W]) first() (ImplicitPath[W], bool, error) {
	for !s.queue.Empty() && s.queue.Top().Item != goal {
		if err := s.expand(); err != nil {
			return ImplicitPath[W]{}, false, err
		}
	}
	if s.queue.Empty() {
		return ImplicitPath[W]{}, false, nil
	}
	s.queue.Pop()
	p := s.trace()
	if weights.IsNaN(s.ring, p.Weight) {
		return p, false, fmt.Errorf("%w: the best path from state %d weighs %v", semiring.ErrNotFinite, p.Start, p.Weight)
	}
	return p, true, nil
}

// trace returns the path that ends with the label of the goal.
func (s *search[W]) trace() ImplicitPath[W] {
	p := ImplicitPath[W]{Weight: s.labels[goal].weight}
	length := 0
	n := s.labels[goal].by.from
	for q := n; s.labels[q].by.from != source; q = s.labels[q].by.from {
		length++
	}
	p.Arcs = make([]Arc[W], length)
	for i := length - 1; i >= 0; i-- {
		by := s.labels[n].by
		s.arcs = s.m.AppendArcs(s.arcs[:0], s.state(by.from))
		p.Arcs[i] = s.arcs[by.arc]
		n = by.from
	}
	p.Start = s.state(n)
	return p
}

// ErrOrder is returned when a search cannot follow an arc because of its order: an arc better
// than One for Search, or an arc that does not lead to a later layer for Beam.
var ErrOrder = errors.New("arc out of order")

// Implicit is a graph whose states and arcs are made on request; it may be infinite. All machines
// of package fst are implicit graphs, including lazy compositions.
//
// States are non-negative numbers that the graph returns from AppendStarts and AppendArcs;
// methods are called only with such numbers, which need not be dense. Repeated calls must return
// the same result in the same order. A search makes all calls from one goroutine. A graph that
// may fail has an additional method Err() error, which returns the first error; after an error
// the graph returns no arcs and Zero. Functions that take the graph return that error.
type Implicit[W any] interface {
	// Semiring returns the ring of the weights.
	Semiring() semiring.Semiring[W]
	// AppendStarts appends the start states to dst. If several entries name one state, their
	// weights add up.
	AppendStarts(dst []Start[W]) []Start[W]
	// Final returns the final weight of state s, Zero if s is not final.
	Final(s int32) W
	// AppendArcs appends the arcs that leave state s to dst.
	AppendArcs(dst []Arc[W], s int32) []Arc[W]
}

// defaultMaxStates is the number of states that a search expands by default.
const defaultMaxStates = 10_000_000

// failure returns the first error of m.
func failure[W any](m Implicit[W]) error {
	if x, ok := m.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// ImplicitPath is a path through an implicit graph.
type ImplicitPath[W any] struct {
	Start  int32    // its first state
	Arcs   []Arc[W] // its arcs, in order
	Weight W        // λ ⊗ arc weights ⊗ ρ, multiplied in this order
}

// Expansion is a finite part of an implicit graph, frozen.
type Expansion[W any] struct {
	Graph   *Graph[W]
	State   []int32 // per state of Graph: its number in the implicit graph
	In, Out []int32 // per arc of Graph: its labels
	Dropped int     // states that were met and omitted; 0: the part is complete
}

// Path returns a path of Graph as one of the implicit graph.
func (p *Expansion[W]) Path(path Path[W]) ImplicitPath[W] {
	f := ImplicitPath[W]{Start: p.State[path.Start], Weight: path.Weight}
	if len(path.Arcs) > 0 {
		f.Arcs = make([]Arc[W], len(path.Arcs))
	}
	for i, e := range path.Arcs {
		f.Arcs[i] = Arc[W]{In: p.In[e], Out: p.Out[e], To: p.State[p.Graph.To()[e]], Weight: p.Graph.weight[e]}
	}
	return f
}
