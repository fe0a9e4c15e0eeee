package bayes

import (
	"slices"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
)

// about returns the question of what r holds and of the variables of, in which all other missing
// discrete cells above these are summed over. Families of which nothing known or asked for is a
// child or a descendant are left out: they are barren, and sum to 1 whatever their parents are.
func (n *Network) about(r Row, of ...int) *question {
	wanted := slices.Clone(of)
	for v, x := range r {
		if x == x {
			wanted = append(wanted, v)
		}
	}
	q := &question{product: &n.product}
	taken := make([]bool, len(n.families))
	for len(wanted) > 0 {
		i := n.of[wanted[len(wanted)-1]]
		wanted = wanted[:len(wanted)-1]
		if taken[i] {
			continue
		}
		taken[i] = true
		q.functions = append(q.functions, i)
		f := n.families[i]
		for _, v := range f.Children {
			if r[v] != r[v] && n.Discrete(v) {
				q.hidden = append(q.hidden, v)
			}
		}
		wanted = append(append(wanted, f.Parents...), f.Regressors...)
	}
	slices.Sort(q.functions)
	slices.Sort(q.hidden)
	return q
}

// separate leaves out what is d-separated from the variables of, given r: the functions of hidden
// variables that no chain of functions ties to them. A part that may be 0 stays, as it may say that
// r is impossible.
func (q *question) separate(r Row, of []int) {
	part := make(map[int]int, len(q.hidden)) // a union of variables, each of which leads to the first
	for _, v := range q.hidden {
		part[v] = v
	}
	root := func(v int) int {
		for part[v] != v {
			part[v] = part[part[v]]
			v = part[v]
		}
		return v
	}
	first := func(f int) int { // a hidden variable of a function, −1 if there is none
		k := slices.IndexFunc(q.scopes[f].variables, func(v int) bool { return r[v] != r[v] })
		if k < 0 {
			return -1
		}
		return q.scopes[f].variables[k]
	}
	for _, f := range q.functions {
		for _, v := range q.scopes[f].variables {
			if r[v] != r[v] {
				part[root(v)] = root(first(f))
			}
		}
	}
	keep := make(map[int]bool)
	for _, v := range of {
		if r[v] != r[v] {
			keep[root(v)] = true
		}
	}
	for _, f := range q.functions {
		if v := first(f); v >= 0 && !keep[root(v)] && !q.positive(f, r) {
			keep[root(v)] = true
		}
	}
	q.functions = slices.DeleteFunc(q.functions, func(f int) bool { v := first(f); return v >= 0 && !keep[root(v)] })
	q.hidden = slices.DeleteFunc(q.hidden, func(v int) bool { return !keep[root(v)] })
}

// positive reports whether no entry of function f that r allows is 0. Densities are not.
func (p *product) positive(f int, r Row) bool {
	for e, x := range p.tables[f] {
		if x == 0 && p.scopes[f].allows(e, r, p.size) {
			return false
		}
	}
	return true
}

// allows reports whether entry e is one at the observed variables of r.
func (s scope) allows(e int, r Row, size func(v int) int) bool {
	for k, v := range s.variables {
		if x := r[v]; x == x && e/s.stride[k]%size(v) != int(x) {
			return false
		}
	}
	return true
}

// PosteriorsOf returns the posterior of the states of each of the discrete variables, given r: like
// Posteriors, but only for these, each once. What they do not need is left out before elimination:
// variables that nothing known and none of these depends on, and what is d-separated from
// these and has no probability of 0. So it may answer where Posteriors is too wide. Errors are as
// for Posteriors, and ErrInvalid for a variable that is continuous or comes twice.
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

// P returns the probability that a discrete variable has a state, given that others have theirs,
// all by name, as in Evidence. Where the parents are given, and nothing else, it is an entry of
// the variable's table. It is an entry of PosteriorsOf; Posteriors answers many such questions about
// one row. The error wraps ErrInvalid and names what is unknown, or is that of PosteriorsOf.
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

// BestOf returns r with the cells of the discrete variables filled in by the states that are most
// probable together, all other missing cells being summed over: marginal maximum a posteriori.
// These stay missing. logP is the ln of the joint probability (density) of the states and what r
// holds. With all missing discrete variables it is Best, but for the means.
//
// The sums come first and the maxima last, an order that may make tables far larger than those of
// Best or Posteriors. Errors are as for Posteriors, and ErrInvalid for a variable that is
// continuous or comes twice.
func (n *Network) BestOf(r Row, of ...int) (explanation Row, logP float64, err error) {
	if err := n.Check(r); err != nil {
		return nil, 0, err
	}
	if err := n.checkDiscrete(of); err != nil {
		return nil, 0, err
	}
	q := n.about(r, of...)
	q.maximize(of)
	e, err := n.eliminate(q, r)
	if err != nil {
		return nil, 0, err
	}
	explanation, weight, err := e.best(len(q.hidden))
	if err != nil {
		return nil, 0, err
	}
	return explanation, clamp.LogProb(weight.Log(), len(r)), nil
}

// maximize makes the hidden ones of these variables come last.
func (q *question) maximize(of []int) {
	for _, v := range q.hidden {
		if slices.Contains(of, v) {
			q.last = append(q.last, v)
		}
	}
	q.hidden = slices.DeleteFunc(q.hidden, func(v int) bool { return slices.Contains(of, v) })
}
