package bayes

import "slices"

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
