package graph

import (
	"context"
	"fmt"
)

// Within returns the part of m that lies on paths of weight best ⊗ beam or better, where
// best is the weight of the best path: what PruneBeam, which says more of beams, leaves of
// a graph, but of m no more is made than that takes. A lazy operation seen through it is
// the pruned form of that operation, which may be small where the whole has no end. The
// states are in the order in which they are first expanded.
//
// It takes what Search takes, up to the first path and then as far as the beam goes; the
// estimates of opts must be admissible, and nothing that does not complete a path within
// the beam by them is expanded. Memory is as for the part, and the states it leads to. If
// there is no path, the part is empty. Errors are those of Search and PruneBeam.
func Within[W any](ctx context.Context, m Implicit[W], beam W, opts *SearchOptions[W]) (*Expansion[W], error) {
	s, err := newSearch(ctx, m, opts)
	if err != nil {
		return nil, fmt.Errorf("graph: within a beam: %w", err)
	}
	defer s.repay()
	p, err := s.within(beam)
	if err != nil {
		return nil, fmt.Errorf("graph: within a beam: %w", err)
	}
	return p, nil
}

func (s *search[W]) within(beam W) (*Expansion[W], error) {
	best, ok, err := s.first()
	if err != nil {
		return nil, err
	}
	if ok {
		limit := s.ring.Times(best.Weight, beam)
		for !s.queue.Empty() && s.order.Compare(s.queue.Top().Key, limit) <= 0 {
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
