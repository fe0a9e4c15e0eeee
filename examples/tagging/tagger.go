package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
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

// newTagger returns a tagger of the kind called name.
func newTagger(name string) (tagger, error) {
	for _, m := range models {
		if m.name == name {
			return m.new(), nil
		}
	}
	return nil, fmt.Errorf("model %q, want one of %s", name, strings.Join(modelNames(), ", "))
}

// tagAll returns the tags of all sentences.
func tagAll(ctx context.Context, r *program.Run, t tagger, sentences []sentence) ([][]string, error) {
	tags := make([][]string, len(sentences))
	err := r.Each(ctx, "tagging", len(sentences), func(i int) (err error) {
		tags[i], err = t.tag(sentences[i].Words)
		return err
	})
	return tags, err
}
