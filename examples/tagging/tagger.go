package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/semiring/trellis"
)

// tagger is a model of tagged sentences.
type tagger interface {
	// train learns from sentences. Like em.Fit it keeps and returns what it has if
	// ctx is done, with an error.
	train(ctx context.Context, sentences []sentence, o options) (*program.Training, error)
	// features returns the number of weights of a trained tagger.
	features() int
	// tag returns the best tags of the words. It is safe for concurrent use.
	tag(words []string) ([]string, error)
	// trellis returns the trellis of the words, one at least, with a node for each tag in
	// every layer, and the tags in this order.
	trellis(words []string) (*trellis.Trellis, []string, error)
	// save writes what load needs to make a new tagger one that was trained.
	save(w io.Writer) error
	load(r io.Reader) error
}

// options say how a tagger learns.
type options struct {
	iterations, workers int
	checkpoint          string
	observe             func(em.Event) // called after each iteration
}

// models are the kinds of taggers by their names, in this order.
var models = []struct {
	name string
	new  func() tagger
}{
	{"crf", func() tagger { return &conditional{kind: crf.Chain} }},
	{"memm", func() tagger { return &conditional{kind: crf.MEMM} }},
	{"node", func() tagger { return &conditional{kind: crf.Node} }},
	{"hmm", func() tagger { return new(hidden) }},
}

func modelNames() []string {
	var names []string
	for _, m := range models {
		names = append(names, m.name)
	}
	return names
}

// learnt is a tagger with what its test has to know.
type learnt struct {
	tagger
	model string          // its name
	words map[string]bool // those of the training sentences
}

// newLearnt returns a tagger that has learnt nothing, of the kind called model.
func newLearnt(model string) (*learnt, error) {
	for _, m := range models {
		if m.name == model {
			return &learnt{tagger: m.new(), model: model, words: map[string]bool{}}, nil
		}
	}
	return nil, fmt.Errorf("model %q, want one of %s", model, strings.Join(modelNames(), ", "))
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

// savedFormat is the form of what is saved of every tagger, before what is of its kind.
const savedFormat saved.Format = "pathsum tagging 2"

type savedTagger struct {
	Model string
	Words []string
}

// save writes the tagger, for load.
func (l *learnt) save(w io.Writer) error {
	if err := savedFormat.Write(w, savedTagger{l.model, slices.Sorted(maps.Keys(l.words))}); err != nil {
		return err
	}
	return l.tagger.save(w)
}

// load reads a tagger, which tags as the one that was saved.
func load(r io.Reader) (*learnt, error) {
	r = saved.Series(r)
	var s savedTagger
	if err := savedFormat.Read(r, &s); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	l, err := newLearnt(s.Model)
	if err != nil {
		return nil, err
	}
	for _, w := range s.Words {
		l.words[w] = true
	}
	return l, l.tagger.load(r)
}
