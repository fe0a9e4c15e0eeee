package phylo

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/models/phylo/msa"
)

// Changes contains the parameters of windows.
type Changes struct {
	groups   []*em.Group
	branches int
}

func newChanges(p *em.Params, name string, t *Tree, law em.Law, columns int) *Changes {
	before := len(p.Groups())
	p.Distribution(name+"root pair", pairs, law)
	p.Distribution(name+"root", bases, law)
	labels := t.labels()
	for v := range t.Root() {
		stochastic(p, fmt.Sprintf("%sfirst/%s", name, labels[v]), law, diagonal)
	}
	for v := range t.Root() {
		for left := range bases { // in the order of windowTable.second
			stochastic(p, fmt.Sprintf("%ssecond/%s/%c", name, labels[v], msa.Bases[left]), law, diagonal)
		}
	}
	if columns > 2 {
		stochastic(p, name+"root next", law, 1./bases)
	}
	return &Changes{groups: p.Groups()[before:], branches: t.Root()}
}

// RootPair returns the group of the bases of the first two columns at the root, the left base
// first: AA, AC, ….
func (c *Changes) RootPair() *em.Group { return c.groups[0] }

// Root returns the group of the bases at the root of an independent column.
func (c *Changes) Root() *em.Group { return c.groups[1] }

// First returns the group of the changes of a base in the first column, or in an independent one,
// along the branch above a node.
func (c *Changes) First(node, base int) *em.Group { return c.groups[2+bases*node+base] }

// Second returns the group of the changes of a base in any other column along the branch above a
// node, where left is the base on its left.
func (c *Changes) Second(node, left, base int) *em.Group {
	return c.groups[2+bases*(c.branches+bases*node+left)+base]
}

// RootNext returns the group of the bases at the root of a third column, where left is the base on
// its left. It panics for windows of two columns.
func (c *Changes) RootNext(left int) *em.Group {
	return c.groups[2+bases*(1+bases)*c.branches+left]
}

// diagonal is the initial probability of keeping a base.
const diagonal = .7

// stochastic adds the groups of a stochastic matrix, one per row, with the same initial probability
// of staying for each base.
func stochastic(p *em.Params, name string, law em.Law, diagonal float64) {
	for a := range bases {
		g := p.Distribution(fmt.Sprintf("%s/%c", name, msa.Bases[a]), bases, law)
		g.SetNames(func(b int) string { return msa.Bases[b : b+1] })
		start := make([]float64, bases)
		for b := range start {
			start[b] = (1 - diagonal) / float64(bases-1)
		}
		start[a] = diagonal
		g.SetStart(start)
	}
}
