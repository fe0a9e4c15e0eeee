package pairgram_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
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
