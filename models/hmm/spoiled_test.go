package hmm_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/spoiled"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/hmm"
)

// answers asks a model all questions about sequences. Each has a valid answer or an error that
// says that there is none.
func answers[O any](t *testing.T, what string, m *hmm.Model[O], data []hmm.Sequence[O], density bool) {
	t.Helper()
	p, err := m.Predictor()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	none := func(err error) bool { return errors.Is(err, em.ErrUnderivable) || errors.Is(err, em.ErrInvalid) }
	for _, s := range data {
		if x, err := p.LogProb(s); err != nil && !none(err) || math.IsNaN(x) || x > 0 && !density || math.IsInf(x, 1) {
			t.Errorf("%s: ln P is %g, error %v", what, x, err)
		}
		if path, x, err := p.Best(s); err != nil && !none(err) || err == nil && (len(path) != len(s.Observations) || math.IsNaN(x) || x > 0 && !density) {
			t.Errorf("%s: best states %v, ln P is %g, error %v", what, path, x, err)
		}
		for name, ask := range map[string]func(hmm.Sequence[O]) ([][]float64, error){"posteriors": p.Posteriors, "filter": p.Filter} {
			rows, err := ask(s)
			if err != nil && !none(err) {
				t.Errorf("%s: %s: %v", what, name, err)
			}
			for _, row := range rows {
				sum := 0.0
				for _, x := range row {
					if sum += x; !(x >= 0 && x <= 1) {
						t.Errorf("%s: %s: %v", what, name, row)
					}
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Errorf("%s: %s sum to %.17g", what, name, sum)
				}
			}
		}
	}
	if s, err := p.Sample(9, rand.NewPCG(1, 1)); err != nil && !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("%s: sample %v, error %v", what, s, err)
	}
	shares, err := m.Stationary()
	if err != nil && !errors.Is(err, hmm.ErrReducible) && !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("%s: stationary: %v", what, err)
	}
	for _, x := range shares {
		if !(x >= 0 && x <= 1) {
			t.Errorf("%s: stationary %v", what, shares)
		}
	}
}

// TestLoadSpoiled: a model file that was changed in one place is refused, or its model can be
// saved and read again and answers all questions.
func TestLoadSpoiled(t *testing.T) {
	loaded := 0
	for seed := range trials.Seeds(12) {
		rng := rand.New(rand.NewPCG(seed, 8))
		text := []byte(save(t, randomModel(t, rng, 3, 3)))
		var data []hmm.Sequence[int32]
		for range 3 {
			data = append(data, randomSequence(rng, 5, 3, 3))
		}
		ask := func(what string, text []byte) {
			m, _, err := hmm.LoadDiscrete(bytes.NewReader(text))
			if err != nil {
				if !errors.Is(err, hmm.ErrFormat) {
					t.Errorf("seed %d, %s: error %v", seed, what, err)
				}
				return
			}
			loaded++
			if _, _, err := hmm.LoadDiscrete(strings.NewReader(save(t, m))); err != nil {
				t.Errorf("seed %d, %s: saved again: %v", seed, what, err)
			}
			answers(t, what, m, data, false)
		}
		for what, changed := range spoiled.JSON(text) {
			ask(what, changed)
		}
		for what, changed := range spoiled.Bytes(text, 300, rng) {
			ask(what, changed)
		}
	}
	if loaded < 500 {
		t.Errorf("%d models loaded", loaded)
	}
}

// TestLoadGaussianSpoiled is TestLoadSpoiled for densities.
func TestLoadGaussianSpoiled(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	params := em.NewParams()
	law := em.NewGaussian(2)
	law.Prior.Weight = .5
	e, err := hmm.NewGaussian(params, "g", []int{0, 1, 0}, law)
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 3}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	m.Theta = params.Random(rng)
	data := []hmm.Sequence[[]float64]{{Observations: [][]float64{{1, 2}, nil, {-1, .5}}}, {Observations: [][]float64{{30, -40}}}}
	text, loaded := []byte(save(t, m)), 0
	ask := func(what string, text []byte) {
		m, _, err := hmm.LoadGaussian(bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, hmm.ErrFormat) {
				t.Errorf("%s: error %v", what, err)
			}
			return
		}
		loaded++
		if _, _, err := hmm.LoadGaussian(strings.NewReader(save(t, m))); err != nil {
			t.Errorf("%s: saved again: %v", what, err)
		}
		answers(t, what, m, data, true)
	}
	for what, changed := range spoiled.JSON(text) {
		ask(what, changed)
	}
	for what, changed := range spoiled.Bytes(text, 2000, rng) {
		ask(what, changed)
	}
	if loaded < 100 {
		t.Errorf("%d models loaded", loaded)
	}
}

// TestSaveRows: rows may be numbered in any order, also where two states share one.
func TestSaveRows(t *testing.T) {
	for _, row := range [][]int{{1, 0, 2}, {2, 1, 0}, {1, 1, 0}, {0, 1, 0}} {
		params := em.NewParams()
		e, err := hmm.NewDiscrete(params, "symbols", 2, hmm.Each(3), em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := hmm.New(params, hmm.Topology{States: 3, Row: row}, em.Multinomial{}, e)
		if err != nil {
			t.Fatal(err)
		}
		m.Theta = params.Random(rand.New(rand.NewPCG(1, 1)))
		got, _, err := hmm.LoadDiscrete(strings.NewReader(save(t, m)))
		if err != nil {
			t.Errorf("%v: %v", row, err)
			continue
		}
		for i := range 3 {
			for j := range 3 {
				if a, b := got.Transition(i, j), m.Transition(i, j); a != b {
					t.Errorf("%v: transition from %d to %d is %g, was %g", row, i, j, a, b)
				}
			}
		}
	}
}
