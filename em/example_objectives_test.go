package em_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// letter returns the machine that reads and writes one letter, by the arcs given.
func letter(params *em.Params, arcs ...fst.Arc[expr.W]) cascade.Stage {
	for i := range arcs {
		arcs[i].To = 1
	}
	return fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One}, arcs)
}

// Training a conditional machine f, P(y | x), by plain EM when an input is not quite
// known: f by itself does not say which inputs are likely, so train g ∘ f, where g is
// a distribution over inputs. That maximizes P(x)·P(y | x), so with complete inputs
// it is discriminative training of f, whatever g is (Eisner 2002, §3).
func ExampleFit_conditional() {
	const a, b, x, y = 1, 2, 3, 4
	params := em.NewParams()
	input := params.Group("input", 2, em.Multinomial{})
	ofA := params.Group("a", 2, em.Multinomial{})
	ofB := params.Group("b", 2, em.Multinomial{})
	type arc = fst.Arc[expr.W]
	g := letter(params, arc{In: a, Out: a, Weight: input.Weight(0)}, arc{In: b, Out: b, Weight: input.Weight(1)})
	f := letter(params,
		arc{In: a, Out: x, Weight: ofA.Weight(0)}, arc{In: a, Out: y, Weight: ofA.Weight(1)},
		arc{In: b, Out: x, Weight: ofB.Weight(0)}, arc{In: b, Out: y, Weight: ofB.Weight(1)})
	either := cascade.Set(letter(params, arc{In: a, Out: a, Weight: expr.One}, arc{In: b, Out: b, Weight: expr.One}))
	data := cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(a), Y: cascade.Labels(x), Weight: em.Times(3)},
		{X: cascade.Labels(a), Y: cascade.Labels(y)},
		{X: cascade.Labels(b), Y: cascade.Labels(y), Weight: em.Times(4)},
		{X: either, Y: cascade.Labels(x), Weight: em.Times(2)}, // smudged
	}}
	result, err := cascade.Problem{Params: params, Stages: []cascade.Stage{g, f}}.Fit(context.Background(), data, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(a) %.2f, P(x | a) %.2f, P(y | b) %.2f\n",
		input.In(result.Theta)[0], ofA.In(result.Theta)[0], ofB.In(result.Theta)[1])
	// Output: P(a) 0.60, P(x | a) 0.83, P(y | b) 1.00
}

// What is read as a is labeled 1 three times and 2 once. Maximum likelihood makes the
// label 1 three quarters of the time and is wrong with 1.5 of the four labels on
// average. The least expected number of errors is 1: always say 1.
func ExampleRisk() {
	const a = 1
	params := em.NewParams()
	labels := params.Group("labels", 2, em.Multinomial{})
	loss := params.Group("loss", 1, em.Fixed{})
	f := letter(params, fst.Arc[expr.W]{In: a, Out: 1, Weight: labels.Weight(0)}, fst.Arc[expr.W]{In: a, Out: 2, Weight: labels.Weight(1)})
	var data cascade.Data
	for _, reference := range []int32{1, 1, 1, 2} {
		all := cascade.Hamming(params, loss.Weight(0), []int32{reference}, []int32{1, 2})
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(a), Y: cascade.Set(all)})
	}
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	risk := &em.Risk{Likelihood: likelihood, Loss: []float64{0, 0, 1}}
	result, err := em.Fit(context.Background(), risk, &em.Options{Method: em.LBFGS{}, Start: []float64{.75, .25, 1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f at first, %.2f in the end\n", -result.Objective[0], -result.Last())
	// Output: 1.50 at first, 1.00 in the end
}

// Seven heads in ten throws, and how well that determines the coin: √(.7·.3/10).
func ExampleFisherInformation() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f := letter(params, fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 2, Out: 2, Weight: coin.Weight(1)})
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Weight: em.Times(7)}, {X: cascade.Labels(2), Weight: em.Times(3)}}}
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	information, err := em.FisherInformation(context.Background(), likelihood, em.Query{Theta: []float64{.7, .3}})
	if err != nil {
		log.Fatal(err)
	}
	se, err := information.StandardErrors()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.2f ± %.3f\n", .7, se[0])
	// Output: heads 0.70 ± 0.145
}
