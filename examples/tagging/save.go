package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/models/hmm"
)

// learnt is a trained tagger.
type learnt struct {
	tagger
	model string          // its name
	words map[string]bool // those of the training sentences
}

// wordsOf returns the words of sentences.
func wordsOf(sentences []sentence) map[string]bool {
	words := map[string]bool{}
	for _, s := range sentences {
		for _, w := range s.Words {
			words[w] = true
		}
	}
	return words
}

// The forms of what is saved: of every tagger, and then, before its parameters, of a
// conditional model, the dictionary, or of a hidden Markov model, its symbols.
const (
	savedFormat       saved.Format = "pathsum tagging 2"
	conditionalFormat saved.Format = "pathsum tagging conditional 2"
	hiddenFormat      saved.Format = "pathsum tagging hidden 2"
)

type savedTagger struct {
	Model string
	Words []string
}

type savedHidden struct {
	Tags    []string
	Symbols []string // by their numbers
}

// save writes the tagger, for loadTagger.
func (l *learnt) save(w io.Writer) error {
	if err := savedFormat.Write(w, savedTagger{l.model, slices.Sorted(maps.Keys(l.words))}); err != nil {
		return err
	}
	return l.tagger.save(w)
}

// loadTagger reads a tagger, which tags as the one that was saved.
func loadTagger(r io.Reader) (*learnt, error) {
	r = saved.Series(r)
	var s savedTagger
	if err := savedFormat.Read(r, &s); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	t, err := newTagger(s.Model)
	if err != nil {
		return nil, err
	}
	l := &learnt{tagger: t, model: s.Model, words: map[string]bool{}}
	for _, w := range s.Words {
		l.words[w] = true
	}
	return l, l.load(r)
}

func (c *conditional) save(w io.Writer) error {
	if err := conditionalFormat.Write(w, c.words); err != nil {
		return err
	}
	return c.model.Save(w)
}

func (c *conditional) load(r io.Reader) (err error) {
	if err := conditionalFormat.Read(r, &c.words); err != nil {
		return err
	}
	c.model, err = crf.Load(r)
	if err == nil && c.model.Kind() != c.kind {
		err = fmt.Errorf("a model of kind %v, want %v", c.model.Kind(), c.kind)
	}
	return err
}

func (h *hidden) save(w io.Writer) error {
	s := savedHidden{Tags: h.tags, Symbols: make([]string, len(h.symbols))}
	for name, i := range h.symbols {
		s.Symbols[i] = name
	}
	if err := hiddenFormat.Write(w, s); err != nil {
		return err
	}
	return h.model.Save(w)
}

func (h *hidden) load(r io.Reader) error {
	var s savedHidden
	if err := hiddenFormat.Read(r, &s); err != nil {
		return err
	}
	m, e, err := hmm.LoadDiscrete(r)
	if err != nil {
		return err
	}
	h.tags, h.symbols, h.model = s.Tags, map[string]int32{}, m
	for i, name := range s.Symbols {
		h.symbols[name] = int32(i)
	}
	switch {
	case len(h.symbols) != len(s.Symbols):
		return errors.New("a symbol occurs twice")
	case e.States() != len(h.tags) || e.Groups()[0].Len() != len(h.symbols):
		return fmt.Errorf("%d tags and %d symbols for a model with others", len(h.tags), len(h.symbols))
	}
	h.predictor, err = m.Predictor()
	return err
}
