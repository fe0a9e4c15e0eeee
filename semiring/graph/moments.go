package graph

import (
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/columns"
	"example.org/pathsum/semiring/internal/solve"
)

// Mean returns the expected value of a random path of g, drawn in proportion to
// its weight: v.Dim numbers. Values are given by v, added up along the path.
//
// No vector is carried along the paths (J. Eisner, Parameter estimation for
// probabilistic finite-state transducers, ACL 2002, §5): Posteriors, and then one
// operation per non-zero of v. The ring's weights must be probabilities that ⊕ adds
// and not negative. The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoPath, semiring.ErrShape if v does not fit, or is that
// of PathSum.
func Mean[W any](g *Graph[W], v Values) ([]float64, error) {
	rows, err := table(g, v)
	if err != nil {
		return nil, err
	}
	d, err := newDistribution(g)
	if err != nil {
		return nil, err
	}
	return d.meanOf(rows, v.Dim)
}

// meanOf is Mean for values that fit.
func (d *distribution) meanOf(rows []semiring.Rows, dim int) ([]float64, error) {
	p, err := d.posterior()
	if err != nil {
		return nil, err
	}
	return columns.Mean(rows, dim, p.Start, p.Arc, p.Final), nil
}

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a
// random path of g, drawn in proportion to its weight. Values are given by v, added
// up along the path.
//
// Column j is the derivative of the mean when weights are tilted by component j: a
// backward and a forward pass over plain numbers (see HessianVector). That takes O(Dim ·
// (states + arcs + non-zeros of v)), and memory for states, arcs and non-zeros. Vectors
// carried along the paths would take as long, and Dim numbers per state. Variances are
// sums of squares and never negative; the other covariances are sums of values of one
// component times covariances of the other with the use of a part, and so lose digits
// where great values cancel along every path.
//
// Conditions and errors are as for Mean.
func Covariance[W any](g *Graph[W], v Values) ([]float64, *mat.SymDense, error) {
	rows, err := table(g, v)
	if err != nil {
		return nil, nil, err
	}
	d, err := newDistribution(g)
	if err != nil {
		return nil, nil, err
	}
	return d.covarianceOf(rows, v.Dim)
}

// covarianceOf is Covariance for values that fit.
func (d *distribution) covarianceOf(rows []semiring.Rows, dim int) ([]float64, *mat.SymDense, error) {
	r, err := newResponse(d)
	if err != nil {
		return nil, nil, err
	}
	value, values := newParts(d.g)
	count, counts := newParts(d.g)
	return columns.Covariance(rows, dim, values, counts, func() (mean, variance float64, err error) {
		err = r.solve(value, count)
		return r.mean, r.variance, err
	})
}

// HessianVector returns H·v, where H is the matrix of second derivatives of ln Z,
// the logarithm of the path sum, with respect to the logarithms of all start, arc
// and final weights. The gradient is what Posteriors returns.
//
// Let N be the number of times that a random path uses each part, and V the sum of v along
// the path. The gradient is E[N], H is the covariance of N, and H·v = Cov(N, V): how much
// each expected count grows when weights are multiplied by 1 + ε·v.
// With respect to the weights w themselves, the gradient is E[N]/w and the product is
// (H·(v/w) − E[N]·v/w)/w, part by part.
//
// Each product takes one more backward and one more forward pass than Posteriors
// and no second factorization of cyclic components: about twice the time. The mean
// of V is taken out step by step, not in the end, so that a V with a mean much greater
// than its deviation loses few digits to it.
//
// The ring's weights must be probabilities that ⊕ adds, and not negative. The error
// wraps semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite,
// ErrNoPath, semiring.ErrShape if v does not fit, or is as for PathSum.
func HessianVector[W any](g *Graph[W], v Parts) (Parts, error) {
	_, product, err := PosteriorsAlong(g, v)
	return product, err
}

// PosteriorsAlong returns the posteriors of g, as those of a graph over Scaled, and their
// derivative along v, which is HessianVector(g, v), in the time of the latter.
func PosteriorsAlong[W any](g *Graph[W], v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	v, err := fillParts(g, v)
	if err != nil {
		return nil, Parts{}, err
	}
	d, err := newDistribution(g)
	if err != nil {
		return nil, Parts{}, err
	}
	return d.along(v)
}

// along is PosteriorsAlong for a direction without nil slices.
func (d *distribution) along(v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	r, err := newResponse(d)
	if err != nil {
		return nil, Parts{}, err
	}
	product, _ := newParts(d.g)
	if err := r.solve(v, product); err != nil {
		return nil, Parts{}, err
	}
	return r.p, product, nil
}

// response computes how a distribution responds when its weights are tilted by
// values v along the paths, for one v after the other.
//
// Let V be the value of the whole path and M(s) that expected of what follows a
// visit to s. A step of the path adds to V its surprise: v + M(to) − M(from). The
// surprises add up to V − E[V], and each has mean 0 whatever happened before it. So
// the variance of V is the expected sum of their squares, and the covariance of V
// with the use of a step is that with its own surprise and those before.
//
// All of this is plain numbers, pulled back and pushed forward from state to state in
// proportion to the posteriors. Inside a cyclic component, M and the surprises before
// solve linear systems with the matrix of β and α, whose factors the solver has.
type response struct {
	d *distribution
	p *Posterior[semiring.ScaledFloat]

	mean, variance float64   // of V
	future         []float64 // per state: M
	arrived        []float64 // per state: visits × the expected surprises before one

	// If the graph has a cycle.
	component []int32                // per state
	x         []semiring.ScaledFloat // per state: 0, or a solution in a component
}

func newResponse(d *distribution) (*response, error) {
	p, err := d.posterior()
	if err != nil {
		return nil, err
	}
	n := d.g.NumStates()
	r := &response{d: d, p: p, future: make([]float64, n), arrived: make([]float64, n)}
	if d.solver.cyclic != nil {
		r.component = d.g.topology.ComponentOf()
		r.x = make([]semiring.ScaledFloat, n)
	}
	return r, nil
}

// solve computes mean and variance of V, and sets counts to its covariances with the
// numbers of uses of all parts. v and counts have no nil slices.
func (r *response) solve(v, counts Parts) error {
	if err := r.lookAhead(v); err != nil {
		return err
	}
	return r.lookBack(v, counts)
}

// cyclic reports whether component c contains a cycle.
func (r *response) cyclic(c int) bool {
	return r.component != nil && r.d.solver.components.Loop[c]
}

// lookAhead computes future, the last component first.
func (r *response) lookAhead(v Parts) error {
	components := r.d.solver.components
	for c := components.Len() - 1; c >= 0; c-- {
		lo, hi := components.Bounds(c)
		if !r.cyclic(c) {
			s := components.State(lo)
			r.future[s] = r.expected(s, v)
			continue
		}
		for p := lo; p < hi; p++ {
			r.future[components.State(p)] = 0
		}
		// With A the matrix of arc weights inside, M·β = A(M·β) + expected·β.
		err := r.inside(c, solve.BackwardInside, r.future, func(s int32, beta semiring.ScaledFloat) semiring.ScaledFloat {
			return semiring.NewScaled(r.expected(s, v)).Mul(beta)
		}, semiring.ScaledFloat.Div)
		if err != nil {
			return err
		}
	}
	return nil
}

// expected returns the expected value of the next step from s and of what future
// knows to follow it.
func (r *response) expected(s int32, v Parts) float64 {
	visits := r.p.State[s]
	if visits == 0 {
		return 0
	}
	g := r.d.g
	lo, hi := g.topology.Row[s], g.topology.Row[s+1]
	next, value := g.topology.To[lo:hi], v.Arc[lo:hi]
	sum := r.p.Final[s] * v.Final[s]
	for e, count := range r.p.Arc[lo:hi] {
		sum += count * (value[e] + r.future[next[e]])
	}
	return sum / visits
}

// lookBack computes everything else, the first component first.
func (r *response) lookBack(v, counts Parts) error {
	r.mean, r.variance = 0, 0
	clear(r.arrived)
	starts := r.d.g.starts
	for i, start := range starts {
		r.mean += r.p.Start[i] * (v.Start[i] + r.future[start.State])
	}
	for i, start := range starts {
		surprise := v.Start[i] + r.future[start.State] - r.mean
		counts.Start[i] = r.p.Start[i] * surprise
		r.arrived[start.State] += counts.Start[i]
		r.variance += counts.Start[i] * surprise
	}
	components := r.d.solver.components
	for c := range components.Len() {
		lo, hi := components.Bounds(c)
		if r.cyclic(c) {
			for p := lo; p < hi; p++ {
				r.surpriseInside(components.State(p), v)
			}
			// With A as before, arrived/β = (arrived/β)A + (surprises of the last step)/β.
			err := r.inside(c, solve.ForwardInside, r.arrived, func(s int32, beta semiring.ScaledFloat) semiring.ScaledFloat {
				return semiring.NewScaled(r.arrived[s]).Div(beta)
			}, semiring.ScaledFloat.Mul)
			if err != nil {
				return err
			}
		}
		for p := lo; p < hi; p++ {
			r.leave(components.State(p), v, counts)
		}
	}
	return nil
}

// surpriseInside adds to arrived the surprises of the arcs from s that stay in its
// component.
func (r *response) surpriseInside(s int32, v Parts) {
	g := r.d.g
	for e := g.topology.Row[s]; e < g.topology.Row[s+1]; e++ {
		if q := g.topology.To[e]; r.component[q] == r.component[s] {
			r.arrived[q] += r.p.Arc[e] * (v.Arc[e] + (r.future[q] - r.future[s]))
		}
	}
}

// leave sets the counts of the arcs from s, and of ending there, and adds them to
// arrived where they leave the component.
func (r *response) leave(s int32, v, counts Parts) {
	g, visits, m, past := r.d.g, r.p.State[s], r.future[s], 0.0
	if visits != 0 {
		past = r.arrived[s] / visits
	}
	lo, hi := g.topology.Row[s], g.topology.Row[s+1]
	next, value, out := g.topology.To[lo:hi], v.Arc[lo:hi], counts.Arc[lo:hi]
	future, arrived, variance := r.future, r.arrived, 0.0
	for e, count := range r.p.Arc[lo:hi] {
		q := next[e]
		surprise := value[e] + (future[q] - m)
		variance += count * surprise * surprise
		x := count * (past + surprise)
		out[e] = x
		if r.component == nil || r.component[q] != r.component[s] {
			arrived[q] += x
		}
	}
	surprise := v.Final[s] - m
	counts.Final[s] = r.p.Final[s] * (past + surprise)
	r.variance += variance + r.p.Final[s]*surprise*surprise
}

// inside sets y, at the states of a cyclic component, to unscale(x, β) where x solves
// the system of the component with the given right-hand side.
func (r *response) inside(c int, by func(s *solve.Solver[semiring.ScaledFloat], x []semiring.ScaledFloat, c int) error, y []float64,
	side func(s int32, beta semiring.ScaledFloat) semiring.ScaledFloat,
	unscale func(x, beta semiring.ScaledFloat) semiring.ScaledFloat) error {
	lo, hi := r.d.solver.components.Bounds(c)
	states, beta, any := r.d.solver.components.States[lo:hi], r.d.beta, false
	for _, s := range states {
		if r.p.State[s] != 0 {
			r.x[s] = side(s, beta[s])
			any = any || !r.x[s].IsZero()
		}
	}
	var err error
	if any {
		err = by(r.d.solver.cyclic, r.x, c)
	}
	for _, s := range states {
		y[s] = 0
		if r.p.State[s] != 0 {
			y[s] = unscale(r.x[s], beta[s]).Float64()
		}
		r.x[s] = semiring.ScaledFloat{}
	}
	return err
}
