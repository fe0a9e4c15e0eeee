package cascade_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// A channel copies letters or changes them. One feature for all copies, with a
// Gaussian prior on its strength, is all that there is to learn.
func ExampleConditionalLogLinear() {
	var arcs []fst.Arc[bool]
	for in := int32(1); in <= 3; in++ {
		for out := int32(1); out <= 3; out++ {
			arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
		}
	}
	channel := fst.OneState(semiring.Boolean{}, true, arcs...)
	copies := func(state int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && a.In == a.Out {
			return []em.Feature{{Name: "copy"}}
		}
		return nil
	}
	params := em.NewParams()
	f := cascade.ConditionalLogLinear(params, "channel", channel, copies, em.LogLinearOptions{Sigma: 10})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	_, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(1, 2, 3, 1), Y: cascade.Labels(1, 2, 1, 1)},
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
	type arcs = []fst.Arc[float64]
	f := fst.FromArcs(semiring.Real{}, map[int32]float64{0: 1, 1: 1},
		arcs{{In: 1, Out: 1, Weight: 2. / 3, To: 0}, {In: 1, Out: 2, Weight: 1. / 3, To: 1}, {In: 2, Out: 2, Weight: 1, To: 0}},
		arcs{{In: 1, Out: 1, Weight: 1, To: 1}})
	report, err := cascade.MarkovianConditional(f, 1e-9)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Leaks)
	fmt.Println(report.Err())
	// Output:
	// [{1 2 1}]
	// cascade: machine is not Markovian: mass 1 is lost in state 1 with input 2 (the first of 1)
}

// A model of strings of any length: at each letter it goes on or stops. The strings that were
// seen are a, aa and aaa, so of nine choices it stopped three times.
func ExampleJoint() {
	anything := fst.OneState(semiring.Boolean{}, true, fst.Arc[bool]{In: 'a', Out: 'a', Weight: true})
	params := em.NewParams()
	machine := cascade.Joint(params, "a*", anything, em.Multinomial{})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
	if _, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels('a')}, {X: cascade.Labels('a', 'a')}, {X: cascade.Labels('a', 'a', 'a')},
	}}, nil); err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(model.Theta) {
		fmt.Printf("%s %.3f\n", name, p)
	}
	// Output:
	// a*/0[a:a] 0.667
	// a*/0[stop] 0.333
}

// Umbrella or hat, on two days: a feature says “umbrella” on both, so that the days share a
// strength. It was an umbrella three times of four on the first day, and of eight on both
// together six times, so that the odds are 3 to 1.
func ExampleJointLogLinear() {
	type arcs = []fst.Arc[bool]
	const umbrella, hat = 1, 2
	days := fst.FromArcs(semiring.Boolean{}, map[int32]bool{2: true},
		arcs{{In: umbrella, Out: umbrella, Weight: true, To: 1}, {In: hat, Out: hat, Weight: true, To: 1}},
		arcs{{In: umbrella, Out: umbrella, Weight: true, To: 2}, {In: hat, Out: hat, Weight: true, To: 2}})
	params := em.NewParams()
	machine := cascade.JointLogLinear(params, "days", days, func(_ int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && a.In == umbrella {
			return []em.Feature{{Name: "umbrella"}}
		}
		return nil
	}, em.LogLinearOptions{})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
	if _, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(umbrella, umbrella), Weight: em.Times(3)}, {X: cascade.Labels(hat, hat)},
	}}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: odds %.2f\n", params.Name(0), math.Exp(model.Theta[0]))
	// Output: days[umbrella]: odds 3.00
}

// Three people in a row wear a hat (1) or none (2). One feature: to do as one's neighbour does.
// Neighbours were alike three times of four, so that the feature has odds of 3 to 1.
func ExampleGlobalLogLinear() {
	type arcs = []fst.Arc[bool]
	hats := func(to1, to2 int32) arcs {
		return arcs{{In: 1, Out: 1, Weight: true, To: to1}, {In: 2, Out: 2, Weight: true, To: to2}}
	}
	row := fst.FromArcs(semiring.Boolean{}, map[int32]bool{5: true},
		hats(1, 2), hats(3, 4), hats(3, 4), hats(5, 5), hats(5, 5))
	params := em.NewParams()
	machine := cascade.GlobalLogLinear(params, "row", row, func(s int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && s > 0 && (s-1)%2 == a.In-1 { // states 1 and 3 are behind a hat
			return []em.Feature{{Name: "alike"}}
		}
		return nil
	}, em.LogLinearOptions{})
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.NormalizedLikelihood(cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(1, 1, 1)}, {X: cascade.Labels(2, 2, 1)}, {X: cascade.Labels(1, 2, 2)}, {X: cascade.Labels(2, 2, 2)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.LBFGS{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: odds %.2f\n", params.Name(0), math.Exp(result.Theta[0]))
	// Output: row[alike]: odds 3.00
}
