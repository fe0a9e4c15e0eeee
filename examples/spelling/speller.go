package main

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/models/edit"
)

// Settings, chosen on development data.
const (
	// smoothing is added to the count of every word.
	smoothing = .5
	// trust is the power to which frequencies are raised: words are misspelt less often, and
	// tested more evenly, than they are used.
	trust = .55
)

// speller suggests corrections. It may be used by many goroutines.
type speller struct {
	models     *models
	words      []word
	known      map[string]bool
	in         []edit.Word // words, in labels
	contextual *edit.Corrector
	memoryless *edit.Corrector
	nearest    *edit.Nearest
}

func newSpeller(m *models, lexicon []word) (*speller, error) {
	s := &speller{models: m, known: map[string]bool{}}
	for _, w := range lexicon {
		s.known[w.text] = true
		// A word with a character that the models have never seen cannot be found.
		if labels, err := m.letters().EncodeRunes(w.text); err == nil {
			s.words = append(s.words, w)
			s.in = append(s.in, edit.Word{Labels: labels, Weight: math.Pow(w.count+smoothing, trust)})
		}
	}
	var err error
	if s.contextual, err = edit.NewCorrector(m.edits, s.in, &edit.CorrectorOptions{Scout: m.scout}); err != nil {
		return nil, err
	}
	if s.memoryless, err = edit.NewCorrector(m.scout, s.in, nil); err != nil {
		return nil, err
	}
	s.nearest, err = edit.NewNearest(s.in)
	return s, err
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
	switch most := s.contextual.Longest(); {
	case n == 0:
		return nil, fmt.Errorf("no word")
	case n > most:
		return nil, fmt.Errorf("%d characters are too long for a word of the lexicon, want at most %d", n, most)
	}
	return letters.EncodeRunes(text)
}

// suggest returns the n best corrections of a word, other words than itself.
func (s *speller) suggest(ctx context.Context, by *edit.Corrector, text string, n int) ([]string, error) {
	text = fold(text)
	y, err := s.labels(text)
	if err != nil {
		return nil, err
	}
	found, err := by.Best(ctx, y, n+1)
	if err != nil {
		return nil, err
	}
	words := make([]string, 0, n)
	for _, c := range found {
		if w := s.words[c.Word].text; w != text && len(words) < n {
			words = append(words, w)
		}
	}
	return words, nil
}

// correct returns what a word should be: itself if it is in the lexicon, otherwise the
// best corrections.
func (s *speller) correct(ctx context.Context, text string) ([]string, error) {
	if s.known[fold(text)] {
		return []string{fold(text)}, nil
	}
	return s.suggest(ctx, s.contextual, text, asked)
}
