package forest_test

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// A context-free grammar in Chomsky normal form parses a sentence that has two
// meanings: the CKY algorithm is one rule.
func ExampleDeduction() {
	type span struct { // X derives the words I … J−1
		X    string
		I, J int
	}
	p := map[string]float64{
		"S → NP VP": 1, "VP → V NP": .5, "VP → Aux VP": .1, "NP → they": .5, "NP → fish": .3,
		"VP → fish": .4, "V → can": .7, "Aux → can": 1,
	}
	nonterminals := []string{"S", "NP", "VP", "V", "Aux"}
	d := forest.NewDeduction[span](semiring.Viterbi{})
	forest.Join(d, "binary",
		func(b span) (int, bool) { return b.J, true }, // b ends where c begins
		func(c span) (int, bool) { return c.I, true },
		func(b, c span) {
			for _, x := range nonterminals {
				d.Derive(span{x, b.I, c.J}, semiring.NewScaled(p[x+" → "+b.X+" "+c.X]), b, c)
			}
		})
	for i, word := range []string{"they", "can", "fish"} {
		for _, x := range nonterminals {
			d.Derive(span{x, i, i + 1}, semiring.NewScaled(p[x+" → "+word]))
		}
	}
	chart, err := d.Run(span{"S", 0, 3})
	if err != nil {
		panic(err)
	}
	parses, err := forest.BestTrees(chart.Forest)
	if err != nil {
		panic(err)
	}
	for parse := range parses {
		fmt.Printf("%.4f", parse.Weight.Float64())
		for _, e := range parse.Edges {
			fmt.Print(" ", chart.Head(e))
		}
		fmt.Println()
	}
	// Output:
	// 0.0525 {S 0 3} {NP 0 1} {VP 1 3} {V 1 2} {NP 2 3}
	// 0.0200 {S 0 3} {NP 0 1} {VP 1 3} {Aux 1 2} {VP 2 3}
}

// From the goals down: the cheapest order in which to multiply a chain of matrices.
// A span that is wanted is derived from its parts wherever it may be split, and
// makes them wanted.
func ExampleDeduction_wanted() {
	size := []int{10, 100, 5, 50, 1} // matrix i has size[i] rows and size[i+1] columns
	type span struct {
		Wanted bool
		I, J   int
	}
	d := forest.NewDeduction[span](semiring.Tropical{})
	d.Rule("split", func(a span) {
		if !a.Wanted {
			return
		}
		if a.J == a.I+1 {
			d.Derive(span{I: a.I, J: a.J}, 0)
		}
		for k := a.I + 1; k < a.J; k++ {
			d.Derive(span{true, a.I, k}, 0)
			d.Derive(span{true, k, a.J}, 0)
			multiplications := semiring.Cost(size[a.I] * size[k] * size[a.J])
			d.Derive(span{I: a.I, J: a.J}, multiplications, span{I: a.I, J: k}, span{I: k, J: a.J})
		}
	})
	d.Derive(span{true, 0, 4}, 0)
	chart, err := d.Run(span{I: 0, J: 4})
	if err != nil {
		panic(err)
	}
	best, err := forest.BestTree(chart.Forest)
	if err != nil {
		panic(err)
	}
	fmt.Println(best.Weight, "multiplications:")
	fmt.Println(forest.Fold(chart.Forest, best.Edges, func(e int32, below []string) string {
		if len(below) == 0 {
			return fmt.Sprint(chart.Head(e).I)
		}
		return "(" + below[0] + "·" + below[1] + ")"
	}))
	// Output:
	// 1750 multiplications:
	// (0·(1·(2·3)))
}
