package em_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
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

// A group is found by its name, here to say where training starts: most letters are kept.
func ExampleParams_Find() {
	params := em.NewParams()
	words, err := rx.Load(params.Space(), `word = {keep: yes = a | no = a:()}*_more;`)
	if err != nil {
		log.Fatal(err)
	}
	words.Groups = em.Alternatives(params, nil)
	if _, err := words.Machine("word"); err != nil {
		log.Fatal(err)
	}
	keep := params.Find("keep")
	keep.SetStart([]float64{.8, .2})
	fmt.Println(keep, keep.In(params.Start()))
	fmt.Println(params.Groups(), params.Find("drop") == nil)
	// Output:
	// keep [0.8 0.2]
	// [more keep] true
}

// All that was learnt, by name: of four throws three fell heads.
func ExampleParams_Named() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	coin.SetNames(func(i int) string { return []string{"heads", "tails"}[i] })
	throw := fst.OneState(params.Space(), params.Space().One(),
		fst.Arc[expr.W]{In: 'h', Out: 'h', Weight: coin.Weight(0)},
		fst.Arc[expr.W]{In: 't', Out: 't', Weight: coin.Weight(1)})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{throw}}
	result, err := problem.Fit(context.Background(), cascade.Inputs("hhth"), nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		fmt.Println(name, p)
	}
	fmt.Printf("%.4f is 3·ln ¾ + ln ¼ = %.4f\n", result.Last(), 3*math.Log(.75)+math.Log(.25))
	// Output:
	// coin[heads] 0.75
	// coin[tails] 0.25
	// -2.2493 is 3·ln ¾ + ln ¼ = -2.2493
}

// A language model whose probabilities sum to 1.3 is a slip, which training does not stop for.
func ExampleResult_remarks() {
	params := em.NewParams()
	scores := fst.OneState(semiring.Real{}, .1,
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .7},
		fst.Arc[float64]{In: 'b', Out: 'b', Weight: .5})
	result, err := cascade.Problem{Params: params, Stages: []cascade.Stage{
		cascade.Constants(params, scores),
		cascade.Conditional(params, "channel", scores, em.Multinomial{}),
	}}.Fit(context.Background(), cascade.Outputs("ab"), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, remark := range result.Remarks {
		fmt.Println(remark)
	}
	// Output:
	// machine 0 of the cascade has constant weights that are not probabilities: those of state 0 sum to 1.3, want 1 (the first of 1)
}
