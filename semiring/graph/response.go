package graph

import "example.org/pathsum/semiring"

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
		err := r.inside(c, r.d.solver.cyclic.BackwardInside, r.future, func(s int32, beta semiring.ScaledFloat) semiring.ScaledFloat {
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
			err := r.inside(c, r.d.solver.cyclic.ForwardInside, r.arrived, func(s int32, beta semiring.ScaledFloat) semiring.ScaledFloat {
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
func (r *response) inside(c int, solve func(x []semiring.ScaledFloat, c int) error, y []float64,
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
		err = solve(r.x, c)
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
