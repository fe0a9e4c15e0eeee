package graph_test

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A coin is thrown until it shows heads, which it does with probability 1/4.
func Example() {
	//   0 --tails .75--> 0,  0 --heads .25--> 1
	g, err := graph.FromArcs(semiring.Real{}, map[int32]float64{1: 1},
		[]graph.Arc[float64]{{To: 0, Weight: .75}, {To: 1, Weight: .25}})
	if err != nil {
		panic(err)
	}
	p, err := graph.Posteriors(g)
	if err != nil {
		panic(err)
	}
	fmt.Printf("total %.2f, expected tails %.2f, heads %.2f\n", p.Total, p.Arc[0], p.Arc[1])

	// The same topology with other weights, and in another ring.
	fair, err := g.WithWeights([]float64{1, .25}, g.Starts(), g.Finals())
	if err != nil {
		panic(err)
	}
	_, err = graph.PathSum(fair)
	fmt.Println(err, errors.Is(err, semiring.ErrDiverges))
	some := graph.Map(g, semiring.Boolean{}, func(p float64) bool { return p > 0 })
	fmt.Println(graph.PathSum(some))
	// Output:
	// total 1.00, expected tails 3.00, heads 1.00
	// graph: sum diverges: the cycles through state 0 have no sum: those found so far have a mass of 1 true
	// true <nil>
}

// The three cheapest ways from state 0 to state 2.
func ExampleBestPaths() {
	g, err := graph.FromArcs(semiring.Tropical{}, map[int32]semiring.Cost{2: 0},
		[]graph.Arc[semiring.Cost]{{To: 1, Weight: 1}, {To: 2, Weight: 5}},
		[]graph.Arc[semiring.Cost]{{To: 1, Weight: 2}, {To: 2, Weight: 1}})
	if err != nil {
		panic(err)
	}
	paths, err := graph.BestPaths(g)
	if err != nil {
		panic(err)
	}
	n := 0
	for p := range paths { // there are infinitely many
		fmt.Println(p.Weight, p.Arcs)
		if n++; n == 3 {
			break
		}
	}
	// Output:
	// 2 [0 3]
	// 4 [0 2 3]
	// 5 [1]
}
