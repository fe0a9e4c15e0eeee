package cascade_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// letter returns the machine that reads and writes one letter, by the arcs given.
func letter(params *em.Params, arcs ...fst.Arc[expr.W]) cascade.Stage {
	for i := range arcs {
		arcs[i].To = 1
	}
	return fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One}, arcs)
}

// A product of experts: one knows colors, one knows sizes, and a third rules out what
// is blue and big. Their product is normalized as a whole. Of the things seen three
// quarters are red and three quarters are small, but that is the third expert's doing:
// the odds of red against blue are 2 to 1, as they are among what is small.
func ExampleProblem_NormalizedLikelihood() {
	const redSmall, redBig, blueSmall, blueBig = 1, 2, 3, 4
	params := em.NewParams()
	color := params.Group("color", 2, em.Multinomial{})
	size := params.Group("size", 2, em.Multinomial{})
	accept := func(label int32, w expr.W) fst.Arc[expr.W] {
		return fst.Arc[expr.W]{In: label, Out: label, Weight: w}
	}
	red, blue, small, big := color.Weight(0), color.Weight(1), size.Weight(0), size.Weight(1)
	experts := []cascade.Stage{
		letter(params, accept(redSmall, red), accept(redBig, red), accept(blueSmall, blue), accept(blueBig, blue)),
		letter(params, accept(redSmall, small), accept(redBig, big), accept(blueSmall, small), accept(blueBig, big)),
		letter(params, accept(redSmall, expr.One), accept(redBig, expr.One), accept(blueSmall, expr.One)),
	}
	data := cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(redSmall), Weight: em.Times(2)},
		{X: cascade.Labels(redBig)},
		{X: cascade.Labels(blueSmall)},
	}}
	likelihood, err := cascade.Problem{Params: params, Stages: experts}.NormalizedLikelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("red %.3f, small %.3f\n", color.In(result.Theta)[0], size.In(result.Theta)[0])
	// Output: red 0.667, small 0.667
}

// A feature of whole strings: how long they are. An acceptor of e^length, to the power θ,
// weighs strings of up to three letters; each letter more was seen half as often.
func ExamplePower() {
	const a, longest = 1, 3
	params := em.NewParams()
	strength := params.Group("length", 1, em.Exponents{})
	b := fst.NewBuilder(semiring.Real{})
	b.AddStart(b.AddState(), 1)
	for s := range int32(longest) {
		b.AddArc(s, fst.Arc[float64]{In: a, Out: a, Weight: math.E, To: b.AddState()})
		b.SetFinal(s+1, 1)
	}
	length, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	feature := cascade.Power(cascade.Constants(params, length), strength.Weight(0))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{feature}}
	likelihood, err := problem.NormalizedLikelihood(cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(a), Weight: em.Times(4)},
		{X: cascade.Labels(a, a), Weight: em.Times(2)},
		{X: cascade.Labels(a, a, a)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.LBFGS{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("each letter more: times %.3f\n", math.Exp(result.Theta[0]))
	// Output: each letter more: times 0.500
}
