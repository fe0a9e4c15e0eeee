package pairgram_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/pairgram"
)

// Six words and their sounds: c is k before a and o, and s before e; h is not heard.
func Example() {
	letters, sounds := fst.NewSymbols(), fst.NewSymbols()
	labels := func(s *fst.Symbols, text string) []int32 {
		var all []int32
		for _, r := range text {
			all = append(all, s.Add(string(r)))
		}
		return all
	}
	var pairs []pairgram.Pair
	for _, p := range [][2]string{{"caso", "kaso"}, {"cena", "sena"}, {"hora", "ora"}, {"coro", "koro"}, {"cera", "sera"}, {"hecho", "eko"}, {"cana", "kana"}} {
		pairs = append(pairs, pairgram.Pair{Source: labels(letters, p[0]), Target: labels(sounds, p[1])})
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
		x := labels(letters, word)
		best, err := predictor.Best(ctx, x, 1)
		if err != nil {
			log.Fatal(err)
		}
		sound, err := sounds.Decode(best[0].Target)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(word, strings.Join(sound, ""))
	}
	// Output:
	// cosa kosa
	// ceno seno
	// heca eka
}
