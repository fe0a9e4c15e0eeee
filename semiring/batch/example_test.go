package batch_test

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Expected counts per parameter: two graphs whose arcs refer to a table.
func ExampleBatch() {
	var b batch.Batch
	for _, arcs := range [][]int32{{2, 3}, {2, 2}} { // two parallel arcs each
		g, err := graph.New(handles{}, []int32{0, 2, 2}, []int32{1, 1}, arcs,
			[]graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1})
		if err != nil {
			panic(err)
		}
		if _, err := batch.AppendGraph(&b, g); err != nil {
			panic(err)
		}
	}
	table := []semiring.ScaledFloat{2: semiring.NewScaled(.3), 3: semiring.NewScaled(.1)}
	count := make([]float64, len(table))
	var scratch batch.Scratch
	for g := range b.Len() {
		total, err := b.Counts(g, table, 1, count, &scratch)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.2f ", total.Float64())
	}
	fmt.Printf("counts %.2f\n", count[2:])
	// Output:
	// 0.40 0.60 counts [1.75 0.25]
}

// A sentence has two parses; words and rules have weights in a table.
func ExampleBatch_forest() {
	// 0 ← word, 1 ← word, 2 ← 0 1 by either of two rules
	f, err := forest.New(handles{}, []int32{0, 1, 2, 4}, []int32{0, 0, 0, 2, 4}, []int32{0, 1, 0, 1}, []int32{2, 2, 3, 4},
		[]forest.Root[int32]{{Node: 2, Weight: 1}})
	if err != nil {
		panic(err)
	}
	var b batch.Batch
	if _, err := batch.AppendForest(&b, f); err != nil {
		panic(err)
	}
	table := []semiring.ScaledFloat{2: semiring.NewScaled(.5), 3: semiring.NewScaled(.1), 4: semiring.NewScaled(.3)}
	count := make([]float64, len(table))
	var scratch batch.Scratch
	total, err := b.Counts(0, table, 1, count, &scratch)
	if err != nil {
		panic(err)
	}
	best, _, _ := b.Best(0, table, nil, &scratch)
	fmt.Printf("total %.2f, counts %.2f, best tree %v\n", total.Float64(), count[2:], best)
	// Output:
	// total 0.10, counts [2.00 0.25 0.75], best tree [4 2 2]
}

// Two species descend from one ancestor. A site is in one of two states; on either
// branch it changes with probability .1. What is the likelihood of each column of
// their alignment, and how many changes are expected on the first branch?
func ExampleLanes() {
	// Indices into the table; indices of the second branch are 2 higher.
	const half, stay, change = 2, 3, 4
	table := []semiring.ScaledFloat{1: semiring.NewScaled(1), half: semiring.NewScaled(.5),
		stay: semiring.NewScaled(.9), change: semiring.NewScaled(.1), 5: semiring.NewScaled(.9), 6: semiring.NewScaled(.1)}

	// Nodes 0 … 3 are the leaves: species 0 and 1 in state 0 and 1. Nodes 4 … 7 are the
	// upper ends of their branches, 8 and 9 the states of the ancestor.
	var edge, tail, tails, weight = []int32{0}, []int32{0}, []int32{}, []int32{}
	add := func(w int32, to ...int32) {
		tails = append(tails, to...)
		tail, weight = append(tail, int32(len(tails))), append(weight, w)
	}
	end := func() { edge = append(edge, int32(len(weight))) }
	for range 4 {
		end()
	}
	for species := range int32(2) {
		for state := range int32(2) {
			add(stay+2*species, 2*species+state)
			add(change+2*species, 2*species+1-state)
			end()
		}
	}
	for state := range int32(2) {
		add(1, 4+state, 6+state)
		end()
	}
	f, err := forest.New(handles{}, edge, tail, tails, weight, []forest.Root[int32]{{Node: 8, Weight: half}, {Node: 9, Weight: half}})
	if err != nil {
		panic(err)
	}
	l, err := batch.NewLanes(f, []int32{0, 1, 2, 3})
	if err != nil {
		panic(err)
	}
	// The columns are 00, 01, and 0 with a gap, which allows either state; they occur 90, 9 and 1
	// times.
	leaf := [][]float64{{1, 1, 1}, {0, 0, 0}, {1, 0, 1}, {0, 1, 1}}
	total, count := make([]semiring.ScaledFloat, 3), make([]float64, len(table))
	if err := l.Counts(table, leaf, 0, 3, []float64{90, 9, 1}, count, total, new(batch.LanesScratch)); err != nil {
		panic(err)
	}
	fmt.Printf("likelihoods %.2f\n", []float64{total[0].Float64(), total[1].Float64(), total[2].Float64()})
	fmt.Printf("%.3f changes in 100 sites\n", count[change])
	// Output:
	// likelihoods [0.41 0.09 0.50]
	// 5.698 changes in 100 sites
}

// twoWays is a batch of one graph with two parallel arcs, of the weights 2 and 3 of a table.
func twoWays() *batch.Batch {
	g, err := graph.New(handles{}, []int32{0, 2, 2}, []int32{1, 1}, []int32{2, 3},
		[]graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1})
	if err != nil {
		panic(err)
	}
	var b batch.Batch
	if _, err := batch.AppendGraph(&b, g); err != nil {
		panic(err)
	}
	return &b
}

// The sum and the best path, for one table of weights after another.
func ExampleBatch_Sum() {
	b := twoWays()
	var s batch.Scratch
	for _, p := range []float64{.25, .75} {
		table := []semiring.ScaledFloat{2: semiring.NewScaled(p), 3: semiring.NewScaled(.5)}
		total, err := b.Sum(0, table, &s)
		if err != nil {
			panic(err)
		}
		best, weight, err := b.Best(0, table, nil, &s)
		fmt.Println(total, best, weight, err)
	}
	// Output:
	// 0.75 [3] 0.5 <nil>
	// 1.25 [2] 0.75 <nil>
}

// The derivative by ε of expected counts if the first weight is multiplied by e^ε. It is their
// covariance with the first count: ¾·¼.
func ExampleBatch_HessianVector() {
	table := []semiring.ScaledFloat{2: semiring.NewScaled(.3), 3: semiring.NewScaled(.1)}
	v := []float64{2: 1, 3: 0}
	count, change := make([]float64, 4), make([]float64, 4)
	_, err := twoWays().HessianVector(0, table, v, 1, count, change, new(batch.Scratch))
	fmt.Printf("%.2f %.4f %v\n", count[2:], change[2:], err)
	// Output: [0.75 0.25] [0.1875 -0.1875] <nil>
}

// Parts of a corpus are compiled one by one, into batches without spare capacity.
func ExampleBatch_Clone() {
	var parts []*batch.Batch
	var b batch.Batch
	for range 2 {
		for range 3 {
			b.AppendItem(twoWays(), 0)
		}
		parts = append(parts, b.Clone())
		b.Reset()
	}
	fmt.Println(len(parts), "parts of", parts[0].Len(), "graphs and", parts[0].NumEdges(), "edges")
	// Output: 2 parts of 3 graphs and 6 edges
}

// The posterior of a hidden variable per column: which of two causes, with priors ¼ and ¾, each
// column has.
func ExampleLanes_CountsByLane() {
	// Nodes 0 and 1 are the leaves, the probability of a column given each cause.
	f, err := forest.New(handles{}, []int32{0, 0, 0, 2}, []int32{0, 1, 2}, []int32{0, 1}, []int32{2, 3},
		[]forest.Root[int32]{{Node: 2, Weight: 1}})
	if err != nil {
		panic(err)
	}
	l, err := batch.NewLanes(f, []int32{0, 1})
	if err != nil {
		panic(err)
	}
	table := []semiring.ScaledFloat{1: semiring.NewScaled(1), 2: semiring.NewScaled(.25), 3: semiring.NewScaled(.75)}
	leaf := [][]float64{{.6, .1}, {.2, .1}} // of two columns
	total, posterior := make([]semiring.ScaledFloat, 2), [][]float64{2: make([]float64, 2), 3: nil}
	err = l.CountsByLane(table, leaf, 0, 2, posterior, total, new(batch.LanesScratch))
	fmt.Printf("the first cause: %.2f, %v\n", posterior[2], err)
	// Output: the first cause: [0.50 0.25], <nil>
}
