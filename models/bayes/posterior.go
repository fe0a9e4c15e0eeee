package bayes

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Posterior contains the posteriors of the missing cells of a row.
type Posterior struct {
	// LogProb is ln P(row); for a FactorGraph it is the LogPartition of the row.
	LogProb float64

	of     *product
	n      *Network // nil of a FactorGraph
	row    Row
	states [][]float64 // per discrete missing variable
	family [][]float64 // per missing continuous family: the posterior of its configurations
}

// Posteriors returns the posterior of each missing cell of r separately, in one pass. Errors are as
// for LogProb; the error wraps ErrImpossible for a row of probability 0.
func (n *Network) Posteriors(r Row) (*Posterior, error) {
	if err := n.Check(r); err != nil {
		return nil, err
	}
	e, err := n.eliminate(n.all(r), r)
	if err != nil {
		return nil, err
	}
	tree, states, err := e.posteriors()
	if err != nil {
		return nil, err
	}
	p := &Posterior{LogProb: clamp.LogProb(tree.Total.Log(), len(r)), of: &n.product, n: n, row: slices.Clone(r),
		states: states, family: make([][]float64, len(n.families))}
	continuous := false
	for i, f := range n.families {
		if n.missing(f, r) {
			p.family[i], continuous = make([]float64, len(f.Normals)), true
		}
	}
	if !continuous {
		return p, nil
	}
	base := n.base(r)
	for k := range e.use[:len(e.use)-1] {
		for _, f := range e.factors[e.use[k]:e.use[k+1]] {
			if q := p.family[f.function]; q != nil {
				q[base[f.function]+int(f.index)] += tree.Edge[k]
			}
		}
	}
	return p, nil
}

// States returns the posterior of the states of the discrete variable v: probability 1 for the
// observed state if it was observed. It panics if v is continuous.
func (p *Posterior) States(v int) []float64 {
	if !p.of.discrete(v) {
		panic("bayes: States of a continuous variable")
	}
	if q := p.states[v]; q != nil {
		return append([]float64(nil), q...)
	}
	return p.of.certain(v, p.row)
}

// P returns the posterior probability of a state of a discrete variable, both by name: 1 or 0 if
// the variable was observed. It panics if there is no such variable or state.
func (p *Posterior) P(variable, state string) float64 {
	v := p.of.Variable(variable)
	if v < 0 {
		panic(fmt.Sprintf("bayes: P: there is no variable %q, want one of %s", variable, text.List(p.of.names())))
	}
	q := p.States(v)
	x, err := p.of.variables[v].Parse(state)
	if err != nil {
		panic(fmt.Sprintf("bayes: P: %s has no state %q, want one of %s", variable, state, text.List(p.of.variables[v].States)))
	}
	return q[int(x)]
}

// Moments returns the mean and the variance of the continuous variable v, a mixture of normal
// distributions: its value and 0 if it was observed. The error wraps ErrInvalid if a regressor of v
// is missing, too. It panics if v is discrete.
func (p *Posterior) Moments(v int) (mean, variance float64, err error) {
	if p.of.discrete(v) {
		panic("bayes: Moments of a discrete variable")
	}
	if x := p.row[v]; x == x {
		return x, 0, nil
	}
	f := p.n.Family(v)
	for _, u := range f.Regressors {
		if x := p.row[u]; x != x {
			return 0, 0, nested.Errorf("bayes: %w: moments of %s, whose regressor %s is missing", ErrInvalid, p.n.variables[v].Name, p.n.variables[u].Name)
		}
	}
	i := slices.Index(f.Children, v)
	u := p.row.at(f.Regressors)
	for c, q := range p.family[p.n.of[v]] {
		mean += q * f.Normals[c].mean(u)[i]
	}
	for c, q := range p.family[p.n.of[v]] {
		d := f.Normals[c].mean(u)[i] - mean
		variance += q * (f.Normals[c].Covariance[i*len(f.Children)+i] + d*d)
	}
	return mean, variance, nil
}

// PosteriorsOf returns the posterior of the states of each of the discrete variables, given r: like
// Posteriors, but only for these, each once. Irrelevant functions are removed before elimination:
// variables without known or requested descendants, and functions that are d-separated from the
// requested variables and positive. PosteriorsOf may therefore succeed if Posteriors is too wide.
// Errors are as for Posteriors; the error wraps ErrInvalid for a continuous or duplicate variable.
func (n *Network) PosteriorsOf(r Row, of ...int) ([][]float64, error) {
	if err := n.Check(r); err != nil {
		return nil, err
	}
	if err := n.checkDiscrete(of); err != nil {
		return nil, err
	}
	q := n.about(r, of...)
	q.separate(r, of)
	e, err := n.eliminate(q, r)
	if err != nil {
		return nil, err
	}
	return e.posteriorsOf(of)
}

// P returns the probability that a discrete variable has a state, given the states of others, all
// by name, as in Evidence. If exactly the parents are given, it is an entry of the variable's
// table. It is an entry of PosteriorsOf; for many queries about one row use Posteriors. The error
// wraps ErrInvalid and contains the unknown name, or comes from PosteriorsOf.
func (n *Network) P(variable, state string, given map[string]string) (float64, error) {
	v, err := n.named(variable)
	if err != nil {
		return 0, err
	}
	if !n.Discrete(v) {
		return 0, nested.Errorf("bayes: %w: %s is continuous, and has no states", ErrInvalid, variable)
	}
	x, err := n.variables[v].Parse(state)
	if err != nil {
		return 0, err
	}
	row, err := n.Evidence(given)
	if err != nil {
		return 0, err
	}
	p, err := n.PosteriorsOf(row, v)
	if err != nil {
		return 0, err
	}
	return p[0][int(x)], nil
}
