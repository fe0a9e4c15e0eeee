package forest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// “She saw him with binoculars”: who has the binoculars? A node is a constituent of the sentence,
// an edge a derivation of it, weighted by the probability of its rule.
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

// rule derives a constituent from other constituents.
type rule struct {
	p  float64
	of []int32
}

// A grammar of one symbol, X → X X or a word, as a forest of a single node that is derived from
// itself. Its tree sum is the probability that the derivation of X terminates; a terminating
// derivation has 1/(1 − 2·p·sum) rules on average.
func ExampleTreeSum_cycle() {
	for _, p := range []float64{.25, .75} {
		// X has an edge with two tails and an edge without tails.
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

// twoTrees is a forest in which “ice cream” is either two words, with probability ½ each and .6
// for the compound, or one word with probability .05: trees of .15 and .05.
func twoTrees() *forest.Forest[float64] {
	f, err := forest.New(semiring.Real{},
		[]int32{0, 1, 3},       // node 0, a word, has edge 0; node 1, the phrase, has edges 1 and 2
		[]int32{0, 0, 2, 2},    // edge 1 has two tails, the others none
		[]int32{0, 0},          // both are node 0
		[]float64{.5, .6, .05}, // of the edges
		[]forest.Root[float64]{{Node: 1, Weight: 1}})
	if err != nil {
		panic(err)
	}
	return f
}

// The total weight of all trees.
func ExampleTreeSum() {
	total, err := forest.TreeSum(twoTrees())
	fmt.Printf("%.2f %v\n", total, err)
	count := forest.Map(twoTrees(), semiring.Boolean{}, func(w float64) bool { return w > 0 })
	fmt.Println(forest.TreeSum(count)) // is there one?
	// Output:
	// 0.20 <nil>
	// true <nil>
}

// The total weights of the derivations and of the contexts of every node.
func ExampleOutside() {
	inside, outside, err := forest.Outside(twoTrees())
	fmt.Printf("inside %.2f, outside %.2f, %v\n", inside, outside, err)
	// Output: inside [0.50 0.20], outside [0.60 1.00], <nil>
}

// The weight of the trees through each node and each edge, counted once per use.
func ExampleThrough() {
	nodes, edges, err := forest.Through(twoTrees())
	fmt.Printf("%.2f %.2f %v\n", nodes, edges, err)
	// Output: [0.30 0.20] [0.30 0.15 0.05] <nil>
}

// The expected uses of each edge by a random tree.
func ExamplePosteriors() {
	p, err := forest.Posteriors(twoTrees())
	fmt.Printf("%.2f %v\n", p.Edge, err)
	// Output: [1.50 0.75 0.25] <nil>
}

// All trees, best first.
func ExampleBestTrees() {
	trees, err := forest.BestTrees(forest.Map(twoTrees(), semiring.Viterbi{}, semiring.NewScaled))
	if err != nil {
		panic(err)
	}
	for t := range trees {
		fmt.Printf("%v %.2f\n", t.Edges, t.Weight.Float64())
	}
	// Output:
	// [1 0 0] 0.15
	// [2] 0.05
}

// Random trees: three of four have two words.
func ExampleSampler() {
	sampler, err := forest.NewSampler(twoTrees())
	if err != nil {
		panic(err)
	}
	src := rand.NewPCG(1, 2)
	two := 0
	for range 10000 {
		if len(sampler.Sample(src).Edges) == 3 {
			two++
		}
	}
	fmt.Printf("%.0f %%\n", float64(two)/100)
	// Output: 75 %
}

// The mean and the variance of the number of words of a tree.
func ExampleCovariance() {
	words := forest.Values{Dim: 1, Edge: semiring.Scalars([]float64{1, 0, 1})}
	mean, covariance, err := forest.Covariance(twoTrees(), words)
	fmt.Printf("%.2f %.4f %v\n", mean, covariance.At(0, 0), err)
	// Output: [1.75] 0.1875 <nil>
}

// How uncertain is the tree, and how far is the distribution from one of equally likely trees?
func ExampleKullbackLeibler() {
	f := twoTrees()
	even, err := f.WithWeights([]float64{1, 1, 1}, f.Roots())
	if err != nil {
		panic(err)
	}
	entropy, _ := forest.Entropy(f)
	divergence, err := forest.KullbackLeibler(f, even)
	fmt.Printf("%.4f + %.4f = ln 2, %v\n", entropy, divergence, err)
	// Output: 0.5623 + 0.1308 = ln 2, <nil>
}

// A word that is e^ε times as probable: how do the expected counts change, per ε?
func ExampleHessianVector() {
	change, err := forest.HessianVector(twoTrees(), forest.Parts{Edge: []float64{1, 0, 0}})
	fmt.Printf("%.3f %v\n", change.Edge, err)
	// Output: [0.750 0.375 -0.375] <nil>
}

// The forest without the parts that a random tree rarely uses.
func ExamplePrunePosterior() {
	p, err := forest.PrunePosterior(twoTrees(), .5)
	fmt.Println(p.Edge, p.Forest.NumNodes(), p.Forest.NumEdges(), err)
	// Output: [0 1] 2 2 <nil>
}

// A context-free grammar in Chomsky normal form parses a sentence that has two
// meanings: the CKY algorithm is one rule.
func ExampleDeduction() {
	type span struct { // X derives the words I … J−1
		X    string
		I, J int
	}
	p := map[string]float64{
		"S → NP VP": 1, "VP → V NP": .5, "VP → Aux VP": .1, "NP → they": .5, "NP → fish": .3,
		"VP → fish": .4, "V → can": .7, "Aux → can": 1,
	}
	nonterminals := []string{"S", "NP", "VP", "V", "Aux"}
	d := forest.NewDeduction[span](semiring.Viterbi{})
	forest.Join(d, "binary",
		func(b span) (int, bool) { return b.J, true }, // b ends where c begins
		func(c span) (int, bool) { return c.I, true },
		func(b, c span) {
			for _, x := range nonterminals {
				d.Derive(span{x, b.I, c.J}, semiring.NewScaled(p[x+" → "+b.X+" "+c.X]), b, c)
			}
		})
	for i, word := range []string{"they", "can", "fish"} {
		for _, x := range nonterminals {
			d.Derive(span{x, i, i + 1}, semiring.NewScaled(p[x+" → "+word]))
		}
	}
	chart, err := d.Run(span{"S", 0, 3})
	if err != nil {
		panic(err)
	}
	parses, err := forest.BestTrees(chart.Forest)
	if err != nil {
		panic(err)
	}
	for parse := range parses {
		fmt.Printf("%.4f", parse.Weight.Float64())
		for _, e := range parse.Edges {
			fmt.Print(" ", chart.Head(e))
		}
		fmt.Println()
	}
	// Output:
	// 0.0525 {S 0 3} {NP 0 1} {VP 1 3} {V 1 2} {NP 2 3}
	// 0.0200 {S 0 3} {NP 0 1} {VP 1 3} {Aux 1 2} {VP 2 3}
}

// From the goals down: the cheapest order in which to multiply a chain of matrices. A requested
// span requests the parts of all of its splits, and is derived from them.
func ExampleDeduction_wanted() {
	size := []int{10, 100, 5, 50, 1} // matrix i has size[i] rows and size[i+1] columns
	type span struct {
		Wanted bool
		I, J   int
	}
	d := forest.NewDeduction[span](semiring.Tropical{})
	d.Rule("split", func(a span) {
		if !a.Wanted {
			return
		}
		if a.J == a.I+1 {
			d.Derive(span{I: a.I, J: a.J}, 0)
		}
		for k := a.I + 1; k < a.J; k++ {
			d.Derive(span{true, a.I, k}, 0)
			d.Derive(span{true, k, a.J}, 0)
			multiplications := semiring.Cost(size[a.I] * size[k] * size[a.J])
			d.Derive(span{I: a.I, J: a.J}, multiplications, span{I: a.I, J: k}, span{I: k, J: a.J})
		}
	})
	d.Derive(span{true, 0, 4}, 0)
	chart, err := d.Run(span{I: 0, J: 4})
	if err != nil {
		panic(err)
	}
	best, err := forest.BestTree(chart.Forest)
	if err != nil {
		panic(err)
	}
	fmt.Println(best.Weight, "multiplications:")
	fmt.Println(forest.Fold(chart.Forest, best.Edges, func(e int32, below []string) string {
		if len(below) == 0 {
			return fmt.Sprint(chart.Head(e).I)
		}
		return "(" + below[0] + "·" + below[1] + ")"
	}))
	// Output:
	// 1750 multiplications:
	// (0·(1·(2·3)))
}
