package graph

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// PathSum returns ⊕ over all paths of λ ⊗ arc weights ⊗ ρ, the total weight of g
// (the "shortest distance" of a selective ring): Zero if there is no path. Only
// states on paths from a start to a final state matter: an unreachable or dead
// cycle does no harm.
//
// An acyclic graph takes one pass, O(states + arcs), and no Star. For cycles the ring must
// be selective or have Star, Metric or Keyer. ⊗ has to distribute over ⊕ from the left, as
// it does in every semiring; the elimination of a cycle needs it from both sides.
//
// The error wraps
//
//   - semiring.ErrCapability if the ring lacks one of these, as a semiring.OneSided
//     algebra may;
//   - semiring.ErrDiverges if a cycle has no sum; it names a state on the cycle;
//   - semiring.ErrLimit if a component fills up in elimination and cannot be iterated;
//   - semiring.ErrInaccurate if cycles come so close to having no sum that rounding spoils
//     the total (see ErrorBound).
//
// Infinite weights in an acyclic graph are no error: the total is what the ring makes
// of them, NaN where an infinite one meets 0̄ (0 · ∞ in Real and Scaled). Posteriors
// refuses such a total by semiring.ErrNotFinite. Finite weights of Real whose sum leaves
// the range of float64 are summed again in Scaled; the error wraps
// semiring.ErrNotFinite if the total is out of range as well, or is not a number in a ring
// derived from others, such as an Expectation over Real. A total, or a product on the way to
// it, below that range is rounded, at worst to 0.
//
// With negative weights on a cycle whose series has no limit, the sum may be its analytic
// continuation, the solution of x = A·x + b: ¼ for a loop of −3, which is no error.
//
// CYCLES.md beside this file says what is done when, what it costs and how accurate it is.
func PathSum[W any](g *Graph[W]) (W, error) {
	var sum W
	_, beta, err := usefulBackward(g)
	if err == nil {
		sum = total(g, beta)
		rows.Repaid(&beta)
	}
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

// checkNumbers returns an error for sums in a derived ring that are not numbers.
func checkNumbers[W any](g *Graph[W], sums ...W) error {
	if err := weights.CheckNumbers(g.ring, sums...); err != nil {
		return nested.Errorf("graph: %w", err)
	}
	return nil
}

// usefulBackward returns β of the states on paths from a start to a final state,
// and the solver that computed it. Other states have some β or none.
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

// Forward returns α: per state s, ⊕ over all paths from a start to s, start
// weights included and final weights not. Cycles that no start reaches do no
// harm, dead ones do: their states have an α too. Errors and cost are as for
// PathSum, but ⊗ has to distribute over ⊕ from the right.
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

// Backward returns β: per state s, ⊕ over all paths from s to a final state,
// final weights included and start weights not. Cycles that reach no final state
// do no harm, unreachable ones do: their states have a β too. Errors and cost are as
// for PathSum.
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

// ErrorBound returns a bound on the relative error that cancellation in cycles has
// brought into the PathSum of g. It holds for Forward, Backward and Posteriors, too, at
// states on paths from a start to a final state. These functions fail with
// semiring.ErrInaccurate where it exceeds 1e-9. ErrorBound returns it all the same. Its
// other errors, and its cost, are as for PathSum.
//
// It is 0 for acyclic graphs, and where nothing cancels: in components of non-negative
// weights in Real and Scaled that do not gain mass, however little they lose. Components
// that bring in less than 1e-13 are not counted. Nor is the rounding of a sum of
// non-negative terms: at most 2⁻⁵³ for each arc of a path and each term added to it. In
// Log the rounding of weights to numbers does count, as often as cycles repeat it. In
// rings without semiring.Prober errors are unknown, and 0 is returned.
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
	cyclic     *solve.Solver[W] // for graphs with cycles; nil: there is none
	buffer     []W              // empty; storage for β
}

// newSolver returns a solver that ignores all states but those that use returns; a nil use
// stands for all states. They must not cut a path in two: a path between states in use
// runs through states in use.
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

// onward replaces x by α from component c on, where it holds start weights.
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

// widened returns g in Scaled if its ring is Real and its sums were lost, else nil.
func widened[W any](g *Graph[W], lost bool) *Graph[semiring.ScaledFloat] {
	if !lost || !weights.IsReal(g.ring) {
		return nil
	}
	return inScaled(any(g).(*Graph[float64]))
}

// The functions below are instances of those above for graphs over Scaled. They are not
// inlined, so that a package that sums weights of another type does not compile what they call.

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

// narrowed returns sums over Scaled, taken with that error, as weights of Real.
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
