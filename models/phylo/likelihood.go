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
// them, that look alike are evaluated once.
type Likelihood struct {
	params  *em.Params
	kernel  kernel
	tree    *Tree
	at      []place // per column
	parts   []*sites
	shards  int
	reducer *em.Reducer[worker, tally]
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
	l.reducer = em.NewReducer[worker, tally](func() *worker { return new(worker) })
	return l
}

// Params returns the parameters of the model.
func (l *Likelihood) Params() *em.Params { return l.params }

// Shards returns the number of shards.
func (l *Likelihood) Shards() int { return l.shards }

// Fingerprint writes the tree and the patterns.
func (l *Likelihood) Fingerprint(w io.Writer) {
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

// Expect makes an E step; see em.Likelihood. It has neither best trees nor second
// derivatives: the Viterbi E step and a Direction are errors that wrap
// semiring.ErrCapability. A column of probability 0 is an error that wraps
// em.ErrUnderivable.
func (l *Likelihood) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	if q.Direction != nil || q.EStep != em.Marginal {
		return nil, fmt.Errorf("phylo: %w: second derivatives, or an E step other than %v", semiring.ErrCapability, em.Marginal)
	}
	table, err := l.table(q.Theta, q.Temperature)
	if err != nil {
		return nil, err
	}
	uses := make([]float64, len(table))
	e := &em.Expectations{Counts: make([]float64, l.params.Len())}
	err = l.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi, func(w *worker, shard int, a *tally) error {
		a.clear(len(table))
		for _, s := range l.parts {
			lo, hi := s.shard(shard, l.shards)
			if err := w.visit(s, table, lo, hi, a); err != nil {
				return err
			}
		}
		return nil
	}, func(_ int, a *tally) {
		floats.Add(uses, a.uses)
		e.LogLikelihood += a.logLikelihood
		e.Arcs += a.arcs
	})
	if err != nil {
		return nil, err
	}
	e.Examples = len(l.at)*q.Hi/l.shards - len(l.at)*q.Lo/l.shards
	return e, l.kernel.count(e.Counts, q.Theta, uses)
}
