package cascade_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Two witnesses: one heard that the word begins with R, the other that it has four letters.
func ExampleBoth() {
	params := em.NewParams()
	alphabet := fst.RuneLabels("AMOR")
	first := cascade.Pattern(params, alphabet, 'R', cascade.AnyString)
	second := cascade.Pattern(params, alphabet, cascade.AnyLabel, cascade.AnyLabel, cascade.AnyLabel, cascade.AnyLabel)
	both := cascade.Both(params, first, second)
	letters := params.Group("letter", 4, em.Multinomial{})
	var arcs []fst.Arc[expr.W]
	for i, c := range alphabet {
		arcs = append(arcs, fst.Arc[expr.W]{In: c, Out: c, Weight: letters.Weight(i)})
	}
	machine := fst.OneState(params.Space(), expr.One, arcs...)
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.Likelihood(cascade.Data{Examples: []cascade.Example{{X: both}}})
	if err != nil {
		log.Fatal(err)
	}
	e, err := likelihood.Expect(context.Background(), em.Query{Theta: params.Start()})
	if err != nil {
		log.Fatal(err)
	}
	// Of four letters with four possibilities, one is known.
	fmt.Printf("%.2f\n", math.Exp(e.LogLikelihood))
	// Output: 0.25
}
