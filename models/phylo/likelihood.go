package phylo

import (
	"context"
	"fmt"
	"io"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
)

// kernel says how parameters make the weights of the table, and what the uses of
// weights mean for parameters.
type kernel interface {
	// String says what is fixed about it: a checkpoint of training is recognized by it.
	fmt.Stringer
	// size returns the size of the table.
	size() int
	// weights sets all of the table but the fixed entries.
	weights(table []semiring.ScaledFloat, theta []float64) error
	// count adds to counts, per parameter, what the expected uses of weights amount to.
	count(counts, theta, uses []float64) error
}

// plain is the kernel of parameters that are the weights themselves.
type plain struct{ params *em.Params }

func (plain) String() string { return "probabilities" }

func (k plain) size() int { return int(fixedHandles) + k.params.Len() }

func (k plain) weights(table []semiring.ScaledFloat, theta []float64) error {
	copy(table[fixedHandles:], k.params.Values(theta))
	return nil
}

func (k plain) count(counts, _, uses []float64) error {
	floats.Add(counts, uses[fixedHandles:])
	return nil
}

// Likelihood is the log likelihood of an alignment under a model, as a function of the
// model's parameters: an em.Likelihood. Its examples are the columns. Columns, or pairs of
// them, that look alike are evaluated once. It has neither best trees nor second
// derivatives (semiring.ErrCapability). A column of probability 0 is an error of an E
// step that wraps em.ErrUnderivable.
type Likelihood struct {
	em.Likelihood
	params  *em.Params
	kernel  kernel
	tree    *Tree
	at      []place // per column
	parts   []*sites
	shards  int
	reducer *em.Reducer[worker, struct{}] // for posteriors
}

// Shards depend on the data alone. There are no more than keep many workers busy, and
// none has so few patterns that a forest takes long for each.
const (
	maxShards  = 64
	shardLanes = 256
)

func newLikelihood(p *em.Params, k kernel, tree *Tree, at []place, parts ...*sites) *Likelihood {
	l := &Likelihood{params: p, kernel: k, tree: tree, at: at, parts: parts}
	for _, s := range parts {
		s.index, s.key = nil, nil // all is added
		l.shards = max(l.shards, min(maxShards, (s.patterns()+shardLanes-1)/shardLanes))
	}
	hire := func() *worker { return new(worker) }
	l.reducer = em.NewReducer[worker, struct{}](hire)
	l.Likelihood = em.Sharded[*pass, worker]{
		Package:     "phylo",
		Params:      p,
		Shards:      l.shards,
		Fingerprint: l.fingerprint,
		Tempered:    true,
		Size:        k.size,
		Begin: func(q em.Query, _ []em.Skipped) (*pass, error) {
			table, err := l.table(q.Theta, q.Temperature)
			return &pass{table, q.Theta}, err
		},
		Hire:   hire,
		Visit:  l.visit,
		Finish: l.finish,
	}.Likelihood()
	return l
}

// fingerprint writes the tree and the patterns.
func (l *Likelihood) fingerprint(w io.Writer) {
	fmt.Fprintf(w, "phylo %v %v %d\n", l.tree, l.kernel, len(l.at))
	for _, s := range l.parts {
		fmt.Fprintf(w, "%d %d %d %v\n", s.width, s.species, s.cells, s.weight)
	}
}

// table returns the weights at theta, each to the power beta.
func (l *Likelihood) table(theta []float64, beta float64) ([]semiring.ScaledFloat, error) {
	table := make([]semiring.ScaledFloat, l.kernel.size())
	table[1] = semiring.NewScaled(1)
	if err := l.kernel.weights(table, theta); err != nil {
		return nil, err
	}
	if beta != 1 {
		for k := int(fixedHandles); k < len(table); k++ {
			table[k] = table[k].Pow(beta)
		}
	}
	return table, nil
}

// pass is an E step. It counts the uses of the entries of the table.
type pass struct {
	table []semiring.ScaledFloat
	theta []float64
}

// visit adds to a what the patterns of a shard contribute.
func (l *Likelihood) visit(_ context.Context, w *worker, p *pass, shard int, a *em.Tally) error {
	a.Zeros(len(p.table), false)
	a.Examples = len(l.at)*(shard+1)/l.shards - len(l.at)*shard/l.shards
	for _, s := range l.parts {
		lo, hi := s.shard(shard, l.shards)
		if err := w.visit(s, p.table, lo, hi, a); err != nil {
			return err
		}
	}
	return nil
}

// finish turns the uses of the entries into counts of the parameters.
func (l *Likelihood) finish(p *pass, e *em.Expectations) error {
	uses := e.Counts
	e.Counts = make([]float64, l.params.Len())
	return l.kernel.count(e.Counts, p.theta, uses)
}
