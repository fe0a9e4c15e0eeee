package cascade_test

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// A grammar with one nonterminal: S becomes two S or a word, of two kinds. The
// sentences have the length 3, so that they share the forest of all bracketings; what
// its words weigh are arguments.
func ExampleDerivations() {
	params := em.NewParams()
	rules := params.Group("S", 3, em.Multinomial{}) // S S, word a, word b

	template := cascade.NewTemplate(4) // the branching, and three words
	type span struct{ i, j int }
	d := forest.NewDeduction[span](template)
	forest.Join(d, "branch",
		func(a span) (int, bool) { return a.j, true },
		func(b span) (int, bool) { return b.i, true },
		func(a, b span) { d.Derive(span{a.i, b.j}, template.Param(0), a, b) })
	for i := range 3 {
		d.Derive(span{i, i + 1}, template.Param(int32(1+i)))
	}
	coordinates, err := d.Run(span{0, 3})
	if err != nil {
		panic(err)
	}
	sentences := []string{"aab", "aaa"}
	l, err := cascade.Derivations{
		Examples: len(sentences),
		Forest:   func(int) (*forest.Forest[expr.W], error) { return coordinates.Forest, nil },
		Arguments: func(i int, dst []expr.W) ([]expr.W, error) {
			dst = append(dst, rules.Weight(0))
			for _, word := range sentences[i] {
				dst = append(dst, rules.Weight(1+int(word-'a')))
			}
			return dst, nil
		},
	}.Likelihood(params)
	if err != nil {
		panic(err)
	}
	result, err := em.Fit(context.Background(), l, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("S S %.2f, a %.2f, b %.2f\n", result.Theta[0], result.Theta[1], result.Theta[2])
	// Output:
	// S S 0.40, a 0.50, b 0.10
}
