package grammar_test

import (
	"context"
	"fmt"
	"strings"

	"example.org/pathsum/models/grammar"
)

// Nobody says what the tags mean: D precedes N, and V goes between two of them.
func Example() {
	ctx := context.Background()
	var sentences [][]string
	for _, s := range []string{"D N V", "D N V D N", "N V D N", "N V", "D A N V D N", "N V N", "D N V D A N", "D A N V"} {
		sentences = append(sentences, strings.Fields(s))
	}
	model, err := grammar.New(grammar.DMV, sentences, &grammar.Options{Start: grammar.HarmonicCounts})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := model.Fit(ctx, sentences, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	parser, err := model.Predictor(grammar.MostProbable)
	if err != nil {
		fmt.Println(err)
		return
	}
	sentence := strings.Fields("D A N V N")
	parse, err := parser.Best(sentence)
	if err != nil {
		fmt.Println(err)
		return
	}
	first, last := result.Objective[0], result.Objective[result.Iterations()-1]
	fmt.Printf("from %.1f to %.1f nats\n", first, last)
	fmt.Println("heads", parse.Heads, "spans", parse.Spans)
	// Output:
	// from -52.8 to -19.0 nats
	// heads [2 0 3 -1 3] spans [0-5 0-3 0-2 3-5]
}
