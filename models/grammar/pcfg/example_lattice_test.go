package pcfg_test

import (
	"context"
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/grammar/pcfg"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// What was said, if some words were heard as others? The grammar stands in front of a channel
// whose one parameter, how often words are heard right, is trained with it. A noun phrase may
// become itself, and so sentences have derivations without number.
func ExamplePredictor_Decode() {
	rule := func(weight float64, left, right string) pcfg.Rule {
		return pcfg.Rule{Left: left, Right: strings.Fields(right), Weight: weight}
	}
	g, err := pcfg.New("S", []pcfg.Rule{
		rule(1, "S", "NP V"), rule(1, "NP", "NP"), rule(3, "NP", "D N"),
		rule(1, "D", "the"), rule(1, "N", "dog"), rule(1, "N", "cat"), rule(1, "V", "barks"), rule(1, "V", "sleeps"),
	}, em.Multinomial{})
	if err != nil {
		fmt.Println(err)
		return
	}
	hearing := g.Params.Group("hearing", 2, em.Multinomial{}) // right, wrong
	g.Theta = g.Params.Start()
	space := g.Params.Space()
	wrong := space.Times(hearing.Weight(1), space.Const(semiring.NewScaled(1./4)))
	var data pcfg.Data
	for _, heard := range []string{"the dog barks", "the dog sleeps", "the cat sleeps", "the dog barks", "cat dog barks", "the cat the"} {
		words := strings.Fields(heard)
		b := fst.NewBuilder(space)
		b.AddStates(len(words) + 1)
		b.AddStart(0, expr.One)
		b.SetFinal(int32(len(words)), expr.One)
		for i, w := range words {
			for _, said := range []string{"the", "dog", "cat", "barks", "sleeps"} {
				a := fst.Arc[expr.W]{To: int32(i + 1), Weight: wrong}
				if a.In, _ = g.Symbols().Find(said); said == w {
					a.Weight = hearing.Weight(0)
				}
				b.AddArc(int32(i), a)
			}
		}
		lattice, err := b.Freeze()
		if err != nil {
			fmt.Println(err)
			return
		}
		data.Lattices = append(data.Lattices, lattice)
	}
	if _, err := g.Fit(context.Background(), data, nil); err != nil {
		fmt.Println(err)
		return
	}
	p, err := g.Predictor()
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, _, err := p.Decode(data.Lattices[5])
	fmt.Printf("heard right: %.2f; the last: %v %v\n", hearing.In(g.Theta)[0], tree, err)
	// Output:
	// heard right: 0.87; the last: (S (NP (D the) (N cat)) (V barks)) <nil>
}
