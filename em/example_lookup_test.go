package em_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Parameters are found by the names that they print with.
func ExampleParams_Lookup() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	coin.SetNames(func(i int) string { return []string{"heads", "tails"}[i] })
	params.Group("λ", 1, em.Fixed{Values: []float64{2.5}})
	theta := params.Start()
	for _, name := range []string{"coin[tails]", "λ"} {
		i, ok := params.Lookup(name)
		fmt.Println(name, theta[i], ok)
	}
	_, ok := params.Lookup("coin[edge]")
	fmt.Println("coin[edge]", ok)
	// Output:
	// coin[tails] 0.5 true
	// λ 2.5 true
	// coin[edge] false
}

// A language model whose probabilities sum to 1.3 is a slip, which training does not stop for.
func ExampleResult_remarks() {
	params := em.NewParams()
	scores, err := fst.OneState(semiring.Real{}, .1,
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .7},
		fst.Arc[float64]{In: 'b', Out: 'b', Weight: .5})
	if err != nil {
		log.Fatal(err)
	}
	source, err := em.Constants(params, scores)
	if err != nil {
		log.Fatal(err)
	}
	channel, err := em.Conditional(params, "channel", scores, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	problem := em.Problem{Params: params, Cascade: []em.Stage{source, channel}}
	likelihood, err := problem.Likelihood(em.Data{Examples: []em.Example{{Y: em.Labels('a', 'b')}}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, remark := range result.Remarks {
		fmt.Println(remark)
	}
	// Output:
	// machine 0 of the cascade has constant weights that are not probabilities: those of state 0 sum to 1.3, want 1 (the first of 1)
}
