package phylo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring/batch"
)

// Pairs is a model of pairs of neighbouring columns whose mutations depend on their
// context. At the root a pair of bases is drawn; along a branch the left base changes by
// itself, and the right one depending on the left base at the lower end. A column without
// a partner has a distribution of its own at the root and changes as left ones do.
//
// Neighbours make pairs in two ways, columns (1, 2), (3, 4), … of each run and columns
// (2, 3), (4, 5), …: two submodels of the same hidden bases, with the same parameters.
type Pairs struct {
	// Params is the table of the parameters, Theta their values.
	Params *em.Params
	Theta  []float64
	// Squared is the number of iterations of parameter-approximate product EM that Fit
	// begins with.
	Squared int

	tree *Tree
	at   pairTable
}

// submodels is the number of ways to make pairs.
const submodels = 2

// NewPairs returns the model of a tree whose distributions are estimated by law. It
// starts with changes that do not depend on the context and keep a base with probability
// .7. The error wraps ErrInvalid for a tree that is not rooted, or has a single node.
func NewPairs(t *Tree, law em.Law) (*Pairs, error) {
	nonnil.Check("phylo: NewPairs", "tree", t, "law", law)
	if err := directed(t); err != nil {
		return nil, err
	}
	m := &Pairs{Params: em.NewParams(), tree: t, at: pairTable{branches: t.Root()}}
	m.Params.Group("root pair", pairs, law)
	m.Params.Group("root", bases, law)
	for v := range t.Root() {
		changes(m.Params, fmt.Sprintf("first/%s", t.name(v)), law)
	}
	for v := range t.Root() {
		for left := range bases { // in the order of pairTable.second
			changes(m.Params, fmt.Sprintf("second/%s/%c", t.name(v), msa.Bases[left]), law)
		}
	}
	m.Theta = m.Params.Start()
	return m, nil
}

// RootPair returns the group of the pairs at the root, the left base first: AA, AC, ….
func (m *Pairs) RootPair() *em.Group { return m.Params.Groups()[0] }

// Root returns the group of the bases at the root of a column without a partner.
func (m *Pairs) Root() *em.Group { return m.Params.Groups()[1] }

// First returns the group of what becomes of a base on the left, or without a partner,
// along the branch above a node.
func (m *Pairs) First(node, base int) *em.Group { return m.Params.Groups()[2+bases*node+base] }

// Second returns the group of what becomes of a base on the right along the branch above
// a node where left is the base beside it.
func (m *Pairs) Second(node, left, base int) *em.Group {
	return m.Params.Groups()[2+bases*(m.at.branches+bases*node+left)+base]
}

// directed returns an error if the tree has no root that is an ancestor of all.
func directed(t *Tree) error {
	if !t.Rooted {
		return fmt.Errorf("phylo: %w: it is not rooted (its root has %d children), but changes along branches have a direction: want a root with two children, or [&R]", ErrInvalid, len(t.Nodes[t.Root()].Children))
	}
	return grown(t)
}

// grown returns an error if the tree has no branches.
func grown(t *Tree) error {
	if t.Root() == 0 {
		return fmt.Errorf("phylo: %w: it has no branches", ErrInvalid)
	}
	return nil
}

// diagonal is the probability to stay with which training starts.
const diagonal = .7

// changes adds the groups of a stochastic matrix, one per row.
func changes(p *em.Params, name string, law em.Law) {
	for a := range bases {
		g := p.Group(fmt.Sprintf("%s/%c", name, msa.Bases[a]), bases, law)
		g.SetNames(func(b int) string { return msa.Bases[b : b+1] })
		start := make([]float64, bases)
		for b := range start {
			start[b] = (1 - diagonal) / float64(bases-1)
		}
		start[a] = diagonal
		g.SetStart(start)
	}
}

// name returns the name of a node, its number if it has none.
func (t *Tree) name(v int) string {
	if n := t.Nodes[v].Name; n != "" {
		return n
	}
	return fmt.Sprint(v)
}

// Parts of a submodel's likelihood.
const (
	inPairs = iota
	unpaired
)

// Likelihoods returns the likelihoods of an alignment under the submodels, for em.Fit by
// themselves or as terms of agree.Independent and agree.ParameterApproximate. The error
// wraps ErrInvalid if tree and alignment do not have the same species, or
// msa.ErrInvalid.
func (m *Pairs) Likelihoods(a *msa.Alignment) (ways [2]*Likelihood, err error) {
	rows, err := rowsOf(m.tree, a)
	if err != nil {
		return ways, err
	}
	two, err := pairLanes(m.tree, m.at)
	if err != nil {
		return ways, err
	}
	one, err := singleLanes(m.tree, m.at.single())
	if err != nil {
		return ways, err
	}
	shards := 0
	for i := range ways {
		ways[i] = m.pairing(a, rows, i, two, one)
		shards = max(shards, ways[i].shards)
	}
	for _, w := range ways {
		w.shards = shards // as many, so that they can be combined
	}
	return ways, nil
}

// pairing makes pairs of all columns of each run but the first skip.
func (m *Pairs) pairing(a *msa.Alignment, rows []int, skip int, two, one *batch.Lanes) *Likelihood {
	at := make([]place, a.Columns())
	parts := []*sites{inPairs: newSites(two, m.at, 2, len(rows)), unpaired: newSites(one, m.at.single(), 1, len(rows))}
	for r := range a.Runs() {
		lo, hi := a.Run(r)
		for j := lo; j < hi; {
			part := inPairs
			if j < lo+skip || j+1 == hi {
				part = unpaired
			}
			p := parts[part].add(a, rows, j)
			for side := range parts[part].width {
				at[j] = place{uint8(part), uint8(side), p}
				j++
			}
		}
	}
	return newLikelihood(m.Params, plain{m.Params}, m.tree, at, parts...)
}

// Independent returns the likelihood of an alignment under both submodels, each by
// itself: see agree.Independent. Errors are as for Likelihoods.
func (m *Pairs) Independent(a *msa.Alignment) (em.Likelihood, error) {
	return m.combine(a, agree.Independent)
}

// ParameterApproximate returns the objective of parameter-approximate product EM with
// each submodel's own statistics: see agree.ParameterApproximate. Errors are those of
// Likelihoods.
func (m *Pairs) ParameterApproximate(a *msa.Alignment) (em.Likelihood, error) {
	return m.combine(a, agree.ParameterApproximate)
}

func (m *Pairs) combine(a *msa.Alignment, how func(...em.Likelihood) (em.Likelihood, error)) (em.Likelihood, error) {
	ways, err := m.Likelihoods(a)
	if err != nil {
		return nil, err
	}
	return how(ways[0], ways[1])
}

// Fit trains the model and leaves the result in Theta: from Theta, unless opts says
// otherwise, by Squared iterations of parameter-approximate product EM, and from there by
// Independent, as opts says. The former is quick, as squares of probabilities make up
// their minds sooner, and ends a little worse than the latter.
//
// The objective of the result holds both, one after the other. The last of the first is not
// to be compared with the first of the second. The observer's iterations are counted
// through; Starts are of the second. There, Restarts begin at random as ever. The
// first has checkpoints of its own, in a file with .squared behind the name. Errors are as
// for Likelihoods and em.Fit; a canceled run keeps what it has reached.
func (m *Pairs) Fit(ctx context.Context, a *msa.Alignment, opts *em.Options) (*em.Result, error) {
	var o em.Options
	if opts != nil {
		o = *opts
	}
	var before []float64
	if m.Squared > 0 {
		first := em.Options{Start: o.Start, Iterations: m.Squared, Tolerance: o.Tolerance, Workers: o.Workers, Observer: o.Observer}
		if o.Checkpoint != "" {
			first.Checkpoint = o.Checkpoint + ".squared"
		}
		l, err := m.ParameterApproximate(a)
		if err != nil {
			return nil, err
		}
		r, err := em.FitFrom(ctx, l, &m.Theta, &first)
		if r != nil {
			o.Start, before = r.Theta, r.Objective
		}
		if err != nil {
			return r, err
		}
	}
	l, err := m.Independent(a)
	if err != nil {
		return nil, err
	}
	if observe := o.Observer; observe != nil {
		o.Observer = func(v em.Event) {
			v.Iteration, v.Iterations = v.Iteration+len(before), v.Iterations+len(before)
			observe(v)
		}
	}
	r, err := em.FitFrom(ctx, l, &m.Theta, &o)
	if r != nil {
		r.Objective = slices.Concat(before, r.Objective)
	}
	return r, err
}

// Sample draws from src an alignment of the given number of columns at Theta, one run
// without missing cells:
// the first column as one without a partner, every other one as the right column of a
// pair whose left one is there already.
func (m *Pairs) Sample(columns int, src rand.Source) *msa.Alignment {
	nonnil.Check("phylo: Sample", "source of randomness", src)
	rng := rand.New(src)
	a := new(msa.Alignment)
	species := m.tree.Species()
	for _, v := range species {
		a.Species = append(a.Species, m.tree.Nodes[v].Name)
	}
	a.Rows = make([][]msa.Cell, len(species))
	before, now := make([]int, len(m.tree.Nodes)), make([]int, len(m.tree.Nodes))
	for j := range columns {
		for v := len(now) - 1; v >= 0; v-- { // parents before children
			now[v] = draw(m.distribution(j == 0, before, now, v), rng)
		}
		for i, v := range species {
			a.Rows[i] = append(a.Rows[i], msa.Base(now[v]))
		}
		before, now = now, before
	}
	return a
}

// distribution returns the distribution of the base at a node, up to a factor, given its
// parent's now and, unless the column is the first, its own before.
func (m *Pairs) distribution(first bool, before, now []int, v int) []float64 {
	root := v == m.tree.Root()
	switch {
	case root && first:
		return m.Root().In(m.Theta)
	case root:
		return m.RootPair().In(m.Theta)[bases*before[v]:][:bases]
	case first:
		return m.First(v, now[m.tree.Nodes[v].Parent]).In(m.Theta)
	}
	return m.Second(v, before[v], now[m.tree.Nodes[v].Parent]).In(m.Theta)
}

// draw draws in proportion to weights.
func draw(weight []float64, rng *rand.Rand) int {
	sum := 0.0
	for _, w := range weight {
		sum += w
	}
	u := rng.Float64() * sum
	for i, w := range weight {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weight) - 1
}
