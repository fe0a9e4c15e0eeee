package pairgram

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
)

// Model is an n-gram model of chunks: p(x, y) is the sum, over all ways to cut the pair
// into chunks, of the probability of the sequence of chunks. It is frozen and safe for
// concurrent use; a Predictor answers for it.
type Model struct {
	chunks   *Chunks
	reversed bool
	grams    *ngram.Model
	ranges   []chunkRange // per number of chunks.source: the chunks with this source
	known    map[int32]bool
}

// chunkRange is the chunks lo … hi−1.
type chunkRange struct{ lo, hi int32 }

// Model returns the model of the counts, smoothed as the options say (nil: modified
// Kneser-Ney smoothing). Choose the DiscountScale on held-out pairs: about 1 with much
// data, more with little.
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

// Remarks returns what ReadARPA left out of a file: see ngram.Model.Remarks.
func (m *Model) Remarks() []string { return m.grams.Remarks() }

// NGrams returns the model of sequences of chunks, in the order in which m reads them.
func (m *Model) NGrams() *ngram.Model { return m.grams }

// Knows reports whether a chunk has the source symbol. Predictors refuse sources with others.
func (m *Model) Knows(symbol int32) bool { return m.known[symbol] }

// check returns the error for a symbol of the source that no chunk has.
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
