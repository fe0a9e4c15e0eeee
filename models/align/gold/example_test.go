package gold_test

import (
	"fmt"
	"log"

	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/gold"
)

// Choose the threshold that suits the references of a development set.
func Example() {
	// Posteriors of two directions, which a model would give.
	forward := &align.Posterior{Source: 2, Target: 3, P: []float64{
		.95, .30, .05,
		.05, .60, .90,
	}}
	backward := &align.Posterior{Source: 2, Target: 3, P: []float64{
		.80, .15, .05,
		.10, .20, .65,
	}}
	reference, err := gold.Parse("0-0 1-2 1?1")
	if err != nil {
		log.Fatal(err)
	}
	both := align.Average(forward, backward)
	curve, err := gold.Sweep([]align.Choice{both}, []gold.Reference{reference})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range []float64{.8, .6, .3, .1} {
		p := curve.At(t)
		fmt.Printf("%.1f  AER %.3f  precision %.3f  recall %.3f\n", t, p.AER(), p.Precision(), p.Recall())
	}
	best := curve.Best()
	fmt.Printf("best %.4f: %v, AER %.3f\n", best.Threshold, both.Align(best.Threshold), best.AER())
	// Output:
	// 0.8  AER 0.333  precision 1.000  recall 0.500
	// 0.6  AER 0.000  precision 1.000  recall 1.000
	// 0.3  AER 0.000  precision 1.000  recall 1.000
	// 0.1  AER 0.167  precision 0.750  recall 1.000
	// best 0.5875: 0-0 1-2, AER 0.000
}
