package main

import (
	"context"
	"errors"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// The README shows the lines after “// README”. The machine is the one of the tour.
func Example_errors() {
	ctx := context.Background()
	var keys []fst.Arc[float64]
	for _, r := range "acst" {
		keys = append(keys, fst.Arc[float64]{In: r, Out: r, Weight: .8}, fst.Arc[float64]{In: r, Out: fst.Epsilon, Weight: .2})
	}
	typist := fst.OneState(semiring.Real{}, 1, keys...)
	params := em.NewParams()
	channel := cascade.Conditional(params, "typist", typist, em.Multinomial{})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{channel}}

	// README
	_, err := problem.Fit(ctx, cascade.Pairs([][2]string{{"cat", "cut"}}), nil) // no key writes u
	if errors.Is(err, em.ErrUnderivable) {
		fmt.Println(err)
	}
	// Output:
	// cascade: no derivation: 1 of 1 examples (numbered from 0), the first is example 0 ("cat" and "cut"): label 'u' (117) at position 1 of Y is written by no arc
}
