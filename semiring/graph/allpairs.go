package graph

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
)

// maxPairs is the largest number of pairs of states that AllPairs takes, those of
// 8192 states.
const maxPairs = 1 << 26

// AllPairs returns d with d[p][q] = ⊕ over all paths from state p to state q of
// their arc weights, the closure D* of the matrix of arc weights: d[p][p] includes
// the empty path, and d[p][q] is Zero if no path leads from p to q. Start and final
// weights do not matter.
//
// It is the algebraic path problem of Lehmann, "Algebraic structures for transitive
// closure" (1977), in any ring, commutative or not, for which the graph has a
// PathSum; the errors are those of PathSum, where every cycle must have a sum, and
// semiring.ErrLimit for more than 2²⁶ pairs. Cyclic components are factored once and
// then solved from each state (Backhouse and Carré 1975): O(n³) time on a dense graph
// of n states, and n times the cost of Forward without its elimination on a sparse
// one. O(n²) memory.
func AllPairs[W any](g *Graph[W]) ([][]W, error) {
	n := g.NumStates()
	if n*n > maxPairs {
		return nil, fmt.Errorf("graph: %w: %d states have more than %d pairs", semiring.ErrLimit, n, maxPairs)
	}
	if err := semiring.RequireSide(g.ring, semiring.RightSide); err != nil {
		return nil, fmt.Errorf("graph: all pairs: %w", err)
	}
	s, err := newSolver(g, nil)
	if err != nil {
		return nil, err
	}
	d := make([][]W, n)
	for c := range s.components.Len() {
		lo, hi := s.components.Bounds(c)
		for p := lo; p < hi; p++ {
			state := s.components.State(p)
			if err := g.interrupted(); err != nil {
				return nil, err
			}
			if d[state], err = s.from(state, c); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// from returns, per state, the sum over all paths to it from state p of component c.
func (s *solver[W]) from(p int32, c int) ([]W, error) {
	ring := s.g.ring
	x := slices.Repeat([]W{ring.Zero()}, s.g.NumStates())
	x[p] = ring.One()
	if s.loop(c) {
		if err := s.cyclic.ForwardInside(x, c); err != nil {
			return nil, err
		}
	}
	return x, s.onward(x, c+1)
}
