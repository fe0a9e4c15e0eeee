package em_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Parameters are looked up by the names with which they are printed.
func ExampleParams_Lookup() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	coin.SetNames(func(i int) string { return []string{"heads", "tails"}[i] })
	params.Group("λ", 1, em.Fixed{Values: []float64{2.5}})
	theta := params.Start()
	for _, name := range []string{"coin[tails]", "λ"} {
		i, ok := params.Lookup(name)
		fmt.Println(name, theta[i], ok)
	}
	_, ok := params.Lookup("coin[edge]")
	fmt.Println("coin[edge]", ok)
	// Output:
	// coin[tails] 0.5 true
	// λ 2.5 true
	// coin[edge] false
}

// A group is found by its name, here to set the start of training: most letters are kept.
func ExampleParams_Find() {
	params := em.NewParams()
	words, err := rx.Load(params.Space(), `word = {keep: yes = a | no = a:()}*_more;`)
	if err != nil {
		log.Fatal(err)
	}
	words.Groups = em.Alternatives(params, nil)
	if _, err := words.Machine("word"); err != nil {
		log.Fatal(err)
	}
	keep := params.Find("keep")
	keep.SetStart([]float64{.8, .2})
	fmt.Println(keep, keep.In(params.Start()))
	fmt.Println(params.Groups(), params.Find("drop") == nil)
	// Output:
	// keep [0.8 0.2]
	// [more keep] true
}

// All trained parameters by name: three of four throws showed heads.
func ExampleParams_Named() {
	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	coin.SetNames(func(i int) string { return []string{"heads", "tails"}[i] })
	throw := fst.OneState(params.Space(), params.Space().One(),
		fst.Arc[expr.W]{In: 'h', Out: 'h', Weight: coin.Weight(0)},
		fst.Arc[expr.W]{In: 't', Out: 't', Weight: coin.Weight(1)})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{throw}}
	result, err := problem.Fit(context.Background(), cascade.Inputs("hhth"), nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(result.Theta) {
		fmt.Println(name, p)
	}
	fmt.Printf("%.4f is 3·ln ¾ + ln ¼ = %.4f\n", result.Last(), 3*math.Log(.75)+math.Log(.25))
	// Output:
	// coin[heads] 0.75
	// coin[tails] 0.25
	// -2.2493 is 3·ln ¾ + ln ¼ = -2.2493
}

// A language model whose probabilities sum to 1.3 is a mistake; training continues with a remark.
func ExampleResult_remarks() {
	params := em.NewParams()
	scores := fst.OneState(semiring.Real{}, .1,
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .7},
		fst.Arc[float64]{In: 'b', Out: 'b', Weight: .5})
	result, err := cascade.Problem{Params: params, Stages: []cascade.Stage{
		cascade.Constants(params, scores),
		cascade.Conditional(params, "channel", scores, em.Multinomial{}),
	}}.Fit(context.Background(), cascade.Outputs("ab"), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, remark := range result.Remarks {
		fmt.Println(remark)
	}
	// Output:
	// machine 0 of the cascade has constant weights that are not probabilities: the weights of state 0 sum to 1.3, want 1 (the first of 1)
}

// A source of letters, a or b, and a channel that changes them to x or y, trained on
// three kinds of data at once: letters whose output is unknown, two pairs, and
// outputs of the channel alone, with half the weight.
func ExampleSum() {
	const a, b, x, y = 1, 2, 3, 4
	type arc = fst.Arc[expr.W]
	params := em.NewParams()
	source := params.Group("source", 2, em.Multinomial{})
	ofA, ofB := params.Group("a", 2, em.Dirichlet{Alpha: 1.1}), params.Group("b", 2, em.Dirichlet{Alpha: 1.1})
	letters := letter(params, arc{In: a, Out: a, Weight: source.Weight(0)}, arc{In: b, Out: b, Weight: source.Weight(1)})
	channel := letter(params,
		arc{In: a, Out: x, Weight: ofA.Weight(0)}, arc{In: a, Out: y, Weight: ofA.Weight(1)},
		arc{In: b, Out: x, Weight: ofB.Weight(0)}, arc{In: b, Out: y, Weight: ofB.Weight(1)})

	of := func(examples []cascade.Example, stages ...cascade.Stage) em.Likelihood {
		l, err := cascade.Problem{Params: params, Stages: stages}.Likelihood(cascade.Data{Examples: examples})
		if err != nil {
			log.Fatal(err)
		}
		return l
	}
	sum, err := em.Sum(
		em.Part{Name: "letters", Likelihood: of([]cascade.Example{
			{X: cascade.Labels(a), Weight: em.Times(30)}, {X: cascade.Labels(b), Weight: em.Times(10)},
		}, letters)},
		em.Part{Name: "pairs", Likelihood: of([]cascade.Example{
			{X: cascade.Labels(a), Y: cascade.Labels(x)}, {X: cascade.Labels(b), Y: cascade.Labels(y)},
		}, letters, channel)},
		em.Part{Name: "outputs", Weight: em.Times(.5), Likelihood: of([]cascade.Example{
			{Y: cascade.Labels(x), Weight: em.Times(40)}, {Y: cascade.Labels(y), Weight: em.Times(40)},
		}, letters, channel)},
	)
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), sum, nil)
	if err != nil {
		log.Fatal(err)
	}
	at := result.Theta
	fmt.Printf("%v: P(a) %.2f, P(x|a) %.2f, P(y|b) %.2f\n", result.Status, source.In(at)[0], ofA.In(at)[0], ofB.In(at)[1])
	// Output: converged: P(a) 0.73, P(x|a) 0.68, P(y|b) 0.94
}

// Two kinds of weather, which are hidden, left their traces in three diaries: one records the
// sky (sun or clouds), one the clothes, one the food. Each diary is a tape of a
// tree. For a few days two diaries exist, for many days one, for some days all three. Each part
// of the sum omits its missing diaries, which sum to 1.
func ExampleSum_tree() {
	const hot, cold = 1, 2
	type arc = fst.Arc[expr.W]
	params := em.NewParams()
	days := params.Group("days", 2, em.Multinomial{})
	weather := letter(params, arc{In: hot, Out: hot, Weight: days.Weight(0)}, arc{In: cold, Out: cold, Weight: days.Weight(1)})
	diary := func(name string, p float64) cascade.Stage {
		onHot, onCold := params.Group(name+" if hot", 2, em.Dirichlet{Alpha: 1.1}), params.Group(name+" if cold", 2, em.Dirichlet{Alpha: 1.1})
		onHot.SetStart([]float64{p, 1 - p}) // 1 is the expected observation when it is hot
		onCold.SetStart([]float64{1 - p, p})
		return letter(params, arc{In: hot, Out: 1, Weight: onHot.Weight(0)}, arc{In: hot, Out: 2, Weight: onHot.Weight(1)},
			arc{In: cold, Out: 1, Weight: onCold.Weight(0)}, arc{In: cold, Out: 2, Weight: onCold.Weight(1)})
	}
	seen, worn, eaten := diary("seen", .6), diary("worn", .6), diary("eaten", .6)

	// kept returns a part of the tree, with counts of the entries of the diaries.
	kept := func(name string, counts map[[3]int32]float64, diaries ...cascade.Stage) em.Part {
		const source, hidden = 0, 1
		tree := cascade.Problem{Params: params, Edges: []cascade.Edge{{From: source, To: hidden, Machines: []cascade.Stage{weather}}}}
		for i, d := range diaries {
			tree.Edges = append(tree.Edges, cascade.Edge{From: hidden, To: 2 + i, Machines: []cascade.Stage{d}})
		}
		var data cascade.Data
		for _, entries := range slices.SortedFunc(maps.Keys(counts), func(a, b [3]int32) int { return slices.Compare(a[:], b[:]) }) {
			x := cascade.Example{Tapes: make([]cascade.Side, 2), Weight: em.Times(counts[entries])}
			for _, e := range entries[:len(diaries)] {
				x.Tapes = append(x.Tapes, cascade.Labels(e))
			}
			data.Examples = append(data.Examples, x)
		}
		l, err := tree.Likelihood(data)
		if err != nil {
			log.Fatal(err)
		}
		return em.Part{Name: name, Likelihood: l}
	}
	sum, err := em.Sum(
		kept("two", map[[3]int32]float64{{1, 1}: 9, {2, 2}: 8, {1, 2}: 2, {2, 1}: 1}, seen, worn),
		kept("one", map[[3]int32]float64{{1}: 30, {2}: 70}, eaten),
		kept("three", map[[3]int32]float64{{1, 1, 1}: 6, {1, 1, 2}: 2, {2, 2, 2}: 7, {1, 2, 1}: 1, {2, 2, 1}: 1}, seen, worn, eaten),
	)
	if err != nil {
		log.Fatal(err)
	}
	result, err := em.Fit(context.Background(), sum, nil)
	if err != nil {
		log.Fatal(err)
	}
	at := result.Theta
	fmt.Printf("%v: P(hot) %.2f; if hot, P(sun) %.2f, P(light clothes) %.2f, P(salad) %.2f\n", result.Status, days.In(at)[0], at[2], at[6], at[10])
	// Output: converged: P(hot) 0.49; if hot, P(sun) 0.98, P(light clothes) 0.86, P(salad) 0.59
}
