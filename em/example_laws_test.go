package em_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring/expr"
)

// The M step of a Gaussian from data that all belong to it.
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

// oneCoin returns the likelihood of a coin of the given law, for the given numbers of heads and
// tails.
func oneCoin(law em.Law, heads, tails float64) em.Excluder {
	params := em.NewParams()
	coin := params.Group("coin", 2, law)
	machine := letter(params, fst.Arc[expr.W]{In: 'H', Out: 'H', Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 'T', Out: 'T', Weight: coin.Weight(1)})
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.Likelihood(cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels('H'), Weight: em.Times(heads)}, {X: cascade.Labels('T'), Weight: em.Times(tails)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	return likelihood
}

// Three heads in three tosses. The relative frequency of tails is 0. The mode of
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

// Seven heads in ten tosses of an unknown coin: the posterior
// distribution, its mean, and the evidence. There are no hidden variables, so the bound of the
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

// One coin is known to be fair. How often does the other show heads, if every throw is of one of
// the two, drawn blindly, and 65 of 100 show heads?
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
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
	if _, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels('H'), Weight: em.Times(65)}, {X: cascade.Labels('T'), Weight: em.Times(35)},
	}}, &em.Options{Tolerance: 1e-12}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("fair %.2f, other %.2f\n", fair.In(model.Theta)[0], other.In(model.Theta)[0])
	// Output: fair 0.50, other 0.80
}

// A die with one feature, for the six; the other sides are then equally likely. The six
// came 20 times in 70 throws, twice as often as each other side.
func ExampleNewLogLinear() {
	sides := make([][]em.Term, 6) // per side, the features that fire
	sides[5] = []em.Term{{Strength: 0, Times: 1}}
	law, err := em.NewLogLinear(1, [][][]em.Term{sides}, em.LogLinearOptions{})
	if err != nil {
		log.Fatal(err)
	}
	params := em.NewParams()
	die := params.Group("die", law.Len(), law)
	var sidesUp []fst.Arc[expr.W]
	var data cascade.Data
	for i, seen := range []float64{12, 8, 10, 11, 9, 20} {
		sidesUp = append(sidesUp, fst.Arc[expr.W]{In: int32(i + 1), Out: int32(i + 1), Weight: die.Weight(law.Outcome(0, i))})
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(int32(i + 1)), Weight: em.Times(seen)})
	}
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{letter(params, sidesUp...)}})
	if _, err := model.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("strength %.2f; one %.3f, six %.3f\n", math.Exp(model.Theta[0]), model.Theta[law.Outcome(0, 0)], model.Theta[law.Outcome(0, 5)])
	// Output: strength 2.00; one 0.143, six 0.286
}

// Coins in a regular expression: each letter is an a if λ shows heads, and another letter follows
// if μ does. The string aab was seen.
func ExampleAlternatives() {
	params := em.NewParams()
	compiler := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b"))
	compiler.Groups = em.Alternatives(params, func(group string, alternatives []string) em.Law {
		fmt.Println(group, alternatives)
		return em.Multinomial{}
	})
	pattern, err := rx.Parse("(a +_λ b)*_μ")
	if err != nil {
		log.Fatal(err)
	}
	machine, err := compiler.Compile(pattern)
	if err != nil {
		log.Fatal(err)
	}
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
	if _, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1, 2)}}}, nil); err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(model.Theta) {
		fmt.Printf("%s %.2f\n", name, p)
	}
	// Output:
	// μ [heads tails]
	// λ [heads tails]
	// μ[heads] 0.75
	// μ[tails] 0.25
	// λ[heads] 0.67
	// λ[tails] 0.33
}

// letter returns the machine that reads and writes one letter by the given arcs.
func letter(params *em.Params, arcs ...fst.Arc[expr.W]) cascade.Stage {
	for i := range arcs {
		arcs[i].To = 1
	}
	return fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One}, arcs)
}

// Training a conditional machine f, P(y | x), by plain EM when an input is partly
// unknown: f alone does not define which inputs are likely, so train g ∘ f, where g is
// a distribution over inputs. This maximizes P(x)·P(y | x), so with complete inputs
// it is discriminative training of f, for any g (Eisner 2002, §3).
func ExampleFit_conditional() {
	const a, b, x, y = 1, 2, 3, 4
	params := em.NewParams()
	input := params.Group("input", 2, em.Multinomial{})
	ofA := params.Group("a", 2, em.Multinomial{})
	ofB := params.Group("b", 2, em.Multinomial{})
	type arc = fst.Arc[expr.W]
	g := letter(params, arc{In: a, Out: a, Weight: input.Weight(0)}, arc{In: b, Out: b, Weight: input.Weight(1)})
	f := letter(params,
		arc{In: a, Out: x, Weight: ofA.Weight(0)}, arc{In: a, Out: y, Weight: ofA.Weight(1)},
		arc{In: b, Out: x, Weight: ofB.Weight(0)}, arc{In: b, Out: y, Weight: ofB.Weight(1)})
	either := cascade.Set(letter(params, arc{In: a, Out: a, Weight: expr.One}, arc{In: b, Out: b, Weight: expr.One}))
	data := cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(a), Y: cascade.Labels(x), Weight: em.Times(3)},
		{X: cascade.Labels(a), Y: cascade.Labels(y)},
		{X: cascade.Labels(b), Y: cascade.Labels(y), Weight: em.Times(4)},
		{X: either, Y: cascade.Labels(x), Weight: em.Times(2)}, // smudged
	}}
	result, err := cascade.Problem{Params: params, Stages: []cascade.Stage{g, f}}.Fit(context.Background(), data, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(a) %.2f, P(x | a) %.2f, P(y | b) %.2f\n",
		input.In(result.Theta)[0], ofA.In(result.Theta)[0], ofB.In(result.Theta)[1])
	// Output: P(a) 0.60, P(x | a) 0.83, P(y | b) 1.00
}

// The input a is labeled 1 three times and 2 once. Under maximum likelihood the
// label 1 has the probability ¾, and 1.5 of the four labels are wrong on
// average. The least expected number of errors is 1: label 1 always.
func ExampleRisk() {
	const a = 1
	params := em.NewParams()
	labels := params.Group("labels", 2, em.Multinomial{})
	loss := params.Group("loss", 1, em.Fixed{})
	f := letter(params, fst.Arc[expr.W]{In: a, Out: 1, Weight: labels.Weight(0)}, fst.Arc[expr.W]{In: a, Out: 2, Weight: labels.Weight(1)})
	var data cascade.Data
	for _, reference := range []int32{1, 1, 1, 2} {
		all := cascade.Hamming(params, loss.Weight(0), []int32{reference}, []int32{1, 2})
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(a), Y: cascade.Set(all)})
	}
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	risk := &em.Risk{Likelihood: likelihood, Loss: []float64{0, 0, 1}}
	result, err := em.Fit(context.Background(), risk, &em.Options{Method: em.LBFGS{}, Start: []float64{.75, .25, 1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f at first, %.2f in the end\n", -result.Objective[0], -result.Last())
	// Output: 1.50 at first, 1.00 in the end
}

// Seven heads in ten throws, and the standard error of the coin: √(.7·.3/10).
func ExampleFisherInformation() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	f := letter(params, fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 2, Out: 2, Weight: coin.Weight(1)})
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Weight: em.Times(7)}, {X: cascade.Labels(2), Weight: em.Times(3)}}}
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	information, err := em.FisherInformation(context.Background(), likelihood, em.Query{Theta: []float64{.7, .3}})
	if err != nil {
		log.Fatal(err)
	}
	se, err := information.StandardErrors()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.2f ± %.3f\n", .7, se[0])
	// Output: heads 0.70 ± 0.145
}

// The mean of a Poisson distribution, with a prior that acts like one observation of 2.
func ExamplePoisson() {
	law := em.Poisson{Prior: em.PoissonPrior{Sum: 2, Weight: 1}}
	theta, counts := make([]float64, em.PoissonLen), make([]float64, em.PoissonLen)
	law.Start(theta)
	for _, x := range []int{4, 7, 3} {
		law.AddCounts(counts, x, 1)
	}
	if err := law.Maximize(theta, counts); err != nil {
		log.Fatal(err)
	}
	fmt.Println(theta[1])
	// Output: 4
}

// Two distributions with one variance, which has a floor.
func ExampleTiedGaussian() {
	law := em.TiedGaussian{Gaussian: em.NewGaussian(1), Means: 2}
	law.Gaussian.Floor = []float64{.5}
	theta, counts := make([]float64, law.Len()), make([]float64, law.Len())
	law.Start(theta)
	for k, points := range [][]float64{{1, 1, 1.5}, {7, 7.5}} {
		for _, x := range points {
			law.Gaussian.AddCounts(law.Part(counts, k), []float64{x}, 1)
		}
	}
	if err := law.Maximize(theta, counts); err != nil {
		log.Fatal(err)
	}
	for k := range 2 {
		d, err := law.Gaussian.Density(law.Part(theta, k))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("mean %.3f, variance %g\n", d.Mean()[0], d.Covariance().At(0, 0))
	}
	fmt.Println(law.Remarks(theta))
	// Output:
	// mean 1.167, variance 0.5
	// mean 7.250, variance 0.5
	// [the variance of component 0 is at its floor 0.5]
}
