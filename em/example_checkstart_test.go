package em_test

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// A mixture of two coins, each tossed twice. The coins begin alike, so a step of EM computes
// the same values for both.
func ExampleCheckStart() {
	ctx := context.Background()
	params := em.NewParams()
	coin := params.Distribution("coin", 2, em.Multinomial{})
	b := fst.NewBuilder(params.Space())
	b.AddStates(5)
	for c := range int32(2) {
		side := params.Distribution(fmt.Sprint("side of ", c), 2, em.Multinomial{})
		b.AddStart(c, coin.Weight(int(c)))
		for i, label := range "ht" {
			b.AddArc(c, fst.Arc[expr.W]{In: label, Out: label, Weight: side.Weight(i), To: 2 + c})
			b.AddArc(2+c, fst.Arc[expr.W]{In: label, Out: label, Weight: side.Weight(i), To: 4})
		}
	}
	b.SetFinal(4, expr.One)
	f, err := b.Freeze()
	if err != nil {
		fmt.Println(err)
		return
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	l, err := problem.Likelihood(cascade.Inputs("hh", "hh", "tt", "ht"))
	if err != nil {
		fmt.Println(err)
		return
	}
	alike := func(theta []float64, tolerance float64) string {
		a, b := params.Find("side of 0").In(theta), params.Find("side of 1").In(theta)
		if max(a[0], b[0])-min(a[0], b[0]) > tolerance*max(a[0], b[0]) {
			return ""
		}
		return "the coins"
	}
	fmt.Println(em.CheckStart(ctx, l, params.Start(), alike))
	fmt.Println(em.CheckStart(ctx, l, []float64{.5, .5, .6, .4, .3, .7}, alike))
	// Output:
	// symmetric start: the coins have equal parameters and would keep them
	// <nil>
}
