package align

import (
	"fmt"
	"math"
	"sync"

	"example.org/pathsum/em"
)

// MaxWords is the greatest length of a sentence.
const MaxWords = 1 << 12

// Corpus is parallel text for training, with its words numbered. The zero value is not
// ready for use, see NewCorpus.
type Corpus struct {
	words [2]*vocabulary // of E, of F
	text  [2]text
	lines []int // of the sentences, 0: not known
	cells int   // Σ E·F

	found found
}

// found is what is found out about a corpus when it is first asked for.
type found struct {
	sync.Mutex
	lexicon *lexicon // without probabilities
	slots   []int32  // per cell
}

// lexicon returns the lexicon of the pairs of c, without probabilities, and the slot of
// every cell: sentence by sentence, source word by source word. Not to be modified.
func (c *Corpus) lexicon() (*lexicon, []int32) {
	c.found.Lock()
	defer c.found.Unlock()
	if c.found.lexicon == nil {
		c.found.lexicon, c.found.slots = newLexicon(c)
	}
	return c.found.lexicon, c.found.slots
}

// text is one side of a corpus: sentence s is words[first[s]:first[s+1]].
type text struct {
	words []int32
	first []int
}

func (t *text) sentence(s int) []int32 { return t.words[t.first[s]:t.first[s+1]] }

// NewCorpus returns an empty corpus.
func NewCorpus() *Corpus {
	c := &Corpus{words: [2]*vocabulary{newVocabulary(), newVocabulary()}}
	for side := range c.text {
		c.text[side].first = []int{0}
	}
	return c
}

// Len returns the number of sentences.
func (c *Corpus) Len() int { return len(c.text[0].first) - 1 }

// Add adds a sentence; nothing of it is kept but the words. The error wraps ErrInvalid
// and says what is wrong with it.
func (c *Corpus) Add(s Sentence) error { return c.AddLine(0, s) }

// AddLine is Add for the sentence in a line of a file, counted from 1: Fit names it by
// that.
func (c *Corpus) AddLine(line int, s Sentence) error {
	if err := s.check(); err != nil {
		return err
	}
	if c.cells += len(s.Source) * len(s.Target); c.cells > math.MaxInt32 {
		return fmt.Errorf("align: %w: more than %d pairs of words in the corpus", ErrInvalid, math.MaxInt32)
	}
	c.lines = append(c.lines, line)
	c.found.lexicon, c.found.slots = nil, nil
	for side, words := range [2][]string{s.Source, s.Target} {
		t := &c.text[side]
		for _, w := range words {
			t.words = append(t.words, c.words[side].add(w))
		}
		t.first = append(t.first, len(t.words))
	}
	return nil
}

// skipped returns how sentence n is named.
func (c *Corpus) skipped(n int) em.Skipped {
	x := em.Skipped{Index: n, Weight: 1}
	if line := c.lines[n]; line > 0 {
		x.Name = fmt.Sprintf("line %d", line)
	}
	return x
}

// check returns what is wrong with a sentence.
func (s Sentence) check() error {
	for side, words := range [2][]string{s.Source, s.Target} {
		if n := len(words); n == 0 || n > MaxWords {
			return fmt.Errorf("align: %w: the %s has %d words, want 1 to %d", ErrInvalid, sideNames[side], n, MaxWords)
		}
	}
	return nil
}

// vocabulary numbers the words of one language 0, 1, 2, … in the order in which they
// came.
type vocabulary struct {
	words []string
	ids   map[string]int32
}

func newVocabulary() *vocabulary { return &vocabulary{ids: map[string]int32{}} }

// add returns the number of a word, which may be new.
func (v *vocabulary) add(word string) int32 {
	id, ok := v.ids[word]
	if !ok {
		id = int32(len(v.words))
		v.words = append(v.words, word)
		v.ids[word] = id
	}
	return id
}

// find returns the number of a word, −1 if it is unknown.
func (v *vocabulary) find(word string) int32 {
	if id, ok := v.ids[word]; ok {
		return id
	}
	return unknown
}

// unknown is the number of a word that is not in a vocabulary, and of a pair of words
// that is not in a lexicon.
const unknown = -1
