package em_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// loaded is the law of a coin that cannot prefer tails. What does not mention the constraint is as
// for em.Multinomial.
type loaded struct{ em.Multinomial }

// Maximize sets the best θ with θ₀ ≥ ½: if tails came more often it is the nearest, ½.
func (loaded) Maximize(theta, counts []float64) error {
	if total := counts[0] + counts[1]; total > 0 {
		theta[0] = max(counts[0]/total, .5)
		theta[1] = 1 - theta[0]
	}
	return nil
}

// Check asks for θ₀ ≥ ½.
func (l loaded) Check(theta []float64) error {
	if theta[0] < .5 {
		return fmt.Errorf("heads have the probability %g, want one of at least ½", theta[0])
	}
	return l.Multinomial.Check(theta)
}

// Random draws θ₀ between ½ and 1.
func (l loaded) Random(theta []float64, src rand.Source) {
	l.Multinomial.Random(theta, src)
	theta[0], theta[1] = max(theta[0], theta[1]), min(theta[0], theta[1])
}

// Theta is ½ for what lies beyond. It is for methods that follow a gradient, as Gradient is: the
// coordinates of em.Multinomial, ln θ₀/θ₁, lead to tails.
func (l loaded) Theta(theta, x []float64) {
	l.Multinomial.Theta(theta, x)
	if theta[0] < .5 {
		theta[0], theta[1] = .5, .5
	}
}

// Gradient is 0 at ½ if the function rises beyond it.
func (l loaded) Gradient(dx, theta, counts []float64) {
	l.Multinomial.Gradient(dx, theta, counts)
	if theta[0] == .5 {
		dx[0] = max(dx[0], 0)
	}
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
