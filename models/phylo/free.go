package phylo

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/models/phylo/msa"
)

// Free is the process with any stochastic matrix for each branch, whose rows, like the
// bases at the root, are estimated by Law. It starts with probability .7 to keep a base,
// and takes rooted trees only.
type Free struct {
	Law em.Law // nil: em.Multinomial{}
}

// freeKernel is Free at work.
type freeKernel struct {
	plain
	at singleTable
}

func (k freeKernel) table() singleTable        { return k.at }
func (freeKernel) method() em.Method           { return em.EM{} }
func (freeKernel) lengths([]float64) []float64 { return nil }

func (f Free) begin(p *em.Params, t *Tree) (columnKernel, error) {
	if err := directed(t); err != nil {
		return nil, err
	}
	if f.Law == nil {
		f.Law = em.Multinomial{}
	}
	root := p.Group("root", bases, f.Law)
	root.SetNames(func(b int) string { return msa.Bases[b : b+1] })
	for v := range t.Root() {
		changes(p, fmt.Sprintf("branch/%s", t.name(v)), f.Law)
	}
	return freeKernel{plain{p}, singleTable{first: fixedHandles, branches: t.Root(), classes: 1}}, nil
}
