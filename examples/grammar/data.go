package main

import (
	_ "embed"
	"errors"
	"iter"
	"strings"

	"example.org/pathsum/models/grammar/treebank"
)

// sentencesTSV is the default data: sentences written for this program.
//
//go:embed sentences.tsv
var sentencesTSV string

// format is that of the data.
const format = "id<TAB>words<TAB>tags<TAB>heads<TAB>spans, separated by spaces; heads count from 1, 0 is the root; a span is i-j, the words i+1 … j; _ stands for heads or spans that are not known"

// loadData reads the named file, or the embedded sentences without a name.
func loadData(name string) ([]treebank.Sentence, error) {
	if name != "" {
		return readFile(name)
	}
	return collect(treebank.Sentences(strings.NewReader(sentencesTSV), "sentences.tsv"))
}

func readFile(name string) ([]treebank.Sentence, error) {
	return collect(treebank.SentencesOf(name))
}

func collect(all iter.Seq2[treebank.Sentence, error]) ([]treebank.Sentence, error) {
	data, err := treebank.Collect(all)
	if err == nil && len(data) == 0 {
		err = errors.New("no sentences")
	}
	return data, err
}

// tagsOf returns the tags of all sentences.
func tagsOf(data []treebank.Sentence) [][]string {
	tags := make([][]string, len(data))
	for i, s := range data {
		tags[i] = s.Tags
	}
	return tags
}
