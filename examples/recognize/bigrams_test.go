package main

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/ngram"
)

// TestBigrams: the machine has the probabilities of package ngram. Unambiguous texts train it
// to the mode in closed form, and ratios convert the known language into the trained one.
func TestBigrams(t *testing.T) {
	texts := englishLines()
	known, read := texts[:20], texts[20:25]
	params := em.NewParams()
	b, err := newBigrams(params, known)
	if err != nil {
		t.Fatal(err)
	}
	model, err := ngram.Fit(2, space, once(known), nil)
	if err != nil {
		t.Fatal(err)
	}
	var data cascade.Data
	var counts, occurrences [columns][columns]float64
	count := func(text []int32, to *[columns][columns]float64) {
		h := int32(0)
		for _, w := range text {
			to[h][w]++
			h = w
		}
		to[h][0]++
	}
	for _, text := range known {
		count(text, &occurrences)
	}
	for _, text := range read {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(text...)})
		count(text, &counts)
	}
	totals := func(m cascade.Stage, theta []float64) []cascade.Total {
		totals, err := cascade.Problem{Params: params, Stages: []cascade.Stage{m}}.Totals(t.Context(), theta, data)
		if err != nil {
			t.Fatal(err)
		}
		return totals
	}
	for i, total := range totals(b.machine, b.start) {
		if want := channelScale*model.LogProb(read[i]) + channelBonus*float64(len(read[i])+1); math.Abs(total.Log-want) > 1e-9 {
			t.Errorf("line %d: ln weight %v, want %v", i, total.Log, want)
		}
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{b.machine}}
	result, err := problem.Fit(t.Context(), data, &em.Options{Iterations: 3, Tolerance: -1})
	if err != nil {
		t.Fatal(err)
	}
	var trained [columns][columns]float64
	for h, g := range b.after {
		seen, sum := 0., 0.
		for w := range columns {
			seen += occurrences[h][w]
		}
		for w, p := range g.In(b.start) {
			trained[h][w] = channelScale*counts[h][w] + (floor+seen)*p
			sum += trained[h][w]
		}
		for w, p := range g.In(result.Theta) {
			trained[h][w] /= sum
			if math.Abs(p-trained[h][w]) > 1e-9 {
				t.Errorf("p(%d | %d) = %v, want %v", w, h, p, trained[h][w])
			}
		}
	}
	const power = .3
	m, err := b.ratios(result.Theta, power)
	if err != nil {
		t.Fatal(err)
	}
	for i, total := range totals(cascade.Constants(params, m), b.start) {
		want, h := -model.LogProb(read[i]), int32(0)
		for _, w := range append(slices.Clone(read[i]), 0) {
			want += math.Log(trained[h][w])
			h = w
		}
		if math.Abs(total.Log-power*want) > 1e-9 {
			t.Errorf("line %d: ln ratio %v, want %v", i, total.Log, power*want)
		}
	}
}
