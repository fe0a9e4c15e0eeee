package agree_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// twoViews returns two models of one hidden bit z that is written as 1 or 2, each with an
// observation of its own, here 1. The first has P(1, z) = 0.4 and 0.1, the second 0.2 and 0.3.
// Data are one example: both saw a 1.
func twoViews() (problems []cascade.Problem, data []cascade.Data) {
	params := em.NewParams()
	for i, theta := range [][]float64{{.4, .1, .25, .25}, {.2, .3, .25, .25}} {
		pairs := params.Group([]string{"first", "second"}[i], 4, em.Multinomial{}) // seen 1 with z, seen 2 with z
		pairs.SetStart(theta)
		var arcs []fst.Arc[expr.W]
		for i := range 4 {
			arcs = append(arcs, fst.Arc[expr.W]{In: int32(1 + i/2), Out: int32(1 + i%2), Weight: pairs.Weight(i)})
		}
		view := fst.OneState(params.Space(), expr.One, arcs...)
		problems = append(problems, cascade.Problem{Params: params, Stages: []cascade.Stage{view}})
		data = append(data, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
	}
	return problems, data
}

// at prints the objective of l at its start.
func at(l em.Likelihood) {
	e := must(l.Expect(context.Background(), em.Query{Theta: l.Params().Start()}))
	fmt.Printf("%.3f nats\n", e.LogLikelihood)
}

// The probability that both models see what they saw, and have the same z: the logarithm of
// 0.4·0.2 + 0.1·0.3 = 0.11. After training both are sure of what they see, and of z.
func ExampleExact() {
	ctx := context.Background()
	problems, data := twoViews()
	product, err := agree.Exact(data, problems...)
	if err != nil {
		log.Fatal(err)
	}
	at(product)
	result, err := em.Fit(ctx, product, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("first %.2f, second %.2f\n", result.Theta[:2], result.Theta[4:6])
	// Output:
	// -2.207 nats
	// first [1.00 0.00], second [1.00 0.00]
}

// Each model for itself, whatever its z: the logarithm of (0.4 + 0.1)·(0.2 + 0.3) = 0.25.
func ExampleIndependent() {
	problems, data := twoViews()
	at(must(agree.Independent(must(problems[0].Likelihood(data[0])), must(problems[1].Likelihood(data[1])))))
	// Output: -1.386 nats
}

// Each model squared, since there are two of them: half the logarithm of
// (0.4² + 0.1²)·(0.2² + 0.3²). It is at least the exact objective, and needs no product.
func ExampleParameterApproximate() {
	problems, data := twoViews()
	at(must(agree.ParameterApproximate(must(problems[0].Likelihood(data[0])), must(problems[1].Likelihood(data[1])))))
	// Output: -1.906 nats
}

// views returns the two models as submodels, whose features are the values of z. All their
// parameters are shared: they count by what both say of z.
func views() []agree.Submodel {
	problems, _ := twoViews()
	params := problems[0].Params
	pairs := params.Groups() // before the marks
	marks := params.Group("z", 2, em.Fixed{})
	z := cascade.Set(fst.OneState(params.Space(), expr.One,
		fst.Arc[expr.W]{In: 1, Out: 1, Weight: marks.Weight(0)}, fst.Arc[expr.W]{In: 2, Out: 2, Weight: marks.Weight(1)}))
	var submodels []agree.Submodel
	for m, problem := range problems {
		corpus := must(problem.Corpus(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Y: z}}}))
		submodels = append(submodels, must(agree.Marked(corpus, agree.Features{
			Marks: marks, Shared: pairs[m : m+1], Potential: func(_, k int) expr.W { return pairs[m].Weight(k) },
		})))
	}
	return submodels
}

// counts prints how often l has each model see its 1 with either z.
func counts(l em.Likelihood) {
	e := must(l.Expect(context.Background(), em.Query{Theta: l.Params().Start()}))
	fmt.Printf("%.2f %.2f\n", e.Counts[0:2], e.Counts[4:6])
}

// By itself the first model gives the z posteriors of 0.8 and 0.2.
func ExampleLikelihood() {
	counts(must(agree.Likelihood(em.Fail, views()[0])))
	// Output: [0.80 0.20] [0.00 0.00]
}

// Squared weights give posteriors of 16/17 and 1/17, and of 4/13 and 9/13. Both models count by
// the average.
func ExampleAveraged() {
	counts(must(agree.Averaged(em.Fail, views()...)))
	// Output: [0.62 0.38] [0.62 0.38]
}

// Posteriors of 0.8 and 0.2, and of 0.4 and 0.6, are multiplied. Both models count by that.
func ExampleProductOfPosteriors() {
	counts(must(agree.ProductOfPosteriors(em.Fail, views()...)))
	// Output: [0.32 0.12] [0.32 0.12]
}
