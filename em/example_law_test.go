package em_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// nearFair is the law of a nearly fair coin. Its coordinate is em.Multinomial's, ln θ₀/θ₁,
// with a normal prior around 0 with the standard deviation Sigma.
type nearFair struct {
	em.Multinomial
	Sigma float64
}

func (l nearFair) LogPrior(theta []float64) float64 {
	x := math.Log(theta[0]/theta[1]) / l.Sigma
	return -x * x / 2
}

// AddPrior adds −x/σ², the derivative of LogPrior with respect to x, to the count of one side and
// subtracts it from the other: the sum of the counts does not change.
func (l nearFair) AddPrior(counts, theta []float64) {
	l.AddPriorTangent(counts, theta, []float64{math.Log(theta[0] / theta[1])})
}

func (l nearFair) AddPriorTangent(dcounts, _, dx []float64) {
	dcounts[0] -= dx[0] / (l.Sigma * l.Sigma)
	dcounts[1] += dx[0] / (l.Sigma * l.Sigma)
}

func (l nearFair) Maximize(theta, counts []float64) error { return em.Maximize(l, theta, counts) }

func init() { em.RegisterLaw("near fair", nearFair{}) } // for Save and Load

// A custom law, used in training and in a file.
func ExampleLaw() {
	params := em.NewParams()
	coin := params.Group("coin", 2, nearFair{Sigma: .5})
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
	// HHHT: heads 0.55
	// HTTT: heads 0.45
	// from the file: em_test.nearFair
}
