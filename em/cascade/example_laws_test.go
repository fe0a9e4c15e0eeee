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
	"example.org/pathsum/semiring/expr"
)

// A channel copies letters or changes them. The only thing to learn is the strength of one
// feature of all copies, with a Gaussian prior.
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

// A model of strings of any length: at each letter it continues or stops. The observed strings
// are a, aa and aaa, so it stopped in three of nine choices.
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

// Umbrella or hat, on two days: the feature “umbrella” fires on both days, so that they share a
// strength. It was an umbrella in three of four cases on the first day, and in six of eight on
// both days together, so that the odds are 3 to 1.
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

// Three people in a row wear a hat (1) or no hat (2). The only feature is equality of neighbours.
// Three of four pairs of neighbours are equal, so that the feature has odds of 3 to 1.
func ExampleGlobalLogLinear() {
	type arcs = []fst.Arc[bool]
	hats := func(to1, to2 int32) arcs {
		return arcs{{In: 1, Out: 1, Weight: true, To: to1}, {In: 2, Out: 2, Weight: true, To: to2}}
	}
	row := fst.FromArcs(semiring.Boolean{}, map[int32]bool{5: true},
		hats(1, 2), hats(3, 4), hats(3, 4), hats(5, 5), hats(5, 5))
	params := em.NewParams()
	machine := cascade.GlobalLogLinear(params, "row", row, func(s int32, a *fst.Arc[bool]) []em.Feature {
		if a != nil && s > 0 && (s-1)%2 == a.In-1 { // states 1 and 3 follow a hat
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

// letter returns the machine that reads and writes one letter, with the given arcs.
func letter(params *em.Params, arcs ...fst.Arc[expr.W]) cascade.Stage {
	for i := range arcs {
		arcs[i].To = 1
	}
	return fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One}, arcs)
}

// A product of experts: one models colors, one models sizes, and a third excludes things that are
// blue and big. Their product is normalized as a whole. Three quarters of the observed things are
// red and three quarters are small, but this is an effect of the third expert. The odds of red
// against blue are 2 to 1, as among the small things.
func ExampleProblem_NormalizedLikelihood() {
	const redSmall, redBig, blueSmall, blueBig = 1, 2, 3, 4
	params := em.NewParams()
	color := params.Group("color", 2, em.Multinomial{})
	size := params.Group("size", 2, em.Multinomial{})
	accept := func(label int32, w expr.W) fst.Arc[expr.W] {
		return fst.Arc[expr.W]{In: label, Out: label, Weight: w}
	}
	red, blue, small, big := color.Weight(0), color.Weight(1), size.Weight(0), size.Weight(1)
	experts := []cascade.Stage{
		letter(params, accept(redSmall, red), accept(redBig, red), accept(blueSmall, blue), accept(blueBig, blue)),
		letter(params, accept(redSmall, small), accept(redBig, big), accept(blueSmall, small), accept(blueBig, big)),
		letter(params, accept(redSmall, expr.One), accept(redBig, expr.One), accept(blueSmall, expr.One)),
	}
	data := cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(redSmall), Weight: em.Times(2)},
		{X: cascade.Labels(redBig)},
		{X: cascade.Labels(blueSmall)},
	}}
	likelihood, err := cascade.Problem{Params: params, Stages: experts}.NormalizedLikelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("red %.3f, small %.3f\n", color.In(result.Theta)[0], size.In(result.Theta)[0])
	// Output: red 0.667, small 0.667
}

// A feature of whole strings: their length. An acceptor of e^length, to the power θ, weights
// strings of up to three letters; in the data, strings with one more letter are half as frequent.
func ExamplePower() {
	const a, longest = 1, 3
	params := em.NewParams()
	strength := params.Group("length", 1, em.Exponents{})
	b := fst.NewBuilder(semiring.Real{})
	b.AddStart(b.AddState(), 1)
	for s := range int32(longest) {
		b.AddArc(s, fst.Arc[float64]{In: a, Out: a, Weight: math.E, To: b.AddState()})
		b.SetFinal(s+1, 1)
	}
	length, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	feature := cascade.Power(cascade.Constants(params, length), strength.Weight(0))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{feature}}
	likelihood, err := problem.NormalizedLikelihood(cascade.Data{Examples: []cascade.Example{
		{X: cascade.Labels(a), Weight: em.Times(4)},
		{X: cascade.Labels(a, a), Weight: em.Times(2)},
		{X: cascade.Labels(a, a, a)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: em.LBFGS{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("each letter more: times %.3f\n", math.Exp(result.Theta[0]))
	// Output: each letter more: times 0.500
}

// A machine that keeps a letter or makes capitals of the whole word. Weights are any
// positive numbers; divided by their sums for each input, they are probabilities.
func ExampleNormalizeConditional() {
	const a, A = 'a', 'A'
	b := fst.NewBuilder(semiring.Real{})
	keep, shout := b.AddState(), b.AddState()
	b.AddStart(keep, 3)
	b.AddStart(shout, 1)
	b.AddArc(keep, fst.Arc[float64]{In: a, Out: a, Weight: 5, To: keep})
	b.AddArc(shout, fst.Arc[float64]{In: a, Out: A, Weight: 5, To: shout})
	b.SetFinal(keep, 2)
	b.SetFinal(shout, 2)
	f, err := b.Freeze()
	if err != nil {
		log.Fatal(err)
	}
	p := cascade.NormalizeConditional(f, nil)
	lattice, err := fst.Expand(fst.Compose(fst.FromString(semiring.Real{}, []int32{a, a}), p), nil)
	if err != nil {
		log.Fatal(err)
	}
	for path := range lattice.Paths() {
		fmt.Printf("%s %g\n", string(path.Out), path.Weight)
	}
	// Output:
	// aa 0.75
	// AA 0.25
}

// Weights of 1 and 3 divided by their sum.
func ExampleNormalize() {
	weights := fst.FromArcs(semiring.Real{}, map[int32]float64{1: 1}, []fst.Arc[float64]{
		{In: 'a', Out: 'a', Weight: 1, To: 1}, {In: 'b', Out: 'b', Weight: 3, To: 1},
	})
	p, err := fst.Expand(cascade.Normalize(weights), nil)
	if err != nil {
		log.Fatal(err)
	}
	for path := range p.Paths() {
		fmt.Printf("%s %g\n", string(path.Out), path.Weight)
	}
	// Output:
	// a 0.25
	// b 0.75
}

// A channel that may insert: a coin decides whether to insert a c; a letter that is read becomes
// a or b. For three words the coin was thrown seven times, with one insertion.
func ExampleConditional() {
	plain := fst.OneState(semiring.Boolean{}, true, fst.Arc[bool]{In: 'a', Out: 'a', Weight: true},
		fst.Arc[bool]{In: 'a', Out: 'b', Weight: true}, fst.Arc[bool]{Out: 'c', Weight: true})
	params := em.NewParams()
	result, err := cascade.Problem{Params: params, Stages: []cascade.Stage{
		cascade.Conditional(params, "channel", plain, em.Multinomial{}),
	}}.Fit(context.Background(), cascade.Pairs([][2]string{{"a", "a"}, {"a", "ca"}, {"a", "b"}}), nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		fmt.Printf("%s %.2f\n", name, p)
	}
	// Output:
	// channel/0/insert[yes] 0.14
	// channel/0/insert[no] 0.86
	// channel/0/ε[ε:c] 1.00
	// channel/0/a[a:a] 0.67
	// channel/0/a[a:b] 0.33
}

// The arcs and the stop weight of a state should sum to 1. Here they do not, and the error names
// the state.
func ExampleMarkovianJoint() {
	machine := fst.OneState(semiring.Real{}, .3, fst.Arc[float64]{In: 'a', Out: 'a', Weight: .6})
	report, err := cascade.MarkovianJoint(machine, 1e-9)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Err())
	// Output: cascade: machine is not Markovian: the weights of state 0 sum to 0.9 (the first of 1)
}

// Two machines weight the letters a and b, each by a parameter. Only their intersection is
// normalized. The result is a distribution of both parameters.
func ExampleNormalizeStates() {
	params := em.NewParams()
	strength := params.Group("strength", 2, em.Fixed{})
	weigh := func(a, b expr.W) cascade.Stage {
		return fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One}, []fst.Arc[expr.W]{
			{In: 'a', Out: 'a', Weight: a, To: 1}, {In: 'b', Out: 'b', Weight: b, To: 1}})
	}
	both := fst.Compose(weigh(strength.Weight(0), expr.One), weigh(expr.One, strength.Weight(1)))
	f := cascade.NormalizeStates(both)
	for _, theta := range [][]float64{{1, 1}, {3, 1}, {3, 9}} {
		m, err := cascade.Instantiate(params, f, theta, semiring.Real{})
		if err != nil {
			log.Fatal(err)
		}
		a, err := fst.Weight(m, []int32{'a'}, []int32{'a'}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(theta, a)
	}
	// Output:
	// [1 1] 0.5
	// [3 1] 0.75
	// [3 9] 0.25
}

// The string a has two paths, which together are more probable than the path of b. At a high
// temperature β, paths prefer b, and strings prefer a.
func ExampleProblem_StringLikelihood() {
	ctx := context.Background()
	params := em.NewParams()
	p := params.Group("p", 3, em.Multinomial{})
	p.SetStart([]float64{.3, .3, .4})
	one := params.Space().One()
	f := fst.FromArcs(params.Space(), map[int32]expr.W{1: one, 2: one}, []fst.Arc[expr.W]{
		{In: 'x', Out: 'a', Weight: p.Weight(0), To: 1}, {In: 'x', Out: 'a', Weight: p.Weight(1), To: 2}, {In: 'x', Out: 'b', Weight: p.Weight(2), To: 1}})
	wrong := params.Group("wrong", 1, em.Fixed{}) // value 1, marks wrong outputs
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	data := cascade.Data{Examples: []cascade.Example{
		{X: cascade.Text("x"), Y: cascade.Set(cascade.Hamming(params, wrong.Weight(0), []int32{'a'}, []int32{'a', 'b'}))},
	}}
	paths, err := problem.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	strings, err := problem.StringLikelihood(data, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, beta := range []float64{1, 20} {
		for _, l := range []em.Likelihood{paths, strings} {
			risk := &em.Risk{Likelihood: l, Loss: []float64{0, 0, 0, 1}}
			e, err := risk.Expect(ctx, em.Query{Theta: params.Start(), Temperature: beta})
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("β = %2g: expected loss %.3f\n", beta, -e.LogLikelihood)
		}
	}
	// Output:
	// β =  1: expected loss 0.400
	// β =  1: expected loss 0.400
	// β = 20: expected loss 0.994
	// β = 20: expected loss 0.000
}
