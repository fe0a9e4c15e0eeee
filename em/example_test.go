package em_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A channel copies a symbol, changes it or drops it. Which it did to which symbol
// is not observed; strings before and after are.
func Example() {
	boolean := semiring.Semiring[bool](semiring.Boolean{})
	b := fst.NewBuilder(boolean)
	s := b.AddState()
	b.AddStart(s, true)
	b.SetFinal(s, true)
	for in := int32(1); in <= 2; in++ {
		for out := int32(0); out <= 2; out++ { // 0 is ε: dropped
			b.AddArc(s, fst.Arc[bool]{In: in, Out: out, Weight: true, To: s})
		}
	}
	plain, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}

	params := em.NewParams()
	channel, err := em.Conditional(params, "channel", plain, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	data := []em.Example{
		{X: em.Labels(1, 2, 1), Y: em.Labels(1, 2, 1)},
		{X: em.Labels(2, 2, 1), Y: em.Labels(2, 1)},
		{X: em.Labels(1, 1, 1), Y: em.Labels(1, 1, 1)},
		{X: em.Labels(2, 1), Y: em.Labels(1)},
	}
	problem := em.Problem{Params: params, Cascade: []*fst.FST[expr.W]{channel}}
	result, err := em.Fit(context.Background(), problem, data, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range result.Theta {
		if p > 1e-3 {
			fmt.Printf("%s %.2f\n", params.Name(int32(i)), p)
		}
	}
	// Output:
	// channel/0/1[1:1] 1.00
	// channel/0/2[2:ε] 0.50
	// channel/0/2[2:2] 0.50
}

// Expected counts are the gradient of the log likelihood with respect to ln θ.
func ExampleExpect() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	b := fst.NewBuilder[expr.W](params.Space())
	s := b.AddState()
	b.AddStart(s, expr.One)
	b.AddArc(s, fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0), To: s})
	b.SetFinal(s, coin.Weight(1))
	f, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	problem := em.Problem{Params: params, Cascade: []*fst.FST[expr.W]{f}}
	e, err := em.Expect(context.Background(), problem, []em.Example{{X: em.Labels(1, 1, 1)}}, []float64{.5, .5}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f nats, heads %.0f, tails %.0f\n", e.LogLikelihood, e.Counts[0], e.Counts[1])
	// Output: -2.7726 nats, heads 3, tails 1
}

// Each a may become b; then each b may be lost. How often, if all one ever sees is
// what went in and what came out? The string between the machines stays hidden.
func ExampleFit() {
	const a, b, lost = 1, 2, fst.Epsilon
	params := em.NewParams()
	change := params.Group("change", 2, em.Multinomial{})
	loss := params.Group("loss", 2, em.Multinomial{})
	type arc = fst.Arc[expr.W]
	oneState := func(arcs ...arc) *fst.FST[expr.W] {
		m := fst.NewBuilder[expr.W](params.Space())
		s := m.AddState()
		m.AddStart(s, expr.One)
		m.SetFinal(s, expr.One)
		for _, a := range arcs {
			m.AddArc(s, a)
		}
		f, err := m.Freeze()
		if err != nil {
			log.Fatal(err)
		}
		return f
	}
	cascade := []*fst.FST[expr.W]{
		oneState(arc{In: a, Out: b, Weight: change.Weight(0)}, arc{In: a, Out: a, Weight: change.Weight(1)}),
		oneState(arc{In: b, Out: lost, Weight: loss.Weight(0)}, arc{In: b, Out: b, Weight: loss.Weight(1)},
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
	// Output: converged: change 0.400, loss 0.750
}
