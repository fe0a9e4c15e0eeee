package bayes

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// base returns, for each family, the index of the entry that the observed variables of
// r choose where hidden ones have state 0.
func (n *Network) base(r Row) []int {
	base := make([]int, len(n.scopes))
	for f, s := range n.scopes {
		for k, v := range s.variables {
			if x := r[v]; x == x {
				base[f] += s.stride[k] * int(x)
			}
		}
	}
	return base
}

// weigh returns the weights of the edges of p: products of entries of families, entry(f,
// index) being one of family f. The index of an entry is that of the factor more than base[f].
func weigh[W any](p *plan, ring semiring.Semiring[W], base []int, entry func(family, index int) W) []W {
	weights := make([]W, len(p.use)-1)
	for e := range weights {
		w := ring.One()
		for _, f := range p.factors[p.use[e]:p.use[e+1]] {
			w = ring.Times(w, entry(int(f.family), base[f.family]+int(f.index)))
		}
		weights[e] = w
	}
	return weights
}

// observed returns the values of continuous children and of their regressors in r, or
// false if the children are missing.
func (f Family) observed(r Row) (x, u []float64, ok bool) {
	if math.IsNaN(r[f.Children[0]]) {
		return nil, nil, false
	}
	return r.at(f.Children), r.at(f.Regressors), true
}

// missing reports whether the family is one of continuous children that are missing in r.
func (n *Network) missing(f Family, r Row) bool {
	return !n.Discrete(f.Children[0]) && math.IsNaN(r[f.Children[0]])
}

// at returns the cells of some variables.
func (r Row) at(variables []int) []float64 {
	var x []float64
	for _, v := range variables {
		x = append(x, r[v])
	}
	return x
}

// forest returns the forest of all assignments to the missing discrete cells of r, whose
// tree sum is the probability (density) of r.
func (n *Network) forest(r Row) (*forest.Forest[semiring.ScaledFloat], *plan, error) {
	if err := n.Check(r); err != nil {
		return nil, nil, err
	}
	p, err := n.plan(r)
	if err != nil {
		return nil, nil, err
	}
	entry := func(f, index int) semiring.ScaledFloat {
		if t := n.families[f].Table; t != nil {
			return semiring.NewScaled(t[index])
		}
		x, u, ok := n.families[f].observed(r)
		if !ok {
			return semiring.NewScaled(1)
		}
		return semiring.ScaledFromLog(n.density[f][index].Log(n.families[f].Normals[index].residual(x, u)))
	}
	weights := weigh(p, semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{}), n.base(r), entry)
	f, err := p.shape.WithWeights(weights, p.shape.Roots())
	if err != nil {
		return nil, nil, fmt.Errorf("bayes: %w", err)
	}
	return f, p, nil
}
