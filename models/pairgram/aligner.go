package pairgram

import (
	"context"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
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

// Aligner is the memoryless model of aligned pairs: a pair is a sequence of chunks that
// spells out both strings, and each chunk is drawn from one multinomial distribution. A
// Model learns from its alignments.
type Aligner struct {
	// Params has one group, the probabilities of the chunks: Theta[n−1] for chunk n.
	Params *em.Params
	Theta  []float64

	chunks *Chunks
	weight []expr.W  // per chunk: its probability times its prior
	prior  []float64 // per chunk
}

// NewAligner returns an untrained aligner of pairs. Its chunks are all chunks of the given
// sizes that fit somewhere into a pair; they begin equally probable. The error wraps
// ErrInvalid for options, symbols or weights that make no sense, or semiring.ErrLimit for a
// pair that is too long, and names it. O(Σ |x|·|y|·sizes).
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
		return nil, nested.Errorf("pairgram: %w: length prior %g, want a finite number ≥ 0", ErrInvalid, o.LengthPrior)
	}
	if err := check(pairs); err != nil {
		return nil, err
	}
	a := &Aligner{Params: em.NewParams(), chunks: findChunks(pairs, sizes)}
	if a.chunks.Len() == 0 {
		return nil, nested.Errorf("pairgram: %w: no chunk fits into any of %d pairs", ErrInvalid, len(pairs))
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

// Likelihood returns the likelihood of pairs, for em.Fit: a pair's probability is the sum
// over all ways to cut it into chunks. Pairs that cannot be cut are skipped. Errors are as
// for NewAligner.
func (a *Aligner) Likelihood(pairs []Pair) (em.Excluder, error) {
	if err := check(pairs); err != nil {
		return nil, err
	}
	ring := semiring.Semiring[expr.W](a.Params.Space())
	return cascade.Derivations{
		Examples: len(pairs),
		Graph: func(i int) (*graph.Graph[expr.W], error) {
			p := &pairs[i]
			return weigh(a.chunks.lattice(newReader(a.chunks.sizes), p.Source, p.Target), ring, a.weight)
		},
		Weight:      func(i int) float64 { return pairs[i].weight() },
		Name:        func(i int) string { return pairs[i].Name },
		Underivable: em.Skip,
	}.Likelihood(a.Params)
}

// iterations is how many iterations of EM an Aligner makes by default. More of them sharpen
// the alignments further than is good for a Model that learns from them.
const iterations = 11

// Fit estimates the probabilities of the chunks, from Theta unless opts says otherwise, and
// leaves the result in Theta. It returns what em.Fit does; a canceled run keeps what it has
// reached. A nil opts means 11 iterations. Result.Skipped names the pairs that cannot be cut
// into chunks.
func (a *Aligner) Fit(ctx context.Context, pairs []Pair, opts *em.Options) (*em.Result, error) {
	l, err := a.Likelihood(pairs)
	if err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &em.Options{Iterations: iterations, Tolerance: -1}
	}
	return em.FitFrom(ctx, l, &a.Theta, opts)
}
