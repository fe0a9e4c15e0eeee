package forest

import (
	"errors"
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

const (
	// newtonSteps is the limit on the steps of Newton's method. A step doubles the number of
	// correct digits near the solution, and adds a bit in the worst case.
	newtonSteps = 1000
	// newtonTolerance is the greatest length of the last step in rings other than numbers.
	newtonTolerance = 1e-12
	// unit is the unit roundoff of float64.
	unit = 0x1p-53
)

// equations are the equations y = F(y) for the inside weights y of one cycle, given the inside
// weights of nodes outside of the cycle. Newton's method solves them from y = 0̄: with r₀ =
// F(0̄),
//
//	δ = F'(y)* ⊗ r      r := F(y ⊕ δ) − (F(y) ⊕ F'(y) ⊗ δ)      y := y ⊕ δ
//
// where the residual r consists of the terms of second and higher order in δ, so the method never
// subtracts. It works in any commutative semiring with a star (Esparza, Kiefer & Luttenberger,
// "Newtonian program analysis", 2010). Over numbers y grows to the least solution. Linear
// equations take one step.
type equations[W any] struct {
	p       *pass[W]
	c       *cycle
	nodes   []int32 // by place
	factor  []W     // per recursive edge: its weight ⊗ the inside weights of tails outside
	weight  []W     // per arc: F'(y)
	numbers *weights.Mass[W]
	use     []bool // by place
}

func (p *pass[W]) newEquations(n int, x []W) *equations[W] {
	c := p.topology.cycles[n]
	q := &equations[W]{
		p: p, c: c, nodes: p.topology.nodesOf(c),
		factor: make([]W, len(c.recursive)),
		weight: make([]W, len(c.graph.To)),
		use:    make([]bool, c.hi-c.lo),
	}
	for i, v := range q.nodes {
		q.use[i] = p.use[v]
	}
	for i, e := range c.recursive {
		q.factor[i] = p.weight[e]
		for _, u := range p.Tails(e) {
			if _, inside := p.topology.place(c, u); !inside {
				q.factor[i] = p.ring.Times(q.factor[i], x[u])
			}
		}
	}
	return q
}

// insideCycle computes x for the nodes of cycle n.
func (p *pass[W]) insideCycle(x []W, n int) error {
	q := p.newEquations(n, x)
	for i, v := range q.nodes {
		x[v] = p.ring.Zero()
		if q.use[i] {
			x[v] = q.constant(i, x)
		}
	}
	if err := q.solve(x); err != nil {
		return err
	}
	for _, v := range q.nodes {
		p.firstContexts(x, v)
	}
	return nil
}

// constant returns the sum of the edges of the node at place i that are not recursive.
func (q *equations[W]) constant(i int, x []W) W {
	p, v := q.p, q.nodes[i]
	sum, recursive := p.ring.Zero(), q.c.recursive[q.c.row[i]:q.c.row[i+1]]
	for e := p.topology.edge[v]; e < p.topology.edge[v+1]; e++ {
		if len(recursive) > 0 && recursive[0] == e {
			recursive = recursive[1:]
			continue
		}
		w := p.weight[e]
		for _, u := range p.Tails(e) {
			w = p.ring.Times(w, x[u])
		}
		sum = p.ring.Plus(sum, w)
	}
	return sum
}

// solve replaces x, F(0̄) at the nodes of the cycle, by the solution.
func (q *equations[W]) solve(x []W) error {
	p := q.p
	if q.numbers = weights.MassOf(p.ring); q.numbers != nil && q.numbers.Weight == nil {
		q.numbers = nil
	}
	if order, ok := semiring.As[semiring.Ordered[W]](p.ring); ok && q.numbers == nil {
		return q.label(order, x)
	}
	if !p.commutative && !(q.c.linear && q.c.rightmost) {
		return nested.Errorf("forest: %w: %s is not commutative, and node %d is derived from itself by a tail that is not the only one or not the last",
			semiring.ErrCapability, typename.Of(p.ring), q.nodes[0])
	}
	rest := make([]W, len(q.nodes))
	for i, v := range q.nodes {
		rest[i], x[v] = x[v], p.ring.Zero()
	}
	if q.c.linear {
		q.differentiate(x)
		if err := q.path(rest); err != nil {
			return err
		}
		for i, v := range q.nodes {
			x[v] = rest[i]
		}
		return nil
	}
	return q.newton(x, rest)
}

// newton solves equations that are not linear, F(0̄) being rest.
func (q *equations[W]) newton(x, rest []W) error {
	p, step := q.p, make([]W, len(rest))
	distance := solve.DistanceOf(p.ring)
	if q.numbers != nil {
		if err := q.checkNumbers(rest); err != nil {
			return err
		}
	} else if distance == nil {
		return nested.Errorf("forest: %w: %s has neither Metric nor Keyer, and node %d is derived from itself by edges with several such tails",
			semiring.ErrCapability, typename.Of(p.ring), q.nodes[0])
	}
	for range newtonSteps {
		q.differentiate(x)
		copy(step, rest)
		if err := q.path(step); err != nil {
			return err
		}
		q.higher(x, step, rest)
		settled := true
		for i, v := range q.nodes {
			y := p.ring.Plus(x[v], step[i])
			if q.numbers != nil {
				settled = settled && q.numbers.Of(step[i]).Cmp(q.numbers.Of(x[v]).Mul(semiring.NewScaled(unit))) <= 0
			} else {
				settled = settled && distance(x[v], y) <= newtonTolerance
			}
			x[v] = y
		}
		if settled {
			if q.numbers != nil {
				return q.certify(x)
			}
			return nil
		}
	}
	return nested.Errorf("forest: %w: %d steps of Newton's method did not find the sum of node %d",
		semiring.ErrDiverges, newtonSteps, q.nodes[0])
}

// differentiate sets q.weight to the derivatives at x: per arc, the factor of its edge ⊗ x
// of all other tails on the cycle, and Zero at nodes that are not in use.
func (q *equations[W]) differentiate(x []W) {
	ring, to := q.p.ring, q.c.graph.To
	for i, use := range q.use {
		for n := q.c.row[i]; n < q.c.row[i+1]; n++ {
			lo, hi, w := q.c.arc[n], q.c.arc[n+1], q.factor[n]
			if !use {
				w = ring.Zero()
			}
			for a := lo; a < hi; a++ { // products of the tails before a
				q.weight[a] = w
				w = ring.Times(w, x[q.nodes[to[a]]])
			}
			after := ring.One()
			for a := hi - 1; a > lo; a-- {
				after = ring.Times(x[q.nodes[to[a]]], after)
				q.weight[a-1] = ring.Times(q.weight[a-1], after)
			}
			for a := lo; a < hi; a++ {
				if !q.use[to[a]] {
					q.weight[a] = ring.Zero()
				}
			}
		}
	}
}

// path replaces y by F'* ⊗ y, with the derivatives in q.weight.
func (q *equations[W]) path(y []W) error {
	s, err := q.solver()
	if err == nil {
		err = solve.Backward(s, y, 0)
	}
	return q.failed(err)
}

// solver returns a solver of the derivatives in q.weight.
func (q *equations[W]) solver() (*solve.Solver[W], error) {
	products := weights.NewProducts(q.p.ring)
	return solve.New(solve.Graph[W]{
		Products: &products, Topology: &q.c.graph, Plans: &q.c.plans,
		Weight: q.weight, Interrupted: func() error { return nil },
	}, nil)
}

// failed converts an error about the graph of derivatives to an error about the forest.
func (q *equations[W]) failed(err error) error {
	about := fmt.Sprintf("sums over the derivations of node %d from itself, on a cycle of %d nodes", q.nodes[0], len(q.nodes))
	for _, kind := range []error{semiring.ErrDiverges, semiring.ErrInaccurate} {
		if errors.Is(err, kind) {
			return nested.Errorf("forest: %w: %s", kind, about)
		}
	}
	if err != nil {
		return nested.Errorf("forest: %s: %w", about, err)
	}
	return nil
}

// higher sets rest to F(x ⊕ step) without the terms of order 0 and 1 in step.
func (q *equations[W]) higher(x, step, rest []W) {
	ring, to := q.p.ring, q.c.graph.To
	for i := range rest {
		rest[i] = ring.Zero()
		for n := q.c.row[i]; q.use[i] && n < q.c.row[i+1]; n++ {
			// The terms of order 0, of order 1, and of all others.
			constant, linear, more := q.factor[n], ring.Zero(), ring.Zero()
			for a := q.c.arc[n]; a < q.c.arc[n+1]; a++ {
				y, d := x[q.nodes[to[a]]], step[to[a]]
				more = ring.Plus(ring.Times(more, ring.Plus(y, d)), ring.Times(linear, d))
				linear = ring.Plus(ring.Times(linear, y), ring.Times(constant, d))
				constant = ring.Times(constant, y)
			}
			rest[i] = ring.Plus(rest[i], more)
		}
	}
}

// checkNumbers returns an error unless F(0̄), in rest, and the factors are finite and not
// negative.
func (q *equations[W]) checkNumbers(rest []W) error {
	for i, v := range q.nodes {
		if !q.use[i] {
			continue
		}
		if err := weights.CheckMass(q.numbers.Of(rest[i])); err != nil {
			return nested.Errorf("forest: %w: node %d, on a cycle of edges with several tails there, gets %v from elsewhere", err, v, rest[i])
		}
		for n := q.c.row[i]; n < q.c.row[i+1]; n++ {
			if err := weights.CheckMass(q.numbers.Of(q.factor[n])); err != nil {
				return nested.Errorf("forest: %w: edge %d, on a cycle of edges with several tails there, weighs %v", err, q.c.recursive[n], q.factor[n])
			}
		}
	}
	return nil
}

// solverAt returns a solver of the derivatives of cycle n at the inside weights x.
func (p *pass[W]) solverAt(n int, x []W) (*solve.Solver[W], *equations[W], error) {
	q := p.newEquations(n, x)
	if p.solvers[n] != nil {
		return p.solvers[n], q, nil
	}
	q.differentiate(x)
	s, err := q.solver()
	if err != nil {
		return nil, nil, q.failed(err)
	}
	p.solvers[n] = s
	return s, q, nil
}

// outsideCycle computes the outside weights of the nodes of cycle n. On entry, out holds the
// contributions from outside of the cycle.
func (p *pass[W]) outsideCycle(n int, out, x []W) error {
	nodes := p.topology.nodesOf(p.topology.cycles[n])
	y := make([]W, len(nodes))
	for i, v := range nodes {
		y[i] = out[v]
	}
	if err := p.along(n, y, x); err != nil {
		return err
	}
	for i, v := range nodes {
		out[v] = y[i]
	}
	return nil
}

// along replaces y, by place in cycle n, by its sums over the paths along the derivatives at
// x, from heads to tails. At nodes that are not in use it becomes Zero.
func (p *pass[W]) along(n int, y, x []W) error {
	s, q, err := p.solverAt(n, x)
	if err != nil {
		return err
	}
	any := false
	for i, use := range q.use {
		if !use {
			y[i] = p.ring.Zero()
		}
		any = any || !p.ring.IsZero(y[i])
	}
	if !any {
		return nil
	}
	return q.failed(solve.Forward(s, y, 0))
}

const (
	// maxInaccuracy is the greatest relative error of sums over cycles.
	maxInaccuracy = 1e-9
	// hopeless is the relative distance from which on no upper bound is tried.
	hopeless = 1e-2
)

// certify proves that x, which Newton's method has approached from below, is the least solution
// of the equations up to a bound. A z above x with F(z) ≤ z is above the least solution, too, and
// F maps vectors below z to vectors below z. Candidates are z = x + ε·F'(x)*·x, for which F(z) =
// z − ε·x up to terms of second order. ε is many times the possible rounding error of a term, so
// the proof holds for all weights that equal the given ones up to rounding.
//
// The error wraps semiring.ErrInaccurate if the bound is above maxInaccuracy, and
// semiring.ErrDiverges if there is no bound; the sum then may not exist.
func (q *equations[W]) certify(x []W) error {
	amplified := make([]W, len(q.nodes))
	for i, v := range q.nodes {
		amplified[i] = x[v]
	}
	q.differentiate(x)
	if err := q.path(amplified); err != nil {
		return err
	}
	ratio, doubt := 0.0, q.doubt(x)
	for i, v := range q.nodes {
		if y := q.numbers.Of(x[v]); !y.IsZero() {
			ratio = max(ratio, q.numbers.Of(amplified[i]).Div(y).Float64())
		}
	}
	factor := make([]semiring.ScaledFloat, len(q.factor))
	for n, w := range q.factor {
		factor[n] = q.numbers.Of(w)
	}
	above := make([]semiring.ScaledFloat, len(q.nodes))
	for eps := 4 * doubt; eps*ratio <= hopeless; eps *= 4 {
		e := semiring.NewScaled(eps)
		for i, v := range q.nodes {
			above[i] = q.numbers.Of(x[v]).Add(q.numbers.Of(amplified[i]).Mul(e))
		}
		if !q.bounds(x, factor, above, doubt) {
			continue
		}
		if eps*ratio > maxInaccuracy {
			return nested.Errorf("forest: %w: sums over the derivations of node %d from itself, on a cycle of %d nodes, may be off by %.2g of their value; %.0g is accepted",
				semiring.ErrInaccurate, q.nodes[0], len(q.nodes), eps*ratio, maxInaccuracy)
		}
		return nil
	}
	return nested.Errorf("forest: %w: the sum over the derivations of node %d from itself, on a cycle of %d nodes, is so close to divergence that its error cannot be bounded",
		semiring.ErrDiverges, q.nodes[0], len(q.nodes))
}

// doubt returns a bound on the relative rounding error of a value of F.
func (q *equations[W]) doubt(x []W) float64 {
	operations, magnitude := 8, 1.0
	for i, v := range q.nodes {
		edges := int(q.p.topology.edge[v+1] - q.p.topology.edge[v])
		arcs := int(q.c.graph.Row[i+1] - q.c.graph.Row[i])
		operations = max(operations, 8+edges+arcs)
		if !q.numbers.Exact && !q.p.ring.IsZero(x[v]) {
			magnitude = max(magnitude, abs(q.numbers.Of(x[v]).Log())) // logarithms are rounded
		}
	}
	return float64(operations) * magnitude * unit
}

func abs(x float64) float64 { return max(x, -x) }

// bounds reports whether F(z)·(1 + doubt) ≤ z in every component that is in use.
func (q *equations[W]) bounds(x []W, factor, z []semiring.ScaledFloat, doubt float64) bool {
	up := semiring.NewScaled(1 + doubt)
	for i := range q.nodes {
		if !q.use[i] {
			continue
		}
		sum := q.numbers.Of(q.constant(i, x))
		for n := q.c.row[i]; n < q.c.row[i+1]; n++ {
			term := factor[n]
			for a := q.c.arc[n]; a < q.c.arc[n+1]; a++ {
				term = term.Mul(z[q.c.graph.To[a]])
			}
			sum = sum.Add(term)
		}
		if sum.Mul(up).Cmp(z[i]) > 0 {
			return false
		}
	}
	return true
}
