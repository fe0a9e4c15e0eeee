package graph

import (
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/columns"
)

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a
// random path of g, drawn in proportion to its weight. Values are those of v, added
// up along the path.
//
// Column j is the derivative of the mean when weights are tilted by component j: a
// backward and a forward pass over plain numbers (see HessianVector). That takes
// O(Dim · (states + arcs + non-zeros of v)) and memory for states, arcs and non-zeros,
// where vectors carried along the paths would take Dim numbers per state for the same
// number of operations. Variances are sums of squares and never negative; the other
// covariances are sums of values of one component times covariances of the other with
// the use of a part, and so lose digits where great values cancel along every path.
//
// Conditions and errors are those of Mean.
func Covariance[W any](g *Graph[W], v Values) ([]float64, *mat.SymDense, error) {
	rows, err := table(g, v)
	if err != nil {
		return nil, nil, err
	}
	d, err := newDistribution(g)
	if err != nil {
		return nil, nil, err
	}
	r, err := newResponse(d)
	if err != nil {
		return nil, nil, err
	}
	value, values := newParts(g)
	count, counts := newParts(g)
	return columns.Covariance(rows, v.Dim, values, counts, func() (mean, variance float64, err error) {
		err = r.solve(value, count)
		return r.mean, r.variance, err
	})
}
