package graph

import "example.org/pathsum/semiring"

// PathSum returns ⊕ over all paths of λ ⊗ arc weights ⊗ ρ, the total weight of g
// (the "shortest distance" of a selective ring): Zero if there is no path. Only
// states on paths from a start to a final state matter: an unreachable or dead
// cycle does no harm.
//
// An acyclic graph takes one pass, O(states + arcs), and no Star. Otherwise the ring
// must be selective or have Star or at least Metric or Keyer; the error wraps
// semiring.ErrCapability if it is not and has none of these, semiring.ErrDiverges if
// a cycle has no sum, and names a state on it, and semiring.ErrLimit if a component
// fills up in the elimination of its states and iteration is no way out. ⊗ has to
// distribute over ⊕ from the left, as it does in every semiring, and the elimination
// of a cycle needs it from both sides; a semiring.OneSided algebra in which it does
// not has ErrCapability. The error wraps semiring.ErrInaccurate if cycles come so close
// to having no sum that rounding spoils the total (see ErrorBound).
//
// Infinite weights in an acyclic graph are no error: the total is what the ring makes
// of them, NaN where an infinite one meets 0̄ (0 · ∞ in Real and Scaled). Posteriors
// refuses such a total by semiring.ErrNotFinite. Finite weights of Real whose sum leaves
// the range of float64 are summed again in Scaled; the error wraps
// semiring.ErrNotFinite if the total is out of range as well. A total, or a product on
// the way to it, below that range is rounded, at worst to 0.
//
// See the package comment for what is done when, what it costs and how accurate it is.
func PathSum[W any](g *Graph[W]) (W, error) {
	var total W
	_, beta, err := usefulBackward(g)
	if err == nil {
		total = g.total(beta)
		repaid(&beta)
	}
	if wide := widened(g, lost([]W{total}, err)); wide != nil {
		sum, err := PathSum(wide)
		totals, err := narrowed[W]([]semiring.ScaledFloat{sum}, err)
		if err != nil {
			return total, err
		}
		return totals[0], nil
	}
	return total, err
}

// usefulBackward returns β of the states on paths from a start to a final state,
// and the solver that computed it. Other states have some β or none.
func usefulBackward[W any](g *Graph[W]) (*solver[W], []W, error) {
	s, err := newSolver(g, g.useful)
	if err != nil {
		return nil, nil, err
	}
	s.buffer = (*borrowed[[]W]())[:0]
	beta, err := s.backward()
	return s, beta, err
}

// total returns ⊕ of start weights ⊗ β.
func (g *Graph[W]) total(beta []W) W {
	sum := g.ring.Zero()
	for _, start := range g.starts {
		sum = g.ring.Plus(sum, g.ring.Times(start.Weight, beta[start.State]))
	}
	return sum
}

// Forward returns α: per state s, ⊕ over all paths from a start to s, start
// weights included and final weights not. Cycles that no start reaches do no
// harm, dead ones do: their states have an α too. Errors and cost are those of
// PathSum, but ⊗ has to distribute over ⊕ from the right.
func Forward[W any](g *Graph[W]) ([]W, error) {
	s, err := newSolver(g, g.Accessible)
	if err != nil {
		return nil, err
	}
	alpha, err := s.forward()
	if wide := widened(g, lost(alpha, err)); wide != nil {
		return narrowed[W](Forward(wide))
	}
	return alpha, err
}

// Backward returns β: per state s, ⊕ over all paths from s to a final state,
// final weights included and start weights not. Cycles that reach no final state
// do no harm, unreachable ones do: their states have a β too. Errors and cost are
// those of PathSum.
func Backward[W any](g *Graph[W]) ([]W, error) {
	s, err := newSolver(g, g.Coaccessible)
	if err != nil {
		return nil, err
	}
	beta, err := s.backward()
	if wide := widened(g, lost(beta, err)); wide != nil {
		return narrowed[W](Backward(wide))
	}
	return beta, err
}
