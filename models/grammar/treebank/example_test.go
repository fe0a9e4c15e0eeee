package treebank_test

import (
	"fmt"
	"strings"

	"example.org/pathsum/models/grammar/treebank"
)

func Example() {
	const text = `(S (NP (DT the) (NN dog)) (VP (VBZ chases) (NP (DT a) (NN cat))) (. .))`
	r := strings.NewReader(text)
	for tree, err := range treebank.Trees(r, "dog.mrg") {
		if err != nil {
			fmt.Println(err)
			return
		}
		whole := tree.Sentence()
		s := whole.Keep(treebank.IsWord)
		fmt.Println(s.Tags, s.Spans)

		// Each word but the last with its right neighbour as head.
		heads := []int{1, 2, 3, 4, -1}
		spans, err := treebank.BinarySpans(heads)
		if err != nil {
			fmt.Println(err)
			return
		}
		var score treebank.Score
		score.Add(&s, spans, heads)
		fmt.Printf("F1 %.2f\n", score.F1())
	}
	// Output:
	// [DT NN VBZ DT NN] [0-5 0-2 2-5 3-5]
	// F1 0.50
}
