package bayes

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/forest"
)

// Sample draws a row from the network, parents first.
func (n *Network) Sample(src rand.Source) Row {
	nonnil.Check("bayes: Sample", "source of randomness", src)
	rng := rand.New(src)
	r := make(Row, len(n.variables))
	for _, i := range n.order {
		n.draw(r, i, rng)
	}
	return r
}

// draw fills the children of family i in r, given its parents.
func (n *Network) draw(r Row, i int, rng *rand.Rand) {
	f, s := n.families[i], n.scopes[i]
	index := 0
	for k, v := range f.Parents {
		index += s.stride[k] * int(r[v])
	}
	if f.Table != nil {
		v := f.Children[0]
		r[v] = float64(choose(f.Table[index:index+n.size(v)], rng))
		return
	}
	x := n.density[i][index].Sample(rng)
	mean := f.Normals[index].mean(r.at(f.Regressors))
	for k, v := range f.Children {
		r[v] = x[k] + mean[k] - f.Normals[index].Mean[k]
	}
}

// choose draws an outcome with the given probabilities; never one of probability 0.
func choose(p []float64, rng *rand.Rand) int {
	u, last := rng.Float64(), 0
	for x, q := range p {
		if q > 0 {
			if last = x; u < q {
				return x
			}
			u -= q
		}
	}
	return last
}

// Complete draws the missing cells of r from their joint posterior. Errors: as for
// Posteriors.
func (n *Network) Complete(r Row, src rand.Source) (Row, error) {
	nonnil.Check("bayes: Complete", "source of randomness", src)
	rng := rand.New(src)
	f, plan, err := n.forest(r)
	if err != nil {
		return nil, err
	}
	s, err := forest.NewSampler(f)
	if errors.Is(err, forest.ErrNoTree) {
		return nil, fmt.Errorf("bayes: %w", ErrImpossible)
	}
	if err != nil {
		return nil, fmt.Errorf("bayes: %w", err)
	}
	full := n.fill(r, plan, s.Sample(rng).Edges)
	for _, i := range n.order {
		if n.missing(n.families[i], full) {
			n.draw(full, i, rng)
		}
	}
	return full, nil
}
