package main

import (
	"context"
	"slices"

	"example.org/pathsum/models/pairgram"
)

// A unit is a chunk of package pairgram, a letter of a name with none, one or two of its
// romaji.

// newBigrams aligns the pairs, and returns the units and how they follow each other there.
func newBigrams(ctx context.Context, pairs []pair) (*pairgram.Model, error) {
	return newPairgram(ctx, forward, pairs, 2, 1, 10, 11, 12)
}

// newPairgram returns a model of n-grams of chunks in a direction, of an order, a prior of
// lengths, and sizes: ab for chunks of a symbols with b.
func newPairgram(ctx context.Context, d direction, pairs []pair, order int, prior float64, sizes ...int) (*pairgram.Model, error) {
	var data []pairgram.Pair
	for i := range pairs {
		x, y := d.sides(&pairs[i])
		data = append(data, pairgram.Pair{Source: x, Target: y})
	}
	recipe := pairgram.Recipe{Aligner: chunks(prior, sizes...), Count: pairgram.CountOptions{Order: order}}
	return recipe.Fit(ctx, data, nil)
}

// chunks are the sizes of chunks, and their prior.
func chunks(prior float64, sizes ...int) pairgram.AlignerOptions {
	o := pairgram.AlignerOptions{LengthPrior: prior}
	for _, s := range sizes {
		o.Sizes = append(o.Sizes, pairgram.Size{Source: s / 10, Target: s % 10})
	}
	return o
}

// outcome is what a letter may sound like.
type outcome struct {
	sounds []int32
	prob   float64
}

// leastSounding is the probability of an outcome; rarer ones are left out.
const leastSounding = .005

// findSounds aligns names with their sounds, and returns what each letter sounds like.
func findSounds(ctx context.Context, names []pair) (map[int32][]outcome, error) {
	var data []pairgram.Pair
	for _, p := range names {
		data = append(data, pairgram.Pair{Source: p.letters, Target: p.sounds})
	}
	o := chunks(0, 10, 11, 12)
	a, err := pairgram.NewAligner(data, &o)
	if err != nil {
		return nil, err
	}
	if _, err := a.Fit(ctx, data, nil); err != nil {
		return nil, err
	}
	all := map[int32][]outcome{}
	for i, c := range a.Chunks().All() {
		all[c.Source[0]] = append(all[c.Source[0]], outcome{c.Target, a.Theta[i]})
	}
	for l, outcomes := range all {
		sum := total(outcomes)
		outcomes = slices.DeleteFunc(outcomes, func(o outcome) bool { return o.prob < leastSounding*sum })
		sum = total(outcomes)
		for i := range outcomes {
			outcomes[i].prob /= sum
		}
		all[l] = outcomes
	}
	return all, nil
}

func total(outcomes []outcome) float64 {
	sum := 0.0
	for _, o := range outcomes {
		sum += o.prob
	}
	return sum
}
