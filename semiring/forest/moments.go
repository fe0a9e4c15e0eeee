package forest

import (
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/columns"
	"example.org/pathsum/semiring/internal/solve"
)

// Mean returns the expected value of a random tree of f, drawn in proportion to its
// weight: v.Dim numbers. v gives the values, added up over the tree.
//
// No vector is carried along the edges: Posteriors, and then one operation per
// non-zero of v. The ring's weights must be probabilities that ⊕ adds and not
// negative. The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoTree, or semiring.ErrShape if v does not fit.
func Mean[W any](f *Forest[W], v Values) ([]float64, error) {
	rows, err := table(f, v)
	if err != nil {
		return nil, err
	}
	d, err := newDistribution(f)
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
	return columns.Mean(rows, dim, p.Root, p.Edge), nil
}

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a
// random tree of f, drawn in proportion to its weight. v gives the values, added
// up over the tree.
//
// Column j is the derivative of the mean when weights are tilted by component j: two
// passes over plain numbers (see HessianVector). That takes O(Dim · (size of the forest
// + non-zeros of v)) and memory for the forest and the non-zeros. Variances are sums of
// squares and never negative; the other covariances are sums of values of one component
// times covariances of the other with the use of a part, and so lose digits where great
// values cancel in every tree. Conditions and errors are as for Mean.
func Covariance[W any](f *Forest[W], v Values) ([]float64, *mat.SymDense, error) {
	rows, err := table(f, v)
	if err != nil {
		return nil, nil, err
	}
	d, err := newDistribution(f)
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
	value, values := newParts(d.Forest)
	count, counts := newParts(d.Forest)
	return columns.Covariance(rows, dim, values, counts, func() (mean, variance float64, err error) {
		if err := r.solve(value); err != nil {
			return 0, 0, err
		}
		r.counts(count)
		return r.mean, r.variance, nil
	})
}

// HessianVector returns H·v, where H is the matrix of second derivatives of ln Z, the
// logarithm of the tree sum, with respect to the logarithms of all root and edge
// weights. The gradient is what Posteriors returns.
//
// Let N be the number of times that a random tree uses each part, and V the sum of v over
// the tree. The gradient is E[N], H is the covariance of N, and H·v = Cov(N, V): how much
// each expected count grows when weights are multiplied by 1 + ε·v. With
// respect to the weights w themselves, the gradient is E[N]/w and the product is
// (H·(v/w) − E[N]·v/w)/w, part by part.
//
// It takes one pass up and one down the forest, over plain numbers, after Posteriors.
// The mean of V is taken out on the way, not in the end, so that a V with a mean much
// greater than its deviation loses no digits to it. Conditions and errors are as for
// Mean.
func HessianVector[W any](f *Forest[W], v Parts) (Parts, error) {
	_, product, err := PosteriorsAlong(f, v)
	return product, err
}

// PosteriorsAlong returns what Posteriors returns, in Scaled, together with what
// HessianVector does, in one go.
func PosteriorsAlong[W any](f *Forest[W], v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	v, err := fillParts(f, v)
	if err != nil {
		return nil, Parts{}, err
	}
	d, err := newDistribution(f)
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
	product, _ := newParts(d.Forest)
	if err := r.solve(v); err != nil {
		return nil, Parts{}, err
	}
	r.counts(product)
	return r.p, product, nil
}

// response computes how a distribution responds when its weights are tilted by values
// v of parts, for one v after the other.
//
// Let V be the value of the whole tree and M(u) that expected of a derivation of node
// u. A choice, of an edge for a node say, adds to V its surprise: v + Σ M(tails) −
// M(head). The surprises add up to V − E[V], and each has mean 0 whatever the other
// choices are, except those below it. So the variance of V is the expected sum of
// their squares, and the covariance of V with the use of an edge is that with its own
// surprise and those above it.
type response struct {
	*distribution
	p *Posterior[semiring.ScaledFloat]

	mean, variance float64   // of V
	expected       []float64 // M per node
	above          []float64 // per node: the expected sum of surprises above it, times its occurrences
	root, edge     []float64 // per part: its surprise
}

func newResponse(d *distribution) (*response, error) {
	p, err := d.posterior()
	if err != nil {
		return nil, err
	}
	return &response{
		distribution: d,
		p:            p,
		expected:     make([]float64, d.NumNodes()),
		above:        make([]float64, d.NumNodes()),
		root:         make([]float64, len(d.roots)),
		edge:         make([]float64, d.NumEdges()),
	}, nil
}

// solve fills in what is known about v, which has no nil slices. The error comes from
// the equations of a cycle.
func (r *response) solve(v Parts) error {
	t := r.topology
	for part := range t.upward() {
		if err := r.lookBelow(part, v); err != nil {
			return err
		}
	}
	r.mean, r.variance = 0, 0
	for i, root := range r.roots {
		r.mean += r.p.Root[i] * (v.Root[i] + r.expected[root.Node])
	}
	clear(r.above)
	for i, root := range r.roots {
		r.root[i] = v.Root[i] + (r.expected[root.Node] - r.mean)
		r.above[root.Node] += r.p.Root[i] * r.root[i]
		r.variance += r.p.Root[i] * r.root[i] * r.root[i]
	}
	for part := range t.downward() {
		if err := r.lookAbove(part); err != nil {
			return err
		}
	}
	return nil
}

// lookBelow computes expected, and the surprises of edges, for the nodes of a part.
func (r *response) lookBelow(part part, v Parts) error {
	t := r.topology
	if part.cycle >= 0 {
		// What tails on the cycle add is in the solution, with M ⊗ the inside weight for x.
		c := t.cycles[part.cycle]
		for _, head := range t.nodesOf(c) {
			r.expected[head] = 0
		}
		err := r.solveCycle(part.cycle, r.expected, solve.BackwardInside,
			func(head int32) semiring.ScaledFloat { return semiring.NewScaled(r.choiceOf(head, v)).Mul(r.x[head]) },
			semiring.ScaledFloat.Div)
		if err != nil {
			return err
		}
	}
	for at := part.lo; at < part.hi; at++ {
		head := t.node(at)
		mean := r.expected[head]
		if part.cycle < 0 {
			mean = r.choiceOf(head, v)
			r.expected[head] = mean
		}
		for e := t.edge[head]; e < t.edge[head+1]; e++ {
			r.edge[e] = 0
			if r.p.Node[head] != 0 {
				r.edge[e] = v.Edge[e] + (r.below(e) - mean)
			}
		}
	}
	return nil
}

// below returns what the tails of edge e are expected to add to V.
func (r *response) below(e int32) float64 {
	sum := 0.0
	for _, u := range r.Tails(e) {
		sum += r.expected[u]
	}
	return sum
}

// choiceOf returns the expected value of the choice of an edge for a node, and of what
// expected knows of the tails.
func (r *response) choiceOf(head int32, v Parts) float64 {
	if r.p.Node[head] == 0 {
		return 0
	}
	sum := 0.0
	for e := r.topology.edge[head]; e < r.topology.edge[head+1]; e++ {
		sum += r.p.Edge[e] * (v.Edge[e] + r.below(e))
	}
	return sum / r.p.Node[head]
}

// lookAbove completes above for the nodes of a part, and hands it on to other parts.
func (r *response) lookAbove(part part) error {
	t := r.topology
	var c *cycle
	if part.cycle >= 0 {
		c = t.cycles[part.cycle]
		for _, head := range t.nodesOf(c) {
			for e := t.edge[head]; e < t.edge[head+1]; e++ {
				for _, u := range r.Tails(e) {
					if _, inside := t.place(c, u); inside {
						r.above[u] += r.p.Edge[e] * r.edge[e]
					}
				}
			}
		}
		// As outside weights do, above / the inside weight goes along the derivatives.
		err := r.solveCycle(part.cycle, r.above, solve.ForwardInside,
			func(head int32) semiring.ScaledFloat { return semiring.NewScaled(r.above[head]).Div(r.x[head]) },
			semiring.ScaledFloat.Mul)
		if err != nil {
			return err
		}
	}
	for at := part.hi - 1; at >= part.lo; at-- {
		head := t.node(at)
		for e := t.edge[head]; e < t.edge[head+1]; e++ {
			r.variance += r.p.Edge[e] * r.edge[e] * r.edge[e]
			x := r.covariance(head, e)
			for _, u := range r.Tails(e) {
				if c != nil {
					if _, inside := t.place(c, u); inside {
						continue
					}
				}
				r.above[u] += x
			}
		}
	}
	return nil
}

// solveCycle sets y, at the nodes of cycle n, to unscale(z, inside weight), where z solves the
// equations of its derivatives with the given right-hand sides.
func (r *response) solveCycle(n int, y []float64, by func(*solve.Solver[semiring.ScaledFloat], []semiring.ScaledFloat, int) error,
	side func(head int32) semiring.ScaledFloat, unscale func(z, x semiring.ScaledFloat) semiring.ScaledFloat) error {
	s, q, err := r.solverAt(n, r.x)
	if err != nil {
		return err
	}
	z, any := make([]semiring.ScaledFloat, len(q.nodes)), false
	for i, head := range q.nodes {
		if r.p.Node[head] != 0 {
			z[i] = side(head)
			any = any || !z[i].IsZero()
		}
	}
	if any {
		if err := q.failed(by(s, z, 0)); err != nil {
			return err
		}
	}
	for i, head := range q.nodes {
		y[head] = 0
		if r.p.Node[head] != 0 {
			y[head] = unscale(z[i], r.x[head]).Float64()
		}
	}
	return nil
}

// covariance returns the covariance of V with the uses of edge e of the head.
func (r *response) covariance(head, e int32) float64 {
	if r.p.Node[head] == 0 {
		return 0
	}
	return r.p.Edge[e] * (r.above[head]/r.p.Node[head] + r.edge[e])
}

// counts sets dst to the covariances of V with the uses of all parts.
func (r *response) counts(dst Parts) {
	for i, x := range r.root {
		dst.Root[i] = r.p.Root[i] * x
	}
	for head := range int32(r.NumNodes()) {
		for e := r.topology.edge[head]; e < r.topology.edge[head+1]; e++ {
			dst.Edge[e] = r.covariance(head, e)
		}
	}
}
