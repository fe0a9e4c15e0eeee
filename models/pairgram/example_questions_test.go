package pairgram_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// dictionary is words and how they are pronounced: c is k before a and o, and s before e.
func dictionary() (pairs []pairgram.Pair) {
	for _, p := range strings.Fields("caso:kaso cena:sena hora:ora coro:koro cera:sera hecho:eko cana:kana cose:kose case:kase hace:ase") {
		x, y, _ := strings.Cut(p, ":")
		pairs = append(pairs, pairgram.Texts(x, y))
	}
	return pairs
}

// trainedOn returns a predictor of trigrams of chunks.
func trainedOn(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
	a, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		return nil, err
	}
	if _, err := a.Fit(ctx, pairs, nil); err != nil {
		return nil, err
	}
	counts, err := a.Count(ctx, pairs, &pairgram.CountOptions{Order: 3})
	if err != nil {
		return nil, err
	}
	m, err := counts.Model(nil)
	if err != nil {
		return nil, err
	}
	return m.Predictor(nil)
}

// predictor returns a predictor of the whole dictionary.
func predictor() *pairgram.Predictor {
	p, err := trainedOn(context.Background(), dictionary())
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// What does each letter stand for? The chunks of c, with their share of all chunks of c.
func ExampleAligner_Fit() {
	pairs := dictionary()
	a, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Fit(context.Background(), pairs, nil); err != nil {
		log.Fatal(err)
	}
	all := 0.
	for i, chunk := range a.Chunks().All() {
		if len(chunk.Source) == 1 && chunk.Source[0] == 'c' {
			all += a.Theta[i]
		}
	}
	for i, chunk := range a.Chunks().All() {
		if len(chunk.Source) == 1 && chunk.Source[0] == 'c' && a.Theta[i] > .1*all {
			fmt.Printf("c as %s: %.1f\n", string(chunk.Target), a.Theta[i]/all)
		}
	}
	// Output:
	// c as k: 0.7
	// c as s: 0.3
}

// How probable is a pair? A right pronunciation against a wrong one.
func ExamplePredictor_LogProb() {
	p := predictor()
	right, err := p.LogProb([]rune("cero"), []rune("sero"))
	if err != nil {
		log.Fatal(err)
	}
	wrong, err := p.LogProb([]rune("cero"), []rune("kero"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("s : k as %.0f : 1\n", math.Exp(right-wrong))
	// Output: s : k as 6 : 1
}

// The other way round: how is kasa spelt? A model of pairs that are turned around.
func ExamplePredictor_Best() {
	pairs := dictionary()
	for i, p := range pairs {
		pairs[i].Source, pairs[i].Target = p.Target, p.Source
	}
	p, err := trainedOn(context.Background(), pairs)
	if err != nil {
		log.Fatal(err)
	}
	best, err := p.Best(context.Background(), []rune("kasa"), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best[0].Text())
	// Output: casa
}

// p(y | x) trained as such: its probabilities of all targets of a source sum to 1.
func ExampleFitConditional() {
	c, result, err := pairgram.FitConditional(context.Background(), dictionary(), trainedOn, nil)
	if err != nil {
		log.Fatal(err)
	}
	best, err := c.Best(context.Background(), []rune("caro"), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, best[0].Text(), best[0].LogProb > math.Log(.5))
	// Output: converged karo true
}

// A model in a file.
func ExampleLoad() {
	var file bytes.Buffer
	if err := predictor().Model().Save(&file); err != nil {
		log.Fatal(err)
	}
	m, err := pairgram.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	best, err := p.Best(context.Background(), []rune("ceno"), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best[0].Text())
	// Output: seno
}

// For other tools: n-grams of chunks in the text form of ARPA, with the chunks written as
// Phonetisaurus does.
func ExampleReadARPA() {
	var file bytes.Buffer
	letters := fst.RuneSymbols("a-z")
	if err := predictor().Model().WriteARPA(&file, letters, letters); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(file.String(), "c}k"))
	m, err := pairgram.ReadARPA(&file, "dictionary.arpa", fst.NewSymbols(), fst.NewSymbols())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.NGrams().Order(), m.Chunks().Len() == predictor().Model().Chunks().Len())
	// Output:
	// true
	// 3 true
}

// The model as a transducer over costs, to be applied or composed with others.
func ExampleMachine() {
	letters := fst.RuneSymbols("a-z")
	f, err := pairgram.Machine(predictor().Model(), semiring.Tropical{}, nil, letters, letters)
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(f, "cero", nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out.Text)
		break
	}
	// Output: sero
}

// A dictionary written by two hands: one writes c for what the other writes k. Each word belongs
// to one of them, and nobody says which.
func ExampleAligner_Classes() {
	var pairs []pairgram.Pair
	for _, p := range strings.Fields("caca:caca coco:coco caco:caco caca:kaka coco:koko caco:kako orca:orca orca:orka") {
		x, y, _ := strings.Cut(p, ":")
		pairs = append(pairs, pairgram.Texts(x, y))
	}
	a, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Fit(context.Background(), pairs, nil); err != nil {
		log.Fatal(err)
	}
	classes, err := a.Classes(2, rand.NewPCG(1, 1))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := classes.Fit(context.Background(), pairs, nil); err != nil {
		log.Fatal(err)
	}
	hand := func(i int) int {
		p, err := classes.Posteriors(&pairs[i])
		if err != nil {
			log.Fatal(err)
		}
		if p[1] > p[0] {
			return 1
		}
		return 0
	}
	fmt.Println(hand(0) == hand(1), hand(0) == hand(3), hand(3) == hand(4))
	// Output: true false true
}
