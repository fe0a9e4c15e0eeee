package graph_test

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A casino now and then swaps its fair die for a loaded one, which shows a six every
// other time. Which die was it, and how often was it swapped?
func ExampleTrellis() {
	scaled := func(p ...float64) (w []semiring.ScaledFloat) {
		for _, x := range p {
			w = append(w, semiring.NewScaled(x))
		}
		return w
	}
	ring := semiring.Scaled{}
	swap, err := graph.NewBlock(ring, 2, 2, scaled(
		.9, .1, // from the fair die
		.2, .8)) // from the loaded one
	if err != nil {
		panic(err)
	}
	six, other := scaled(1./6, .5), scaled(1./6, .1)
	t, err := graph.NewTrellis(ring, scaled(.5, .5), []*graph.Block[semiring.ScaledFloat]{swap},
		[]int32{0, 0, 0, 0}, [][]semiring.ScaledFloat{other, other, six, six, six}, nil)
	if err != nil {
		panic(err)
	}
	p, err := t.Posteriors(new(graph.TrellisScratch[semiring.ScaledFloat]))
	if err != nil {
		panic(err)
	}
	fmt.Printf("likelihood %.3g\n", p.Total.Float64())
	for layer, first := range t.Layers()[:t.NumLayers()] {
		fmt.Printf("throw %d: loaded with probability %.2f\n", layer, p.Node[first+1])
	}
	fmt.Printf("swaps: %.2f to the loaded die, %.2f to the fair one\n", p.Block[0][1], p.Block[0][2])

	// The three best sequences of dice, in a ring that maximizes.
	g, err := t.Graph()
	if err != nil {
		panic(err)
	}
	best, err := graph.BestPaths(graph.Map(g, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }))
	if err != nil {
		panic(err)
	}
	n := 0
	for path := range best {
		dice := []int32{path.Start}
		for layer, arc := range path.Arcs {
			dice = append(dice, g.To()[arc]-t.Layers()[layer+1])
		}
		fmt.Printf("%v: %.3f\n", dice, path.Weight.Div(p.Total).Float64())
		if n++; n == 3 {
			break
		}
	}
	// Output:
	// likelihood 0.000594
	// throw 0: loaded with probability 0.54
	// throw 1: loaded with probability 0.60
	// throw 2: loaded with probability 0.80
	// throw 3: loaded with probability 0.85
	// throw 4: loaded with probability 0.83
	// swaps: 0.44 to the loaded die, 0.16 to the fair one
	// [1 1 1 1 1]: 0.431
	// [0 0 1 1 1]: 0.168
	// [0 1 1 1 1]: 0.090
}
