package cascade_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A channel copies a letter, changes it or drops it. Which it did to which letter is not
// observed; strings before and after are. What becomes of ba?
func Example() {
	ctx := context.Background()
	var arcs []fst.Arc[bool]
	for _, in := range "ab" {
		for _, out := range []rune{'a', 'b', fst.Epsilon} { // ε: dropped
			arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
		}
	}
	plain := fst.OneState(semiring.Boolean{}, true, arcs...)

	params := em.NewParams()
	channel := cascade.Conditional(params, "channel", plain, em.Multinomial{})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{channel}})
	data := cascade.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
	result, err := model.Fit(ctx, data, nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		if p > 1e-3 {
			fmt.Printf("%s %.2f\n", name, p)
		}
	}
	trained, err := cascade.Instantiate(params, channel, result.Theta, semiring.Real{})
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(trained, "ba", nil) {
		if err != nil {
			log.Fatal(err)
		}
		if out.Weight > 1e-3 {
			fmt.Printf("%s %.2f\n", out.Text, out.Weight)
		}
	}
	// Output:
	// channel/0/a[a:a] 1.00
	// channel/0/b[b:b] 0.50
	// channel/0/b[b:ε] 0.50
	// a 0.50
	// ba 0.50
}

// Expected counts are the gradient of the log likelihood with respect to ln θ.
func ExampleProblem_Likelihood() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f := fst.OneState(params.Space(), coin.Weight(1), fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0)})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	likelihood, err := problem.Likelihood(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1, 1)}}})
	if err != nil {
		log.Fatal(err)
	}
	e, err := likelihood.Expect(context.Background(), em.Query{Theta: []float64{.5, .5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f nats, heads %.0f, tails %.0f\n", e.LogLikelihood, e.Counts[0], e.Counts[1])
	// Output: -2.7726 nats, heads 3, tails 1
}

// A trained machine becomes an ordinary one over any ring of probabilities: here over
// costs, −ln p, in the text that OpenFst's fstcompile reads.
func ExampleInstantiate() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f := fst.OneState(params.Space(), coin.Weight(1), fst.Arc[expr.W]{In: 1, Out: 2, Weight: coin.Weight(0)})
	tropical := semiring.Tropical{}
	costs, err := cascade.Instantiate(params, f, []float64{.75, .25}, tropical)
	if err != nil {
		log.Fatal(err)
	}
	if err := fstio.WriteText(os.Stdout, costs, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0	0	1	2	0.2876820724517809
	// 0	1.3862943611198906
}
