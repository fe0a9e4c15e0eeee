package cascade_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// A text was copied twice, and the second copy was copied again. For some pages the original is
// lost, for others a copy. What are the error rates of each scribe?
func ExampleEdge() {
	params := em.NewParams()
	trained := func(name string, arcs ...fst.Arc[bool]) []cascade.Stage {
		plain := fst.OneState(semiring.Boolean{}, true, arcs...)
		return []cascade.Stage{cascade.Conditional(params, name, plain, em.Dirichlet{Alpha: 1.1})}
	}
	copies := []fst.Arc[bool]{{In: 'a', Out: 'a', Weight: true}, {In: 'a', Out: 'b', Weight: true},
		{In: 'b', Out: 'a', Weight: true}, {In: 'b', Out: 'b', Weight: true}}
	const (
		original = iota
		first
		second
		third
	)
	problem := cascade.Problem{Params: params, Edges: []cascade.Edge{
		{From: original, To: first, Machines: trained("first", copies...)},
		{From: original, To: second, Machines: trained("second", copies...)},
		{From: second, To: third, Machines: trained("third", copies...)},
	}}
	page := cascade.Text
	result, err := problem.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{
		{Tapes: []cascade.Side{first: page("aabab"), second: page("aabbb"), third: page("aabbb")}},
		{Tapes: []cascade.Side{original: page("babaab"), first: page("babaab"), third: page("babbbb")}},
		{Tapes: []cascade.Side{original: page("bbaaba"), first: page("bbaaba"), third: page("bbabba")}},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i, copy := range []string{"first", "second", "third"} {
		fmt.Printf("%s: a becomes b %.2f, b becomes a %.2f\n", copy, result.Theta[4*i+1], result.Theta[4*i+2])
	}
	// Output:
	// first: a becomes b 0.01, b becomes a 0.02
	// second: a becomes b 0.42, b becomes a 0.01
	// third: a becomes b 0.07, b becomes a 0.01
}

// Reconstruct a lost original from three copies. Each scribe changed one letter in ten.
func ExampleMarginal() {
	params := em.NewParams()
	scribe := params.Group("scribe", 2, em.Multinomial{})
	scribe.SetStart([]float64{.9, .1})
	var arcs []fst.Arc[expr.W]
	for _, in := range "ab" {
		for _, out := range "ab" {
			changed := 0
			if in != out {
				changed = 1
			}
			arcs = append(arcs, fst.Arc[expr.W]{In: in, Out: out, Weight: scribe.Weight(changed)})
		}
	}
	copies := fst.OneState(params.Space(), expr.One, arcs...)
	problem, page := cascade.Problem{Params: params}, cascade.Example{Tapes: []cascade.Side{{}}}
	for i, s := range []string{"abba", "abbb", "babb"} {
		problem.Edges = append(problem.Edges, cascade.Edge{From: 0, To: i + 1, Machines: []cascade.Stage{copies}})
		page.Tapes = append(page.Tapes, cascade.Text(s))
	}
	original, err := cascade.Marginal(problem, page, 0, params.Start())
	if err != nil {
		log.Fatal(err)
	}
	all, err := graph.PathSum(original.Graph())
	if err != nil {
		log.Fatal(err)
	}
	best, err := graph.BestPath(original.WithSemiring(semiring.Viterbi{}).Graph())
	if err != nil {
		log.Fatal(err)
	}
	for _, arc := range best.Arcs {
		fmt.Printf("%c", original.In()[arc])
	}
	fmt.Printf(" with probability %.2f\n", best.Weight.Float64()/all.Float64())
	// Output: abbb with probability 0.73
}

// A grammar with one nonterminal: S becomes two S or a word, of two kinds. The sentences have the
// length 3, so that they share the forest of all bracketings. The arguments are the weights of
// its branching and of its words.
func ExampleDerivations() {
	params := em.NewParams()
	rules := params.Group("S", 3, em.Multinomial{}) // S S, word a, word b

	template := cascade.NewTemplate(4) // the branching, and three words
	type span struct{ i, j int }
	d := forest.NewDeduction[span](template)
	forest.Join(d, "branch",
		func(a span) (int, bool) { return a.j, true },
		func(b span) (int, bool) { return b.i, true },
		func(a, b span) { d.Derive(span{a.i, b.j}, template.Param(0), a, b) })
	for i := range 3 {
		d.Derive(span{i, i + 1}, template.Param(int32(1+i)))
	}
	coordinates, err := d.Run(span{0, 3})
	if err != nil {
		panic(err)
	}
	sentences := []string{"aab", "aaa"}
	l, err := cascade.Derivations{
		Examples: len(sentences),
		Forest:   func(int) (*forest.Forest[expr.W], error) { return coordinates.Forest, nil },
		Arguments: func(i int, dst []expr.W) ([]expr.W, error) {
			dst = append(dst, rules.Weight(0))
			for _, word := range sentences[i] {
				dst = append(dst, rules.Weight(1+int(word-'a')))
			}
			return dst, nil
		},
	}.Likelihood(params)
	if err != nil {
		panic(err)
	}
	result, err := em.Fit(context.Background(), l, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("S S %.2f, a %.2f, b %.2f\n", result.Theta[0], result.Theta[1], result.Theta[2])
	// Output:
	// S S 0.40, a 0.50, b 0.10
}

// Monte Carlo EM: one of two coins was thrown twice, and the coin is drawn instead of summed
// over. With a hundred draws for each of two pairs, the first E step is close to the expected
// counts.
func ExampleDerivations_Sampled() {
	params := em.NewParams()
	coins := []*em.Group{params.Group("first", 2, em.Multinomial{}), params.Group("second", 2, em.Multinomial{})}
	coins[0].SetStart([]float64{.8, .2})
	space := params.Space()
	draw := func(side int) *graph.Graph[expr.W] { // twice the same side
		var weights []expr.W
		for _, c := range coins {
			weights = append(weights, space.Times(c.Weight(side), c.Weight(side)))
		}
		g, err := graph.New(space, []int32{0, 2, 2}, []int32{1, 1}, weights,
			[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
		if err != nil {
			panic(err)
		}
		return g
	}
	pairs := []*graph.Graph[expr.W]{draw(0), draw(1)}
	x := cascade.Derivations{Examples: 2, Graph: func(i int) (*graph.Graph[expr.W], error) { return pairs[i], nil }}
	exact, err := x.Likelihood(params)
	if err != nil {
		panic(err)
	}
	sampled, err := x.Sampled(params, cascade.Sampling{Draws: 100, Seed: 1})
	if err != nil {
		panic(err)
	}
	for _, l := range []em.Likelihood{exact, sampled} {
		e, err := l.Expect(context.Background(), em.Query{Theta: params.Start()})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.3f: %.2f\n", e.LogLikelihood, e.Counts)
	}
	// Output:
	// -1.354: [1.44 0.28 0.56 1.72]
	// -1.354: [1.62 0.20 0.38 1.80]
}
