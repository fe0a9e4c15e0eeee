package pairgram_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// A recipe makes the model, to the last bit, that its steps make one by one.
func TestRecipe(t *testing.T) {
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var pairs []pairgram.Pair
		for range 20 {
			var p pairgram.Pair
			for range 1 + rng.IntN(4) {
				p.Source, p.Target = append(p.Source, 1+rng.Int32N(3)), append(p.Target, 1+rng.Int32N(3))
			}
			pairs = append(pairs, p)
		}
		recipe := pairgram.Recipe{
			Aligner:   pairgram.AlignerOptions{LengthPrior: rng.Float64(), Sizes: []pairgram.Size{{Source: 1, Target: 1}, {Source: 1}, {Target: 1}, {Source: 2, Target: 1}}},
			Count:     pairgram.CountOptions{Order: 1 + rng.IntN(3), Reversed: rng.IntN(2) == 0},
			Smoothing: ngram.Options{DiscountScale: []float64{1, 1.2}},
		}
		opts := &em.Options{Iterations: 3, Tolerance: -1, Workers: 2}
		got, err := recipe.Fit(t.Context(), pairs, opts)
		if err != nil {
			t.Fatal(err)
		}
		a, err := pairgram.NewAligner(pairs, &recipe.Aligner)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Fit(t.Context(), pairs, opts); err != nil {
			t.Fatal(err)
		}
		counts, err := a.Count(t.Context(), pairs, &recipe.Count)
		if err != nil {
			t.Fatal(err)
		}
		want, err := counts.Model(&recipe.Smoothing)
		if err != nil {
			t.Fatal(err)
		}
		var x, y bytes.Buffer
		if err := errors.Join(got.Save(&x), want.Save(&y)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x.Bytes(), y.Bytes()) {
			t.Fatalf("seed %d: another model than step by step", seed)
		}
	}
}

func TestRecipeErrors(t *testing.T) {
	pairs := []pairgram.Pair{{Source: []int32{1}, Target: []int32{1}}}
	for name, r := range map[string]pairgram.Recipe{
		"aligner": {Aligner: pairgram.AlignerOptions{LengthPrior: -1}},
		"order":   {Count: pairgram.CountOptions{Order: -1}},
	} {
		if _, err := r.Fit(t.Context(), pairs, nil); !errors.Is(err, pairgram.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := (pairgram.Recipe{}).Fit(ctx, pairs, nil); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("model %v and error %v of a canceled training", m, err)
	}
}

// A model in one call: how words are pronounced, from words and their sounds.
func ExampleRecipe() {
	letters, sounds := fst.RuneSymbols("a-z"), fst.RuneSymbols("a-z")
	var pairs []pairgram.Pair
	for _, p := range [][2]string{{"caso", "kaso"}, {"cena", "sena"}, {"hora", "ora"}, {"coro", "koro"}, {"cera", "sera"}, {"hecho", "eko"}, {"cana", "kana"}} {
		word, err := letters.EncodeRunes(p[0])
		if err != nil {
			log.Fatal(err)
		}
		sound, err := sounds.EncodeRunes(p[1])
		if err != nil {
			log.Fatal(err)
		}
		pairs = append(pairs, pairgram.Pair{Source: word, Target: sound})
	}
	recipe := pairgram.Recipe{Count: pairgram.CountOptions{Order: 3}}
	model, err := recipe.Fit(context.Background(), pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := model.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	word, err := letters.EncodeRunes("cosa")
	if err != nil {
		log.Fatal(err)
	}
	best, err := predictor.Best(context.Background(), word, 1)
	if err != nil {
		log.Fatal(err)
	}
	text, err := sounds.DecodeRunes(best[0].Labels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output: kosa
}
