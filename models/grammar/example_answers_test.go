package grammar_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/grammar"
)

// induced returns a grammar of the given kind, learnt from the tags of eight sentences.
func induced(kind grammar.Kind) *grammar.Model {
	var sentences [][]string
	for _, s := range []string{"D N V", "D N V D N", "N V D N", "N V", "D A N V D N", "N V N", "D N V D A N", "D A N V"} {
		sentences = append(sentences, strings.Fields(s))
	}
	model, err := grammar.New(kind, sentences, &grammar.Options{Start: grammar.HarmonicCounts})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := model.Fit(context.Background(), sentences, &em.Options{Iterations: 2}); err != nil {
		log.Fatal(err)
	}
	return model
}

// Dependencies and constituents, trained to agree: the constituents that are most probably right.
func ExampleKind() {
	for _, kind := range []grammar.Kind{grammar.CCM, grammar.Product} {
		parser, err := induced(kind).Predictor(grammar.MostBrackets)
		if err != nil {
			log.Fatal(err)
		}
		parse, err := parser.Best(strings.Fields("D A N V N"))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(kind, parse.Spans, parse.Heads)
	}
	// Output:
	// ccm [0-5 0-4 0-3 1-3] []
	// product [0-5 0-3 0-2 3-5] [2 0 3 -1 3]
}

// The best trees of a sentence, and their probabilities given its tags.
func ExamplePredictor_BestTrees() {
	parser, err := induced(grammar.DMV).Predictor(grammar.MostProbable)
	if err != nil {
		log.Fatal(err)
	}
	sentence := strings.Fields("D N V N")
	all, err := parser.LogProb(sentence)
	if err != nil {
		log.Fatal(err)
	}
	trees, err := parser.BestTrees(sentence, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range trees {
		fmt.Printf("%.2f %v\n", math.Exp(t.LogProb-all), t.Heads)
	}
	// Output:
	// 0.56 [1 2 -1 2]
	// 0.10 [3 2 0 -1]
}

// A sentence with a tag that was never seen: the open model has a tenth of each probability left
// for whatever may come.
func ExampleModel_Open() {
	open, err := induced(grammar.DMV).Open(.1)
	if err != nil {
		log.Fatal(err)
	}
	parser, err := open.Predictor(grammar.MostProbable)
	if err != nil {
		log.Fatal(err)
	}
	parse, err := parser.Best(strings.Fields("D X N V"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(parse.Heads)
	// Output: [2 0 3 -1]
}

// A model in a file.
func ExampleLoad() {
	var file bytes.Buffer
	if err := induced(grammar.DMV).Save(&file); err != nil {
		log.Fatal(err)
	}
	model, err := grammar.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Kind(), model.Tags())
	// Output: dmv [A D N V]
}
