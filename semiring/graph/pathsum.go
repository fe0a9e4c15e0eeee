package graph

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// PathSum returns ⊕ over all paths of λ ⊗ arc weights ⊗ ρ, the total weight of g (the "shortest
// distance" of a selective ring), or Zero if there is no path. It ignores all states that are not
// on a path from a start to a final state, so an unreachable or dead cycle does no harm.
//
// An acyclic graph takes one pass, O(states + arcs), and does not use Star. For cycles the ring
// must be selective or have Star, Metric or Keyer. ⊗ must distribute over ⊕ from the left, as in
// every semiring; the elimination of a cycle needs it from both sides.
//
// The error wraps
//
//   - semiring.ErrCapability if the ring lacks one of these, as a semiring.OneSided
//     algebra may;
//   - semiring.ErrDiverges if a cycle has no sum; it names a state on the cycle;
//   - semiring.ErrLimit if a component fills up in elimination and cannot be iterated;
//   - semiring.ErrInaccurate if cycles come so close to divergence that rounding spoils the
//     total (see ErrorBound).
//
// Infinite weights in an acyclic graph are not an error: the total follows the ring's arithmetic
// and is NaN where an infinite weight meets 0̄ (0 · ∞ in Real and Scaled). Posteriors returns
// semiring.ErrNotFinite for such a total.
//
// If the sum of finite weights of Real leaves the range of float64, it is computed again in
// Scaled. The error wraps semiring.ErrNotFinite if the total is out of range as well, or is NaN
// in a ring derived from others, such as an Expectation over Real. A total or an intermediate
// product below that range is rounded, at worst to 0.
//
// With negative weights on a cycle whose series has no limit, the sum may be its analytic
// continuation, the solution of x = A·x + b, without an error: ¼ for a loop of −3.
//
// CYCLES.md in this folder describes the algorithms, their conditions, costs and accuracy.
func PathSum[W any](g *Graph[W]) (W, error) {
	sum, err := pathSum(g)
	if wide := widened(g, weights.Lost(err, sum)); wide != nil {
		sums, err := narrowed[W](pathSumScaled(wide))
		if err != nil {
			return sum, err
		}
		return sums[0], nil
	}
	if err == nil {
		err = checkNumbers(g, sum)
	}
	return sum, err
}

// pathSum is PathSum without a second attempt in Scaled.
func pathSum[W any](g *Graph[W]) (sum W, err error) {
	if meets(g) {
		if err := interrupted(g.ctx); err != nil {
			return sum, err
		}
		m, sum, err := meet(g)
		if err == nil {
			release(m)
		}
		return sum, err
	}
	_, beta, err := usefulBackward(g)
	if err != nil {
		return sum, err
	}
	sum = total(g, beta)
	rows.Repaid(&beta)
	return sum, nil
}

// checkNumbers returns an error if a sum in a derived ring is NaN.
func checkNumbers[W any](g *Graph[W], sums ...W) error {
	if err := weights.CheckNumbers(g.ring, sums...); err != nil {
		return nested.Errorf("graph: %w", err)
	}
	return nil
}

// usefulBackward returns β of the states on paths from a start to a final state, and the solver
// that computed it. The β of other states is unspecified.
func usefulBackward[W any](g *Graph[W]) (*solver[W], []W, error) {
	s, err := newSolver(g, func() []bool { return useful(g) })
	if err != nil {
		return nil, nil, err
	}
	s.buffer = (*rows.Borrowed[[]W]())[:0]
	beta, err := backward(s)
	return s, beta, err
}

// total returns ⊕ of start weights ⊗ β.
func total[W any](g *Graph[W], beta []W) W {
	sum := g.ring.Zero()
	for _, start := range g.starts {
		sum = g.ring.Plus(sum, g.ring.Times(start.Weight, beta[start.State]))
	}
	return sum
}

// Forward returns α: per state s, ⊕ over all paths from a start to s, including start weights but
// not final weights. Unreachable cycles do no harm, but dead cycles do, since their states also
// have an α. Errors and cost are as for PathSum, but ⊗ must distribute over ⊕ from the right.
func Forward[W any](g *Graph[W]) ([]W, error) {
	s, err := newSolver(g, g.Accessible)
	if err != nil {
		return nil, err
	}
	alpha, err := forward(s)
	if wide := widened(g, weights.Lost(err, alpha...)); wide != nil {
		return narrowed[W](forwardScaled(wide))
	}
	if err == nil {
		err = checkNumbers(g, alpha...)
	}
	return alpha, err
}

// Backward returns β: per state s, ⊕ over all paths from s to a final state, including final
// weights but not start weights. Dead cycles do no harm, but unreachable cycles do, since their
// states also have a β. Errors and cost are as for PathSum.
func Backward[W any](g *Graph[W]) ([]W, error) {
	s, err := newSolver(g, g.Coaccessible)
	if err != nil {
		return nil, err
	}
	beta, err := backward(s)
	if wide := widened(g, weights.Lost(err, beta...)); wide != nil {
		return narrowed[W](backwardScaled(wide))
	}
	if err == nil {
		err = checkNumbers(g, beta...)
	}
	return beta, err
}

// ErrorBound returns a bound on the relative error that cancellation in cycles causes in the
// PathSum of g. It also holds for Forward, Backward and Posteriors at states on paths from a
// start to a final state. If the bound exceeds 1e-9, these functions fail with
// semiring.ErrInaccurate, but ErrorBound still returns it. Other errors, and the cost, are as for
// PathSum.
//
// The bound is 0 for acyclic graphs and for components without cancellation: components of
// non-negative weights in Real and Scaled that do not gain mass, however little they lose.
// Components that contribute less than 1e-13 are ignored. So is the rounding of a sum of
// non-negative terms: at most 2⁻⁵³ for each arc of a path and each term added to it. In Log the
// bound includes the rounding of weights to numbers, as often as cycles repeat it. In rings
// without semiring.Probabilistic errors are unknown, and the bound is 0.
func ErrorBound[W any](g *Graph[W]) (float64, error) {
	s, err := newSolver(g, func() []bool { return useful(g) })
	if err != nil {
		return 0, err
	}
	if s.cyclic != nil {
		s.cyclic.Untyped.Tolerate()
	}
	if _, err := backward(s); err != nil || s.cyclic == nil {
		return 0, err
	}
	return s.cyclic.Untyped.ErrorBound(), nil
}

// solver computes forward and backward weights of one graph: one pass over the states in
// topological order, or over the components if there are cycles.
type solver[W any] struct {
	g          *Graph[W]
	products   weights.Products[W]
	components *rows.Components
	cyclic     *solve.Solver[W] // for graphs with cycles; nil if g is acyclic
	buffer     []W              // empty; storage for β
}

// newSolver returns a solver that ignores all states outside use; a nil use stands for all
// states. A path between states in use must not leave the states in use.
func newSolver[W any](g *Graph[W], use func() []bool) (*solver[W], error) {
	s := &solver[W]{
		g:          g,
		products:   weights.NewProducts(g.ring),
		components: g.topology.Components(),
	}
	if !s.components.Cyclic() {
		return s, nil
	}
	var err error
	s.cyclic, err = solve.New(solve.Graph[W]{
		Products: &s.products, Topology: &g.topology.Topology, Plans: &g.topology.plans,
		Weight: g.weight, Interrupted: func() error { return interrupted(g.ctx) },
	}, use)
	return s, err
}

// backward returns β: per state, the sum over paths from it to a final state,
// final weights included.
func backward[W any](s *solver[W]) ([]W, error) {
	g := s.g
	if err := semiring.RequireSide(g.ring, semiring.LeftSide); err != nil {
		return nil, nested.Errorf("graph: %w", err)
	}
	beta := append(s.buffer, g.final...)
	if s.cyclic != nil {
		for c := s.components.Len() - 1; c >= 0; c-- {
			if err := solve.Backward(s.cyclic, beta, c); err != nil {
				return nil, err
			}
		}
		return beta, nil
	}
	if sweeper := s.products.Sweeper; sweeper != nil {
		sweeper.Sweep(beta, g.topology.ReverseOrder(), g.Row(), g.weight, g.To())
		return beta, nil
	}
	from := g.topology.Out()
	for p := len(beta) - 1; p >= 0; p-- {
		state := s.components.State(p)
		weights.Pull(&s.products, &beta[state], g.weight, beta, state, from)
	}
	return beta, nil
}

// forward returns α: per state, the sum over paths from a start to it, start
// weights included.
func forward[W any](s *solver[W]) ([]W, error) {
	g := s.g
	if err := semiring.RequireSide(g.ring, semiring.RightSide); err != nil {
		return nil, nested.Errorf("graph: %w", err)
	}
	alpha := startWeights(g)
	if sweeper := s.products.Sweeper; s.cyclic == nil && sweeper != nil {
		sweeper.Spread(alpha, s.components.States, g.Row(), g.weight, g.To())
		return alpha, nil
	}
	if err := onward(s, alpha, 0); err != nil {
		return nil, err
	}
	return alpha, nil
}

// onward replaces x, which contains start weights, by α from component c on.
func onward[W any](s *solver[W], x []W, c int) error {
	if s.cyclic != nil {
		for ; c < s.components.Len(); c++ {
			if err := solve.Forward(s.cyclic, x, c); err != nil {
				return err
			}
		}
		return nil
	}
	in := s.g.topology.In()
	for ; c < s.components.Len(); c++ {
		state := s.components.State(c)
		weights.Pull(&s.products, &x[state], s.g.weight, x, state, in)
	}
	return nil
}

// loop reports whether component c contains a cycle.
func loop[W any](s *solver[W], c int) bool { return s.cyclic != nil && s.components.Loop[c] }

// widened returns g in Scaled if its ring is Real and sums were lost, else nil.
func widened[W any](g *Graph[W], lost bool) *Graph[semiring.ScaledFloat] {
	if !lost || !weights.IsReal(g.ring) {
		return nil
	}
	return inScaled(any(g).(*Graph[float64]))
}

// The functions below are instances of the functions above for graphs over Scaled. They are not
// inlined, so a package that sums weights of another type does not compile their callees.

// inScaled returns the image of g in Scaled.
//
//go:noinline
func inScaled(g *Graph[float64]) *Graph[semiring.ScaledFloat] {
	return Map(g, semiring.Scaled{}, semiring.NewScaled)
}

// pathSumScaled returns the PathSum of g as a list.
//
//go:noinline
func pathSumScaled(g *Graph[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error) {
	sum, err := PathSum(g)
	return []semiring.ScaledFloat{sum}, err
}

//go:noinline
func forwardScaled(g *Graph[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error) { return Forward(g) }

//go:noinline
func backwardScaled(g *Graph[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error) {
	return Backward(g)
}

// narrowed returns the sums over Scaled, and their error, as weights of Real.
func narrowed[W any](sums []semiring.ScaledFloat, err error) ([]W, error) {
	if err != nil {
		return nil, err
	}
	x, err := weights.Narrowed[W](sums...)
	if err != nil {
		return nil, nested.Errorf("graph: %w", err)
	}
	return x, nil
}
