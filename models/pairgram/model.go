package pairgram

import (
	"fmt"

	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Model is an n-gram model of chunks: p(x, y) is the sum, over all ways to cut the pair
// into chunks, of the probability of the sequence of chunks. It is frozen and safe for
// concurrent use.
type Model struct {
	chunks    *Chunks
	direction Direction
	grams     *ngram.Model
	ranges    []chunkRange // per number of chunks.source: the chunks with this source
	known     map[int32]bool
}

// chunkRange is the chunks lo … hi−1.
type chunkRange struct{ lo, hi int32 }

// Model returns the model of the counts, smoothed as the options say (see ngram.Options;
// nil is modified Kneser-Ney as it is). Its DiscountScale is best chosen on held-out
// pairs: about 1 with much data, more with little.
func (c *Counts) Model(opts *ngram.Options) (*Model, error) {
	grams, err := c.grams.Model(opts)
	if err != nil {
		return nil, fmt.Errorf("pairgram: %w", err)
	}
	return newModel(c.chunks, c.direction, grams), nil
}

func newModel(chunks *Chunks, direction Direction, grams *ngram.Model) *Model {
	m := &Model{chunks: chunks, direction: direction, grams: grams, known: map[int32]bool{},
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

// Direction returns the order in which the model reads.
func (m *Model) Direction() Direction { return m.direction }

// NGrams returns the model of sequences of chunks, in the order of Direction.
func (m *Model) NGrams() *ngram.Model { return m.grams }

// check returns the error for a symbol of the source that no chunk has.
func (m *Model) check(x []int32) error {
	for i, s := range x {
		if !m.known[s] {
			return fmt.Errorf("pairgram: %w: %d at position %d", nbest.ErrUnknown, s, i)
		}
	}
	return nil
}

// LogProb returns ln p(x, y), exactly: the sum is over all ways to cut the pair into
// chunks. It is −Inf if there is none. The error wraps ErrLimit for strings that are too
// long. O(|x|·|y|) and a factor for the contexts that meet there. For many pairs, that
// of a Predictor is faster.
func (m *Model) LogProb(x, y []int32) (float64, error) {
	return newScorer(m).logProb(m, x, y)
}

// scorer computes probabilities of pairs; it belongs to one goroutine.
type scorer struct {
	reader    *reader
	expansion expansion
}

func newScorer(m *Model) *scorer { return &scorer{reader: newReader(m.chunks.sizes)} }

func (s *scorer) logProb(m *Model, x, y []int32) (float64, error) {
	if tooLong(x, y) {
		return 0, fmt.Errorf("pairgram: %w: strings of %d and %d symbols", ErrLimit, len(x), len(y))
	}
	l := m.chunks.lattice(s.reader, x, y)
	if m.direction == Backward {
		l = l.reversed()
	}
	g, err := s.expansion.expand(l, history{m.grams})
	if err != nil {
		return 0, fmt.Errorf("pairgram: %w", err)
	}
	sum, err := graph.PathSum(g)
	if err != nil {
		return 0, fmt.Errorf("pairgram: %w", err)
	}
	return sum.Log(), nil
}

// history is the n-gram model as an acceptor of histories.
type history struct{ grams *ngram.Model }

// Start, Step and End are those of histories.
func (h history) Start() int32 { return h.grams.Start() }

func (h history) Step(context, chunk int32) (int32, semiring.ScaledFloat) {
	next, logp := h.grams.Step(context, chunk)
	return next, semiring.ScaledFromLog(logp)
}

func (h history) End(context int32) semiring.ScaledFloat {
	_, logp := h.grams.Step(context, ngram.End)
	return semiring.ScaledFromLog(logp)
}
