package pairgram_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/pairgram"
)

// One model says how words are spoken, and one how sounds are written: p(chunks | word) and
// p(chunks | sounds). Each would align a pair by itself. Product EM trains both so that they align
// it in the same way.
func ExampleChunks_Sources() {
	pairs := dictionary()
	aligner, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	var words, sounds []string
	for _, p := range pairs {
		words, sounds = append(words, string(p.Source)), append(sounds, string(p.Target))
	}

	params := em.NewParams()
	// fromWord reads words and writes chunks; fst.Invert makes it spell chunks as words.
	fromWord, fromSounds := aligner.Chunks().Sources(), aligner.Chunks().Targets()
	speak := cascade.Conditional(params, "speak", fromWord, em.Dirichlet{Alpha: 1.01})
	write := cascade.Conditional(params, "write", fromSounds, em.Dirichlet{Alpha: 1.01})
	product, err := agree.Exact([]cascade.Data{cascade.Inputs(words...), cascade.Inputs(sounds...)},
		cascade.Problem{Params: params, Stages: []cascade.Stage{speak}},
		cascade.Problem{Params: params, Stages: []cascade.Stage{write}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), product, nil)
	if err != nil {
		log.Fatal(err)
	}

	// To apply a model, the chunks are spelled out on the other side.
	for _, way := range []struct {
		model *channel.Model
		text  string
	}{
		{channel.New(params, speak, cascade.Constants(params, fst.Invert(fromSounds))), "hacer"},
		{channel.New(params, write, cascade.Constants(params, fst.Invert(fromWord))), "kena"},
	} {
		way.model.Theta = result.Theta
		predictor, err := way.model.Predictor(nil)
		if err != nil {
			log.Fatal(err)
		}
		best, err := predictor.Derivations(channel.Query{Source: []rune(way.text)}, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(way.text, " → ", string(best[0].Target), ":")
		for _, n := range best[0].Hidden[0] {
			c := aligner.Chunks().All()[n-1]
			fmt.Printf(" %s:%s", string(c.Source), string(c.Target))
		}
		fmt.Println()
	}
	// Output:
	// hacer → aker: h: a:a c:k e:e r:r
	// kena → cena: c:k e:e n:n a:a
}
