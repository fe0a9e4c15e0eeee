package trellis_test

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/trellis"
)

// A casino now and then swaps its fair die for a loaded one, which shows a six every
// other time. Which die was it, and how often was it swapped?
func Example() {
	scaled := func(p ...float64) (w []semiring.ScaledFloat) {
		for _, x := range p {
			w = append(w, semiring.NewScaled(x))
		}
		return w
	}
	swap, err := trellis.NewBlock(2, 2, scaled(
		.9, .1, // from the fair die
		.2, .8)) // from the loaded one
	if err != nil {
		panic(err)
	}
	six, other := scaled(1./6, .5), scaled(1./6, .1)
	t, err := trellis.New(scaled(.5, .5), []*trellis.Block{swap}, []int32{0, 0, 0, 0},
		[][]semiring.ScaledFloat{other, other, six, six, six}, nil)
	if err != nil {
		panic(err)
	}
	var s trellis.Scratch
	uses := trellis.Parts{Node: make([]float64, t.NumNodes()), Block: [][]float64{make([]float64, swap.NumCells())}}
	total, err := t.Counts(1, uses, &s)
	if err != nil {
		panic(err)
	}
	fmt.Printf("likelihood %.3g\n", total.Float64())
	for throw := range 5 {
		fmt.Printf("throw %d: loaded with probability %.2f\n", throw, uses.Node[2*throw+1])
	}
	fmt.Printf("swaps: %.2f to the loaded die, %.2f to the fair one\n", uses.Block[0][1], uses.Block[0][2])
	dice, weight, err := t.BestPath(nil, &s)
	if err != nil {
		panic(err)
	}
	fmt.Printf("most probable dice: %v, with probability %.3f\n", dice, weight.Div(total).Float64())

	// If swaps to the loaded die were 1 % more frequent, so would they be expected.
	change := trellis.Parts{Block: [][]float64{make([]float64, swap.NumCells())}}
	if _, err := t.HessianVector(trellis.Parts{Block: [][]float64{{0, .01, 0, 0}}}, 1, change, &s); err != nil {
		panic(err)
	}
	fmt.Printf("swaps to the loaded die: %+.5f\n", change.Block[0][1])
	// Output:
	// likelihood 0.000594
	// throw 0: loaded with probability 0.54
	// throw 1: loaded with probability 0.60
	// throw 2: loaded with probability 0.80
	// throw 3: loaded with probability 0.85
	// throw 4: loaded with probability 0.83
	// swaps: 0.44 to the loaded die, 0.16 to the fair one
	// most probable dice: [1 1 1 1 1], with probability 0.431
	// swaps to the loaded die: +0.00255
}

// The three best paths, by a query of the graph, in a ring that maximizes.
func ExampleTrellis_Graph() {
	w := semiring.NewScaled
	b, err := trellis.NewBlock(2, 2, []semiring.ScaledFloat{w(.5), w(.3), w(.2), w(.6)})
	if err != nil {
		panic(err)
	}
	t, err := trellis.New([]semiring.ScaledFloat{w(.5), w(.3)}, []*trellis.Block{b}, []int32{0, 0}, nil, nil)
	if err != nil {
		panic(err)
	}
	g, err := t.Graph()
	if err != nil {
		panic(err)
	}
	same := func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }
	best, err := graph.BestPaths(graph.Map(g, semiring.Viterbi{}, same))
	if err != nil {
		panic(err)
	}
	n := 0
	for path := range best {
		nodes := []int32{path.Start}
		for _, arc := range path.Arcs {
			nodes = append(nodes, g.To()[arc]%2)
		}
		fmt.Printf("%v: %.3f\n", nodes, path.Weight.Float64())
		if n++; n == 3 {
			break
		}
	}
	// Output:
	// [0 0 0]: 0.125
	// [1 1 1]: 0.108
	// [0 1 1]: 0.090
}

// weights are numbers as weights of a trellis.
func weights(p ...float64) (w []semiring.ScaledFloat) {
	for _, x := range p {
		w = append(w, semiring.NewScaled(x))
	}
	return w
}

// The weather is fair or foul. A fair day is followed by a fair day with probability ½, a foul
// day always by a foul day. Forward and backward weights of each weather on each day.
func ExampleTrellis_Forward() {
	next, err := trellis.NewBlock(2, 2, weights(.5, .5, 0, 1))
	if err != nil {
		panic(err)
	}
	t, err := trellis.New(weights(1, 0), []*trellis.Block{next}, []int32{0, 0}, nil, weights(1, 0)) // fair in the end
	if err != nil {
		panic(err)
	}
	var s trellis.Scratch
	fmt.Println("forward ", t.Forward(nil, &s))
	fmt.Println("backward", t.Backward(nil, &s))
	fmt.Println("all paths", t.PathSum(&s))
	// Output:
	// forward  [1 0 0.5 0.5 0.25 0.75]
	// backward [0.25 0 0.5 0 1 0]
	// all paths 0.25
}

// A model that only stays or moves to its next state: a band of cells instead of a full matrix.
// The sum counts its paths from the first state to the last in 5 steps.
func ExampleNewSparseBlock() {
	b, err := trellis.NewSparseBlock(3, 3, []int32{0, 2, 4, 5}, []int32{0, 1, 1, 2, 2}, weights(1, 1, 1, 1, 1))
	if err != nil {
		panic(err)
	}
	t, err := trellis.New(weights(1, 0, 0), []*trellis.Block{b}, make([]int32, 5), nil, weights(0, 0, 1))
	if err != nil {
		panic(err)
	}
	fmt.Println(b.NumCells(), "cells,", t.PathSum(new(trellis.Scratch)), "ways: 5 choose 2")
	// Output: 5 cells, 10 ways: 5 choose 2
}

// Two sequences share a matrix: the expected uses of each cell in both together.
func ExampleUses() {
	b, err := trellis.NewBlock(2, 2, weights(.5, .5, .5, .5))
	if err != nil {
		panic(err)
	}
	var u trellis.Uses
	var s trellis.Scratch
	u.Reset([]*trellis.Block{b})
	for _, length := range []int{2, 3} {
		t, err := trellis.New(weights(1, 0), []*trellis.Block{b}, make([]int32, length-1), nil, nil)
		if err != nil {
			panic(err)
		}
		if _, err := u.Counts(t, 1, trellis.Parts{}, &s); err != nil {
			panic(err)
		}
	}
	u.Drain(func(block int, counts []float64) { fmt.Println(block, counts) })
	// Output: 0 [1.25 1.25 0.25 0.25]
}

// An unaligned word: the path stays at its node, with probability .2, and takes no node weight.
func ExampleTrellis_SetStay() {
	b, err := trellis.NewBlock(2, 2, weights(.4, .4, .4, .4))
	if err != nil {
		panic(err)
	}
	likes := weights(.1, .9) // of the second word
	t, err := trellis.New(weights(1, 0), []*trellis.Block{b}, []int32{0}, [][]semiring.ScaledFloat{nil, likes}, nil)
	if err != nil {
		panic(err)
	}
	if err := t.SetStay(weights(.2)); err != nil {
		panic(err)
	}
	var s trellis.Scratch
	path, weight, err := t.BestPath(nil, &s)
	fmt.Printf("%.2f = .4·.1 + .4·.9 + .2, best %v %.2f, %v\n", t.PathSum(&s).Float64(), path, weight.Float64(), err)
	// Output: 0.60 = .4·.1 + .4·.9 + .2, best [0 1] 0.36, <nil>
}

// Layers that do not depend on each other: posteriors and the sum, without a trellis.
func ExampleIndependent() {
	nodes := []float64{1, 3, 2, 2} // two layers of two nodes
	sum, err := trellis.Independent(nodes, 2)
	fmt.Println(sum, nodes, err)
	// Output: 16 [0.25 0.75 0.5 0.5] <nil>
}
