package graph

import (
	"context"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// search is a run of A*. States have numbers from 1 in the order in which they
// are met; goal is a state behind all final ones. Slices without another comment have
// an entry per number.
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

// searchStorage is what a search needs that is no part of its result.
type searchStorage[W any] struct {
	met      numbering // from 0: a number here less one
	labels   []label[W]
	estimate []W           // of the way on; empty if there is no heuristic
	queue    rows.Queue[W] // by weight ⊗ estimate

	expanded []int32 // states in the order of their expansions
	arcs     []Arc[W]
}

// label is the best way known to a state: its weight and last step.
type label[W any] struct {
	weight W
	by     hop
}

// goal is the number of the state behind the final ones.
const goal = 0

// hop is the last step of a way: from a state by one of its arcs, or, if from is
// source, by one of the starts. Arc −1 stands for ending there.
type hop struct{ from, arc int32 }

func newSearch[W any](ctx context.Context, m Implicit[W], opts *SearchOptions[W]) (*search[W], error) {
	ring := m.Semiring()
	order, err := semiring.Require[semiring.Ordered[W]](ring)
	if err != nil {
		return nil, err
	}
	s := &search[W]{ctx: ctx, m: m, ring: ring, order: order, one: ring.One(), zero: ring.Zero(), maxStates: DefaultMaxStates}
	if opts != nil {
		s.heuristic = opts.Heuristic
		if opts.MaxStates > 0 {
			s.maxStates = opts.MaxStates
		}
	}
	s.searchStorage = borrowed[searchStorage[W]]()
	s.met.reset()
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

// repay gives the storage back.
func (s *search[W]) repay() {
	s.queue.Forget()
	repaid(s.searchStorage)
}

// precedes puts the better key first; of equal ones the goal, then the better
// estimate, which is nearer to it, then the state that was met last.
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
	n, fresh := s.met.of(state)
	if fresh {
		estimate := s.one
		if s.heuristic != nil {
			estimate = s.heuristic(state)
		}
		s.add(estimate)
	}
	return n + 1
}

// state returns the state of m that has a number.
func (s *search[W]) state(n int32) int32 { return s.met.state(n - 1) }

// add makes the entries of the next number.
func (s *search[W]) add(estimate W) {
	s.labels = rows.Extended(s.labels, label[W]{s.zero, hop{source, -1}})
	s.queue.Widen()
	if s.heuristic != nil {
		s.estimate = rows.Extended(s.estimate, estimate)
	}
}

// relax offers state n a way of the given weight.
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

// expand takes the first state from the queue, which is not the goal, and follows
// its arcs.
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

// first finds the best path, false if there is none.
func (s *search[W]) first() (Found[W], bool, error) {
	for !s.queue.Empty() && s.queue.Top().Item != goal {
		if err := s.expand(); err != nil {
			return Found[W]{}, false, err
		}
	}
	if s.queue.Empty() {
		return Found[W]{}, false, nil
	}
	s.queue.Pop()
	p := s.trace()
	if weights.IsNaN(s.ring, p.Weight) {
		return p, false, fmt.Errorf("%w: the best path from state %d weighs %v", semiring.ErrNotFinite, p.Start, p.Weight)
	}
	return p, true, nil
}

// trace returns the path that the label of the goal stands for.
func (s *search[W]) trace() Found[W] {
	p := Found[W]{Weight: s.labels[goal].weight}
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
