package main

import (
	_ "embed"
	"strings"

	"example.org/pathsum/internal/tagged"
)

// sentencesTSV is the default data: sentences written for this program, with a simple
// set of tags.
//
//go:embed sentences.tsv
var sentencesTSV string

type sentence = tagged.Sentence

// embedded returns the default data.
func embedded() ([]sentence, error) {
	return tagged.Read(strings.NewReader(sentencesTSV), "sentences.tsv", 0)
}
