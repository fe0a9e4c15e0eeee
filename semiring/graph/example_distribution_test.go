package graph_test

import (
	"context"
	"fmt"

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

// How much do all paths weigh, and how much the best one? The ring says which it is.
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

// How uncertain is the path, in nats? How long is a message that names it, in a code made for
// paths that are equally likely?
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

// Paths from one state to all, where the table of all pairs would be too large.
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

// An infinite grid, of which all corners on ways that cost at most .5 more than the
// best are wanted.
func ExampleWithin() {
	grid := plane{x: 6, y: 3}
	part, err := graph.Within(context.Background(), grid, .5, &graph.SearchOptions[semiring.Cost]{Heuristic: grid.toGo})
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

// Which states lie on a cycle with others, and is there an order without any?
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
