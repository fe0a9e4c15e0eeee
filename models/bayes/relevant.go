package bayes

import "slices"

// about returns the question of the known cells of r and of the variables of, summed over all other
// missing discrete ancestors. Families without a known or requested child or descendant are
// removed: they are barren, and sum to 1 for any states of their parents.
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

// separate removes the functions that are d-separated from the variables of, given r: functions of
// hidden variables that no chain of functions connects to them. A part that may be 0 is kept,
// because it may make r impossible.
func (q *question) separate(r Row, of []int) {
	part := make(map[int]int, len(q.hidden)) // a union-find forest of variables
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
	first := func(f int) int { // a hidden variable of a function, or −1
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

// positive reports whether all entries of function f that r allows are positive. For densities it
// returns false.
func (p *product) positive(f int, r Row) bool {
	for e, x := range p.tables[f] {
		if x == 0 && p.scopes[f].allows(e, r, p.size) {
			return false
		}
	}
	return true
}

// allows reports whether entry e agrees with the observed variables of r.
func (s scope) allows(e int, r Row, size func(v int) int) bool {
	for k, v := range s.variables {
		if x := r[v]; x == x && e/s.stride[k]%size(v) != int(x) {
			return false
		}
	}
	return true
}
