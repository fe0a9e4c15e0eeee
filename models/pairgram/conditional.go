package pairgram

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Conditional is a log-linear model of sequences of chunks given a source x, on the lattice of a
// Model's Predictor. The weight of a sequence is p(sequence)^s times exp of the sum of the
// strengths of its features:
//
//	n-grams of up to 4 chunks,
//	a chunk with the 1 … 4 symbols of x before it, after it, or on both sides,
//	two chunks with the 1 or 2 symbols of x after them,
//	a chunk with the second, the third, both, or the third and fourth symbol of x after it,
//	a chunk, or its target, with the 1 … 3 last targets that are not empty,
//	a chunk with the second or the third of them from the end, or with the last and the 1 or 2
//	symbols of x after it.
//
// p(y | x) is the sum over the sequences that write y divided by the sum over all sequences. Unlike
// n-grams of chunks, features depend on the context of a chunk in x, and on the previous targets
// independently of their spelling. It is frozen, an nbest.Predictor, and safe for concurrent use.
type Conditional struct {
	predictor *Predictor
	least     float64
	index     *index    // of features
	theta     []float64 // their strengths, and s
	names     names
	readers   sync.Pool
}

func newConditional(d *Predictor, least float64, x *index, theta []float64) *Conditional {
	return &Conditional{predictor: d, least: least, index: x, theta: theta, names: d.model.chunks.names()}
}

// Joint returns the predictor of the joint model, which generates the lattices.
func (c *Conditional) Joint() *Predictor { return c.predictor }

var _ nbest.Predictor = (*Conditional)(nil)

// Best returns the n most probable targets of x, the most probable first, each once and with ln p(y
// | x) in the lattice. If the lattice has fewer targets, it returns all of them: an empty list and
// no error if x cannot be divided into chunks. Errors are as for Predictor.Lattice.
func (c *Conditional) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	nonnil.Check("pairgram: Best", "context", ctx)
	w, err := c.weigh(ctx, x, nil)
	if w == nil {
		return nil, err
	}
	all, err := c.predictor.model.best(w.part, n)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].LogProb, err = clamp.LogQuotient(all[i].LogProb, w.logZ, len(x)+len(all[i].Labels)); err != nil {
			return nil, nested.Errorf("pairgram: %w", err)
		}
	}
	return all, nil
}

// LogProb returns ln p(y | x): −Inf if y is not in the lattice. Errors are as for
// Predictor.Lattice.
func (c *Conditional) LogProb(x, y []int32) (float64, error) {
	all, err := c.LogProbs(context.Background(), x, [][]int32{y})
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

var _ nbest.Rescorer = (*Conditional)(nil)

// LogProbs returns LogProb of x with each of ys, computed on one lattice.
func (c *Conditional) LogProbs(ctx context.Context, x []int32, ys [][]int32) ([]float64, error) {
	nonnil.Check("pairgram: LogProbs", "context", ctx)
	all := slices.Repeat([]float64{math.Inf(-1)}, len(ys))
	w, err := c.weigh(ctx, x, ys)
	if w == nil {
		return all, err
	}
	g := w.part.Graph
	final := make([]semiring.ScaledFloat, g.NumStates())
	for i, target := range w.wanted {
		for s := range final {
			final[s] = semiring.ScaledFloat{}
		}
		for _, r := range w.right {
			if r.target == target {
				final[r.state] = r.weight
			}
		}
		right, err := g.WithWeights(g.Weights(), g.Starts(), final)
		if err != nil {
			return nil, errSequences(x, err)
		}
		sum, err := graphs.PathSum(right)
		if err != nil {
			return nil, errSequences(x, err)
		}
		if all[i], err = clamp.LogQuotient(sum.Log(), w.logZ, len(x)+len(ys[i])); err != nil {
			return nil, errSequences(x, err)
		}
	}
	return all, nil
}

// weighed contains the sequences of chunks of a source with their weights.
type weighed struct {
	part   *graph.Expansion[semiring.ScaledFloat]
	wanted []int32 // the right targets, in the trie of the outlooks
	right  []rightEnd
	logZ   float64
}

// rightEnd is a final state of sequences that write a right target.
type rightEnd struct {
	state, target int32
	weight        semiring.ScaledFloat // of ending there
}

// weigh returns the sequences of x, whose right targets are ys. It returns nil if there is no
// sequence.
func (c *Conditional) weigh(ctx context.Context, x []int32, ys [][]int32) (*weighed, error) {
	part, err := c.predictor.Lattice(ctx, x)
	if err != nil {
		return nil, err
	}
	o, ok := c.readers.Get().(*outlooks)
	if !ok {
		o = new(outlooks)
	}
	defer c.readers.Put(o)
	if ok, err = o.set(c.predictor.model, part, c.least, ys); err != nil {
		return nil, errSequences(x, err)
	}
	if !ok {
		return nil, nil
	}
	w, err := c.instantiate(o, x)
	if err != nil {
		return nil, errSequences(x, err)
	}
	return w, nil
}

// instantiate sets the weights of the sequences of o. Weights of arcs of ngram.End become final
// weights.
func (c *Conditional) instantiate(o *outlooks, x []int32) (*weighed, error) {
	o.arcs, o.chances = o.appendArcs(o.arcs[:0], o.chances[:0], c.names, 0)
	source := o.model.appendSource(nil, x)
	for chain := range o.bundles {
		o.bundles[chain].reset()
	}
	o.divider.divide(&o.bundles, o.arcs, o.chunk, 0)
	for chain := range o.bundles {
		o.bundles[chain].number(chain, o.arcs, source, c.index, nil)
		o.bundles[chain].reduce()
	}
	o.scores.set(&o.bundles, o.chances, c.theta, c.theta[len(c.theta)-1])
	row, to, chunk := make([]int32, 1, len(o.row)), make([]int32, 0, len(o.arcs)), make([]int32, 0, len(o.arcs))
	weight, states := make([]semiring.ScaledFloat, 0, len(o.arcs)), len(o.states.Keys())
	final := make([]semiring.ScaledFloat, states)
	var right []rightEnd
	for s := range states {
		for e := o.row[s]; e < o.row[s+1]; e++ {
			w := semiring.ScaledFromLog(o.scores.ln[e])
			if !o.isEnd(int(o.to[e])) {
				to, chunk, weight = append(to, o.to[e]), append(chunk, o.chunk[e]), append(weight, w)
				continue
			}
			final[s] = w
			if o.isRight(int(o.to[e])) {
				right = append(right, rightEnd{int32(s), o.targetOf(o.to[e]), w})
			}
		}
		row = append(row, int32(len(to)))
	}
	start := []graph.Start[semiring.ScaledFloat]{{State: 0, Weight: semiring.NewScaled(1)}}
	g, err := graphs.New(semiring.Scaled{}, row, to, weight, start, final)
	if err != nil {
		return nil, err
	}
	z, err := graphs.PathSum(g)
	if err != nil {
		return nil, err
	}
	part := &graph.Expansion[semiring.ScaledFloat]{Graph: g, In: chunk, Out: chunk}
	return &weighed{part, slices.Clone(o.wanted), right, z.Log()}, nil
}

// ConditionalOptions are the choices in FitConditional. A nil *ConditionalOptions and
// the zero value of each field mean the default.
type ConditionalOptions struct {
	// MinPosterior is the least posterior probability of a chunk in a lattice; others are removed
	// (default 4e-3).
	MinPosterior float64
	// Sigma is the standard deviation of the Gaussian prior of the strengths around 0
	// (default .2; +Inf: none).
	Sigma float64
	// Fit are the options of em.Fit (default: em.LBFGS, 60 iterations). Its Workers also compute
	// the lattices; the result does not depend on them.
	Fit em.Options
}

const (
	folds   = 5 // parts of the data; each is decoded by a model of the others
	support = 3 // the least number of sources in which a feature fires; at most 3, for sketch
)

func (o *ConditionalOptions) complete() error {
	o.MinPosterior, o.Sigma = cmp.Or(o.MinPosterior, 4e-3), cmp.Or(o.Sigma, .2)
	o.Fit.Iterations = cmp.Or(o.Fit.Iterations, 60)
	if o.Fit.Method == nil {
		o.Fit.Method = em.LBFGS{}
	}
	if !(o.MinPosterior > 0) || o.MinPosterior >= 1 || !(o.Sigma > 0) {
		return nested.Errorf("pairgram: %w: conditional options %+v", ErrInvalid, *o)
	}
	return nil
}

// sourcesPerShard is the most sources in a shard: a step of em.SGD.
const sourcesPerShard = 256

// question is a source with all its targets.
type question struct {
	x      []int32
	ys     [][]int32
	pairs  []int // their indices
	weight float64
}

// questions returns the distinct sources of pairs, in the order of first occurrence.
func questions(pairs []Pair) []question {
	var sources trie
	number := map[int32]int{}
	var all []question
	for i := range pairs {
		p := &pairs[i]
		if p.weight() == 0 {
			continue
		}
		node := sources.addString(p.Source)
		n, ok := number[node]
		if !ok {
			n = len(all)
			number[node] = n
			all = append(all, question{x: p.Source})
		}
		q := &all[n]
		q.ys, q.pairs = append(q.ys, p.Target), append(q.pairs, i)
		q.weight = max(q.weight, p.weight())
	}
	return all
}

// FitConditional trains a Conditional on pairs: it maximizes Σ ln p(Y | x) over the distinct
// sources x, where Y are all their targets. The gradient is the expected number of firings of the
// features in sequences of chunks that write one of Y, minus the expected number in all sequences.
//
// fit returns a predictor of a joint model of its pairs. It is called once for each of 5 folds,
// without the pairs of the fold, so that training lattices are no better than lattices of unseen
// sources, and then for all pairs. Sources whose lattice has no right target are ignored.
//
// The error wraps ErrInvalid for invalid options, or if all sources are ignored; otherwise it comes
// from fit, Predictor.Lattice, em.Fit or ctx.
func FitConditional(ctx context.Context, pairs []Pair, fit func(context.Context, []Pair) (*Predictor, error), opts *ConditionalOptions) (*Conditional, *em.Result, error) {
	nonnil.Check("pairgram: FitConditional", "context", ctx, "function that trains", fit)
	var o ConditionalOptions
	if opts != nil {
		o = *opts
	}
	if err := o.complete(); err != nil {
		return nil, nil, err
	}
	shards, err := collect(ctx, pairs, fit, &o)
	if err != nil {
		return nil, nil, err
	}
	x := frequent(shards)
	d, err := newDiscriminative(shards, x, o.Sigma)
	if err != nil {
		return nil, nil, nested.Errorf("pairgram: %w: %w", ErrInvalid, err)
	}
	r, err := em.Fit(ctx, d, &o.Fit)
	if err != nil {
		return nil, nil, err
	}
	predictor, err := fit(ctx, pairs)
	if err != nil {
		return nil, nil, err
	}
	return newConditional(predictor, o.MinPosterior, x, r.Theta), r, nil
}

// collect returns the shards, filled fold by fold. Sources are distributed over folds and shards in
// rotation, which separates neighbours.
func collect(ctx context.Context, pairs []Pair, fit func(context.Context, []Pair) (*Predictor, error), o *ConditionalOptions) ([]*evidence, error) {
	all := questions(pairs)
	n := (len(all) + sourcesPerShard - 1) / sourcesPerShard
	shards := make([]*evidence, n)
	for i := range shards {
		shards[i] = new(evidence)
	}
	reducer := em.NewReducer[outlooks, struct{}](func() *outlooks { return new(outlooks) })
	for fold := range min(folds, len(all)) {
		held := make([]bool, len(pairs))
		for i := fold; i < len(all); i += folds {
			for _, p := range all[i].pairs {
				held[p] = true
			}
		}
		var rest []Pair
		for i, p := range pairs {
			if !held[i] {
				rest = append(rest, p)
			}
		}
		predictor, err := fit(ctx, rest)
		if err != nil {
			return nil, nested.Errorf("pairgram: fold %d: %w", fold, err)
		}
		names := predictor.model.chunks.names()
		err = reducer.Sum(ctx, o.Fit.Workers, 0, n, func(w *outlooks, shard int, _ *struct{}) error {
			for i := shard; i < len(all); i += n {
				if i%folds != fold {
					continue
				}
				if err := shards[shard].learn(ctx, w, predictor, &all[i], names, o.MinPosterior); err != nil {
					return err
				}
			}
			return nil
		}, func(int, *struct{}) {})
		if err != nil {
			return nil, err
		}
	}
	shards = slices.DeleteFunc(shards, func(v *evidence) bool { return len(v.weights) == 0 })
	if len(shards) == 0 {
		return nil, nested.Errorf("pairgram: %w: no source has a correct target among its candidates", ErrInvalid)
	}
	return shards, nil
}

// learn adds the lattice of q, unless it has no right target or q has a symbol that is unknown to
// the model.
func (v *evidence) learn(ctx context.Context, o *outlooks, d *Predictor, q *question, names names, least float64) error {
	if d.model.check(q.x) != nil {
		return nil
	}
	part, err := d.Lattice(ctx, q.x)
	if err != nil {
		return err
	}
	ok, err := o.set(d.model, part, least, q.ys)
	if ok {
		_, err = v.add(o, q.x, q.weight, names)
	}
	if err != nil {
		return errSequences(q.x, err)
	}
	return nil
}
