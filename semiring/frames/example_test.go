package frames_test

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Each of two frames is a or blank. How probable is the word "a", and which frames belong to it?
func Example() {
	scaled := func(p ...float64) (w []semiring.ScaledFloat) {
		for _, x := range p {
			w = append(w, semiring.NewScaled(x))
		}
		return w
	}
	const a, blank = 0, 1
	e, err := frames.Probabilities(2, 2, []float64{.4, .6, .4, .6}, nil)
	if err != nil {
		panic(err)
	}
	g, err := frames.New(3, 2, []frames.Arc{
		{From: 0, To: 0, Symbol: blank}, {From: 0, To: 1, Symbol: a}, {From: 1, To: 1, Symbol: a},
		{From: 1, To: 2, Symbol: blank}, {From: 2, To: 2, Symbol: blank}})
	if err != nil {
		panic(err)
	}
	if err := g.SetWeights(frames.Weights{Initial: scaled(1, 0, 0),
		Arc: scaled(1, 1, 1, 1, 1), Final: scaled(0, 1, 1)}); err != nil {
		panic(err)
	}
	gamma := make([]float64, 4)
	total, err := g.Counts(e, 1, frames.Parts{}, gamma, new(frames.Scratch))
	if err != nil {
		panic(err)
	}
	fmt.Printf("probability %.2f\n", total.Float64())
	fmt.Printf("a in frame 0: %.3f, in frame 1: %.3f\n", gamma[0], gamma[2])
	// Output:
	// probability 0.64
	// a in frame 0: 0.625, in frame 1: 0.625
}

// The gradient of a loss, −ln Z, by the scores of a network: softmax − γ.
func ExampleEmissions_Gradient() {
	e, err := frames.Scores(1, 3, []float64{1, 0, 0}, nil)
	if err != nil {
		panic(err)
	}
	one := semiring.NewScaled(1)
	g, err := frames.New(1, 3, []frames.Arc{{Symbol: 1}, {Symbol: 2}}) // anything but symbol 0
	if err != nil {
		panic(err)
	}
	if err := g.SetWeights(frames.Weights{Initial: []semiring.ScaledFloat{one},
		Arc: []semiring.ScaledFloat{one, one}, Final: []semiring.ScaledFloat{one}}); err != nil {
		panic(err)
	}
	gamma, gradient := make([]float64, 3), make([]float64, 3)
	total, err := g.Counts(e, 1, frames.Parts{}, gamma, new(frames.Scratch))
	if err != nil {
		panic(err)
	}
	e.Gradient(gradient, -1, gamma)
	fmt.Printf("loss %.3f, gradient %.3f\n", -total.Log(), gradient)
	// Output:
	// loss 0.858, gradient [0.576 -0.288 -0.288]
}

// A forced alignment: which frames does each letter take?
func ExampleGraph_BestPath() {
	const a, b = 0, 1
	e, err := frames.Probabilities(4, 2, []float64{.9, .1, .8, .2, .3, .7, .1, .9}, nil)
	if err != nil {
		panic(err)
	}
	one, zero := semiring.NewScaled(1), semiring.ScaledFloat{}
	g, err := frames.New(3, 2, []frames.Arc{
		{From: 0, To: 1, Symbol: a}, {From: 1, To: 1, Symbol: a}, {From: 1, To: 2, Symbol: b}, {From: 2, To: 2, Symbol: b}})
	if err != nil {
		panic(err)
	}
	if err := g.SetWeights(frames.Weights{Initial: []semiring.ScaledFloat{one, zero, zero},
		Arc: []semiring.ScaledFloat{one, one, one, one}, Final: []semiring.ScaledFloat{zero, zero, one}}); err != nil {
		panic(err)
	}
	path, err := g.BestPath(e, new(frames.Scratch))
	if err != nil {
		panic(err)
	}
	fmt.Printf("arcs %v, weight %.4f\n", path.Arcs, path.Weight.Float64())
	// Output:
	// arcs [0 1 2 3], weight 0.4536
}
