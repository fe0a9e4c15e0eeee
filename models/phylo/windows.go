package phylo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring/batch"
)

// Windows is a model of neighbouring columns whose mutations depend on their context. For two
// columns, a pair of bases is drawn at the root. Along a branch the left base changes
// independently, and the right base depends on the left base at the lower end. A third column, at
// the root and along branches, depends on the second as the second depends on the first, and so on.
// An independent column has a distribution of its own at the root and changes like a left column.
//
// The number of divisions of an alignment into windows is the number of columns of a window: for
// pairs, columns (1, 2), (3, 4), … of each run and columns (2, 3), (4, 5), …. They are submodels of
// the same hidden bases, with common or separate parameters. The remaining columns at the ends of a
// run are smaller windows.
type Windows struct {
	// Params is the table of the parameters, Theta their values.
	Params *em.Params
	Theta  []float64
	// Squared is the number of initial iterations of parameter-approximate product EM in Fit.
	Squared int

	tree *Tree
	ways []*Changes
	at   []windowTable // per division
}

// WindowOptions define the windows. A nil *WindowOptions and the zero value of each field mean the
// default.
type WindowOptions struct {
	// Columns is the number of columns of a window, and of submodels: 2, the default, or 3.
	// A branch has 128 edges for two columns and 768 for three.
	Columns int
	// SeparateParams gives each submodel parameters of its own, as in Liang, Klein and Jordan 2007.
	SeparateParams bool
}

// MaxColumns is the greatest number of columns of a window.
const MaxColumns = 3

// NewWindows returns the model of a tree whose distributions are estimated by law. Initially
// changes do not depend on the context and keep a base with probability .7. The error wraps
// ErrInvalid for an unrooted tree or one with a single node, and em.ErrInvalid for invalid options.
func NewWindows(t *Tree, law em.Law, opts *WindowOptions) (*Windows, error) {
	nonnil.Check("phylo: NewWindows", "tree", t, "law", law)
	o := WindowOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Columns == 0 {
		o.Columns = 2
	}
	if o.Columns < 2 || o.Columns > MaxColumns {
		return nil, nested.Errorf("phylo: %w: windows of %d columns, want 2 to %d", em.ErrInvalid, o.Columns, MaxColumns)
	}
	if err := directed(t); err != nil {
		return nil, err
	}
	m := &Windows{Params: em.NewParams(), tree: t}
	for way := range o.Columns {
		if way > 0 && !o.SeparateParams {
			m.ways, m.at = append(m.ways, m.ways[0]), append(m.at, m.at[0])
			continue
		}
		name := ""
		if o.SeparateParams {
			name = fmt.Sprintf("from column %d/", way+1)
		}
		table := windowTable{from: fixedHandles, branches: t.Root(), columns: o.Columns}
		if way > 0 {
			table.from = m.at[way-1].from + handle(table.size())
		}
		m.at = append(m.at, table)
		m.ways = append(m.ways, newChanges(m.Params, name, t, law, o.Columns))
	}
	m.Theta = m.Params.Start()
	return m, nil
}

// Submodels returns the number of submodels, one per division of an alignment into windows.
func (m *Windows) Submodels() int { return len(m.ways) }

// Changes returns the parameters of a submodel, the same for all unless WindowOptions.Own is set.
func (m *Windows) Changes(way int) *Changes { return m.ways[way] }

// directed returns an error if the tree is not rooted.
func directed(t *Tree) error {
	if !t.Rooted {
		return nested.Errorf("phylo: %w: it is not rooted (its root has %d children), but changes along branches have a direction: want a root with two children, or [&R]", ErrInvalid, len(t.Nodes[t.Root()].Children))
	}
	return grown(t)
}

// grown returns an error if the tree has no branches.
func grown(t *Tree) error {
	if t.Root() == 0 {
		return nested.Errorf("phylo: %w: it has no branches", ErrInvalid)
	}
	return nil
}

// name returns the name of a node, or its index if it has no name.
func (t *Tree) name(v int) string {
	if n := t.Nodes[v].Name; n != "" {
		return n
	}
	return fmt.Sprint(v)
}

// labels returns the names of all nodes except the root, with the index appended if several nodes
// have the name.
func (t *Tree) labels() []string {
	labels, nodes := make([]string, t.Root()), map[string]int{}
	for v := range labels {
		labels[v] = t.name(v)
		nodes[labels[v]]++
	}
	for v, name := range labels {
		for nodes[name] > 1 {
			name += fmt.Sprintf("#%d", v)
		}
		labels[v] = name
	}
	return labels
}

// Likelihoods returns the likelihoods of an alignment under the submodels, for separate use in
// em.Fit or as terms of agree.Independent and agree.ParameterApproximate. The error wraps
// ErrInvalid if tree and alignment do not have the same species, or msa.ErrInvalid.
func (m *Windows) Likelihoods(a *msa.Alignment) ([]*Likelihood, error) {
	rows, err := rowsOf(m.tree, a)
	if err != nil {
		return nil, err
	}
	at, parts := make([][]place, m.Submodels()), make([][]*sites, m.Submodels())
	var lanes []*batch.Lanes
	shards := 0 // equal for all submodels, so that they can be combined
	for way, table := range m.at {
		if way == 0 || table != m.at[way-1] {
			if lanes, err = m.lanes(table); err != nil {
				return nil, err
			}
		}
		at[way], parts[way] = m.cut(a, rows, way, lanes)
		shards = max(shards, shardsOf(parts[way]))
	}
	var ways []*Likelihood
	for way := range m.at {
		ways = append(ways, newLikelihood(m.Params, m.kernel(), m.tree, at[way], parts[way], shards))
	}
	return ways, nil
}

// lanes returns the forests of windows of one column, two, and so on.
func (m *Windows) lanes(at windowTable) ([]*batch.Lanes, error) {
	one, err := singleLanes(m.tree, at.single())
	lanes := []*batch.Lanes{one}
	for columns := 2; columns <= at.columns && err == nil; columns++ {
		part := at
		part.columns = columns
		var next *batch.Lanes
		next, err = windowLanes(m.tree, part)
		lanes = append(lanes, next)
	}
	return lanes, err
}

// cut makes windows of the first skip columns of each run and of its other columns. The part of a
// window is its number of columns minus 1.
func (m *Windows) cut(a *msa.Alignment, rows []int, skip int, lanes []*batch.Lanes) (at []place, parts []*sites) {
	table := m.at[skip]
	parts = []*sites{newSites(lanes[0], table.single(), 1, len(rows))}
	for columns := 2; columns <= table.columns; columns++ {
		part := table
		part.columns = columns
		parts = append(parts, newSites(lanes[columns-1], part, columns, len(rows)))
	}
	at = make([]place, a.Columns())
	for r := range a.Runs() {
		lo, hi := a.Run(r)
		for j := lo; j < hi; {
			end := min(hi, j+table.columns)
			if j == lo && skip > 0 {
				end = min(hi, j+skip)
			}
			part := end - j - 1
			p := parts[part].add(a, rows, j)
			for side := range end - j {
				at[j] = place{uint8(part), uint8(side), p}
				j++
			}
		}
	}
	return at, parts
}

// kernel returns the kernel of the parameters. Some parameters are several weights.
func (m *Windows) kernel() probabilities {
	k := probabilities{params: m.Params}
	for way, at := range m.at {
		if way > 0 && at == m.at[way-1] {
			continue
		}
		first := int32(m.ways[way].RootPair().First())
		second := int32(m.ways[way].Second(0, 0, 0).First())
		for i := range int32(at.next(2, 0, 0) - at.from) {
			k.of = append(k.of, first+i)
		}
		for range at.columns - 2 {
			for i := range int32(pairs) {
				k.of = append(k.of, int32(m.ways[way].RootNext(0).First())+i)
			}
			for i := range int32(at.branches * bases * pairs) {
				k.of = append(k.of, second+i)
			}
		}
	}
	return k
}

// Independent returns the likelihood of an alignment under all submodels, trained separately: see
// agree.Independent. Errors are as for Likelihoods.
func (m *Windows) Independent(a *msa.Alignment) (em.Likelihood, error) {
	return m.combine(a, agree.Independent)
}

// ParameterApproximate returns the objective of parameter-approximate product EM with each
// submodel's own statistics: see agree.ParameterApproximate. Errors are as for Likelihoods.
func (m *Windows) ParameterApproximate(a *msa.Alignment) (em.Likelihood, error) {
	return m.combine(a, agree.ParameterApproximate)
}

func (m *Windows) combine(a *msa.Alignment, how func(...em.Likelihood) (em.Likelihood, error)) (em.Likelihood, error) {
	ways, err := m.Likelihoods(a)
	if err != nil {
		return nil, err
	}
	var terms []em.Likelihood
	for _, l := range ways {
		terms = append(terms, l)
	}
	return how(terms...)
}

// Fit trains the model and stores the result in Theta. By default it starts at Theta. It performs
// Squared iterations of parameter-approximate product EM, and then continues by Independent, as
// configured by opts. The former converges faster, because squaring sharpens the posteriors, but
// its final accuracy is slightly lower.
//
// The objective of the result contains the objectives of both phases in order; values of different
// phases are not comparable. The observer's iterations are numbered consecutively; Starts are of
// the second phase, in which Restarts begin at random as usual. The first phase has its own
// checkpoint file, with the suffix .squared. Errors are as for Likelihoods and em.Fit. They wrap
// em.ErrInvalid for an alignment without a column of positive weight. A canceled run keeps the
// values reached.
func (m *Windows) Fit(ctx context.Context, a *msa.Alignment, opts *em.Options) (*em.Result, error) {
	if err := checkWeights(a); err != nil {
		return nil, err
	}
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

// Sample draws from src an alignment of the given number of columns at Theta, of the first
// submodel, one run without missing cells: the first column as an independent column, every other
// column as the right column of a pair given its left neighbour.
func (m *Windows) Sample(columns int, src rand.Source) *msa.Alignment {
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

// distribution returns the distribution of the base at a node, up to a factor, given the parent's
// base in now and, unless the column is the first, the node's base in before.
func (m *Windows) distribution(first bool, before, now []int, v int) []float64 {
	root := v == m.tree.Root()
	c := m.ways[0]
	switch {
	case root && first:
		return c.Root().In(m.Theta)
	case root:
		return c.RootPair().In(m.Theta)[bases*before[v]:][:bases]
	case first:
		return c.First(v, now[m.tree.Nodes[v].Parent]).In(m.Theta)
	}
	return c.Second(v, before[v], now[m.tree.Nodes[v].Parent]).In(m.Theta)
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
