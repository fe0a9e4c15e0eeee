package treebank_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"example.org/pathsum/models/grammar/treebank"
)

// A sentence of Universal Dependencies, written as a line of tab-separated columns.
func ExampleCoNLLU() {
	const text = "# sent_id = 1\n" +
		"1\tdogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n" +
		"2\tchase\tchase\tVERB\tVBP\t_\t0\troot\t_\t_\n" +
		"3\tcats\tcat\tNOUN\tNNS\t_\t2\tobj\t_\t_\n\n"
	for s, err := range treebank.CoNLLU(strings.NewReader(text), "dogs.conllu", treebank.UPOS) {
		if err != nil {
			log.Fatal(err)
		}
		if err := treebank.Write(os.Stdout, &s); err != nil {
			log.Fatal(err)
		}
	}
	// Output: 1	dogs chase cats	NOUN VERB NOUN	2 0 2	0-3
}

// What is below each word: the determiner alone, the noun with it, and all of the sentence.
func ExampleYields() {
	heads := []int{1, 2, -1} // the dog barks
	spans, err := treebank.Yields(heads)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(spans)
	// Output: [0-1 0-2 0-3]
}

// A guess that takes the wrong word for the root. No head is right, but one of two words is
// joined to its head.
func ExampleScore() {
	var score treebank.Score
	gold := &treebank.Sentence{Words: []string{"dogs", "bark"}, Tags: []string{"N", "V"}, Heads: []int{1, -1}}
	score.Add(gold, nil, []int{-1, 0})
	fmt.Printf("directed %.1f, undirected %.1f\n", score.DirectedAccuracy(), score.UndirectedAccuracy())
	// Output: directed 0.0, undirected 0.5
}

// A line for each sentence: its name, words, tags, heads from 1, and spans.
func ExampleSentences() {
	const text = "s1\tthe dog barks\tD N V\t2 3 0\t_\n"
	for s, err := range treebank.Sentences(strings.NewReader(text), "dogs.tsv") {
		if err != nil {
			log.Fatal(err)
		}
		spans, err := treebank.HeadSpans(s.Heads)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.ID, s.Tags, s.Heads, spans)
	}
	// Output: s1 [D N V] [1 2 -1] [0-3 0-2]
}

// A parse in the brackets of the Penn treebank.
func ExampleSentence_Tree() {
	s := treebank.Sentence{
		Words: []string{"the", "dog", "barks"}, Tags: []string{"DT", "NN", "VBZ"},
		Spans: []treebank.Span{{I: 0, J: 2}},
	}
	tree, err := s.Tree("X")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tree)
	// Output: (X (X (DT the) (NN dog)) (VBZ barks))
}
