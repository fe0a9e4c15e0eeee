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

// A channel copies letters or changes them. One feature for all copies, with a
// Gaussian prior on its strength, is all that there is to learn.
func ExampleConditionalLogLinear() {
	b := fst.NewBuilder(semiring.Boolean{})
	s := b.AddState()
	b.AddStart(s, true)
	b.SetFinal(s, true)
	for in := int32(1); in <= 3; in++ {
		for out := int32(1); out <= 3; out++ {
			b.AddArc(s, fst.Arc[bool]{In: in, Out: out, Weight: true, To: s})
		}
	}
	channel, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	copies := func(state int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && a.In == a.Out {
			return []em.Feature{{Name: "copy"}}
		}
		return nil
	}
	params := em.NewParams()
	f, err := em.ConditionalLogLinear(params, "channel", channel, copies, em.LogLinearOptions{Sigma: 10})
	if err != nil {
		log.Fatal(err)
	}
	model := em.NewModel(em.Problem{Params: params, Cascade: []*fst.FST[expr.W]{f}})
	_, err = model.Fit(context.Background(), em.Data{Examples: []em.Example{
		{X: em.Labels(1, 2, 3, 1), Y: em.Labels(1, 2, 1, 1)},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s = %.2f\n", params.Name(0), model.Theta[0])
	fmt.Printf("%s = %.2f\n", params.Name(1), model.Theta[1])
	fmt.Printf("%s = %.2f\n", params.Name(2), model.Theta[2])
	// Output:
	// channel[copy] = 1.77
	// channel[0/1:1] = 0.75
	// channel[0/1:2] = 0.13
}

// State 1 cannot read a 2, so a third of the inputs 1 2 is lost.
func ExampleMarkovianConditional() {
	b := fst.NewBuilder(semiring.Real{})
	b.AddStates(2)
	b.AddStart(0, 1)
	b.SetFinal(0, 1)
	b.SetFinal(1, 1)
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, Weight: 2. / 3, To: 0})
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 2, Weight: 1. / 3, To: 1})
	b.AddArc(0, fst.Arc[float64]{In: 2, Out: 2, Weight: 1, To: 0})
	b.AddArc(1, fst.Arc[float64]{In: 1, Out: 1, Weight: 1, To: 1})
	f, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	report, err := em.MarkovianConditional(f, 1e-9)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Leaks)
	fmt.Println(report.Err())
	// Output:
	// [{1 2 1}]
	// em: machine is not Markovian: mass 1 is lost in state 1 with input 2 (the first of 1)
}

// The M step of a Gaussian from data that are all its own.
func ExampleGaussian() {
	data := [][]float64{{1, 2}, {2, 3}, {3, 7}, {6, 8}}
	law, err := em.NewGaussian(2).Around(data)
	if err != nil {
		log.Fatal(err)
	}
	theta, counts := make([]float64, law.Len()), make([]float64, law.Len())
	for _, x := range data {
		law.AddCounts(counts, x, 1)
	}
	law.Start(theta)
	if err := law.Maximize(theta, counts); err != nil {
		log.Fatal(err)
	}
	density, err := law.Density(theta)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean %v, covariance %v, log density at the mean %.3f\n", theta[1:3], theta[3:], density.Log(theta[1:3]))
	// Output:
	// mean [3 5], covariance [3.5 4.25 6.5], log density at the mean -2.610
}
