package forest_test

import (
	"fmt"
	"strings"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// “She saw him with binoculars”: who has the binoculars? A node is a constituent of the
// sentence, an edge a way to make it, weighted by the probability of its rule.
func Example() {
	constituents := []struct {
		name string
		made []rule
	}{
		{"she", []rule{{p: .4}}},
		{"saw", []rule{{p: .5}}},
		{"him", []rule{{p: .3}}},
		{"with binoculars", []rule{{p: .1}}},
		{"saw him", []rule{{p: .7, of: []int32{1, 2}}}},
		{"him with binoculars", []rule{{p: .2, of: []int32{2, 3}}}},
		{"saw him with binoculars", []rule{
			{p: .3, of: []int32{4, 3}}, // seen with binoculars
			{p: .7, of: []int32{1, 5}}, // he has them
		}},
		{"she saw him with binoculars", []rule{{p: 1, of: []int32{0, 6}}}},
	}
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []float64{}
	var head []string // of every edge
	for _, c := range constituents {
		for _, r := range c.made {
			tails = append(tails, r.of...)
			tail, weight, head = append(tail, int32(len(tails))), append(weight, r.p), append(head, c.name)
		}
		edge = append(edge, int32(len(weight)))
	}
	sentence := []forest.Root[float64]{{Node: int32(len(constituents) - 1), Weight: 1}}
	f, err := forest.New(semiring.Real{}, edge, tail, tails, weight, sentence)
	if err != nil {
		panic(err)
	}

	post, err := forest.Posteriors(f)
	if err != nil {
		panic(err)
	}
	fmt.Printf("probability %.5f, he has them: %.2f\n", post.Total, post.Node[5])

	best, err := forest.BestTree(forest.Map(f, semiring.Viterbi{}, semiring.NewScaled))
	if err != nil {
		panic(err)
	}
	brackets := forest.Fold(f, best.Edges, func(e int32, below []string) string {
		if len(below) == 0 {
			return head[e]
		}
		return "[" + strings.Join(below, " ") + "]"
	})
	fmt.Printf("best %.5f: %s\n", best.Weight.Float64(), brackets)
	// Output:
	// probability 0.00210, he has them: 0.40
	// best 0.00126: [she [[saw him] with binoculars]]
}

// rule is a way to make a constituent of others.
type rule struct {
	p  float64
	of []int32
}

// A grammar of one symbol, X → X X or a word, as a forest of a single node that is derived
// from itself. Its tree sum is the probability that the derivation of X ever ends; a derivation
// that does has 1/(1 − 2·p·sum) rules on average.
func ExampleTreeSum_cycle() {
	for _, p := range []float64{.25, .75} {
		// X has an edge of two tails, and one of none.
		f, err := forest.New(semiring.Real{}, []int32{0, 2}, []int32{0, 2, 2}, []int32{0, 0},
			[]float64{p, 1 - p}, []forest.Root[float64]{{Node: 0, Weight: 1}})
		if err != nil {
			fmt.Println(err)
			return
		}
		post, err := forest.Posteriors(f)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("p = %.2f: sum %.4f, rules %.4f\n", p, post.Total, post.Node[0])
	}
	// Output:
	// p = 0.25: sum 1.0000, rules 2.0000
	// p = 0.75: sum 0.3333, rules 2.0000
}
