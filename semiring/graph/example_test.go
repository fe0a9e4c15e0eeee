package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math"

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
	// graph: sum diverges: the cycles through state 0 have no finite sum: the mass of the cycles found so far is 1 true
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

// plane is an infinite grid of streets, numbered by pairing: each step costs 1, and
// a step east on the avenue y = 2 only a half.
type plane struct{ x, y int }

func number(x, y int) int32               { return int32(x<<15 | y) }
func (plane) position(s int32) (x, y int) { return int(s >> 15), int(s & (1<<15 - 1)) }

func (plane) Semiring() semiring.Semiring[semiring.Cost] { return semiring.Tropical{} }

func (plane) AppendStarts(dst []graph.Start[semiring.Cost]) []graph.Start[semiring.Cost] {
	return append(dst, graph.Start[semiring.Cost]{State: number(0, 0), Weight: 0})
}

func (p plane) Final(s int32) semiring.Cost {
	if s == number(p.x, p.y) {
		return 0
	}
	return semiring.Tropical{}.Zero()
}

func (p plane) AppendArcs(dst []graph.Arc[semiring.Cost], s int32) []graph.Arc[semiring.Cost] {
	x, y := p.position(s)
	east := semiring.Cost(1)
	if y == 2 {
		east = .5
	}
	return append(dst,
		graph.Arc[semiring.Cost]{In: 'E', To: number(x+1, y), Weight: east},
		graph.Arc[semiring.Cost]{In: 'N', To: number(x, y+1), Weight: 1})
}

// toGo is a lower bound on the cost of the way on: half a step east, one north.
func (p plane) toGo(s int32) semiring.Cost {
	x, y := p.position(s)
	if x > p.x || y > p.y {
		return semiring.Tropical{}.Zero() // there is no way back
	}
	return semiring.Cost(.5*float64(p.x-x) + float64(p.y-y))
}

// The two best ways through an infinite grid, by A*.
func ExampleSearch() {
	grid := plane{x: 6, y: 3}
	n := 0
	for p, err := range graph.Search(context.Background(), grid, &graph.SearchOptions[semiring.Cost]{Heuristic: grid.toGo}) {
		if err != nil {
			panic(err)
		}
		fmt.Print(p.Weight, " ")
		for _, a := range p.Arcs {
			fmt.Printf("%c", a.In)
		}
		fmt.Println()
		if n++; n == 2 {
			break
		}
	}
	// Output:
	// 6 NNEEEEEEN
	// 6.5 NNEEEEENE
}

// fair is a coin that is thrown again and again: a state for every number of heads,
// and a path for every sequence of throws that ends with a win of three heads.
type fair struct{}

func (fair) Semiring() semiring.Semiring[float64] { return semiring.Real{} }

func (fair) AppendStarts(dst []graph.Start[float64]) []graph.Start[float64] {
	return append(dst, graph.Start[float64]{State: 0, Weight: 1})
}

func (fair) Final(s int32) float64 {
	if s == 3 {
		return 1
	}
	return 0
}

func (fair) AppendArcs(dst []graph.Arc[float64], s int32) []graph.Arc[float64] {
	if s == 3 {
		return dst
	}
	return append(dst, graph.Arc[float64]{In: 'h', To: s + 1, Weight: .5}, graph.Arc[float64]{In: 't', To: s, Weight: .5})
}

// How probable are three heads in at most 20 throws? Lower bounds from beams that keep, after
// every throw, the states at least a third, or a tenth, as probable as the best, and the answer.
func ExampleBeam() {
	for _, margin := range []float64{math.Log(3), math.Log(10), 0} {
		part, err := graph.Beam(context.Background(), fair{}, &graph.BeamOptions[float64]{Margin: margin, MaxLayers: 21})
		if err != nil {
			panic(err)
		}
		total, err := graph.PathSum(part.Graph)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.6f by %d states\n", total, part.Graph.NumStates())
	}
	// Output:
	// 0.874987 by 46 states
	// 0.983949 by 56 states
	// 0.999799 by 78 states
}

// Reachability and the number of ways are closures of the same graph.
func ExampleAllPairs() {
	//   0 → 1, 0 → 2, 1 → 2 with probabilities .5, .5, 1, and 2 → 0 with .5
	row, to := []int32{0, 2, 3, 4}, []int32{1, 2, 2, 0}
	g, err := graph.New(semiring.Real{}, row, to, []float64{.5, .5, 1, .5}, nil, make([]float64, 3))
	if err != nil {
		panic(err)
	}
	visits, err := graph.AllPairs(g)
	if err != nil {
		panic(err)
	}
	for _, row := range visits {
		fmt.Println(row)
	}
	// Output:
	// [2 1 2]
	// [1 1.5 2]
	// [1 0.5 2]
}
