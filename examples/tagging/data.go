package main

import (
	_ "embed"
	"strings"

	"example.org/pathsum/examples/internal/tagged"
)

// sentencesTSV is the default data: sentences written for this program, with a simple
// set of tags.
//
//go:embed sentences.tsv
var sentencesTSV string

type sentence = tagged.Sentence

// loadData reads the training sentences of one file and the test sentences of another;
// without a name, the embedded sentences and held-out ones.
func loadData(trainFile, testFile string) (train, test []sentence, err error) {
	return tagged.Load(trainFile, testFile, func() ([]sentence, error) {
		return tagged.Read(strings.NewReader(sentencesTSV), "sentences.tsv")
	})
}
