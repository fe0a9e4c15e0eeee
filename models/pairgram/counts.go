package pairgram

import (
	"cmp"
	"context"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
)

// CountOptions are the choices in Aligner.Count. A nil *CountOptions and the zero value
// of each field mean the default.
type CountOptions struct {
	// Order is the order of the n-grams of chunks (default 8).
	Order int
	// Reversed makes the model read chunks from the last to the first. Models of both directions
	// make different errors.
	Reversed bool
	// MinCount removes chunks with a smaller expected count in all pairs together (default .5;
	// negative: all are kept).
	MinCount float64
	// MinPosterior removes a chunk from a lattice if its posterior probability there is smaller
	// (default 1e-2; negative: all are kept).
	MinPosterior float64
	// Workers is the number of goroutines that divide pairs (0: GOMAXPROCS); the result does not
	// depend on it.
	Workers int
}

func (o *CountOptions) complete() error {
	for _, x := range []struct {
		name     string
		value    *float64
		standard float64
	}{{"MinCount", &o.MinCount, .5}, {"MinPosterior", &o.MinPosterior, 1e-2}} {
		if math.IsNaN(*x.value) || math.IsInf(*x.value, 0) {
			return nested.Errorf("pairgram: %w: %s %g", ErrInvalid, x.name, *x.value)
		}
		*x.value = max(cmp.Or(*x.value, x.standard), 0)
	}
	o.Order = cmp.Or(o.Order, 8)
	return nil
}

// Counts contains expected counts of n-grams of chunks, from which models are made.
type Counts struct {
	// Skipped are the pairs that cannot be divided into the remaining chunks. They do not
	// contribute to the counts.
	Skipped []em.Skipped

	chunks   *Chunks
	reversed bool
	grams    *ngram.Counter
}

// Count returns the expected counts of n-grams of chunks in all divisions of the pairs, each
// weighted by its posterior probability. The lattice of a pair, without improbable arcs, is
// composed with the acceptor whose states are the last chunks. The posterior of each arc is then an
// uncertain occurrence of an n-gram (see ngram.Counter). A pair of weight w counts as ⌊w⌋ pairs,
// and as one more whose occurrences have their probability times the rest.
//
// The error wraps ErrInvalid for invalid options or pairs, wraps semiring.ErrLimit and names a pair
// whose lattice is too large, or is the error of ctx. Time and memory are proportional to the
// lattices, one shard of pairs at a time, and the n-grams.
func (a *Aligner) Count(ctx context.Context, pairs []Pair, opts *CountOptions) (*Counts, error) {
	var o CountOptions
	if opts != nil {
		o = *opts
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	if err := check(pairs); err != nil {
		return nil, err
	}
	chunks, weight := a.frequent(pairs, o.MinCount)
	if chunks.Len() == 0 {
		return nil, nested.Errorf("pairgram: %w: no chunk is expected %g times", ErrInvalid, o.MinCount)
	}
	grams, err := ngram.NewCounter(o.Order, int32(chunks.Len()))
	if err != nil {
		return nil, nested.Errorf("pairgram: %w: %w", ErrInvalid, err)
	}
	c := &Counts{chunks: chunks, reversed: o.Reversed, grams: grams}
	shards := em.NewCut(len(pairs))
	reducer := em.NewReducer[cutter, []cut](func() *cutter {
		return &cutter{chunks: chunks, weight: weight, least: o.MinPosterior, reader: newReader(chunks.sizes)}
	})
	x := &tally{grams: grams, weight: weight}
	var failed error
	err = reducer.Sum(ctx, o.Workers, 0, shards.Shards(), func(w *cutter, shard int, cuts *[]cut) error {
		*cuts = (*cuts)[:0]
		for i, hi := shards.Shard(shard); i < hi; i++ {
			if pairs[i].weight() == 0 {
				continue
			}
			l, err := w.cut(&pairs[i])
			if err != nil {
				return nested.Errorf("pairgram: %s: %w", pairs[i].name(i), err)
			}
			if l != nil && o.Reversed {
				l = l.reversed()
			}
			*cuts = append(*cuts, cut{i, l})
		}
		return nil
	}, func(_ int, cuts *[]cut) {
		for _, one := range *cuts {
			p := &pairs[one.pair]
			if one.lattice == nil {
				c.Skipped = append(c.Skipped, em.Skipped{Index: one.pair, Name: p.Name, Weight: p.weight(), Structural: true})
			} else if failed == nil {
				if err := x.count(one.lattice, p.weight()); err != nil {
					failed = nested.Errorf("pairgram: %s: %w", p.name(one.pair), err)
				}
			}
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// frequent returns the chunks with an expected count of at least least in pairs, and their weights.
// Every symbol is in one chunk, so the number of chunks is the number of symbols divided by the
// mean number of symbols in a chunk.
func (a *Aligner) frequent(pairs []Pair, least float64) (*Chunks, []semiring.ScaledFloat) {
	symbols, each := 0.0, 0.0
	for i := range pairs {
		p := &pairs[i]
		symbols += p.weight() * float64(len(p.Source)+len(p.Target))
	}
	for i, c := range a.chunks.all {
		each += a.Theta[i] * float64(len(c.Source)+len(c.Target))
	}
	var kept []Chunk
	var weight []semiring.ScaledFloat
	for i, c := range a.chunks.all { // kept chunks stay in order
		if count := a.Theta[i] * symbols / each; count > 0 && count >= least {
			kept = append(kept, c)
			weight = append(weight, semiring.NewScaled(a.Theta[i]*a.prior[i]))
		}
	}
	return newChunks(a.chunks.sizes, kept), weight
}

// cut contains the divisions of a pair.
type cut struct {
	pair    int
	lattice *lattice
}

// cutter computes the probable divisions of pairs; it is not safe for concurrent use.
type cutter struct {
	chunks *Chunks
	weight []semiring.ScaledFloat
	least  float64
	reader *reader
}

// cut returns the lattice of the pair without improbable arcs, nil if it has no path.
func (w *cutter) cut(p *Pair) (*lattice, error) {
	l := w.chunks.lattice(w.reader, p.Source, p.Target)
	g, err := weigh(l, semiring.Scaled{}, w.weight)
	if err != nil {
		return nil, err
	}
	pruned, err := graphs.PrunePosterior(g, w.least)
	if err != nil {
		return nil, err
	}
	if pruned.Graph.NumStates() == 0 {
		return nil, nil
	}
	chunk := make([]int32, len(pruned.Arc))
	for e, old := range pruned.Arc {
		chunk[e] = l.chunk[old]
	}
	return &lattice{row: pruned.Graph.Row(), to: pruned.Graph.To(), chunk: chunk}, nil
}

// tally counts the n-grams of lattices. As an acceptor of histories it has the contexts of the
// counter and the weights of the chunks.
type tally struct {
	grams     *ngram.Counter
	weight    []semiring.ScaledFloat
	expansion expansion
}

// Start, Step and End implement histories.
func (t *tally) Start() int32 { return t.grams.Start() }

func (t *tally) Step(context, chunk int32) (int32, semiring.ScaledFloat) {
	return t.grams.Step(context, chunk), t.weight[chunk-1]
}

func (*tally) End(int32) semiring.ScaledFloat { return semiring.NewScaled(1) }

// count adds the n-grams of the paths of l, by their probability, weight times.
func (t *tally) count(l *lattice, weight float64) error {
	x := &t.expansion
	g, err := x.expand(l, t)
	if err != nil {
		return err
	}
	p, err := graphs.Posteriors(g)
	if err != nil {
		return err
	}
	for s, final := range p.Final {
		_, context := x.states.place(int32(s))
		for e := x.row[s]; e < x.row[s+1]; e++ {
			if err := t.grams.AddAt(context, x.chunk[e], p.Arc[e], weight); err != nil {
				return err
			}
		}
		if err := t.grams.AddAt(context, ngram.End, final, weight); err != nil {
			return err
		}
	}
	return nil
}
