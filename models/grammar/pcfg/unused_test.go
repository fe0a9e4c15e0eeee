package pcfg

import (
	"context"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// An expression without a value that no rule uses moves neither training nor parsing, and a
// lattice may use parameters that no rule has.
func TestUnused(t *testing.T) {
	var want []float64
	var logProb float64
	for _, dropped := range []bool{false, true} {
		g, err := New("S", []Rule{{"S", []string{"S", "S"}, 1}, {"S", []string{"a"}, 2}, {"S", []string{"b"}, 1}}, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		space := g.Params.Space()
		if dropped {
			if _, ok := space.Star(space.Plus(g.weight[0], space.Const(semiring.NewScaled(2)))); !ok {
				t.Fatal("no star")
			}
		}
		heard := g.Params.Group("heard", 2, em.Multinomial{})
		g.Theta = append(g.Theta, .25, .75)
		if _, err := g.Fit(context.Background(), Data{Sentences: [][]string{{"a", "a", "b"}, {"a"}, {"a", "a"}}}, nil); err != nil {
			t.Fatalf("dropped %v: %v", dropped, err)
		}
		p, err := g.Predictor()
		if err != nil {
			t.Fatalf("dropped %v: %v", dropped, err)
		}
		x, err := p.LogProb([]string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		if !dropped {
			want, logProb = g.Theta, x
		} else if !slices.Equal(want, g.Theta) || x != logProb {
			t.Errorf("%v %g, want %v %g", g.Theta, x, want, logProb)
		}
		lattice := fst.NewBuilder(space)
		lattice.AddStates(2)
		lattice.AddStart(0, expr.One)
		lattice.SetFinal(1, expr.One)
		a, b := heard.Weight(0), heard.Weight(1)
		la, _ := g.Symbols().Find("a")
		lb, _ := g.Symbols().Find("b")
		lattice.AddArc(0, fst.Arc[expr.W]{In: la, Out: la, Weight: a, To: 1})
		lattice.AddArc(0, fst.Arc[expr.W]{In: lb, Out: lb, Weight: b, To: 1})
		f, err := lattice.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		if p, err = g.Predictor(); err != nil {
			t.Fatal(err)
		}
		if tree, logProb, err := p.Decode(f); err != nil || !(logProb <= 0) {
			t.Errorf("%v %g %v", tree, logProb, err)
		}
	}
}
