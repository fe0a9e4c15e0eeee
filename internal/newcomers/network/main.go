// Command network learns why patients cough, from files with many missing values.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/bayes"
)

// The true network, from which patients are drawn. The illness is never observed.
const truth = `
variable season  { type discrete [ 2 ] { summer, winter }; }
variable illness { type discrete [ 3 ] { none, cold, flu }; }
variable cough   { type discrete [ 2 ] { yes, no }; }
variable fever   { type discrete [ 3 ] { high, some, no }; }
variable aches   { type discrete [ 2 ] { yes, no }; }
probability ( season ) { table 0.5, 0.5; }
probability ( illness | season ) { (summer) 0.7, 0.2, 0.1; (winter) 0.3, 0.4, 0.3; }
probability ( cough | illness ) { (none) 0.05, 0.95; (cold) 0.9, 0.1; (flu) 0.6, 0.4; }
probability ( fever | illness ) { (none) 0.02, 0.08, 0.9; (cold) 0.05, 0.35, 0.6; (flu) 0.8, 0.15, 0.05; }
probability ( aches | illness ) { (none) 0.1, 0.9; (cold) 0.2, 0.8; (flu) 0.9, 0.1; }`

func main() {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 2))
	nature, err := bayes.ReadBIF(strings.NewReader(truth), "truth")
	if err != nil {
		log.Fatal(err)
	}
	illness := nature.Variable("illness")
	var complete []bayes.Row
	for range 4000 {
		complete = append(complete, nature.Sample(rng))
	}
	seen := bayes.Hide(complete, illness)
	for _, row := range seen {
		row[rng.IntN(len(row))] = math.NaN() // another missing answer
	}
	families := slices.Clone(nature.Families())
	for i := range families {
		families[i].Table = nil // to be learnt
	}
	blank, err := bayes.New(nature.Variables(), families)
	if err != nil {
		log.Fatal(err)
	}
	fitted, result, err := blank.Fit(ctx, bayes.Data{Rows: seen}, bayes.SameLaw(em.Dirichlet{Alpha: 1.5}),
		&em.Options{Restarts: 5, Rand: rng, Iterations: 2000})
	if err != nil {
		log.Fatal(err)
	}
	// Training does not determine which state is the flu, but a few diagnosed patients do.
	if fitted, err = fitted.Match(complete[:50], illness); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.1f nats\n", result.Status, result.LogLikelihood)

	for _, known := range []map[string]string{
		{"cough": "yes", "fever": "no"},
		{"fever": "high", "aches": "yes"},
		{"season": "summer", "fever": "high", "cough": "no"},
	} {
		learnt, err := fitted.P("illness", "flu", known)
		if err != nil {
			log.Fatal(err)
		}
		right, err := nature.P("illness", "flu", known)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("P(flu | %v) = %.2f, in truth %.2f\n", known, learnt, right)
	}
}
