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

// unigram returns the model of a text in which each letter is drawn by itself.
func unigram(alphabet string, law em.Law) cascade.Model {
	params := em.NewParams()
	frequency := params.Group("letter", len(alphabet), law)
	frequency.SetNames(func(i int) string { return alphabet[i : i+1] })
	var arcs []fst.Arc[expr.W]
	for i, c := range alphabet {
		arcs = append(arcs, fst.Arc[expr.W]{In: c, Out: c, Weight: frequency.Weight(i)})
	}
	machine := fst.OneState(params.Space(), expr.One, arcs...)
	return cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
}

// What to do with examples that the model cannot explain: leave them out, and say so.
func ExamplePolicy() {
	model := unigram("ab", em.Multinomial{})
	result, err := model.Fit(context.Background(), cascade.Data{Underivable: em.Skip, Examples: []cascade.Example{
		{X: cascade.Labels('a', 'b'), Name: "ab"}, {X: cascade.Labels('a', 'x'), Name: "ax"},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, skipped := range result.Skipped {
		fmt.Println("skipped:", skipped.Name)
	}
	fmt.Printf("a %.2f\n", model.Theta[0])
	// Output:
	// skipped: ax
	// a 0.50
}

// How long until heads? Only those wrote down their throws who had to wait, so that all begin
// with T. What is known of each anyhow is taken away: the ln of P(it begins with T).
func ExampleDifference() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	throws := fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One}, []fst.Arc[expr.W]{
		{In: 'H', Out: 'H', Weight: coin.Weight(0), To: 1}, {In: 'T', Out: 'T', Weight: coin.Weight(1), To: 0},
	})
	tails := cascade.Pattern(params, []int32{'H', 'T'}, 'T', cascade.AnyString)
	seen := cascade.Inputs("TH", "TH", "TH", "TTH")
	var known cascade.Data
	for range seen.Examples {
		known.Examples = append(known.Examples, cascade.Example{X: tails})
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{throws}}
	of := func(data cascade.Data) em.Likelihood {
		l, err := problem.Likelihood(data)
		if err != nil {
			log.Fatal(err)
		}
		return l
	}
	for _, l := range []em.Likelihood{of(seen), &em.Difference{Plus: of(seen), Minus: of(known)}} {
		result, err := em.Fit(context.Background(), l, &em.Options{Tolerance: 1e-10})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("heads %.2f\n", result.Theta[0])
	}
	// Output:
	// heads 0.44
	// heads 0.80
}
