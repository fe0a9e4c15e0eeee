package crf_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/spoiled"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/semiring"
)

// byLabelings returns ln P of each labeling of attributes, one per position, from the weights that a
// model says it has.
func byLabelings(p *crf.Predictor, attributes []string) (labelings [][]string, logs []float64) {
	labels := p.Labels()
	local := func(t int, before, y string) float64 {
		w := p.Weight(attributes[t], y)
		if t > 0 {
			w += p.Transition(before, y)
		}
		return w
	}
	logSum := func(x []float64) float64 {
		top, sum := slices.Max(x), 0.0
		for _, v := range x {
			sum += math.Exp(v - top)
		}
		return top + math.Log(sum)
	}
	var follow func(y []string, log float64)
	follow = func(y []string, log float64) {
		t := len(y)
		if t == len(attributes) {
			labelings, logs = append(labelings, slices.Clone(y)), append(logs, log)
			return
		}
		before := ""
		if t > 0 {
			before = y[t-1]
		}
		w := make([]float64, len(labels))
		for i, l := range labels {
			w[i] = local(t, before, l)
		}
		z := 0.0
		if p.Kind() == crf.MEMM {
			z = logSum(w)
		}
		for i, l := range labels {
			follow(append(y[:t:t], l), log+w[i]-z)
		}
	}
	follow(nil, 0)
	all := logSum(logs)
	for i := range logs {
		logs[i] -= all
	}
	return labelings, logs
}

// TestLoadSpoiled: a model file that was changed in one place is refused, or the model has the
// probabilities that its weights have by enumeration of all labelings.
func TestLoadSpoiled(t *testing.T) {
	loaded, compared := 0, 0
	attributes := []string{"x", "y", "x"}
	f := crf.Names([]string{"x"}, []string{"y"}, []string{"x"})
	ask := func(what string, text []byte) {
		p, err := crf.Load(bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, crf.ErrFormat) || p != nil {
				t.Errorf("%s: %v, error %v, want one that wraps %v", what, p, err, crf.ErrFormat)
			}
			return
		}
		loaded++
		var again bytes.Buffer
		if err := p.Save(&again); err != nil {
			t.Errorf("%s: save: %v", what, err)
		}
		if _, err := crf.Load(&again); err != nil {
			t.Errorf("%s: saved again: %v", what, err)
		}
		rows, err := p.Posteriors(3, f)
		if err != nil {
			if !errors.Is(err, semiring.ErrNotFinite) {
				t.Errorf("%s: %v", what, err)
			}
			return
		}
		labelings, logs := byLabelings(p, attributes)
		largest := 1.0
		for _, y := range p.Labels() {
			for _, a := range []string{"x", "y"} {
				largest = max(largest, math.Abs(p.Weight(a, y)))
			}
			for _, z := range p.Labels() {
				largest = max(largest, math.Abs(p.Transition(y, z)))
			}
		}
		if largest > 1e6 {
			largest = math.Inf(1) // differences of weights have no digits left to compare
		}
		want := make([][]float64, 3)
		for k := range want {
			want[k] = make([]float64, len(p.Labels()))
		}
		best := math.Inf(-1)
		for i, y := range labelings {
			got, err := p.LogProb(y, f)
			if err != nil || !(got <= 0) || math.Abs(got-logs[i]) > 1e-12*largest {
				t.Errorf("%s: ln P of %v is %g, error %v, want %g", what, y, got, err, logs[i])
			}
			best = max(best, got)
			for k, l := range y {
				want[k][slices.Index(p.Labels(), l)] += math.Exp(logs[i])
			}
		}
		for k, row := range rows {
			for i, x := range row {
				if !(x >= 0 && x <= 1) || math.Abs(x-want[k][i]) > 1e-11*largest {
					t.Errorf("%s: posterior %d of position %d is %.17g, want %.17g", what, i, k, x, want[k][i])
				}
			}
		}
		y, err := p.Best(3, f)
		if err != nil {
			t.Errorf("%s: best: %v", what, err)
			return
		}
		if log, err := p.LogProb(y, f); err != nil || !(log >= best-1e-12*largest) {
			t.Errorf("%s: best %v has ln P %g, error %v, want %g", what, y, log, err, best)
		}
		compared++
	}
	for _, text := range []string{
		good, strings.Replace(good, `"kind":"crf"`, `"kind":"memm"`, 1),
		strings.Replace(strings.Replace(good, `"kind":"crf"`, `"kind":"node"`, 1), "[0,1,2,3]", "[]", 1),
	} {
		ask("as it was", []byte(text))
		for what, changed := range spoiled.JSON([]byte(text)) {
			ask(what, changed)
		}
		for what, changed := range spoiled.Bytes([]byte(text), 3000, rand.New(rand.NewPCG(1, 2))) {
			ask(what, changed)
		}
	}
	if loaded < 500 || compared < 500 {
		t.Errorf("%d models loaded and %d compared", loaded, compared)
	}
}

// TestNil: a nil argument is refused where it is given, with its name.
func TestNil(t *testing.T) {
	p, err := crf.Load(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	for says, do := range map[string]func(){
		"crf: Posteriors: nil features": func() { p.Posteriors(2, nil) },
		"crf: Best: nil features":       func() { p.Best(2, nil) },
		"crf: LogProb: nil features":    func() { p.LogProb([]string{"A"}, nil) },
		"crf: Trellis: nil features":    func() { p.Trellis(2, nil) },
		"crf: Add: nil features":        func() { crf.NewData().Add([]string{"A"}, nil) },
		"crf: Allow: nil features":      func() { crf.NewData().Allow([]string{"A"}, nil) },
		"crf: New: nil data":            func() { crf.New(crf.Chain, nil, em.LogLinearOptions{}) },
	} {
		func() {
			defer func() {
				if got := recover(); got != says {
					t.Errorf("%v, want %s", got, says)
				}
			}()
			do()
		}()
	}
	if _, err := p.Best(-1, crf.Names()); !errors.Is(err, crf.ErrInvalid) {
		t.Errorf("-1 positions: error %v", err)
	}
}
