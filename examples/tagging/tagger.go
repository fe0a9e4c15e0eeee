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
	// train learns from sentences. If ctx is done, it keeps and returns the result so far with
	// an error, like em.Fit.
	train(ctx context.Context, sentences []sentence, o options) (*program.Training, error)
	// features returns the number of weights of a trained tagger.
	features() int
	// tag returns the best tags of the words. It is safe for concurrent use.
	tag(words []string) ([]string, error)
	// trellis returns the trellis of at least one word, with a node for each tag in every
	// layer, and the tags in this order.
	trellis(words []string) (*trellis.Trellis, []string, error)
	// save writes the state from which load restores the trained tagger.
	save(w io.Writer) error
	load(r io.Reader) error
}

// options are the settings of training.
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

// learnt is a tagger with the data for its test.
type learnt struct {
	tagger
	model string          // its name
	words map[string]bool // the words of the training sentences
}

// newLearnt returns an untrained tagger of the kind called model.
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

// savedFormat is the format of the part that all taggers save, before the part of their kind.
const savedFormat saved.Format = "pathsum tagging 2"

type savedTagger struct {
	Model string
	Words []string
}

// save writes the tagger in the format that load reads.
func (l *learnt) save(w io.Writer) error {
	if err := savedFormat.Write(w, savedTagger{l.model, slices.Sorted(maps.Keys(l.words))}); err != nil {
		return err
	}
	return l.tagger.save(w)
}

// load reads a tagger, which tags like the saved one.
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
