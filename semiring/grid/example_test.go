package grid_test

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/grid"
)

// A typist doubles letters, forgets them, or hits the neighbour. How did "aab" come
// from "ab"?
func Example() {
	scaled := func(p ...float64) (w []semiring.ScaledFloat) {
		for _, x := range p {
			w = append(w, semiring.NewScaled(x))
		}
		return w
	}
	const a, b = 1, 2
	typist, err := grid.New(1, []grid.Arc{
		{X: a, Y: a}, {X: a, Y: b}, {X: a}, {Y: a},
		{X: b, Y: b}, {X: b, Y: a}, {X: b}, {Y: b}})
	if err != nil {
		panic(err)
	}
	if err := typist.SetWeights(grid.Weights{
		Initial: scaled(1),
		Arc:     scaled(.3, .02, .02, .05, .3, .02, .02, .05),
		Final:   scaled(.22),
	}); err != nil {
		panic(err)
	}
	var s grid.Scratch
	meant, typed := []int32{a, b}, []int32{a, a, b}
	uses := grid.Parts{Arc: make([]float64, typist.NumArcs())}
	total, err := typist.Counts(meant, typed, 1, uses, &s)
	if err != nil {
		panic(err)
	}
	fmt.Printf("probability %.3g\n", total.Float64())
	fmt.Printf("letters typed too often: %.2f, forgotten: %.2f, mistaken: %.2f\n",
		uses.Arc[3]+uses.Arc[7], uses.Arc[2]+uses.Arc[6], uses.Arc[1]+uses.Arc[5])
	path, _, weight, err := typist.BestPath(nil, meant, typed, &s)
	if err != nil {
		panic(err)
	}
	fmt.Printf("best way: arcs %v, with probability %.2f\n", path, weight.Div(total).Float64())
	// Output:
	// probability 0.00207
	// letters typed too often: 1.01, forgotten: 0.01, mistaken: 0.03
	// best way: arcs [3 0 4], with probability 0.48
}

// unit is the machine that copies, deletes and inserts the symbols 1 and 2, each at weight 1.
func unit() *grid.Machine {
	m, err := grid.New(1, []grid.Arc{{X: 1, Y: 1}, {X: 2, Y: 2}, {X: 1, Y: 2}, {X: 2, Y: 1}, {X: 1}, {X: 2}, {Y: 1}, {Y: 2}})
	if err != nil {
		panic(err)
	}
	one := semiring.NewScaled(1)
	w := []semiring.ScaledFloat{one, one, one, one, one, one, one, one}
	if err := m.SetWeights(grid.Weights{Initial: w[:1], Arc: w, Final: w[:1]}); err != nil {
		panic(err)
	}
	return m
}

// The number of alignments of two strings of three symbols. With weights of 1 the path sum counts
// them: the Delannoy number.
func ExampleMachine_PathSum() {
	var s grid.Scratch
	x, y := []int32{1, 2, 1}, []int32{2, 2, 1}
	nodes, arcs := unit().GridSize(x, y, &s)
	fmt.Println(unit().PathSum(x, y, &s), "ways through", nodes, "nodes and", arcs, "arcs")
	// Output: 63 ways through 16 nodes and 33 arcs
}

// Edit distance: the grid as a graph, in the ring of costs.
func ExampleMachine_Graph() {
	m := unit()
	g, arcs, err := m.Graph([]int32{1, 2, 1}, []int32{2, 1, 1}, new(grid.Scratch))
	if err != nil {
		panic(err)
	}
	costs := make([]semiring.Cost, len(arcs)) // of arcs by the machine's: copies are free
	for e, a := range arcs {
		if a > 1 {
			costs[e] = 1
		}
	}
	toCost, err := semiring.Convert(semiring.Scaled{}, semiring.Tropical{})
	if err != nil {
		panic(err)
	}
	tropical := graph.Map(g, semiring.Tropical{}, toCost)
	tropical, err = tropical.WithWeights(costs, tropical.Starts(), tropical.Finals())
	if err != nil {
		panic(err)
	}
	fmt.Println(graph.PathSum(tropical))
	// Output: 2 <nil>
}

// The derivative by ε of expected uses if the probability of copying the symbol 1 is multiplied
// by e^ε.
func ExampleMachine_HessianVector() {
	m := unit()
	count, change := grid.Parts{Arc: make([]float64, m.NumArcs())}, grid.Parts{Arc: make([]float64, m.NumArcs())}
	copied := grid.Parts{Arc: []float64{1, 0, 0, 0, 0, 0, 0, 0}}
	// 1 becomes 1 by a copy, by deletion and insertion, or by insertion and deletion.
	total, err := m.HessianVector([]int32{1}, []int32{1}, copied, 1, count, change, new(grid.Scratch))
	fmt.Printf("%v ways, copies %.3f, their change %.3f = ⅓·⅔, %v\n", total, count.Arc[0], change.Arc[0], err)
	// Output: 3 ways, copies 0.333, their change 0.222 = ⅓·⅔, <nil>
}
