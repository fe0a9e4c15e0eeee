package soft_test

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/soft"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Two frames that are a or blank. Which output do they have together?
func Example() {
	one := semiring.NewScaled(1)
	// State 0: the last frame was blank. State 1: it was a.
	ctc := fst.FromArcs(semiring.Scaled{}, map[int32]semiring.ScaledFloat{0: one, 1: one},
		[]fst.Arc[semiring.ScaledFloat]{{In: 2, To: 0, Weight: one}, {In: 1, Out: 1, To: 1, Weight: one}},
		[]fst.Arc[semiring.ScaledFloat]{{In: 1, To: 1, Weight: one}, {In: 2, To: 0, Weight: one}})

	e, err := frames.Probabilities(2, 2, []float64{.4, .6, .4, .6}, nil)
	if err != nil {
		panic(err)
	}
	// A repeated a (label 1, column 0) is written once, a blank (label 2, column 1) not at all.
	reader, err := soft.New(ctc, e.Symbols(), nil)
	if err != nil {
		panic(err)
	}
	var s frames.Scratch // for one goroutine
	best, err := reader.Best(e, &s)
	if err != nil {
		panic(err)
	}
	fmt.Println(best.Out, best.Weight.Float64())

	// The best path writes nothing. But all paths that write a weigh more than that.
	a := fst.FromString(semiring.Scaled{}, []int32{1})
	only, err := soft.New(fst.Compose(ctc, a), e.Symbols(), nil)
	if err != nil {
		panic(err)
	}
	sum, err := only.PathSum(e, &s)
	if err != nil {
		panic(err)
	}
	fmt.Printf("a: %.2f\n", sum.Float64())
	// Output:
	// [] 0.36
	// a: 0.64
}

// The soft string itself, composed with a machine over costs.
func ExampleMachine() {
	e, err := frames.Probabilities(3, 2, []float64{.9, .1, .4, .6, .2, .8}, nil)
	if err != nil {
		panic(err)
	}
	ring := semiring.Tropical{}
	ab := fst.Concat(fst.Plus[semiring.Cost](fst.FromString(ring, []int32{1})), fst.Plus[semiring.Cost](fst.FromString(ring, []int32{2})))
	best, err := fst.BestPaths(fst.Compose(soft.Machine(ring, e), ab), 2, nil)
	if err != nil {
		panic(err)
	}
	for _, p := range best {
		fmt.Printf("%v costs %.3f\n", p.In, float64(p.Weight))
	}
	// Output:
	// [1 2 2] costs 0.839
	// [1 1 2] costs 1.245
}
