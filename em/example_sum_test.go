package em_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// A source of letters, a or b, and a channel that makes x or y of them, learnt from data of
// three kinds at once: letters of which nobody knows what became of them, two pairs, and
// what came out of the channel alone, which counts half.
func ExampleSum() {
	const a, b, x, y = 1, 2, 3, 4
	type arc = fst.Arc[expr.W]
	params := em.NewParams()
	source := params.Group("source", 2, em.Multinomial{})
	ofA, ofB := params.Group("a", 2, em.Dirichlet{Alpha: 1.1}), params.Group("b", 2, em.Dirichlet{Alpha: 1.1})
	letters := letter(params, arc{In: a, Out: a, Weight: source.Weight(0)}, arc{In: b, Out: b, Weight: source.Weight(1)})
	channel := letter(params,
		arc{In: a, Out: x, Weight: ofA.Weight(0)}, arc{In: a, Out: y, Weight: ofA.Weight(1)},
		arc{In: b, Out: x, Weight: ofB.Weight(0)}, arc{In: b, Out: y, Weight: ofB.Weight(1)})

	of := func(examples []em.Example, cascade ...*fst.FST[expr.W]) em.Likelihood {
		l, err := em.Problem{Params: params, Cascade: cascade}.Likelihood(em.Data{Examples: examples})
		if err != nil {
			log.Fatal(err)
		}
		return l
	}
	sum, err := em.Sum(
		em.Part{Name: "letters", Likelihood: of([]em.Example{
			{X: em.Labels(a), Weight: em.Times(30)}, {X: em.Labels(b), Weight: em.Times(10)},
		}, letters)},
		em.Part{Name: "pairs", Likelihood: of([]em.Example{
			{X: em.Labels(a), Y: em.Labels(x)}, {X: em.Labels(b), Y: em.Labels(y)},
		}, letters, channel)},
		em.Part{Name: "outputs", Weight: em.Times(.5), Likelihood: of([]em.Example{
			{Y: em.Labels(x), Weight: em.Times(40)}, {Y: em.Labels(y), Weight: em.Times(40)},
		}, letters, channel)},
	)
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), sum, nil)
	if err != nil {
		log.Fatal(err)
	}
	at := result.Theta
	fmt.Printf("%v: P(a) %.2f, P(x|a) %.2f, P(y|b) %.2f\n", result.Status, source.In(at)[0], ofA.In(at)[0], ofB.In(at)[1])
	// Output: converged: P(a) 0.73, P(x|a) 0.68, P(y|b) 0.94
}
