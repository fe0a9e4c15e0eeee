package nbest_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// guesses returns a model that gives the targets 1 and 2 of any source these probabilities.
func guesses(one, two float64) nbest.Predictor { return tables{1: {1: one, 2: two}} }

// Two models that disagree. A product asks for what is plausible to both, a mixture for what is
// so to one: √(0.6·0.1) against √(0.4·0.9), and (0.6 + 0.1)/2 against (0.4 + 0.9)/2.
func ExampleNewProduct() {
	ctx, x := context.Background(), []int32{1}
	a, b := guesses(.6, .4), guesses(.1, .9)
	one, other := nbest.Factor{Predictor: a, Weight: .5}, nbest.Factor{Predictor: b, Weight: .5}
	both, err := nbest.NewProduct(one, other)
	if err != nil {
		log.Fatal(err)
	}
	list, err := both.Best(ctx, x, 10)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		fmt.Printf("%d: %.2f\n", c.Labels, c.Prob())
	}
	// Output:
	// [2]: 0.60
	// [1]: 0.24
}

// The mean of the same two models: one of them is right, and nobody says which.
func ExampleNewMixture() {
	a, b := guesses(.6, .4), guesses(.1, .9)
	mixture, err := nbest.NewMixture(nbest.Factor{Predictor: a, Weight: .5}, nbest.Factor{Predictor: b, Weight: .5})
	if err != nil {
		log.Fatal(err)
	}
	list, err := mixture.Best(context.Background(), []int32{1}, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		fmt.Printf("%d: %.2f\n", c.Labels, c.Prob())
	}
	// Output:
	// [2]: 0.65
	// [1]: 0.35
}

// spellings returns a lattice of three words. One of them, “cat”, has two paths.
func spellings() *nbest.Lattice {
	var paths []fst.Path[semiring.ScaledFloat]
	for _, w := range []struct {
		word string
		p    float64
	}{{"cat", .2}, {"bat", .3}, {"bar", .3}, {"cat", .2}} {
		s := fst.RuneLabels(w.word)
		paths = append(paths, fst.Path[semiring.ScaledFloat]{In: s, Out: s, Weight: semiring.NewScaled(w.p)})
	}
	f, err := fst.Expand(fst.StringMap(semiring.Scaled{}, paths), nil)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// The best strings of a lattice, each with the sum over its paths.
func ExampleBest() {
	f := spellings()
	list, exact, err := nbest.Best(f.Graph(), f.In(), 2, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		fmt.Printf("%s %.1f %t\n", c.Text(), c.Prob(), exact)
	}
	// Output:
	// cat 0.4 true
	// bat 0.3 true
}

// Letter by letter b is the most probable beginning, and then a and t: the word with the fewest
// letters wrong is not the most probable one.
func ExampleDecode() {
	positions, err := nbest.Posteriors(spellings(), 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("b %.1f, a %.1f, t %.1f\n", positions[0].Symbols['b'], positions[1].Symbols['a'], positions[2].Symbols['t'])
	fmt.Println(string(nbest.Decode(positions)))
	// Output:
	// b 0.6, a 1.0, t 0.7
	// bat
}

// How many letters must be inserted, left out or replaced?
func ExampleEditDistance() {
	d, err := nbest.EditDistance([]rune("kitten"), []rune("sitting"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d)
	// Output: 3
}
