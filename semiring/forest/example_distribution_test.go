package forest_test

import (
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// twoTrees is a forest in which “ice cream” is either two words, of probability ½ each and .6
// together, or one of probability .05: trees of .15 and .05.
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

// How much do all trees weigh?
func ExampleTreeSum() {
	total, err := forest.TreeSum(twoTrees())
	fmt.Printf("%.2f %v\n", total, err)
	count := forest.Map(twoTrees(), semiring.Boolean{}, func(w float64) bool { return w > 0 })
	fmt.Println(forest.TreeSum(count)) // is there one?
	// Output:
	// 0.20 <nil>
	// true <nil>
}

// The derivations of every node, and the contexts in which it stands.
func ExampleOutside() {
	inside, outside, err := forest.Outside(twoTrees())
	fmt.Printf("inside %.2f, outside %.2f, %v\n", inside, outside, err)
	// Output: inside [0.50 0.20], outside [0.60 1.00], <nil>
}

// The weight of the trees through each node, as often as they use it, and each edge.
func ExampleThrough() {
	nodes, edges, err := forest.Through(twoTrees())
	fmt.Printf("%.2f %.2f %v\n", nodes, edges, err)
	// Output: [0.30 0.20] [0.30 0.15 0.05] <nil>
}

// How often does a random tree use each edge?
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

// How many words has a tree: mean, and variance?
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

// The forest without what a random tree seldom uses.
func ExamplePrunePosterior() {
	p, err := forest.PrunePosterior(twoTrees(), .5)
	fmt.Println(p.Edge, p.Forest.NumNodes(), p.Forest.NumEdges(), err)
	// Output: [0 1] 2 2 <nil>
}
