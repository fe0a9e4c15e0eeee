package cascade_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/spoiled"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// TestLoadSpoiled: a model file that was changed in one place is refused, or its model has totals
// and counts that are numbers, and can be saved.
func TestLoadSpoiled(t *testing.T) {
	text := []byte(save(t, savedModel(t)))
	data := cascade.Data{Underivable: em.Skip}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 6 {
		x := cascade.Example{X: cascade.Labels(randomLabels(rng, 3)...), Branches: []cascade.Side{cascade.Labels(randomLabels(rng, 2)...)}}
		data.Examples = append(data.Examples, x)
	}
	loaded := 0
	ask := func(what string, text []byte) {
		m, err := cascade.Load(bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, em.ErrFormat) {
				t.Errorf("%s: error %v, want one that wraps %v", what, err, em.ErrFormat)
			}
			return
		}
		loaded++
		if _, err := cascade.Load(strings.NewReader(save(t, m))); err != nil {
			t.Errorf("%s: saved again: %v", what, err)
		}
		if len(m.Branches) != 1 {
			return // for other data
		}
		totals, err := m.Totals(t.Context(), m.Theta, data)
		if err != nil && !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%s: %v", what, err)
		}
		for _, x := range totals {
			if math.IsNaN(x.Log) || math.IsInf(x.Log, 1) {
				t.Errorf("%s: ln of the sum of example %d is %g", what, x.Index, x.Log)
			}
		}
		if err != nil {
			return
		}
		e, err := likelihood(t, m.Problem, data).Expect(t.Context(), em.Query{Theta: m.Theta})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		for i, c := range append(e.Counts, e.LogLikelihood) {
			if math.IsNaN(c) || math.IsInf(c, 0) {
				t.Errorf("%s: number %d of the counts and the log likelihood is %g", what, i, c)
			}
		}
	}
	for what, changed := range spoiled.JSON(text) {
		ask(what, changed)
	}
	for what, changed := range spoiled.Bytes(text, 500, rng) {
		ask(what, changed)
	}
	if loaded < 500 {
		t.Errorf("%d models loaded", loaded)
	}
}

// TestNegativeWeight: a weight below 0, as an expression for it or as a parameter that is no
// probability, is refused by Save and Load, and a sum below 0 by Totals.
func TestNegativeWeight(t *testing.T) {
	const text = `{"format":"pathsum model 2","groups":[{"name":"g","law":{"kind":"multinomial","value":{}},"theta":[0.5,0.5]}],` +
		`"weights":["$0","$1","1"],"cascade":[{"starts":[[0,2]],"final":[1],"arcs":[[0,1,1,0,0]]}]}`
	if _, err := cascade.Load(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for _, weight := range []string{"-1", "-1*$0", "$0+-2*$1", "$0*-1e-300"} {
		m, err := cascade.Load(strings.NewReader(strings.Replace(text, "$0", weight, 1)))
		if !errors.Is(err, em.ErrFormat) || !errors.Is(err, semiring.ErrNegative) || !strings.Contains(err.Error(), "an arc of state 0") {
			t.Errorf("%s: %v, error %v", weight, m, err)
		}
	}
	for _, weight := range []string{"$0+-1*$1", "star(-1*$0)", "-1*-1*$0", "0"} {
		if _, err := cascade.Load(strings.NewReader(strings.Replace(text, "$0", weight, 1))); err != nil {
			t.Errorf("%s is at least 0: %v", weight, err)
		}
	}
	params := em.NewParams()
	space, g := params.Space(), params.Group("g", 2, em.Multinomial{})
	b := fst.NewBuilder(space)
	b.AddState()
	b.AddStart(0, expr.One)
	b.SetFinal(0, g.Weight(1))
	b.AddArc(0, fst.Arc[weight]{In: 1, Out: 1, Weight: space.Times(space.Const(semiring.NewScaled(-1)), g.Weight(0))})
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	m := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	if err := m.Save(new(bytes.Buffer)); !errors.Is(err, semiring.ErrNegative) {
		t.Errorf("saved: error %v", err)
	}
	totals, err := m.Totals(t.Context(), m.Theta, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
	if !errors.Is(err, semiring.ErrNegative) {
		t.Errorf("totals %v, error %v", totals, err)
	}
}
