package agree_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Combinations of submodels have the same bits with and without a dropped machine whose sum
// diverges if the first parameter is at least ½.
func TestUnused(t *testing.T) {
	const symbols = 2
	theta := []float64{.9, .1, 1, 1}
	steps := map[string]string{}
	for _, dropped := range []bool{false, true} {
		params := em.NewParams()
		g, marks := params.Group("g", symbols, em.Multinomial{}), params.Group("marks", symbols, em.Fixed{})
		space := params.Space()
		if dropped {
			two := space.Times(space.Const(semiring.NewScaled(2)), g.Weight(0))
			loop := fst.OneState(space, expr.One, fst.Arc[expr.W]{In: 1, Out: 1, Weight: two})
			if _, err := fst.Expand(cascade.Normalize(loop), nil); err != nil {
				t.Fatal(err)
			}
		}
		b := fst.NewBuilder(space)
		b.AddStates(2)
		b.AddStart(0, expr.One)
		b.SetFinal(1, expr.One)
		for k := range symbols {
			b.AddArc(0, fst.Arc[expr.W]{In: int32(k + 1), Out: int32(k + 1), Weight: space.Times(g.Weight(k), marks.Weight(k)), To: 1})
		}
		machine, err := b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}
		data := cascade.Data{Examples: make([]cascade.Example, 2)}
		data.Examples[0].X = cascade.Labels(1)
		step := func(name string, l em.Likelihood, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			e, err := l.Expect(context.Background(), em.Query{Theta: theta})
			if err != nil {
				t.Errorf("%s, dropped %v: %v", name, dropped, err)
				return
			}
			var print strings.Builder
			l.Fingerprint(&print)
			got := fmt.Sprintf("%x %x %x", e.LogLikelihood, e.Counts, print.String())
			if !dropped {
				steps[name] = got
			} else if steps[name] != got {
				t.Errorf("%s: %s, want %s", name, got, steps[name])
			}
		}
		var submodels []agree.Submodel
		for range 2 {
			corpus, err := problem.Corpus(data)
			if err != nil {
				t.Fatal(err)
			}
			// The potentials are not weights of the machine.
			s, err := agree.Marked(corpus, agree.Features{Marks: marks, Shared: []*em.Group{g},
				Potential: func(_, k int) expr.W { return space.Times(g.Weight(k), expr.One) }})
			if err != nil {
				t.Fatal(err)
			}
			submodels = append(submodels, s)
		}
		averaged, err := agree.Averaged(em.Fail, submodels...)
		step("averaged", averaged, err)
		product, err := agree.ProductOfPosteriors(em.Fail, submodels...)
		step("product", product, err)
		loopy, err := agree.LoopyBelief(em.Fail, nil, submodels...)
		step("loopy", loopy, err)
		exact, err := agree.Exact([]cascade.Data{data, data}, problem, problem)
		step("exact", exact, err)
	}
}

// A potential without a value at θ is an error, which names it.
func TestPotentialWithoutValue(t *testing.T) {
	params := em.NewParams()
	g, marks := params.Group("g", 1, em.Fixed{}), params.Group("marks", 1, em.Fixed{})
	space := params.Space()
	machine := fst.OneState(space, expr.One, fst.Arc[expr.W]{In: 1, Out: 1, Weight: space.Times(g.Weight(0), marks.Weight(0))})
	corpus, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.Corpus(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
	if err != nil {
		t.Fatal(err)
	}
	star, _ := space.Star(g.Weight(0))
	s, err := agree.Marked(corpus, agree.Features{Marks: marks, Shared: []*em.Group{g}, Potential: func(int, int) expr.W { return star }})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Begin(em.Query{Theta: []float64{1, 1}})
	if err == nil || !strings.Contains(err.Error(), "star(g[0])") {
		t.Errorf("error %v, want one that names star(g[0])", err)
	}
}
