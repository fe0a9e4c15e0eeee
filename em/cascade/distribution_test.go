package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// TestDistribution: probabilities of one choice sum to 1 whatever their law, wherever θ is used,
// and after a model was saved; a group that is no distribution need not.
func TestDistribution(t *testing.T) {
	var arcs []fst.Arc[bool]
	for i := range int32(4) {
		arcs = append(arcs, fst.Arc[bool]{In: 1 + i/2, Out: 1 + i%2, Weight: true})
	}
	plain := fst.OneState(semiring.Boolean{}, true, arcs...)
	for name, make := range map[string]func(p *em.Params, law em.Law) (cascade.Stage, error){
		"Joint": func(p *em.Params, law em.Law) (cascade.Stage, error) { return cascade.Joint(p, "f", plain, law), nil },
		"Conditional": func(p *em.Params, law em.Law) (cascade.Stage, error) {
			return cascade.Conditional(p, "f", plain, law), nil
		},
	} {
		params := em.NewParams()
		f, err := make(params, em.Fixed{})
		if err != nil {
			t.Fatal(err)
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
		data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Y: cascade.Labels(2)}}}
		model := cascade.NewModel(problem)
		_, notFitted := model.Fit(context.Background(), data, nil)
		_, unknown := em.LogLikelihood(context.Background(), likelihood(t, problem, data), params.Start())
		_, notMade := cascade.Instantiate(params, f, params.Start(), semiring.Real{})
		notSaved := model.Save(new(bytes.Buffer))
		for i, err := range []error{notFitted, unknown, notMade, notSaved} {
			if !errors.Is(err, em.ErrParameter) {
				t.Fatalf("%s, use %d: error %v, want ErrParameter", name, i, err)
			}
			wantIn(t, err, "group f/0", "distribution", "sum to", "want 1")
		}
		for _, g := range params.Groups() {
			start := g.In(params.Start())
			em.Multinomial{}.Start(start)
			g.SetStart(start)
		}
		model = cascade.NewModel(problem)
		if _, err := model.Fit(context.Background(), data, nil); err != nil {
			t.Errorf("%s, a start of probabilities: %v", name, err)
		}
		text := save(t, &model)
		if _, err := cascade.Load(strings.NewReader(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		loaded, err := cascade.Load(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		loaded.Theta[0] += .1
		if err := loaded.Params.Check(loaded.Theta); !errors.Is(err, em.ErrParameter) {
			t.Errorf("%s, saved: error %v, want ErrParameter", name, err)
		}
	}
	for _, law := range []em.Law{em.Exponents{}, struct{ em.Exponents }{}} {
		exponents := em.NewParams()
		exponents.Group("strengths", 3, law)
		if err := exponents.Check(exponents.Start()); err != nil {
			t.Error(err)
		}
		exponents.Distribution("choice", 3, law)
		wantIn(t, exponents.Check(exponents.Start()), "group choice", "distribution", "sum")
	}
	params := em.NewParams()
	params.Group("anything", 16, em.Fixed{})
	params.Distribution("posterior", 3, em.Variational{Alpha: 1})
	params.Distribution("empty", 0, em.Fixed{})
	if err := params.Check(params.Start()); err != nil {
		t.Error(err)
	}
	choice := params.Distribution("choice", 3, em.Fixed{Values: []float64{.5, .25, .3}})
	wantIn(t, params.Check(params.Start()), "group choice", "1.05")
	theta := params.Start()
	copy(choice.In(theta), []float64{.5, .25, .25})
	if err := params.Check(theta); err != nil {
		t.Error(err)
	}
}
