package agree

import (
	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Marginal returns what all submodels together say of z, the string that all their cascades
// write, at theta: what the product was trained for. Submodel m is problems[m], which sees x[m],
// as in Exact. In the acceptor, z has the weight Π_m p_m(x, z). Divided by the path sum, that is
// the posterior of z given all that is seen. Package models/nbest finds the best z, by the
// acceptor's Graph and labels.
//
// The errors are those of Exact and cascade.Marginal.
func Marginal(x []cascade.Example, theta []float64, problems ...cascade.Problem) (*fst.FST[semiring.ScaledFloat], error) {
	data := make([]cascade.Data, len(x))
	for m, own := range x {
		own.Weight = em.Multiplicity{} // which does not count
		data[m].Examples = []cascade.Example{own}
	}
	p, all, err := multiplied(data, problems)
	if err != nil {
		return nil, err
	}
	tape := 1 // Y
	if facing(data, problems) {
		tape = cascade.Between(len(problems[0].Stages))
	}
	f, err := cascade.Marginal(p, all.Examples[0], tape, theta)
	if err != nil {
		return nil, nested.Errorf("agree: %w", err)
	}
	return f, nil
}
