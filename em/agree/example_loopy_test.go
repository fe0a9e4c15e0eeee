package agree_test

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Three witnesses remember three evenings, each of them two: how likely it is that it rained on
// neither, on the second, on the first, on both. Belief propagation between them goes round a
// ring, and so is an approximation. Without the third witness it would be exact.
func ExampleLoopyBelief() {
	params := em.NewParams()
	space, rain := params.Space(), params.Group("rain", 3, em.Fixed{})
	evenings := [][2]int{{0, 1}, {1, 2}, {2, 0}}
	memory := [][]float64{{.3, .1, .2, .4}, {.2, .2, .1, .5}, {.4, .3, .2, .1}}
	var witnesses []agree.Submodel
	var groups []*em.Group
	for m, of := range evenings {
		g := params.Group(fmt.Sprint("witness ", m), 4, em.Multinomial{})
		g.SetStart(memory[m])
		groups = append(groups, g)
		to, weights := []int32{}, []expr.W{}
		for z := range 4 { // an arc for each structure
			w := g.Weight(z)
			if z&2 > 0 {
				w = space.Times(w, rain.Weight(of[0]))
			}
			if z&1 > 0 {
				w = space.Times(w, rain.Weight(of[1]))
			}
			to, weights = append(to, 1), append(weights, w)
		}
		all := must(graph.New(space, []int32{0, 4, 4}, to, weights,
			[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One}))
		corpus := must(cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[expr.W], error) { return all, nil }}.Corpus(params))
		witnesses = append(witnesses, must(agree.Marked(corpus, agree.Features{Marks: rain})))
	}
	options := &agree.LoopyOptions{Concerns: func(m, _, evening int) bool { return evenings[m][0] == evening || evenings[m][1] == evening }}
	belief := must(agree.LoopyBelief(em.Fail, options, witnesses...))
	e := must(belief.Expect(context.Background(), em.Query{Theta: params.Start()}))

	exact, first := 0.0, 0.0
	for z := range 8 { // bit n: rain on evening n
		p := 1.0
		for m, of := range evenings {
			p *= memory[m][(z>>of[0]&1)<<1|z>>of[1]&1]
		}
		exact += p
		first += float64(z&1) * p
	}
	told := groups[0].In(e.Counts)
	fmt.Printf("they agree with probability %.4f, exactly %.4f\n", semiring.ScaledFromLog(e.LogLikelihood).Float64(), exact)
	fmt.Printf("rain on the first evening %.3f, exactly %.3f; %d not settled\n", told[2]+told[3], first/exact, belief.Unsettled())
	// Output:
	// they agree with probability 0.0996, exactly 0.0980
	// rain on the first evening 0.490, exactly 0.490; 0 not settled
}
