package grid_test

import (
	"fmt"

	"example.org/pathsum/semiring"
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
