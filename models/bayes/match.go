package bayes

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/assignment"
	"example.org/pathsum/internal/nested"
)

// Relabel returns the network with renumbered states of the discrete variable v: state x of the
// result is state of[x] of n, P'(v = x, rest) = P(v = of[x], rest). Names of states are not moved.
// It panics if of is not a permutation of the states of v.
func (n *Network) Relabel(v int, of []int) *Network {
	if !n.Discrete(v) || len(of) != n.size(v) || !permutes(of) {
		panic(fmt.Sprintf("bayes: Relabel: %v is not a permutation of the states of %s", of, n.variables[v].Name))
	}
	families := slices.Clone(n.families)
	for i, s := range n.scopes {
		k := slices.Index(s.variables, v)
		if k < 0 {
			continue
		}
		f := families[i].clone()
		for e := range f.Table {
			f.Table[e] = n.families[i].Table[moved(e, s.stride[k], of)]
		}
		for c := range f.Normals {
			f.Normals[c] = n.families[i].Normals[moved(c, s.stride[k], of)]
		}
		families[i] = f
	}
	return n.with(families)
}

// moved returns the index of the entry that replaces entry e, where x is the digit of e with the
// given stride.
func moved(e, stride int, of []int) int {
	x := e / stride % len(of)
	return e + (of[x]-x)*stride
}

func permutes(of []int) bool {
	seen := make([]bool, len(of))
	for _, x := range of {
		if x < 0 || x >= len(of) || seen[x] {
			return false
		}
		seen[x] = true
	}
	return true
}

// with returns the network with other numbers, which must be valid.
func (n *Network) with(families []Family) *Network {
	m, err := newNetwork(n.variables, families, n.most)
	if err != nil {
		panic("bayes: " + err.Error())
	}
	return m
}

// Match returns the network with the states of hidden variables renamed for the best fit to rows
// without missing cells, since training cannot determine the names of hidden states. It optimizes
// the permutation of one variable at a time exactly, as an assignment problem, until the loss stops
// decreasing. For one hidden variable, or several with no family in common, the result is optimal.
//
// The error wraps ErrInvalid, or ErrImpossible if every renaming gives some row probability 0.
func (n *Network) Match(rows []Row, hidden ...int) (*Network, error) {
	for i, r := range rows {
		if err := n.checkComplete(r); err != nil {
			return nil, nested.Errorf("bayes: row %d: %w", i, err)
		}
	}
	for _, v := range hidden {
		if v < 0 || v >= len(n.variables) || !n.Discrete(v) {
			return nil, nested.Errorf("bayes: %w: variable %d is not discrete", ErrInvalid, v)
		}
	}
	for changed := true; changed; { // each iteration decreases the loss
		changed = false
		for _, v := range hidden {
			of, better, err := n.matching(rows, v)
			if err != nil {
				return nil, err
			}
			if better {
				n, changed = n.Relabel(v, of), true
			}
		}
	}
	return n, nil
}

// matching returns the best permutation of v's states, and whether it is better than the current
// one. It minimizes Σ rows −ln P(v = of[x], rest), where x is the state of v in the row.
func (n *Network) matching(rows []Row, v int) (of []int, better bool, err error) {
	k := n.size(v)
	cost := make([][]float64, k)
	for x := range cost {
		cost[x] = make([]float64, k)
	}
	for _, r := range rows {
		renamed := slices.Clone(r)
		for y := range k {
			renamed[v] = float64(y)
			l, err := n.LogProb(renamed)
			if err != nil {
				return nil, false, err
			}
			cost[int(r[v])][y] -= l
		}
	}
	of, least, err := assignment.Best(cost)
	if err != nil {
		return nil, false, nested.Errorf("bayes: %w, whatever the states of %s are called: %w", ErrImpossible, n.variables[v].Name, err)
	}
	present := 0.
	for x := range k {
		present += cost[x][x]
	}
	better = math.IsInf(present, 1) || least < present-1e-12*math.Abs(present) // not by rounding alone
	return of, better, nil
}
