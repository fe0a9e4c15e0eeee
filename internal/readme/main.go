package main

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

type arc = fst.Arc[expr.W]

// channel returns the machine with one state and the given arcs.
func channel(space *expr.Space, arcs ...arc) *fst.FST[expr.W] {
	b := fst.NewBuilder[expr.W](space)
	s := b.AddState()
	b.AddStart(s, expr.One)
	b.SetFinal(s, expr.One)
	for _, a := range arcs {
		b.AddArc(s, a)
	}
	f, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// Each a may become b; then each b may be lost. How often, if all one ever sees
// is what went in and what came out?
func main() {
	const a, b, lost = 1, 2, fst.Epsilon
	params := em.NewParams()
	change := params.Group("change", 2, em.Multinomial{})
	loss := params.Group("loss", 2, em.Multinomial{})
	cascade := []*fst.FST[expr.W]{
		channel(params.Space(), arc{In: a, Out: b, Weight: change.Weight(0)}, arc{In: a, Out: a, Weight: change.Weight(1)}),
		channel(params.Space(), arc{In: b, Out: lost, Weight: loss.Weight(0)}, arc{In: b, Out: b, Weight: loss.Weight(1)},
			arc{In: a, Out: a, Weight: expr.One}),
	}
	data := []em.Example{
		{X: em.Labels(a, a, a, a, a), Y: em.Labels(a, a, b)},
		{X: em.Labels(a, a, a, a, a), Y: em.Labels(a, a, a, a)},
	}
	result, err := em.Fit(context.Background(), em.Problem{Params: params, Cascade: cascade}, data, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: change %.3f, loss %.3f\n", result.Status, change.In(result.Theta)[0], loss.In(result.Theta)[0])
}
