package pairgram

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
)

// Model is an n-gram model of chunks: p(x, y) is the sum, over all divisions of the pair into
// chunks, of the probability of the sequence of chunks. It is frozen and safe for concurrent use;
// predictions are made by a Predictor.
type Model struct {
	chunks   *Chunks
	reversed bool
	grams    *ngram.Model
	ranges   []chunkRange // per number of chunks.source: the chunks with this source
	known    map[int32]bool
}

// chunkRange is the chunks lo … hi−1.
type chunkRange struct{ lo, hi int32 }

// Model returns the model of the counts, smoothed by opts (nil: modified Kneser-Ney smoothing).
// Choose the DiscountScale on held-out pairs: about 1 for much data, more for little.
func (c *Counts) Model(opts *ngram.Options) (*Model, error) {
	grams, err := c.grams.Model(opts)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	return newModel(c.chunks, c.reversed, grams), nil
}

func newModel(chunks *Chunks, reversed bool, grams *ngram.Model) *Model {
	m := &Model{chunks: chunks, reversed: reversed, grams: grams, known: map[int32]bool{},
		ranges: make([]chunkRange, chunks.source.len())}
	for i, c := range chunks.all {
		r := &m.ranges[chunks.source.addString(c.Source)]
		if r.lo == 0 {
			r.lo = int32(i + 1)
		}
		r.hi = int32(i + 2)
		for _, s := range c.Source {
			m.known[s] = true
		}
	}
	return m
}

// Chunks returns the inventory.
func (m *Model) Chunks() *Chunks { return m.chunks }

// Reversed reports whether the model reads chunks from the last to the first.
func (m *Model) Reversed() bool { return m.reversed }

// Remarks returns the remarks of ReadARPA: see ngram.Model.Remarks.
func (m *Model) Remarks() []string { return m.grams.Remarks() }

// NGrams returns the model of sequences of chunks, in the order in which m reads them.
func (m *Model) NGrams() *ngram.Model { return m.grams }

// Knows reports whether a chunk has the source symbol. Predictors reject sources with unknown
// symbols.
func (m *Model) Knows(symbol int32) bool { return m.known[symbol] }

// check returns an error for an unknown symbol of the source.
func (m *Model) check(x []int32) error {
	for i, s := range x {
		if !m.Knows(s) {
			return nested.Errorf("pairgram: %w: %d at position %d", nbest.ErrUnknown, s, i)
		}
	}
	return nil
}

// history is the n-gram model as an acceptor of histories.
type history struct{ grams *ngram.Model }

// Start, Step and End implement histories.
func (h history) Start() int32 { return h.grams.Start() }

func (h history) Step(context, chunk int32) (int32, semiring.ScaledFloat) {
	next, logp := h.grams.Step(context, chunk)
	return next, semiring.ScaledFromLog(logp)
}

func (h history) End(context int32) semiring.ScaledFloat {
	_, logp := h.grams.Step(context, ngram.End)
	return semiring.ScaledFromLog(logp)
}

// Machine returns the model as a transducer over ring from source to target symbols, with these
// tables of names: the chunks, spelled out, in the n-grams' machine with back-off arcs. These are
// ε-arcs, so that any tool can use the machine. The weight of a sequence of chunks is then a sum
// over ways to back off, whereas p(x, y) uses only the longest n-grams. In the tropical semiring
// the best path rarely differs from the longest n-grams.
//
// weight is as in ngram.Acceptor. The error wraps ErrInvalid for a model that reads backward, or is
// as for ngram.BackoffAcceptor. O(n-grams) time and memory.
func Machine[W any](m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W, source, target *fst.Symbols) (*fst.FST[W], error) {
	nonnil.Check("pairgram: Machine", "model", m, "names of source symbols", source, "names of target symbols", target)
	return transduce(m, ring, weight, source, target, func(b *fst.Builder[W], from int32, a fst.Arc[W], c Chunk) {
		for i := range max(len(c.Source), len(c.Target)) {
			next := fst.Arc[W]{To: a.To, Weight: ring.One()}
			if i == 0 {
				next.Weight = a.Weight
			}
			if i < len(c.Source) {
				next.In = c.Source[i]
			}
			if i < len(c.Target) {
				next.Out = c.Target[i]
			}
			if i+1 < max(len(c.Source), len(c.Target)) {
				next.To = b.AddState()
			}
			b.AddArc(from, next)
			from = next.To
		}
	})
}

// ClusterMachine returns the model as a transducer for the decoder of Phonetisaurus. Unlike in
// Machine, an arc carries a whole chunk: the symbols of a side are one label, with | between their
// names, and an empty side is label 2, _. Label 1 is |. The tables of symbols are new. The error is
// as for Machine and WriteARPA.
func ClusterMachine[W any](m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W, source, target *fst.Symbols) (*fst.FST[W], error) {
	nonnil.Check("pairgram: ClusterMachine", "model", m, "names of source symbols", source, "names of target symbols", target)
	sides := [2]*fst.Symbols{fst.NewSymbols(tie, skip), fst.NewSymbols(tie, skip)}
	labels := make([][2]int32, m.chunks.Len())
	for i, c := range m.chunks.all {
		s, err := side(source, c.Source)
		if err != nil {
			return nil, nested.Errorf("pairgram: %w", err)
		}
		t, err := side(target, c.Target)
		if err != nil {
			return nil, nested.Errorf("pairgram: %w", err)
		}
		labels[i] = [2]int32{sides[0].Add(s), sides[1].Add(t)}
	}
	// A symbol that occurs only in longer chunks also needs a name of its own.
	for k, names := range []*fst.Symbols{source, target} {
		for _, c := range m.chunks.all {
			for _, label := range [2][]int32{c.Source, c.Target}[k] {
				name, _ := names.Name(label)
				sides[k].Add(name)
			}
		}
	}
	return transduce(m, ring, weight, sides[0], sides[1], func(b *fst.Builder[W], from int32, a fst.Arc[W], _ Chunk) {
		l := labels[a.In-1]
		b.AddArc(from, fst.Arc[W]{In: l[0], Out: l[1], To: a.To, Weight: a.Weight})
	})
}

// transduce returns the back-off machine of the n-grams with other arcs: put adds the arcs of a
// chunk, for an arc a labeled with its index, leaving state from.
func transduce[W any](m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W, source, target *fst.Symbols, put func(b *fst.Builder[W], from int32, a fst.Arc[W], c Chunk)) (*fst.FST[W], error) {
	if m.reversed {
		return nil, nested.Errorf("pairgram: %w: the model reads backward, want a forward model", ErrInvalid)
	}
	grams, err := ngram.BackoffAcceptor(m.grams, ring, weight)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	b := fst.NewBuilder(ring)
	b.AllowZero()
	b.AddStates(grams.NumStates())
	var arcs []fst.Arc[W]
	for _, s := range grams.AppendStarts(nil) {
		b.AddStart(s.State, s.Weight)
	}
	for s := range int32(grams.NumStates()) {
		b.SetFinal(s, grams.Final(s))
		arcs = grams.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			if int(a.In) > m.chunks.Len() {
				b.AddArc(s, fst.Arc[W]{To: a.To, Weight: a.Weight})
			} else {
				put(b, s, a, m.chunks.chunk(a.In))
			}
		}
	}
	f, err := b.Freeze()
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	return f.WithSymbols(source, target), nil
}

// Recipe makes a model of pairs in one call: it aligns the pairs, counts chunks and smooths the
// counts. The zero value uses the defaults of all options.
type Recipe struct {
	Aligner   AlignerOptions
	Count     CountOptions
	Smoothing ngram.Options
}

// Fit returns the model of pairs. The aligner is trained with opts, nil for the defaults, whose
// Workers also count if Count has none. Errors are as for NewAligner, Aligner.Fit, Aligner.Count
// and Counts.Model. If ctx ends training, Fit returns no model.
func (r Recipe) Fit(ctx context.Context, pairs []Pair, opts *em.Options) (*Model, error) {
	a, err := NewAligner(pairs, &r.Aligner)
	if err != nil {
		return nil, err
	}
	if _, err := a.Fit(ctx, pairs, opts); err != nil {
		return nil, err
	}
	if opts != nil && r.Count.Workers == 0 {
		r.Count.Workers = opts.Workers
	}
	return r.FitAligned(ctx, a, pairs)
}

// FitAligned is Fit with a given aligner, trained or with equally probable chunks: it counts chunks
// and smooths the counts. Models with different n-grams or reading directions may share an aligner.
// Errors are as for Aligner.Count and Counts.Model.
func (r Recipe) FitAligned(ctx context.Context, a *Aligner, pairs []Pair) (*Model, error) {
	counts, err := a.Count(ctx, pairs, &r.Count)
	if err != nil {
		return nil, err
	}
	return counts.Model(&r.Smoothing)
}
