package treebank

import (
	"fmt"
	"math"
	"slices"
)

// Score counts the correct parts of parses, over any number of sentences. The zero value is the
// score of zero sentences. Fractions are NaN if the denominator is 0.
type Score struct {
	Sentences int
	// Brackets of the gold standard, of the guesses, and of both.
	Gold, Guess, Both int
	// Words whose head is known and guessed; among them words with the correct head, and words
	// joined to it in either direction.
	Words, Directed, Undirected int
}

// Add counts a sentence. Spans or heads that are nil on either side are ignored, as are brackets of
// a single word. It panics if the numbers of heads differ.
func (s *Score) Add(gold *Sentence, spans []Span, heads []int) {
	s.Sentences++
	if gold.Spans != nil && spans != nil {
		a, b := unique(gold.Spans), unique(spans)
		s.Gold += len(a)
		s.Guess += len(b)
		for _, x := range b {
			if _, ok := slices.BinarySearchFunc(a, x, Span.Compare); ok {
				s.Both++
			}
		}
	}
	if gold.Heads == nil || heads == nil {
		return
	}
	if len(heads) != len(gold.Heads) {
		panic(fmt.Sprintf("treebank: %d heads for %d words", len(heads), len(gold.Heads)))
	}
	for a, h := range gold.Heads {
		s.Words++
		switch {
		case heads[a] == h:
			s.Directed++
			s.Undirected++
		case h >= 0 && heads[h] == a:
			s.Undirected++
		}
	}
}

// Precision returns the fraction of the guessed brackets that are correct.
func (s *Score) Precision() float64 { return fraction(s.Both, s.Guess) }

// Recall returns the fraction of the gold brackets that were found.
func (s *Score) Recall() float64 { return fraction(s.Both, s.Gold) }

// F1 returns the harmonic mean of Precision and Recall.
func (s *Score) F1() float64 { return fraction(2*s.Both, s.Gold+s.Guess) }

// DirectedAccuracy returns the fraction of words with the right head.
func (s *Score) DirectedAccuracy() float64 { return fraction(s.Directed, s.Words) }

// UndirectedAccuracy returns the fraction of words joined to the right head, in either direction.
func (s *Score) UndirectedAccuracy() float64 { return fraction(s.Undirected, s.Words) }

func fraction(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}
