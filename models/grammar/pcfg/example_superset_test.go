package pcfg_test

import (
	"context"
	"fmt"
	"math"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/grammar/pcfg"
)

// Sentences aⁿcbᵐ, by a grammar that wants n = m. Its superset has them all, and trains the
// grammar's own rules: the sum over its paths is infinite until it is normalized at each state.
func ExampleGrammar_Superset() {
	ctx := context.Background()
	g, err := pcfg.New("S", []pcfg.Rule{
		{Left: "S", Right: []string{"a", "T"}, Weight: 1}, {Left: "S", Right: []string{"c"}, Weight: 9},
		{Left: "T", Right: []string{"S", "b"}, Weight: 1},
	}, em.Multinomial{})
	if err != nil {
		fmt.Println(err)
		return
	}
	problem := cascade.Problem{Params: g.Params, Stages: []cascade.Stage{g.Superset(0)}}
	var data cascade.Data
	for _, s := range []string{"c", "a c b", "a a a c b", "a a c b b b"} {
		labels, err := g.Symbols().Encode(strings.Fields(s)...)
		if err != nil {
			fmt.Println(err)
			return
		}
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(labels...)})
	}
	r, err := problem.Fit(ctx, data, &em.Options{Start: g.Theta, Method: em.LBFGS{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	g.Theta = r.Theta
	for _, rule := range g.Rules() {
		fmt.Printf("%v %.2f\n", rule, rule.Weight)
	}
	totals, err := problem.Totals(ctx, g.Theta, cascade.Data{Examples: make([]cascade.Example, 1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("all sentences sum to %.6f\n", math.Exp(totals[0].Log))
	// Output:
	// S → a T 0.60
	// S → c 0.40
	// T → S b 1.00
	// all sentences sum to 1.000000
}
