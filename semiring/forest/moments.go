package forest

import (
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/columns"
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
	p, err := d.posterior()
	if err != nil {
		return nil, err
	}
	return columns.Mean(rows, v.Dim, p.Root, p.Edge), nil
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
	r, err := newResponse(f)
	if err != nil {
		return nil, nil, err
	}
	value, values := newParts(f)
	count, counts := newParts(f)
	return columns.Covariance(rows, v.Dim, values, counts, func() (mean, variance float64, err error) {
		r.solve(value)
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
	v, err := fillParts(f, v)
	if err != nil {
		return Parts{}, err
	}
	r, err := newResponse(f)
	if err != nil {
		return Parts{}, err
	}
	product, _ := newParts(f)
	r.solve(v)
	r.counts(product)
	return product, nil
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

func newResponse[W any](f *Forest[W]) (*response, error) {
	d, err := newDistribution(f)
	if err != nil {
		return nil, err
	}
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

// solve fills in what is known about v, which has no nil slices.
func (r *response) solve(v Parts) {
	t := r.topology
	for at := range r.NumNodes() {
		head := t.node(at)
		lo, hi := t.edge[head], t.edge[head+1]
		r.expected[head] = 0
		if r.p.Node[head] == 0 {
			clear(r.edge[lo:hi])
			continue
		}
		sum := 0.0
		for e := lo; e < hi; e++ {
			below := 0.0
			for _, u := range r.Tails(e) {
				below += r.expected[u]
			}
			r.edge[e] = below
			sum += r.p.Edge[e] * (v.Edge[e] + below)
		}
		mean := sum / r.p.Node[head]
		r.expected[head] = mean
		for e := lo; e < hi; e++ {
			r.edge[e] = v.Edge[e] + (r.edge[e] - mean)
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
	for at := r.NumNodes() - 1; at >= 0; at-- {
		head := t.node(at)
		for e := t.edge[head]; e < t.edge[head+1]; e++ {
			r.variance += r.p.Edge[e] * r.edge[e] * r.edge[e]
			x := r.covariance(head, e)
			for _, u := range r.Tails(e) {
				r.above[u] += x
			}
		}
	}
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
