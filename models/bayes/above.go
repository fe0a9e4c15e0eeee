package bayes

// above returns the network of v, the variables that r holds and all that these depend on,
// with the number of v in it and the cells of r. The other variables are not observed, and
// none of these depends on them, so that they sum to 1 whatever these are.
func (n *Network) above(v int, r Row) (*Network, int, Row) {
	wanted := []int{v}
	for u, x := range r {
		if x == x {
			wanted = append(wanted, u)
		}
	}
	number := make([]int, len(n.variables)) // in the smaller network, −1: not there
	for u := range number {
		number[u] = -1
	}
	taken := make([]bool, len(n.families))
	var variables []Variable
	var families []Family
	row := Row{}
	for len(wanted) > 0 {
		i := n.of[wanted[len(wanted)-1]]
		wanted = wanted[:len(wanted)-1]
		if taken[i] {
			continue
		}
		taken[i] = true
		f := n.families[i].clone()
		for _, u := range f.Children {
			number[u] = len(variables)
			variables, row = append(variables, n.variables[u]), append(row, r[u])
		}
		families = append(families, f)
		wanted = append(append(wanted, f.Parents...), f.Regressors...)
	}
	for _, f := range families {
		for _, part := range [][]int{f.Children, f.Parents, f.Regressors} {
			for k, u := range part {
				part[k] = number[u]
			}
		}
	}
	m, err := New(variables, families)
	if err != nil {
		panic("bayes: " + err.Error())
	}
	return m, number[v], row
}
