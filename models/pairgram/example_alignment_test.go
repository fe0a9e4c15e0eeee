package pairgram_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/pairgram"
)

// The letters of a word beside the sounds that they stand for.
func ExampleAligner_Best() {
	pairs := dictionary()
	aligner, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := aligner.Fit(context.Background(), pairs, nil); err != nil {
		log.Fatal(err)
	}
	hecho := pairgram.Texts("hecho", "eko")
	chunks, _, err := aligner.Best(hecho)
	if err != nil {
		log.Fatal(err)
	}
	letters := fst.RuneSymbols("a-z")
	for i, c := range chunks {
		text, err := c.Text(letters, letters)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s\n", i, text)
	}
	grid, err := aligner.Posteriors(hecho)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(c is k) = %.3f\n", grid.At(2, 1))
	// Output:
	// 0 h}_
	// 1 e}e
	// 2 c}k
	// 3 h}_
	// 4 o}o
	// P(c is k) = 1.000
}
