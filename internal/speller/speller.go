package speller

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// Settings, chosen on development data.
const (
	// smoothing is added to the count of every word.
	smoothing = .5
	// candidates is the number of words that are found for the product to rank.
	candidates = 80
	// width is the number of states that the search keeps per layer. With fewer, the right
	// words for short ones are lost.
	width = 160
	// prune is the probability below which edits are left out of the search.
	prune = 1e-5
)

// Speller suggests corrections by the models in its fields. The output symbols of its channels
// are characters. After Prepare it is safe for concurrent use.
type Speller struct {
	Lexicon []Word

	Scout        *edit.Model     // a simple channel, which finds candidates
	Edits, Slips *edit.Model     // channels of writers, in context, and of fingers
	Mixed        *edit.Model     // the mixture of these two
	Pairs        *pairgram.Model // aligned chunks of misspelt and correct words
	Spelling     *ngram.Model    // the characters of the words in the training pairs of Pairs
	Sounds       *Sounds         // the pronunciation of words; nil if unknown
	Weights      []float64       // the exponents of the product; nil: the ones before Learn

	words   []Word          // of the lexicon, those that can be found
	in      []edit.Word     // words, in labels
	known   map[string]bool // all of the lexicon
	number  map[string]int  // of words, by the key of their labels
	mixed   *edit.Corrector
	product *nbest.Product
}

// Prepare makes s find the words of its Lexicon. It must be called when the models are set, and
// again after the Lexicon changes.
func (s *Speller) Prepare() (err error) {
	s.words, s.in, s.known, s.number = nil, nil, map[string]bool{}, map[string]int{}
	for _, w := range s.Lexicon {
		s.known[w.Text] = true
		// A word with a character that the models do not have cannot be found.
		if labels := s.Label(w.Text); labels != nil {
			s.number[key(labels)] = len(s.words)
			s.words = append(s.words, w)
			s.in = append(s.in, edit.Word{Labels: labels, Weight: math.Pow(w.Count+smoothing, priorWeight)})
		}
	}
	s.mixed, err = edit.NewCorrector(s.Mixed, s.in, &edit.CorrectorOptions{CandidateModel: s.Scout, Width: width, Prune: prune, Candidates: candidates})
	if err != nil {
		return err
	}
	return s.newProduct()
}

// Letters returns the characters of the models.
func (s *Speller) Letters() *fst.Symbols {
	_, letters := fst.SymbolsOf(s.Edits.Stages[0])
	return letters
}

// Label returns a word in labels, or nil if it has a character that the models do not have.
func (s *Speller) Label(text string) []int32 {
	labels, err := s.Letters().EncodeRunes(text)
	if err != nil {
		return nil
	}
	return labels
}

// Labels returns the labels of a word to correct, or an error if the word is invalid.
func (s *Speller) Labels(text string) ([]int32, error) {
	letters := s.Letters()
	n := 0
	for _, c := range text {
		if _, ok := letters.Find(string(c)); !ok {
			return nil, fmt.Errorf("unknown character %q", c)
		}
		n++
	}
	switch most := s.mixed.Longest(); {
	case n == 0:
		return nil, fmt.Errorf("no word")
	case n > most:
		return nil, fmt.Errorf("%d characters are too long for a word of the lexicon, want at most %d", n, most)
	}
	return letters.EncodeRunes(text)
}

// Known reports whether the lexicon has a word, whether or not the models know its characters.
func (s *Speller) Known(text string) bool { return s.known[text] }

// Words returns the words that can be found, with their texts and as a lexicon of package edit.
func (s *Speller) Words() ([]Word, []edit.Word) { return s.words, s.in }

// Suggestion is a word and its probability among the candidates.
type Suggestion struct {
	Text string
	Prob float64
}

// Suggest returns the n best corrections of a word, excluding the word. It returns errors of
// Labels, of the models and of ctx.
func (s *Speller) Suggest(ctx context.Context, text string, n int) ([]Suggestion, error) {
	x, err := s.Labels(Fold(text))
	if err != nil {
		return nil, err
	}
	found, err := s.product.Best(ctx, x, max(n, candidates))
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for _, c := range found {
		sum += math.Exp(c.LogProb - found[0].LogProb)
	}
	var list []Suggestion
	for _, c := range found[:min(n, len(found))] {
		list = append(list, Suggestion{s.words[s.number[key(c.Labels)]].Text, math.Exp(c.LogProb-found[0].LogProb) / sum})
	}
	return list, nil
}
