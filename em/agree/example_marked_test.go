package agree_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Two cascades read different halves of the observations and write the same hidden chain of
// states. They agree on the state at each of the 20 positions: the unobserved side is the set of
// all chains, marked with these features. Emissions are counted by the average of both
// posteriors, transitions by each cascade's own posterior.
func ExampleMarked() {
	const states, features, length = 2, 3, 20
	rng := rand.New(rand.NewPCG(1, 2))
	halves := seenHalves(rng, features)
	params := em.NewParams()
	marks := params.Group("marks", length*states, em.Fixed{})
	chain := fst.NewBuilder(params.Space())
	chain.AddStart(chain.AddState(), expr.One)
	for t := range length {
		next := chain.AddState()
		for i := range states {
			chain.AddArc(int32(t), fst.Arc[expr.W]{In: int32(i + 1), Out: int32(i + 1), Weight: marks.Weight(t*states + i), To: next})
		}
	}
	chain.SetFinal(length, expr.One)
	chains := cascade.Set(must(chain.Freeze()))

	var models []cascade.Stage
	var submodels []agree.Submodel
	for h, name := range []string{"left", "right"} {
		first := len(params.Groups())
		models = append(models, chainModel(params, name, features, rng))
		emission := params.Groups()[first : first+states] // of each state
		var seen []cascade.Example
		for _, half := range halves {
			seen = append(seen, cascade.Example{X: cascade.Labels(half[h]...), Y: chains})
		}
		corpus := must(cascade.Problem{Params: params, Stages: models[h:]}.Corpus(cascade.Data{Examples: seen}))
		submodels = append(submodels, must(agree.Marked(corpus, agree.Features{
			Marks: marks, Shared: emission,
			Potential: func(i, k int) expr.W { return emission[k%states].Weight(int(halves[i][h][k/states]) - 1) },
		})))
	}
	result := must(em.Fit(context.Background(), must(agree.Averaged(em.Fail, submodels...)), nil))
	same := 0
	for _, half := range halves {
		l, r := bestStates(params, models[0], result.Theta, half[0]), bestStates(params, models[1], result.Theta, half[1])
		for t := range l {
			if l[t] == r[t] {
				same++
			}
		}
	}
	fmt.Printf("best states agree at %d of %d positions\n", same, len(halves)*length)
	// Output:
	// best states agree at 954 of 1000 positions
}

// IBM Model 1 in both directions, as in the example of DomainApproximate, with explicit graphs: a
// word of one side comes from any word of the other. The marks are the links; the potential of a
// link is a translation.
func ExampleMarked_graphs() {
	params := em.NewParams()
	marks := params.Group("links", 9, em.Fixed{}) // of three words with three
	direction := func(from, to int) (table, agree.Submodel) {
		translation := newTable(params, from, to)
		potential := func(i, k int) expr.W {
			n := len(sentences[i][german])
			return params.Space().Param(int32(translation.parameter(sentences[i], [2]int{k / n, k % n})))
		}
		links := func(i int) int { return len(sentences[i][english]) * len(sentences[i][german]) }
		var graphs []*graph.Graph[expr.W]
		for i, pair := range sentences {
			n := int32(len(pair[to]))
			row, next, weights := []int32{0}, []int32{}, []expr.W{}
			for word := range n { // from each word to the next: an arc for each origin
				for origin := range pair[from] {
					var link [2]int
					link[from], link[to] = origin, int(word)
					k := link[english]*len(pair[german]) + link[german]
					next = append(next, word+1)
					weights = append(weights, params.Space().Times(marks.Weight(k), potential(i, k)))
				}
				row = append(row, int32(len(next)))
			}
			final := make([]expr.W, n+1)
			final[n] = expr.One
			start := []graph.Start[expr.W]{{State: 0, Weight: expr.One}}
			graphs = append(graphs, must(graph.New(params.Space(), append(row, row[n]), next, weights, start, final)))
		}
		derivations := cascade.Derivations{Examples: len(graphs), Graph: func(i int) (*graph.Graph[expr.W], error) { return graphs[i], nil }}
		return translation, must(agree.Marked(must(derivations.Corpus(params)), agree.Features{
			Marks: marks, Number: links, Shared: translation.rows, Potential: potential}))
	}
	forward, one := direction(english, german)
	backward, other := direction(german, english)
	result := must(em.Fit(context.Background(), must(agree.ProductOfPosteriors(em.Fail, one, other)), &em.Options{Iterations: 4}))
	fmt.Printf("p(Haus|house) = %.2f, p(a|ein) = %.2f\n",
		forward.rows[house].In(result.Theta)[haus], backward.rows[ein].In(result.Theta)[a])
	// Output:
	// p(Haus|house) = 0.99, p(a|ein) = 1.00
}
