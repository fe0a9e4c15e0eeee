package main

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/nbest"
)

// Settings, chosen on development data.
const (
	// smoothing is added to the count of every word.
	smoothing = .5
	// candidates is how many words are found for the product to rank.
	candidates = 80
	// width is the number of states that the search keeps per layer. With fewer, right words
	// of short ones are lost.
	width = 160
	// prune is the probability below which edits are left out of the search.
	prune = 1e-5
)

// speller suggests corrections. It may be used by many goroutines.
type speller struct {
	models  *models
	words   []word          // of the lexicon, those that can be found
	in      []edit.Word     // words, in labels
	known   map[string]bool // all of the lexicon
	number  map[string]int  // of words, by the key of their labels
	mixed   *edit.Corrector
	product *nbest.Product
}

func newSpeller(m *models) (*speller, error) {
	s := &speller{models: m, known: map[string]bool{}, number: map[string]int{}}
	for _, w := range m.lexicon {
		s.known[w.text] = true
		// A word with a character that the models have never seen cannot be found.
		if labels := m.label(w.text); labels != nil {
			s.number[key(labels)] = len(s.words)
			s.words = append(s.words, w)
			s.in = append(s.in, edit.Word{Labels: labels, Weight: math.Pow(w.count+smoothing, priorWeight)})
		}
	}
	var err error
	s.mixed, err = edit.NewCorrector(m.mixed, s.in, &edit.CorrectorOptions{Scout: m.scout, Width: width, Prune: prune, Candidates: candidates})
	if err != nil {
		return nil, err
	}
	return s, s.newProduct()
}

// labels returns the labels of a misspelt word, or says what is wrong with it.
func (s *speller) labels(text string) ([]int32, error) {
	letters := s.models.letters()
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

// suggestion is a word and its probability among the candidates.
type suggestion struct {
	text string
	prob float64
}

// suggest returns the n best corrections of a word, other words than itself.
func (s *speller) suggest(ctx context.Context, text string, n int) ([]suggestion, error) {
	x, err := s.labels(fold(text))
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
	var list []suggestion
	for _, c := range found[:min(n, len(found))] {
		list = append(list, suggestion{s.words[s.number[key(c.Labels)]].text, math.Exp(c.LogProb-found[0].LogProb) / sum})
	}
	return list, nil
}

// correct returns what a word should be, with probabilities: itself if it is in the lexicon,
// otherwise the n best corrections.
func (s *speller) correct(ctx context.Context, text string, n int) ([]string, error) {
	found := []suggestion{{fold(text), 1}}
	if !s.known[fold(text)] {
		var err error
		if found, err = s.suggest(ctx, text, n); err != nil {
			return nil, err
		}
	}
	var fields []string
	for _, f := range found {
		fields = append(fields, f.text, fmt.Sprintf("%.4f", f.prob))
	}
	return fields, nil
}
