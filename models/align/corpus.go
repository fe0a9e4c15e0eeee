package align

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// MaxWords is the greatest length of a sentence.
const MaxWords = 1 << 12

// Corpus is parallel text for training, with its words numbered. Training on it takes 2 more bytes
// per cell, a pair of positions in a sentence. The zero value is not ready for use; see NewCorpus.
type Corpus struct {
	words [2]*vocabulary // of E, of F
	text  [2]text
	lines []int   // of the sentences; 0: unknown
	cells int     // Σ E·F
	whole bool    // the corpus is one shard
	least float64 // see Prune

	found found
}

// found contains data that are computed from a corpus on first use.
type found struct {
	sync.Mutex
	lexicon *lexicon
	cells   *cells
}

// lexicon returns the lexicon of the pairs of c, which must not be modified.
func (c *Corpus) lexicon() *lexicon {
	c.found.Lock()
	defer c.found.Unlock()
	return c.pairs()
}

func (c *Corpus) pairs() *lexicon {
	if c.found.lexicon == nil {
		c.found.lexicon = newLexicon(c)
	}
	return c.found.lexicon
}

// Prune drops every word pair that co-occurs in less than the fraction least of the rarer word's
// occurrences. The probability of such a pair could hardly exceed least in either direction.
// Dropped pairs have the probability Options.Floor and take no memory. They include most pairs of
// frequent words: .02 drops a quarter to a third of all pairs. Call Prune before New; the default 0
// keeps all pairs. It panics unless least is in [0, 1).
func (c *Corpus) Prune(least float64) {
	if !(least >= 0 && least < 1) {
		panic(fmt.Sprintf("align: pruning by a share of %g", least))
	}
	c.found.Lock()
	defer c.found.Unlock()
	c.least, c.found.lexicon, c.found.cells = least, nil, nil
}

// slots returns the slots of the cells of c in its lexicon, which must not be modified.
func (c *Corpus) slots() *cells {
	c.found.Lock()
	defer c.found.Unlock()
	if c.found.cells == nil {
		c.found.cells = newCells(c, c.pairs())
	}
	return c.found.cells
}

// text is one side of a corpus: sentence s is words[first[s]:first[s+1]].
type text struct {
	words []int32
	first []int32
}

func (t *text) sentence(s int) []int32 { return t.words[t.first[s]:t.first[s+1]] }

// length returns the number of words of sentence s.
func (t *text) length(s int) int { return int(t.first[s+1] - t.first[s]) }

// NewCorpus returns an empty corpus.
func NewCorpus() *Corpus {
	c := &Corpus{words: [2]*vocabulary{newVocabulary(), newVocabulary()}}
	for side := range c.text {
		c.text[side].first = []int32{0}
	}
	return c
}

// Len returns the number of sentences.
func (c *Corpus) Len() int { return len(c.text[0].first) - 1 }

// Sentence returns sentence n.
func (c *Corpus) Sentence(n int) Sentence {
	var of [2][]string
	for side := range of {
		for _, w := range c.text[side].sentence(n) {
			of[side] = append(of[side], c.words[side].words[w])
		}
	}
	return Sentence{Source: of[0], Target: of[1]}
}

// Line returns the line number of sentence n if it was added by AddLine, 0 if by Add.
func (c *Corpus) Line(n int) int { return c.lines[n] }

// Add adds a copy of a sentence. The error wraps ErrInvalid and describes the fault.
func (c *Corpus) Add(s Sentence) error { return c.AddLine(0, s) }

// AddLine is Add for a sentence from a line of a file, counted from 1. Fit names the sentence by
// this line.
func (c *Corpus) AddLine(line int, s Sentence) error {
	if err := s.check(); err != nil {
		return err
	}
	if len(s.Source) > math.MaxInt32-len(c.text[0].words) || len(s.Target) > math.MaxInt32-len(c.text[1].words) {
		return nested.Errorf("align: %w: more than %d words in the corpus", ErrInvalid, math.MaxInt32)
	}
	c.cells += len(s.Source) * len(s.Target)
	c.lines = append(c.lines, line)
	c.found.lexicon, c.found.cells = nil, nil
	for side, words := range [2][]string{s.Source, s.Target} {
		t := &c.text[side]
		for _, w := range words {
			t.words = append(t.words, c.words[side].add(w))
		}
		t.first = append(t.first, int32(len(t.words)))
	}
	return nil
}

// Cut returns the division of the sentences into shards, by their cost in both directions.
func (c *Corpus) Cut() em.Cut {
	if c.whole {
		return em.NewCutBySize(c.Len(), c.Len())
	}
	return em.NewCutByCost(c.Len(), func(n int) int { return Cost(c.text[0].length(n), c.text[1].length(n)) })
}

// Cost returns the cost of a sentence for em.NewCutByCost: the cells of both directions.
func Cost(source, target int) int { return 2 * source * target }

// example returns the name and index of sentence n.
func (c *Corpus) example(n int) em.Skipped {
	x := em.Skipped{Index: n, Weight: 1}
	if line := c.lines[n]; line > 0 {
		x.Name = fmt.Sprintf("line %d", line)
	}
	return x
}

// check returns an error if a sentence is empty, too long, or contains an invalid word.
func (s Sentence) check() error {
	for side, words := range [2][]string{s.Source, s.Target} {
		if n := len(words); n == 0 || n > MaxWords {
			return nested.Errorf("align: %w: the %s has %d words, want 1 to %d", ErrInvalid, sideNames[side], n, MaxWords)
		}
	}
	return nil
}

// vocabulary numbers the words of one language 0, 1, 2, … in insertion order.
type vocabulary struct {
	words []string
	ids   map[string]int32
}

func newVocabulary() *vocabulary { return &vocabulary{ids: map[string]int32{}} }

// add returns the index of a word and adds it if it is new. A new word is cloned, so that the line
// that contains it can be freed.
func (v *vocabulary) add(word string) int32 {
	id, ok := v.ids[word]
	if !ok {
		id = int32(len(v.words))
		word = strings.Clone(word)
		v.words = append(v.words, word)
		v.ids[word] = id
	}
	return id
}

// find returns the index of a word, −1 if it is unknown.
func (v *vocabulary) find(word string) int32 {
	if id, ok := v.ids[word]; ok {
		return id
	}
	return unknown
}

// unknown is the index of a word that is not in a vocabulary, and of a pair of words that is not in
// a lexicon.
const unknown = -1

// Window is a part of a sentence pair that is too long to be aligned at once; memory grows with E·F
// and E². It contains the words from Source[0] up to Source[1] and the target words at about the
// same relative positions.
type Window struct {
	Source, Target [2]int

	words  [2]int     // of the whole sentence
	decide [2]float64 // the interval of relative positions
}

// Pieces splits a sentence pair of source and target words into training pieces of at most most
// words, at the same relative positions of both. A word at a cut may be in two pieces. It panics if
// a number is less than 1.
func Pieces(source, target, most int) []Window {
	n := max(1, (max(source, target)+most-1)/most)
	for n > 1 && (max(source, target)+n-1)/n+1 > most && n < max(source, target) {
		n++
	}
	return windows(source, target, most, n, 1/float64(n), 1/float64(n), 0)
}

// Windows covers a sentence pair with windows of at most most words for decoding; each overlaps the
// next by half. Each pair of words at similar relative positions, within half a window, is in a
// window that Decides on it. It panics if a number is less than 1, or if most is less than 4 and
// the sentences are longer.
func Windows(source, target, most int) []Window {
	longer := max(source, target)
	if longer <= most {
		return Pieces(source, target, most)
	}
	if most < 4 {
		panic("align: windows of less than 4 words")
	}
	n := (2*longer+most-3)/(most-2) - 1 // windows that reach over a word at each end
	step := 1 / float64(n+1)
	return windows(source, target, most, n, step, 2*step, step/2)
}

// windows returns n windows of the given step and width, as fractions of the whole. Each decides on
// the links that are at least margin away from its ends.
func windows(source, target, most, n int, step, width, margin float64) []Window {
	if min(source, target, most) < 1 {
		panic("align: windows of no words")
	}
	all := make([]Window, n)
	for k := range all {
		w := &all[k]
		from := float64(k) * step
		w.words = [2]int{source, target}
		for side, part := range []*[2]int{&w.Source, &w.Target} {
			// A sum of rounded steps may miss a whole number by rounding.
			whole := float64(w.words[side])
			part[0] = int(math.Floor(from*whole + 1e-9))
			part[1] = min(int(math.Ceil((from+width)*whole-1e-9)), w.words[side])
		}
		w.decide = [2]float64{from + margin, from + width - margin}
		if k == 0 {
			w.decide[0] = 0
		}
		if k == n-1 {
			w.decide[1] = 1
		}
	}
	for k := 1; k < n; k++ { // the bounds must be equal to the last bit
		all[k].decide[0] = all[k-1].decide[1]
	}
	return all
}

// Of returns the part of the sentence inside the window.
func (w Window) Of(s Sentence) Sentence {
	return Sentence{Source: s.Source[w.Source[0]:w.Source[1]], Target: s.Target[w.Target[0]:w.Target[1]]}
}

// Link converts a link of the window to positions in the whole sentence.
func (w Window) Link(l Link) Link { return Link{l.Source + w.Source[0], l.Target + w.Target[0]} }

// Decides reports whether a link of the whole sentence is taken from this window: it is in the
// middle, farthest from missing words. At most one window decides on each link.
func (w Window) Decides(l Link) bool {
	if l.Source < w.Source[0] || l.Source >= w.Source[1] || l.Target < w.Target[0] || l.Target >= w.Target[1] {
		return false
	}
	along := ((float64(l.Source)+.5)/float64(w.words[0]) + (float64(l.Target)+.5)/float64(w.words[1])) / 2
	return along >= w.decide[0] && along < w.decide[1]
}
