package edit

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// Word is a string of a lexicon and its prior weight, a finite number > 0. Weights need not be
// normalized.
type Word struct {
	Labels []int32
	Weight float64
}

// Words returns the lexicon of these words, all of weight 1. The labels are the code points of the
// characters, as in fst.RuneLabels; word i of a Correction is list[i].
func Words(list ...string) []Word {
	words := make([]Word, len(list))
	for i, w := range list {
		words[i] = Word{Labels: fst.RuneLabels(w), Weight: 1}
	}
	return words
}

// CorrectorOptions are the choices in NewCorrector. A nil *CorrectorOptions and the zero
// value of each field mean the default.
type CorrectorOptions struct {
	// CandidateModel is a simpler model that finds the candidates, for example a memoryless model
	// (default: the model itself).
	CandidateModel *Model
	// Width is the number of states that the search keeps per layer (default 80).
	Width int
	// Margin, in nats, is the largest distance of a state to the best state of its layer (default
	// 12).
	Margin float64
	// Prune is the least probability of an edit in the search (default 1e-4).
	Prune float64
	// Candidates is the number of words that the search passes to the model for ranking (default
	// 30). A lexicon of at most Candidates words is not searched: all its words are ranked, and the
	// answer is exact.
	Candidates int
}

// Corrector is a model frozen together with a lexicon. It finds the words that a string most
// probably comes from, by the prior weight of a word times the probability that it becomes the
// string. It is safe for concurrent use.
//
// The lexicon is a trie. graph.Beam searches the lazy composition lexicon ∘ scout ∘ string, in
// layers of equally many symbols read and written. The beam sums over the ways from all words with
// the same prefix: the weight at the end of a word is the word's probability, without the ways that
// were dropped. The best words are then ranked by a second search with the model in place of the
// scout, which drops only ways that are Margin + 10 nats below the best of their layer.
//
// The search may miss a better word if an edit below Prune led to it, or its prefix was far worse
// than the prefixes of other words. The second-best word, if it is far worse than the best, is
// missed most easily. In a lexicon of at most Candidates words all words are ranked and no ways are
// dropped: the answer is exact.
//
// States of a layer are compared by three factors: the mass of the ways to them, the weight of the
// words that continue from there, and an estimate for the rest. The estimate uses the number of
// symbols still to be written and a lower bound on the edits, from the symbols and lengths of these
// words. It assumes that most symbols are kept.
type Corrector struct {
	model   *Model
	words   []Word
	options CorrectorOptions
	lexicon *lexicon // nil: all words are ranked
	scout   *machine // with all edits
	likely  *machine // with the edits that are not pruned
	exact   *machine
	longest int
	arenas  sync.Pool
	whole   func() ([]*lexicon, error) // all words, spelled for the model
}

// Correction is a word with its index in the lexicon, its labels there and a probability. If the
// labels are characters, as with Words, Text returns the word. The probability is the word's weight
// times the probability that it becomes the string; from Posteriors it is the probability of the
// word given the string.
type Correction struct {
	Word int
	nbest.Candidate
}

var scaled = semiring.Scaled{}

// NewCorrector returns a corrector for a model as it is now. The models should be conditional.
// Words with a symbol that a model does not know are never found. The error wraps ErrInvalid for
// equal words and for invalid options or weights. O(symbols · log words) time, and about 100 bytes
// per prefix of words.
func NewCorrector(m *Model, words []Word, opts *CorrectorOptions) (*Corrector, error) {
	nonnil.Check("edit: NewCorrector", "model", m)
	c := &Corrector{model: m, words: words}
	c.arenas.New = func() any { return machines.Scaled.NewArena(scaled) }
	if opts != nil {
		c.options = *opts
	}
	o := &c.options
	if o.CandidateModel == nil {
		o.CandidateModel = m
	}
	o.Width, o.Candidates = cmp.Or(o.Width, 80), cmp.Or(o.Candidates, 30)
	o.Margin, o.Prune = cmp.Or(o.Margin, 12), cmp.Or(o.Prune, 1e-4)
	if o.Width < 0 || o.Candidates < 0 || !(o.Margin > 0) || !(o.Prune > 0) {
		return nil, nested.Errorf("edit: %w: corrector options: Width %d, Margin %g, Prune %g and Candidates %d, want numbers > 0",
			ErrInvalid, o.Width, o.Margin, o.Prune, o.Candidates)
	}
	all := make([]int, len(words))
	c.whole = sync.OnceValues(func() ([]*lexicon, error) { return lexicons(m, words, all) })
	for i, w := range words {
		if !(w.Weight > 0) || w.Weight-w.Weight != 0 {
			return nil, nested.Errorf("edit: %w: word %d has the weight %g, want a finite number > 0", ErrInvalid, i, w.Weight)
		}
		all[i] = i
		c.longest = max(c.longest, len(w.Labels))
	}
	var err error
	if c.exact, err = m.instance(); err != nil {
		return nil, err
	}
	if c.scout, err = o.CandidateModel.instance(); err != nil {
		return nil, err
	}
	least := semiring.NewScaled(o.Prune)
	if c.likely, err = machines.Scaled.PruneArcs(c.scout, func(w semiring.ScaledFloat) bool { return w.Cmp(least) >= 0 }, nil); err != nil {
		return nil, err
	}
	lexicon, err := newLexicon(o.CandidateModel, words, all)
	if len(words) > o.Candidates {
		c.lexicon = lexicon
	}
	return c, err
}

// further is the additional margin, in nats, of the beam that ranks the candidates from a large
// lexicon.
const further = 10

// Longest returns the length of the longest string that Best accepts: twice the length of
// the longest word.
func (c *Corrector) Longest() int { return 2 * c.longest }

// Best returns up to n words that y most probably comes from, best first. If no word becomes y, for
// example because the model does not write a symbol of y, Best returns an empty list and no error.
// Equally good words are in lexicon order. The error wraps semiring.ErrLimit if y is longer than
// Longest, or is the error of ctx.
//
// In a lexicon of at most Candidates words these are the n best. In a larger lexicon a better word
// may be missing, and the list may be shorter than n (see Corrector). To be certain, set Candidates
// to the number of words; the time is then proportional to |y| times the total number of their
// symbols.
//
// Time is proportional to |y| times the width of the beam and independent of the size of the
// lexicon. If no word is found, Best searches once more, with all edits and a beam of 16 times the
// Width and 4 times the Margin.
func (c *Corrector) Best(ctx context.Context, y []int32, n int) ([]Correction, error) {
	nonnil.Check("edit: Best", "context", ctx)
	if err := c.checkLength(y); err != nil {
		return nil, err
	}
	arena := c.arenas.Get().(machines.Arena[semiring.ScaledFloat])
	defer c.arenas.Put(arena)
	some, err := c.candidates(ctx, arena, y)
	if err != nil || len(some) == 0 {
		return nil, err
	}
	ranked, err := c.rank(ctx, arena, y, some)
	return ranked[:min(max(n, 0), len(ranked))], err
}

// Posteriors returns up to n words that y most probably comes from, best first, each with its
// probability given y: its weight times the probability that it becomes y, divided by the sum of
// these products over the whole lexicon. Posteriors drops no word and no edit, whatever the options
// of the search: the probabilities of all words sum to 1. Words outside the lexicon have
// probability 0.
//
// Errors and empty lists are as for Best. Time is proportional to |y| times the symbols of the
// lexicon, with shared prefixes counted once, about 0.5 µs for each. Best looks at a small part of
// a large lexicon, Posteriors at all of it: 100,000 words take seconds.
func (c *Corrector) Posteriors(ctx context.Context, y []int32, n int) ([]Correction, error) {
	nonnil.Check("edit: Posteriors", "context", ctx)
	if err := c.checkLength(y); err != nil {
		return nil, err
	}
	parts, err := c.whole()
	if err != nil {
		return nil, err
	}
	arena := c.arenas.Get().(machines.Arena[semiring.ScaledFloat])
	defer c.arenas.Put(arena)
	var all []Correction
	for _, l := range parts {
		some, err := l.search(ctx, arena, c.exact, y, 0, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, Correction.compare)
	var total semiring.ScaledFloat
	for _, w := range all {
		total = total.Add(semiring.ScaledFromLog(w.LogProb))
	}
	list := slices.Clone(all[:min(max(n, 0), len(all))])
	for i := range list {
		if list[i].LogProb, err = clamp.LogQuotient(list[i].LogProb, total.Log(), len(all)); err != nil {
			return nil, nested.Errorf("edit: %w", err)
		}
	}
	return list, nil
}

// checkLength returns an error for a string that is longer than Longest.
func (c *Corrector) checkLength(y []int32) error {
	if len(y) > c.Longest() {
		return nested.Errorf("edit: %w: %d symbols, the longest word has %d", semiring.ErrLimit, len(y), c.longest)
	}
	return nil
}

// candidates returns the indices of the words to be ranked.
func (c *Corrector) candidates(ctx context.Context, arena machines.Arena[semiring.ScaledFloat], y []int32) ([]int, error) {
	if c.lexicon == nil {
		all := make([]int, len(c.words))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	o := &c.options
	found, err := c.lexicon.search(ctx, arena, c.likely, y, o.Width, o.Margin)
	if err == nil && len(found) == 0 {
		found, err = c.lexicon.search(ctx, arena, c.scout, y, 16*o.Width, 4*o.Margin)
	}
	some := make([]int, min(o.Candidates, len(found)))
	for i := range some {
		some[i] = found[i].Word
	}
	return some, err
}

// Rank returns those words, given by index, that may become y, as corrections of y, best first. It
// ranks them as Best ranks its candidates. Words that do not become y, or whose ways are dropped,
// are left out, so the list may be empty. Errors are as for Best, and for equal words as for
// NewCorrector. It panics if an index is out of range.
func (c *Corrector) Rank(ctx context.Context, y []int32, words []int) ([]Correction, error) {
	nonnil.Check("edit: Rank", "context", ctx)
	if err := c.checkLength(y); err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, nil
	}
	arena := c.arenas.Get().(machines.Arena[semiring.ScaledFloat])
	defer c.arenas.Put(arena)
	return c.rank(ctx, arena, y, words)
}

func (c *Corrector) rank(ctx context.Context, arena machines.Arena[semiring.ScaledFloat], y []int32, words []int) ([]Correction, error) {
	candidates, err := newLexicon(c.model, c.words, words)
	if err != nil {
		return nil, err
	}
	margin := c.options.Margin + further
	if c.lexicon == nil {
		margin = 0
	}
	return candidates.search(ctx, arena, c.exact, y, 0, margin)
}

// compare orders corrections, the best first.
func (a Correction) compare(b Correction) int {
	return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), cmp.Compare(a.Word, b.Word))
}
