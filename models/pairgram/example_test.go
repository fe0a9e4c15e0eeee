package pairgram_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/models/pairgram"
)

// Six words and their sounds: c is k before a and o, and s before e; h is not heard.
func Example() {
	var pairs []pairgram.Pair
	for _, p := range [][2]string{{"caso", "kaso"}, {"cena", "sena"}, {"hora", "ora"}, {"coro", "koro"}, {"cera", "sera"}, {"hecho", "eko"}, {"cana", "kana"}} {
		pairs = append(pairs, pairgram.Texts(p[0], p[1]))
	}
	ctx := context.Background()
	aligner, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := aligner.Fit(ctx, pairs, nil); err != nil {
		log.Fatal(err)
	}
	counts, err := aligner.Count(ctx, pairs, &pairgram.CountOptions{Order: 3})
	if err != nil {
		log.Fatal(err)
	}
	model, err := counts.Model(nil)
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := model.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, word := range []string{"cosa", "ceno", "heca"} {
		best, err := predictor.Best(ctx, []rune(word), 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(word, best[0].Text())
	}
	// Output:
	// cosa kosa
	// ceno seno
	// heca eka
}
