package graph

// PathSum returns ⊕ over all paths of λ ⊗ arc weights ⊗ ρ, the total weight of g
// (the "shortest distance" of a selective ring): Zero if there is no path. Only
// states on paths from a start to a final state matter: an unreachable or dead
// cycle does no harm.
//
// An acyclic graph takes one pass, O(states + arcs), and no Star. Otherwise the
// ring must be selective or have Star; the error wraps semiring.ErrCapability if
// it is and has neither, ErrDiverges if a cycle has no sum, and names a state on
// it, and ErrLimit if a component fills up with more than 2²⁴ entries in the
// elimination of its states. See the package comment for what is done when and
// what it costs.
func PathSum[W any](g *Graph[W]) (W, error) {
	var use []bool
	if g.topology.components().cyclic() {
		use = g.useful()
	}
	var none W
	s, err := newSolver(g, use)
	if err != nil {
		return none, err
	}
	beta, err := s.backward()
	if err != nil {
		return none, err
	}
	return g.total(beta), nil
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
// PathSum.
func Forward[W any](g *Graph[W]) ([]W, error) {
	var use []bool
	if g.topology.components().cyclic() {
		use = g.Accessible()
	}
	s, err := newSolver(g, use)
	if err != nil {
		return nil, err
	}
	return s.forward()
}

// Backward returns β: per state s, ⊕ over all paths from s to a final state,
// final weights included and start weights not. Cycles that reach no final state
// do no harm, unreachable ones do: their states have a β too. Errors and cost are
// those of PathSum.
func Backward[W any](g *Graph[W]) ([]W, error) {
	var use []bool
	if g.topology.components().cyclic() {
		use = g.Coaccessible()
	}
	s, err := newSolver(g, use)
	if err != nil {
		return nil, err
	}
	return s.backward()
}
