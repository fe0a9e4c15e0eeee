package em_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
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
	channel, err := fst.OneState(semiring.Boolean{}, true, arcs...)
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
	model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{f}})
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
	type arcs = []fst.Arc[float64]
	f, err := fst.FromArcs(semiring.Real{}, map[int32]float64{0: 1, 1: 1},
		arcs{{In: 1, Out: 1, Weight: 2. / 3, To: 0}, {In: 1, Out: 2, Weight: 1. / 3, To: 1}, {In: 2, Out: 2, Weight: 1, To: 0}},
		arcs{{In: 1, Out: 1, Weight: 1, To: 1}})
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
	fmt.Printf("mean %v, log density there %.3f, covariance\n%v\n", density.Mean(), density.Log(density.Mean()), mat.Formatted(density.Covariance()))
	// Output:
	// mean [3 5], log density there -2.610, covariance
	// ⎡ 3.5  4.25⎤
	// ⎣4.25   6.5⎦
}

// oneCoin returns the likelihood of a coin of the given law, seen to fall heads and tails so
// many times.
func oneCoin(law em.Law, heads, tails float64) em.Excluder {
	params := em.NewParams()
	coin := params.Group("coin", 2, law)
	machine := letter(params, fst.Arc[expr.W]{In: 'H', Out: 'H', Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 'T', Out: 'T', Weight: coin.Weight(1)})
	likelihood, err := em.Problem{Params: params, Cascade: []em.Stage{machine}}.Likelihood(em.Data{Examples: []em.Example{
		{X: em.Labels('H'), Weight: em.Times(heads)}, {X: em.Labels('T'), Weight: em.Times(tails)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	return likelihood
}

// Three heads in three tosses. The relative frequency says that tails never come; the mode of
// the posterior, after a prior worth one toss of either side, is (3+1)/(3+2).
func ExampleDirichlet() {
	for _, law := range []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 2}} {
		result, err := em.Fit(context.Background(), oneCoin(law, 3, 0), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%T: heads %.2f\n", law, result.Theta[0])
	}
	// Output:
	// em.Multinomial: heads 1.00
	// em.Dirichlet: heads 0.80
}

// Seven heads in ten tosses of a coin about which nothing was known: what is the posterior
// distribution, its mean, and the evidence? Nothing is hidden, so that the bound of the
// evidence is exact: the integral of θ⁷·(1−θ)³ is 7!·3!/11! = 1/1320.
func ExampleVariational() {
	likelihood := oneCoin(em.Variational{Alpha: 1}, 7, 3)
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	mean := likelihood.Params().Estimate(result.Theta)
	evidence := math.Exp(result.Last())
	fmt.Printf("Beta(%.0f, %.0f), mean %.3f, evidence 1/%.0f\n", result.Theta[0], result.Theta[1], mean[0].Float64(), 1/evidence)
	// Output: Beta(8, 4), mean 0.667, evidence 1/1320
}

// One coin is known to be fair. What does the other do, if every throw is of one of the two,
// drawn blindly, and 65 of 100 fall heads?
func ExampleFixed() {
	params := em.NewParams()
	draw := params.Group("draw", 2, em.Fixed{Values: []float64{.5, .5}})
	fair := params.Group("fair", 2, em.Fixed{Values: []float64{.5, .5}})
	other := params.Group("other", 2, em.Multinomial{})
	k := params.Space()
	side := func(i int) expr.W {
		return k.Plus(k.Times(draw.Weight(0), fair.Weight(i)), k.Times(draw.Weight(1), other.Weight(i)))
	}
	machine := letter(params, fst.Arc[expr.W]{In: 'H', Out: 'H', Weight: side(0)}, fst.Arc[expr.W]{In: 'T', Out: 'T', Weight: side(1)})
	model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{machine}})
	if _, err := model.Fit(context.Background(), em.Data{Examples: []em.Example{
		{X: em.Labels('H'), Weight: em.Times(65)}, {X: em.Labels('T'), Weight: em.Times(35)},
	}}, &em.Options{Tolerance: 1e-12}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("fair %.2f, other %.2f\n", fair.In(model.Theta)[0], other.In(model.Theta)[0])
	// Output: fair 0.50, other 0.80
}

// A die with a feature for the six and none for the other sides, which are then alike. The six
// came 20 times in 70 throws, twice as often as each of them.
func ExampleNewLogLinear() {
	sides := make([][]em.Term, 6) // side by side, the features that fire
	sides[5] = []em.Term{{Strength: 0, Times: 1}}
	law, err := em.NewLogLinear(1, [][][]em.Term{sides}, em.LogLinearOptions{})
	if err != nil {
		log.Fatal(err)
	}
	params := em.NewParams()
	die := params.Group("die", law.Len(), law)
	var sidesUp []fst.Arc[expr.W]
	var data em.Data
	for i, seen := range []float64{12, 8, 10, 11, 9, 20} {
		sidesUp = append(sidesUp, fst.Arc[expr.W]{In: int32(i + 1), Out: int32(i + 1), Weight: die.Weight(law.Outcome(0, i))})
		data.Examples = append(data.Examples, em.Example{X: em.Labels(int32(i + 1)), Weight: em.Times(seen)})
	}
	model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{letter(params, sidesUp...)}})
	if _, err := model.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("strength %.2f; one %.3f, six %.3f\n", math.Exp(model.Theta[0]), model.Theta[law.Outcome(0, 0)], model.Theta[law.Outcome(0, 5)])
	// Output: strength 2.00; one 0.143, six 0.286
}

// A model of strings of any length: at each letter it goes on or stops. The strings that were
// seen are a, aa and aaa, so of nine choices it stopped three times.
func ExampleJoint() {
	anything, err := fst.OneState(semiring.Boolean{}, true, fst.Arc[bool]{In: 'a', Out: 'a', Weight: true})
	if err != nil {
		log.Fatal(err)
	}
	params := em.NewParams()
	machine, err := em.Joint(params, "a*", anything, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{machine}})
	if _, err := model.Fit(context.Background(), em.Data{Examples: []em.Example{
		{X: em.Labels('a')}, {X: em.Labels('a', 'a')}, {X: em.Labels('a', 'a', 'a')},
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
	days, err := fst.FromArcs(semiring.Boolean{}, map[int32]bool{2: true},
		arcs{{In: umbrella, Out: umbrella, Weight: true, To: 1}, {In: hat, Out: hat, Weight: true, To: 1}},
		arcs{{In: umbrella, Out: umbrella, Weight: true, To: 2}, {In: hat, Out: hat, Weight: true, To: 2}})
	if err != nil {
		log.Fatal(err)
	}
	params := em.NewParams()
	machine, err := em.JointLogLinear(params, "days", days, func(_ int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && a.In == umbrella {
			return []em.Feature{{Name: "umbrella"}}
		}
		return nil
	}, em.LogLinearOptions{})
	if err != nil {
		log.Fatal(err)
	}
	model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{machine}})
	if _, err := model.Fit(context.Background(), em.Data{Examples: []em.Example{
		{X: em.Labels(umbrella, umbrella), Weight: em.Times(3)}, {X: em.Labels(hat, hat)},
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
	row, err := fst.FromArcs(semiring.Boolean{}, map[int32]bool{5: true},
		hats(1, 2), hats(3, 4), hats(3, 4), hats(5, 5), hats(5, 5))
	if err != nil {
		log.Fatal(err)
	}
	params := em.NewParams()
	machine, err := em.GlobalLogLinear(params, "row", row, func(s int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && s > 0 && (s-1)%2 == a.In-1 { // states 1 and 3 are behind a hat
			return []em.Feature{{Name: "alike"}}
		}
		return nil
	}, em.LogLinearOptions{})
	if err != nil {
		log.Fatal(err)
	}
	likelihood, err := em.Problem{Params: params, Cascade: []em.Stage{machine}}.NormalizedLikelihood(em.Data{Examples: []em.Example{
		{X: em.Labels(1, 1, 1)}, {X: em.Labels(2, 2, 1)}, {X: em.Labels(1, 2, 2)}, {X: em.Labels(2, 2, 2)},
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
