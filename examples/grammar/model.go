package main

import (
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

// newModel returns the model of a kind and a start, by their names: what it knows of the
// sentences is their tags.
func newModel(kind, start string, data []treebank.Sentence) (*grammar.Model, error) {
	k, err := grammar.ParseKind(kind)
	if err != nil {
		return nil, err
	}
	s, err := grammar.ParseStart(start)
	if err != nil {
		return nil, err
	}
	return grammar.New(k, tagsOf(data), &grammar.Options{Start: s})
}
