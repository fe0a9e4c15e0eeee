package cascade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
)

// positive is the law of weights that may be any positive numbers.
type positive struct{ logarithms }

func (positive) Start(theta []float64) {
	for i := range theta {
		theta[i] = .5
	}
}

func (positive) Random([]float64, rand.Source) {}

func (positive) Maximize(_, _ []float64) error { return em.ErrMethod }

// TestRefusedTrial: strings over one symbol, each of weight wⁿ, are normalized by their
// sum, 1/(1 − w), if w < 1. The search for the best w, close to 1, goes too far and
// comes back.
func TestRefusedTrial(t *testing.T) {
	params := em.NewParams()
	g := params.Group("w", 1, positive{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, k.One())
	m.AddArc(s, arc(a, a, g.Weight(0), s))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	const length = 200
	x := make([]int32, length)
	for i := range x {
		x[i] = a
	}
	l, err := problem.NormalizedLikelihood(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(x...)}}})
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	var logged bytes.Buffer
	observe := em.LogTo(slog.New(slog.NewJSONHandler(&logged, nil)))
	r, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Tolerance: 1e-12, Observer: func(e em.Event) {
		if math.IsInf(e.Objective, -1) && e.Step == em.RejectedStep {
			refused++
		}
		observe(e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := length / (length + 1.); math.Abs(r.Theta[0]-want) > 1e-8 || refused == 0 {
		t.Errorf("w is %.12f after %d refused trials, want %.12f", r.Theta[0], refused, want)
	}
	// Every event is a line of JSON that says what it can.
	lines := bytes.Split(bytes.TrimSpace(logged.Bytes()), []byte("\n"))
	if len(lines) != r.Iterations() {
		t.Errorf("%d lines for %d iterations", len(lines), r.Iterations())
	}
	for i, line := range lines {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil || v["iteration"] != float64(i) || v["method"] != "L-BFGS" {
			t.Errorf("line %d is %s (%v)", i, line, err)
		}
		for key, value := range v {
			if text, ok := value.(string); ok && bytes.Contains([]byte(text), []byte("ERROR")) {
				t.Errorf("line %d: %s is %s", i, key, text)
			}
		}
	}
}
