package em_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// loaded is the law of a coin that cannot prefer tails. All but the M step is as for
// em.Multinomial.
type loaded struct{ em.Multinomial }

// Maximize sets the best θ with θ₀ ≥ ½: if tails came more often it is the nearest, ½.
func (loaded) Maximize(theta, counts []float64) error {
	if total := counts[0] + counts[1]; total > 0 {
		theta[0] = max(counts[0]/total, .5)
		theta[1] = 1 - theta[0]
	}
	return nil
}

func init() { em.RegisterLaw("loaded", loaded{}) } // for Save and Load

// A law of one's own, used in training and in a file.
func ExampleLaw() {
	params := em.NewParams()
	coin := params.Group("coin", 2, loaded{})
	machine := fst.OneState(params.Space(), expr.One,
		fst.Arc[expr.W]{In: 'H', Out: 'H', Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 'T', Out: 'T', Weight: coin.Weight(1)})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
	for _, seen := range []string{"HHHT", "HTTT"} {
		data := cascade.Data{Examples: []cascade.Example{{X: cascade.Text(seen)}}}
		if _, err := model.Fit(context.Background(), data, nil); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: heads %.2f\n", seen, model.Theta[0])
	}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		log.Fatal(err)
	}
	loaded, err := cascade.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("from the file: %T\n", loaded.Params.Groups()[0].Law())
	// Output:
	// HHHT: heads 0.75
	// HTTT: heads 0.50
	// from the file: em_test.loaded
}
