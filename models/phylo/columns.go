package phylo

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/phylo/msa"
)

// Process defines the changes of a base along the branches of a tree: GeneralMarkov, Reversible or
// Unrestricted.
type Process interface {
	// begin adds the parameters of a tree's branches to p.
	begin(p *em.Params, t *Tree) (columnKernel, error)
}

// columnKernel is the kernel of a process.
type columnKernel interface {
	kernel
	table() singleTable
	// method returns the method of em.Fit that suits the process.
	method() em.Method
	// lengths returns the branch lengths at theta, by node, or nil if the process has no lengths.
	lengths(theta []float64) []float64
}

// Columns is a model of independent columns: along each branch the base changes by a stochastic
// matrix, which a Process defines.
type Columns struct {
	// Params is the table of the parameters, Theta their values.
	Params *em.Params
	Theta  []float64

	tree   *Tree
	kernel columnKernel
}

// NewColumns returns the model of a tree and a process, at its start. The error wraps ErrInvalid if
// the tree does not suit the process, or has a single node, and em.ErrInvalid for an invalid
// process.
func NewColumns(t *Tree, p Process) (*Columns, error) {
	nonnil.Check("phylo: NewColumns", "tree", t, "process", p)
	if err := grown(t); err != nil {
		return nil, err
	}
	m := &Columns{Params: em.NewParams(), tree: t}
	var err error
	if m.kernel, err = p.begin(m.Params, t); err != nil {
		return nil, err
	}
	m.Theta = m.Params.Start()
	return m, nil
}

// Likelihood returns the likelihood of an alignment as a function of the parameters, for
// em.Fit. The error wraps ErrInvalid if tree and alignment do not have the same species, or
// msa.ErrInvalid.
func (m *Columns) Likelihood(a *msa.Alignment) (*Likelihood, error) {
	rows, err := rowsOf(m.tree, a)
	if err != nil {
		return nil, err
	}
	t := m.kernel.table()
	lanes, err := singleLanes(m.tree, t)
	if err != nil {
		return nil, err
	}
	s := newSites(lanes, t, 1, len(rows))
	at := make([]place, a.Columns())
	for j := range at {
		at[j].pattern = s.add(a, rows, j)
	}
	return newLikelihood(m.Params, m.kernel, m.tree, at, []*sites{s}, shardsOf([]*sites{s})), nil
}

// Fit trains the model by maximum likelihood and stores the result in Theta. By default it starts
// at Theta and uses a method that suits the process (GeneralMarkov: em.EM; others: em.LBFGS). It
// returns the result of em.Fit; a canceled run keeps the values reached. The error wraps
// em.ErrInvalid for an alignment without a column of positive weight.
//
// A Reversible process is trained by em.LBFGS to a tolerance of 1e-10, in at most 500 iterations,
// unless opts sets other values. Its result hardly depends on the initial branch lengths, which may
// be 0 or in other units (rarely, training ends in a local maximum: see Options.Restarts):
//
//   - Each start is tried at other scales and with equal branch lengths, and training begins at the
//     lengths under which the alignment is most probable.
//   - At the end, very short and very long branches are tried at other lengths. If one of these
//     makes the alignment more probable, training continues from it for up to opts.Iterations more
//     iterations, whose objectives are appended to Result.Objective. They are not in the
//     checkpoint: a resumed run repeats them.
//   - A root of two branches keeps its relative position on the path between its children, which
//     the alignment does not determine.
//   - Result.Remarks name the parameters at a bound: branch lengths and exchangeabilities with
//     optimum 0, branches so long that their length has no effect, a shape with hardly any
//     variation of rates, bases of frequency 0. Result.GradientNorm is the largest derivative at
//     the end by a coordinate, which is 10·√t for a branch length t ≫ 1e-8.
func (m *Columns) Fit(ctx context.Context, a *msa.Alignment, opts *em.Options) (*em.Result, error) {
	if err := checkWeights(a); err != nil {
		return nil, err
	}
	l, err := m.Likelihood(a)
	if err != nil {
		return nil, err
	}
	var o em.Options
	if opts != nil {
		o = *opts
	}
	if o.Method == nil {
		o.Method = m.kernel.method()
	}
	if k, ok := m.kernel.(reversibleKernel); ok {
		return k.fit(ctx, l, &m.Theta, o)
	}
	return em.FitFrom(ctx, l, &m.Theta, &o)
}

// Tree returns the tree with the branch lengths at Theta, in expected substitutions per site; or
// the original lengths if the process has no lengths.
func (m *Columns) Tree() *Tree {
	lengths := m.kernel.lengths(m.Theta)
	if lengths == nil {
		return m.tree
	}
	return m.tree.WithLengths(lengths)
}

// GeneralMarkov is the process with an arbitrary stochastic matrix for each branch. Its rows, and
// the frequencies at the root, are estimated by Law. The initial probability of keeping a base is
// .7. It requires a rooted tree.
type GeneralMarkov struct {
	Law em.Law // nil: em.Multinomial{}
}

// generalKernel is the kernel of GeneralMarkov.
type generalKernel struct {
	probabilities
	at singleTable
}

func (k generalKernel) table() singleTable        { return k.at }
func (generalKernel) method() em.Method           { return em.EM{} }
func (generalKernel) lengths([]float64) []float64 { return nil }

func (f GeneralMarkov) begin(p *em.Params, t *Tree) (columnKernel, error) {
	if err := directed(t); err != nil {
		return nil, err
	}
	if f.Law == nil {
		f.Law = em.Multinomial{}
	}
	root := p.Distribution("root", bases, f.Law)
	root.SetNames(func(b int) string { return msa.Bases[b : b+1] })
	for _, label := range t.labels() {
		stochastic(p, fmt.Sprintf("branch/%s", label), f.Law, diagonal)
	}
	return generalKernel{probabilities{params: p}, singleTable{first: fixedHandles, branches: t.Root(), classes: 1}}, nil
}
