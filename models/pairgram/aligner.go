package pairgram

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// AlignerOptions are the choices in NewAligner. A nil *AlignerOptions and the zero value
// of each field mean the default.
type AlignerOptions struct {
	// Sizes are the sizes of chunks (default Singletons). Without a prior, EM prefers few long
	// chunks; sizes beyond 1:2 and 2:1 require a LengthPrior.
	Sizes []Size
	// LengthPrior λ ≥ 0 multiplies the probability of each chunk of a:b symbols by
	// exp(−λ(max(a,1)·max(b,1) − 1)) in the E step (default 0: none).
	LengthPrior float64
}

// Aligner is the memoryless model of aligned pairs: a pair is a sequence of chunks that spells out
// both strings, and each chunk is drawn from one multinomial distribution. A Model is estimated
// from its alignments.
type Aligner struct {
	// Params has one group, the probabilities of the chunks: Theta[n−1] for chunk n.
	Params *em.Params
	Theta  []float64

	chunks *Chunks
	weight []expr.W  // per chunk: its probability times its prior
	prior  []float64 // per chunk
}

// NewAligner returns an untrained aligner of pairs. Its chunks are all chunks of the given sizes
// that fit somewhere into a pair; initially equally probable. The error wraps ErrInvalid for
// invalid options, symbols or weights, or semiring.ErrLimit for a pair that is too long, and
// contains its name. O(Σ |x|·|y|·sizes).
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

// Likelihood returns the likelihood of pairs, for em.Fit: a pair's probability is the sum over all
// divisions into chunks. Indivisible pairs are skipped. Errors are as for NewAligner.
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

// iterations is the default number of EM iterations of an Aligner. More iterations sharpen the
// alignments too much for a Model estimated from them.
const iterations = 11

// Fit estimates the probabilities of the chunks and stores the result in Theta. By default it
// starts at Theta. It returns the result of em.Fit; a canceled run keeps the values reached. A nil
// opts means 11 iterations. Result.Skipped contains the pairs that cannot be divided into chunks.
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

// Best returns the most probable division of the pair into chunks, in order, and the natural
// logarithm of its probability: of its chunks at Theta, times their LengthPrior. The error wraps
// em.ErrUnderivable if the pair cannot be divided, or is as for NewAligner. O(|x|·|y|·sizes).
func (a *Aligner) Best(p Pair) (chunks []Chunk, logProb float64, err error) {
	cost := make([]semiring.Cost, a.chunks.Len())
	for i, theta := range a.Theta {
		cost[i] = semiring.Cost(-math.Log(theta) - math.Log(a.prior[i]))
	}
	l, g, err := lattices(a, &p, semiring.Tropical{}, cost)
	if err != nil {
		return nil, 0, err
	}
	best, err := graph.BestPath(g)
	if err != nil {
		return nil, 0, nested.Errorf("pairgram: %s: %w", p.name(0), err)
	}
	if best.Start < 0 {
		return nil, 0, uncut(&p)
	}
	for _, e := range best.Arcs {
		chunks = append(chunks, a.chunks.chunk(l.chunk[e]))
	}
	return chunks, -float64(best.Weight), nil
}

// Posteriors returns a matrix with a row for each symbol of the source and a column for each symbol
// of the target. An entry is the probability, given the pair, that both symbols are in one chunk.
// If all chunks have at most one symbol per side, 1 minus the sum of a row or column is the
// probability of a chunk without the other side. Errors and cost are as for Best.
func (a *Aligner) Posteriors(p Pair) (*mat.Dense, error) {
	weight := make([]semiring.ScaledFloat, a.chunks.Len())
	for i, theta := range a.Theta {
		weight[i] = semiring.NewScaled(theta * a.prior[i])
	}
	l, g, err := lattices(a, &p, semiring.Scaled{}, weight)
	if err != nil {
		return nil, err
	}
	posterior, err := graphs.Posteriors(g)
	switch {
	case err != nil:
		return nil, nested.Errorf("pairgram: %s: %w", p.name(0), err)
	case posterior.Total.IsZero():
		return nil, uncut(&p)
	case len(p.Source) == 0 || len(p.Target) == 0:
		return new(mat.Dense), nil
	}
	grid, columns := mat.NewDense(len(p.Source), len(p.Target), nil), len(p.Target)+1
	for s := range l.numStates() {
		row, column := s/columns, s%columns
		for e := l.row[s]; e < l.row[s+1]; e++ {
			c := a.chunks.chunk(l.chunk[e])
			for i := range c.Source {
				for j := range c.Target {
					grid.Set(row+i, column+j, grid.At(row+i, column+j)+posterior.Arc[e])
				}
			}
		}
	}
	return grid, nil
}

// lattices returns all divisions of the pair, and their graph with the given weights of chunks.
func lattices[W any](a *Aligner, p *Pair, ring semiring.Semiring[W], weight []W) (*lattice, *graph.Graph[W], error) {
	if err := a.Params.Check(a.Theta); err != nil {
		return nil, nil, nested.Errorf("pairgram: %w", err)
	}
	if err := p.check(0); err != nil {
		return nil, nil, err
	}
	l := a.chunks.lattice(newReader(a.chunks.sizes), p.Source, p.Target)
	g, err := weigh(l, ring, weight)
	if err != nil {
		return nil, nil, nested.Errorf("pairgram: %s: %w", p.name(0), err)
	}
	return l, g, nil
}

func uncut(p *Pair) error {
	return nested.Errorf("pairgram: %w: %s cannot be cut into the chunks", em.ErrUnderivable, p.name(0))
}

// lattice is the graph of the divisions of a pair into chunks: state 0 is the beginning, the last
// state the end, and every arc, a chunk, leads to a state with a greater number.
type lattice struct {
	row, to, chunk []int32
}

// numStates returns the number of states.
func (l *lattice) numStates() int { return len(l.row) - 1 }

// lattice returns all divisions of the pair into chunks of c: the machine x ∘ C ∘ y, where C is the
// machine of one state whose arcs are the chunks. States are the pairs of positions, row by row;
// some may be on no path. fst.Compose would lose the indices of the chunks, which are on neither
// tape.
func (c *Chunks) lattice(r *reader, x, y []int32) *lattice {
	r.x.read(x, c.source.find)
	r.y.read(y, c.target.find)
	rows, columns := len(x)+1, len(y)+1
	l := &lattice{row: make([]int32, 1, rows*columns+1)}
	arcs := make([]int32, 2*rows*columns*len(c.sizes))
	l.to, l.chunk = arcs[:0:len(arcs)/2], arcs[len(arcs)/2:][:0]
	for i := range rows {
		for j := range columns {
			for _, s := range c.sizes {
				if i+s.Source >= rows || j+s.Target >= columns {
					continue
				}
				if n := c.number.get(r.x.at(i, s.Source), r.y.at(j, s.Target)); n > 0 {
					l.to = append(l.to, int32((i+s.Source)*columns+j+s.Target))
					l.chunk = append(l.chunk, n)
				}
			}
			l.row = append(l.row, int32(len(l.to)))
		}
	}
	return l
}

// weigh returns the graph of l in which arcs have the weight of their chunk.
func weigh[W any](l *lattice, ring semiring.Semiring[W], weight []W) (*graph.Graph[W], error) {
	w := make([]W, len(l.chunk))
	for e, n := range l.chunk {
		w[e] = weight[n-1]
	}
	final := make([]W, l.numStates())
	zero := ring.Zero()
	for s := range final {
		final[s] = zero
	}
	final[len(final)-1] = ring.One()
	return graph.New(ring, l.row, l.to, w, []graph.Start[W]{{State: 0, Weight: ring.One()}}, final)
}

// reversed returns l read from the end: the lattice of the reversed strings.
func (l *lattice) reversed() *lattice {
	n, arcs := int32(l.numStates()), len(l.to)
	r := &lattice{row: make([]int32, n+1), to: make([]int32, arcs), chunk: make([]int32, arcs)}
	for _, t := range l.to {
		r.row[n-t]++ // the arcs of state n−1−t end there
	}
	for s := range n {
		r.row[s+1] += r.row[s]
	}
	next := slices.Clone(r.row)
	for s := range n {
		for e := l.row[s]; e < l.row[s+1]; e++ {
			at := &next[n-1-l.to[e]]
			r.to[*at], r.chunk[*at] = n-1-s, l.chunk[e]
			*at++
		}
	}
	return r
}

// histories is a deterministic acceptor of chunks. Its states, the contexts, determine the last
// chunks.
type histories interface {
	// Start returns the context at the beginning.
	Start() int32
	// Step returns the context after a chunk and the weight of this transition.
	Step(context, chunk int32) (int32, semiring.ScaledFloat)
	// End returns the weight of stopping.
	End(context int32) semiring.ScaledFloat
}

// maxExpansion bounds the states of an expansion.
const maxExpansion = 1 << 22

// expansion composes lattices with an acceptor of histories, one after the other in the same
// storage: since the acceptor is deterministic, composition only splits states of the lattice. The
// result equals fst.Compose to the last bit. With n-grams it takes 25 µs per pair, including the
// lattice, and fst.Compose 68 (BenchmarkExpansion).
type expansion struct {
	states         places // pairs of a lattice state and a context
	row, to, chunk []int32
	weight, final  []semiring.ScaledFloat
}

// expand returns the composition of l and h, valid until the next call. State 0 is the beginning; x
// maps states and arcs to their sources.
func (x *expansion) expand(l *lattice, h histories) (*graph.Graph[semiring.ScaledFloat], error) {
	x.states.Reset()
	x.row = append(x.row[:0], 0)
	x.to, x.chunk, x.weight, x.final = x.to[:0], x.chunk[:0], x.weight[:0], x.final[:0]
	end := int32(l.numStates() - 1)
	x.states.enter(0, h.Start())
	for s := 0; s < len(x.states.Keys()); s++ {
		at, context := x.states.place(int32(s))
		for e := l.row[at]; e < l.row[at+1]; e++ {
			next, weight := h.Step(context, l.chunk[e])
			x.to = append(x.to, x.states.enter(l.to[e], next))
			x.chunk = append(x.chunk, l.chunk[e])
			x.weight = append(x.weight, weight)
		}
		x.row = append(x.row, int32(len(x.to)))
		final := semiring.ScaledFloat{}
		if at == end {
			final = h.End(context)
		}
		x.final = append(x.final, final)
		if len(x.states.Keys()) > maxExpansion {
			return nil, fmt.Errorf("%w: more than %d states that know the chunks before", semiring.ErrLimit, maxExpansion)
		}
	}
	start := []graph.Start[semiring.ScaledFloat]{{State: 0, Weight: semiring.NewScaled(1)}}
	return graphs.New(semiring.Scaled{}, x.row, x.to, x.weight, start, x.final)
}

// places numbers the states of a composition: pairs of a state that reads the source, and a
// context.
type places struct{ keytable.Table[uint64] }

// enter returns the number of a place, which is new if necessary.
func (p *places) enter(at, context int32) int32 {
	n, _ := p.Number(keytable.Pair(at, context))
	return n
}

// place returns place number n.
func (p *places) place(n int32) (at, context int32) { return keytable.Unpair(p.Keys()[n]) }
