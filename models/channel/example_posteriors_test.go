package channel_test

import (
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/semiring"
)

// What was written, if "kop" was heard, and how probable is each answer?
func ExamplePredictor_Posteriors() {
	params := em.NewParams()
	constant := func(stop float64, arcs ...fst.Arc[float64]) cascade.Stage {
		return cascade.Constants(params, fst.OneState(semiring.Real{}, stop, arcs...))
	}
	letter := func(written, heard rune, p float64) fst.Arc[float64] {
		return fst.Arc[float64]{In: written, Out: heard, Weight: p}
	}
	words := constant(.2, letter('c', 'c', .2), letter('k', 'k', .2), letter('o', 'o', .2), letter('p', 'p', .2))
	sounds := constant(1, letter('c', 'k', .75), letter('c', 's', .25), letter('k', 'k', 1), letter('o', 'o', 1), letter('p', 'p', 1))
	predictor, err := channel.New(params, words, sounds).Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	candidates, err := predictor.Posteriors(channel.Query{Target: []rune("kop")}, channel.Source, 5)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range candidates {
		fmt.Printf("%s %.3f\n", c.Text(), c.Prob())
	}
	// Output:
	// kop 0.571
	// cop 0.429
}
