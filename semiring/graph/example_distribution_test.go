package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// fork is a graph of two paths: one of weight 3, through state 1, and one of weight 1.
func fork() *graph.Graph[float64] {
	//   0 --3--> 1 --1--> 2,  0 --1--> 2
	g, err := graph.New(semiring.Real{}, []int32{0, 2, 3, 3}, []int32{1, 2, 2}, []float64{3, 1, 1},
		[]graph.Start[float64]{{State: 0, Weight: 1}}, []float64{0, 0, 1})
	if err != nil {
		panic(err)
	}
	return g
}

// How much do all paths weigh, and how much the best one? The ring decides.
func ExamplePathSum() {
	fmt.Println(graph.PathSum(fork()))
	fmt.Println(graph.PathSum(graph.Map(fork(), semiring.Viterbi{}, semiring.NewScaled)))
	// Output:
	// 4 <nil>
	// 3 <nil>
}

// The sums over the ways to every state, and from every state on.
func ExampleForward() {
	fmt.Println(graph.Forward(fork()))
	fmt.Println(graph.Backward(fork()))
	// Output:
	// [1 3 4] <nil>
	// [4 1 1] <nil>
}

// How often is each arc used by a random path?
func ExamplePosteriors() {
	p, err := graph.Posteriors(fork())
	fmt.Println(p.Total, p.Arc, p.State, err)
	// Output: 4 [0.75 0.25 0.75] [1 0.75 1] <nil>
}

// What is the expected length of a path?
func ExampleMean() {
	fmt.Println(graph.Mean(fork(), graph.Values{Dim: 1, Arc: semiring.Scalars([]float64{1, 1, 1})}))
	// Output: [1.75] <nil>
}

// How uncertain is the path, in nats? How long is a message that names it, in a code designed for
// equally likely paths?
func ExampleCrossEntropy() {
	even, err := fork().WithWeights([]float64{1, 1, 1}, fork().Starts(), fork().Finals())
	if err != nil {
		panic(err)
	}
	entropy, _ := graph.Entropy(fork())
	length, err := graph.CrossEntropy(fork(), even)
	fmt.Printf("entropy %.4f, with the other code %.4f = ln 2, %v\n", entropy, length, err)
	// Output: entropy 0.5623, with the other code 0.6931 = ln 2, <nil>
}

// Which arcs does a random path use with a probability of at least .5?
func ExamplePrunePosterior() {
	p, err := graph.PrunePosterior(fork(), .5)
	fmt.Println(p.Arc, p.Graph.Weights(), err)
	// Output: [0 2] [3 1] <nil>
}

// The best path, with its arcs by their numbers.
func ExampleBestPath() {
	g := graph.Map(fork(), semiring.Viterbi{}, semiring.NewScaled)
	p, err := graph.BestPath(g)
	fmt.Println(p.Arcs, p.Weight, err)
	// Output: [0 2] 3 <nil>
}

// Paths from one state to all others, without a table of all pairs.
func ExamplePairs() {
	pairs, err := graph.NewPairs(fork())
	if err != nil {
		panic(err)
	}
	fmt.Println(pairs.From(0))
	fmt.Println(pairs.From(1))
	// Output:
	// [0 1 2] [1 3 4] <nil>
	// [1 2] [1 1] <nil>
}

// All corners of an infinite grid on routes that cost at most .5 more than the best.
func ExampleExpandWithin() {
	grid := plane{x: 6, y: 3}
	part, err := graph.ExpandWithin(context.Background(), grid, .5, &graph.SearchOptions[semiring.Cost]{Heuristic: grid.toGo})
	if err != nil {
		panic(err)
	}
	best, err := graph.BestPath(part.Graph)
	fmt.Println(part.Graph.NumStates(), "corners, the best way costs", best.Weight, err)
	for _, a := range part.Path(best).Arcs {
		fmt.Printf("%c", a.In)
	}
	fmt.Println()
	// Output:
	// 13 corners, the best way costs 6 <nil>
	// NNEEEEEEN
}

// Which states are on a common cycle, and is there a topological order?
func ExampleGraph_Components() {
	row, to := []int32{0, 1, 3, 3}, []int32{1, 0, 2} // 0 ⇄ 1 → 2
	g, err := graph.New(semiring.Boolean{}, row, to, []bool{true, true, true}, nil, make([]bool, 3))
	if err != nil {
		panic(err)
	}
	component, n := g.Components()
	_, acyclic := g.TopologicalOrder()
	fmt.Println(component, n, acyclic)
	// Output: [0 0 1] 2 false
}

// tosses is a coin that is thrown until it shows heads, which it does with
// probability 1/4: arc 0 is tails, arc 1 heads.
func tosses() *graph.Graph[float64] {
	row, to := []int32{0, 2, 2}, []int32{0, 1}
	g, err := graph.New(semiring.Real{}, row, to, []float64{.75, .25},
		[]graph.Start[float64]{{State: 0, Weight: 1}}, []float64{0, 1})
	if err != nil {
		panic(err)
	}
	return g
}

// Three random series of tosses.
func ExampleSampler() {
	s, err := graph.NewSampler(tosses())
	if err != nil {
		panic(err)
	}
	src := rand.NewPCG(1, 2)
	for range 3 {
		p := s.Sample(src)
		fmt.Printf("%v has probability %.3f\n", p.Arcs, p.Weight)
	}
	// Output:
	// [0 0 0 1] has probability 0.105
	// [0 1] has probability 0.188
	// [1] has probability 0.250
}

// Mean and variance of the number of tails, and of the number of all tosses.
func ExampleCovariance() {
	v := graph.Values{Dim: 2}
	v.Arc.Append([]int32{0, 1}, []float64{1, 1}) // tails are tails and a toss
	v.Arc.Append([]int32{1}, []float64{1})       // heads are a toss
	mean, covariance, err := graph.Covariance(tosses(), v)
	if err != nil {
		panic(err)
	}
	fmt.Printf("means %.0f, variance of tails %.0f, covariance %.0f\n", mean, covariance.At(0, 0), covariance.At(0, 1))
	// Output:
	// means [3 4], variance of tails 12, covariance 12
}

// How far a series of tosses of a fair coin is from one of this coin.
func ExampleKullbackLeibler() {
	g := tosses()
	fair, err := g.WithWeights([]float64{.5, .5}, g.Starts(), g.Finals())
	if err != nil {
		panic(err)
	}
	entropy, err := graph.Entropy(fair)
	if err != nil {
		panic(err)
	}
	divergence, err := graph.KullbackLeibler(fair, g)
	if err != nil {
		panic(err)
	}
	fmt.Printf("entropy %.4f, divergence %.4f nats\n", entropy, divergence)
	// Output:
	// entropy 1.3863, divergence 0.2877 nats
}

// The second derivative of ln Z with respect to the logarithm of one arc's weight is the variance
// of the number of times that paths use it.
func ExampleHessianVector() {
	product, err := graph.HessianVector(tosses(), graph.Parts{Arc: []float64{1, 0}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f\n", product.Arc)
	// Output:
	// [12 0]
}

// Two of three paths read 1 2; the better one counts.
func ExampleUniqueBestPaths() {
	row, to := []int32{0, 3, 4, 4}, []int32{1, 1, 1, 2}
	none := semiring.Tropical{}.Zero()
	g, err := graph.New(semiring.Tropical{}, row, to, []semiring.Cost{1, 2, 5, 1},
		[]graph.Start[semiring.Cost]{{State: 0, Weight: 0}}, []semiring.Cost{none, none, 0})
	if err != nil {
		panic(err)
	}
	paths, err := graph.UniqueBestPaths(g, []int32{1, 1, 3, 2})
	if err != nil {
		panic(err)
	}
	for labels, p := range paths {
		fmt.Println(labels, p.Weight, p.Arcs)
	}
	// Output:
	// [1 2] 2 [0 3]
	// [3 2] 6 [2 3]
}

// Label 3 has the best path, but the two paths of label 1 have more together.
func ExampleBestSequences() {
	g, err := graph.New(semiring.Real{}, []int32{0, 4, 4}, []int32{1, 1, 1, 1}, []float64{.3, .3, .35, .05},
		[]graph.Start[float64]{{State: 0, Weight: 1}}, []float64{0, 1})
	if err != nil {
		panic(err)
	}
	for s, err := range graph.BestSequences(g, []int32{1, 1, 3, 0}, nil) {
		if err != nil {
			panic(err)
		}
		fmt.Println(s.Labels, s.Weight)
	}
	// Output:
	// [1] 0.6
	// [3] 0.35
	// [] 0.05
}

// Paths that cost up to 2 more than the best.
func ExamplePruneBeam() {
	row, to := []int32{0, 3, 3}, []int32{1, 1, 1}
	g, err := graph.New(semiring.Tropical{}, row, to, []semiring.Cost{3, 9, 5},
		[]graph.Start[semiring.Cost]{{State: 0, Weight: 0}}, []semiring.Cost{semiring.Tropical{}.Zero(), 0})
	if err != nil {
		panic(err)
	}
	p, err := graph.PruneBeam(g, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Arc, p.Graph.Weights())
	// Output:
	// [0 2] [3 5]
}
