package pairgram

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// AlignerOptions are the choices in NewAligner. A nil *AlignerOptions and the zero value
// of each field mean the default.
type AlignerOptions struct {
	// Sizes are the sizes of chunks (default Singletons). EM left to itself prefers
	// few long chunks; beyond 1:2 and 2:1 they want a LengthPrior.
	Sizes []Size
	// LengthPrior λ ≥ 0 multiplies the probability of each chunk of a:b symbols by
	// exp(−λ(max(a,1)·max(b,1) − 1)) in the E step (default 0: none).
	LengthPrior float64
}

// Aligner is the memoryless model of aligned pairs: a pair is a sequence of chunks, each
// drawn from one multinomial distribution over all of them, that spells out both
// strings. Its alignments are what a Model learns from.
type Aligner struct {
	// Params has one group, the probabilities of the chunks: that of chunk n is
	// Theta[n−1].
	Params *em.Params
	Theta  []float64

	chunks *Chunks
	pairs  []Pair
	weight []expr.W  // per chunk: its probability times its prior
	prior  []float64 // per chunk
}

// NewAligner returns the aligner of pairs, which it keeps. Its chunks are all those of
// the given sizes that fit into some pair somewhere, and uniformly distributed. The
// error wraps ErrInvalid for options, symbols or weights that make no sense, or ErrLimit
// for a pair that is too long, and names it. O(Σ |x|·|y|·sizes).
func NewAligner(pairs []Pair, opts *AlignerOptions) (*Aligner, error) {
	var o AlignerOptions
	if opts != nil {
		o = *opts
	}
	if o.Sizes == nil {
		o.Sizes = Singletons()
	}
	sizes, err := ordered(o.Sizes)
	if err != nil {
		return nil, err
	}
	if !(o.LengthPrior >= 0) || math.IsInf(o.LengthPrior, 1) {
		return nil, fmt.Errorf("pairgram: %w: length prior %g, want a finite number ≥ 0", ErrInvalid, o.LengthPrior)
	}
	for i := range pairs {
		if err := pairs[i].check(i); err != nil {
			return nil, err
		}
	}
	a := &Aligner{Params: em.NewParams(), chunks: findChunks(pairs, sizes), pairs: pairs}
	if a.chunks.Len() == 0 {
		return nil, fmt.Errorf("pairgram: %w: no chunk fits into any of %d pairs", ErrInvalid, len(pairs))
	}
	g := a.Params.Group("chunk", a.chunks.Len(), em.Multinomial{})
	a.Theta = a.Params.Start()
	a.weight, a.prior = make([]expr.W, g.Len()), make([]float64, g.Len())
	space := a.Params.Space()
	for i := range a.weight {
		c := a.chunks.all[i]
		a.prior[i] = c.Prior(o.LengthPrior)
		a.weight[i] = space.Times(g.Weight(i), space.Const(semiring.NewScaled(a.prior[i])))
	}
	return a, nil
}

// Chunks returns the inventory.
func (a *Aligner) Chunks() *Chunks { return a.chunks }

// Likelihood returns the likelihood of the pairs, for em.Fit and its like: each pair's
// is the sum over all ways to cut it into chunks. Pairs that cannot be cut are skipped.
func (a *Aligner) Likelihood() (*em.Lattices, error) {
	ring := semiring.Semiring[expr.W](a.Params.Space())
	return em.NewGraphs(a.Params, em.Graphs{
		Examples: len(a.pairs),
		Graph: func(i int) (*graph.Graph[expr.W], error) {
			p := &a.pairs[i]
			return weigh(a.chunks.lattice(newReader(a.chunks.sizes), p.Source, p.Target), ring, a.weight)
		},
		Weight:      func(i int) float64 { return a.pairs[i].weight() },
		Name:        func(i int) string { return a.pairs[i].Name },
		Underivable: em.Skip,
	})
}

// DefaultIterations is how many iterations of EM an Aligner makes by default. More of
// them sharpen the alignments further than is good for what is learnt from them.
const DefaultIterations = 11

// Fit estimates the probabilities of the chunks by EM, from Theta on, and leaves the
// result in Theta. Options are those of em.Fit; a nil *em.Options means
// DefaultIterations of them. Result.Skipped names the pairs that cannot be cut into
// chunks. Errors are those of em.Fit; a canceled run keeps what it has reached.
func (a *Aligner) Fit(ctx context.Context, opts *em.Options) (*em.Result, error) {
	l, err := a.Likelihood()
	if err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &em.Options{Iterations: DefaultIterations, Tolerance: -1}
	}
	return em.FitFrom(ctx, l, &a.Theta, opts)
}
