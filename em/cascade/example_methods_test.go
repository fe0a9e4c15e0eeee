package cascade_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// bagOf returns the machine of the bag: it draws a coin, and throws it repeatedly.
func bagOf(law em.Law) cascade.Problem {
	type arcs = []fst.Arc[expr.W]
	params := em.NewParams()
	a, b := params.Group("A", 2, law), params.Group("B", 2, law)
	a.SetStart([]float64{.6, .4})
	half := params.Space().Const(semiring.NewScaled(.5))
	machine := fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One, 2: expr.One},
		arcs{{Weight: half, To: 1}, {Weight: half, To: 2}},
		arcs{{In: 'H', Out: 'H', Weight: a.Weight(0), To: 1}, {In: 'T', Out: 'T', Weight: a.Weight(1), To: 1}},
		arcs{{In: 'H', Out: 'H', Weight: b.Weight(0), To: 2}, {In: 'T', Out: 'T', Weight: b.Weight(1), To: 2}})
	return cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}
}

// series returns the throws, H for heads and T for tails.
func series() cascade.Data {
	data := cascade.Data{ShardSize: 1}
	for _, series := range []string{"HTTTHHTHTH", "HHHHTHHHHH", "HTHHHHHTHH", "HTHTTTHHTT", "THHHTHHHTH"} {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Text(series), Name: series})
	}
	return data
}

// Which coin was each series thrown with? The result is the expected number of heads of the first
// coin in each series.
func ExampleProblem_Corpus() {
	problem := bagOf(em.Multinomial{})
	corpus, err := problem.Corpus(series())
	if err != nil {
		log.Fatal(err)
	}
	if err := corpus.Begin(em.Query{Theta: []float64{.8, .2, .52, .48}}); err != nil {
		log.Fatal(err)
	}
	heads := problem.Params.Groups()[0].Weight(0)
	visitor := corpus.Visitor()
	for i := range corpus.Examples() {
		uses, err := visitor.Visit(i)
		if err != nil {
			log.Fatal(err)
		}
		for k, w := range uses.Weights {
			if w == heads {
				fmt.Printf("%s: %.1f heads of the first coin\n", corpus.Example(i).Name, uses.Counts[k])
			}
		}
	}
	// Output:
	// HTTTHHTHTH: 0.5 heads of the first coin
	// HHHHTHHHHH: 8.6 heads of the first coin
	// HTHHHHHTHH: 6.8 heads of the first coin
	// HTHTTTHHTT: 0.1 heads of the first coin
	// THHHTHHHTH: 4.2 heads of the first coin
}

// Monte Carlo EM: the coin of each series is drawn, ten times in each E step, instead of summed
// over. The objective may fall, but approaches the result of EM: .80 and .52 heads.
func ExampleProblem_Sampled() {
	problem := bagOf(em.Multinomial{})
	l, err := problem.Sampled(series(), cascade.Sampling{Draws: 10, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), l, &em.Options{Iterations: 20, Tolerance: -1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads: %.2f of the first coin, %.2f of the second\n", result.Theta[0], result.Theta[2])
	// Output:
	// heads: 0.79 of the first coin, 0.50 of the second
}
