package hmm_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/models/hmm"
)

func save[O any](t testing.TB, m *hmm.Model[O]) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzLoad(f *testing.F) {
	m, _ := weather(f)
	text := save(f, m)
	f.Add(text)
	f.Add(strings.Replace(text, `"discrete"`, `"gaussian"`, 1))
	f.Add(strings.Replace(text, `"discrete"`, `"poisson"`, 1))
	p := em.NewParams()
	vectors := must(hmm.NewTiedGaussian(p, "x", hmm.Each(4), []int{0, 0, 1, 1}, em.NewGaussian(1, 2)))
	mixture := must(hmm.NewMixture(p, "mix", hmm.Each(2), nil, em.Multinomial{}, vectors))
	f.Add(save(f, must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, mixture))))
	p = em.NewParams()
	symbols := must(hmm.NewDiscrete(p, "symbols", 2, hmm.Each(2), em.Multinomial{}))
	vectors = must(hmm.NewGaussian(p, "x", hmm.Each(2), em.NewGaussian(1)))
	f.Add(save(f, must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, must(hmm.NewProduct(symbols, vectors))))))
	f.Fuzz(func(t *testing.T, text string) {
		var discrete *hmm.Model[int32]
		var gaussian *hmm.Model[[]float64]
		var err error
		memtest.Bound(t, len(text), 800, func() { discrete, _, err = hmm.LoadDiscrete(strings.NewReader(text)) })
		if err == nil {
			save(t, discrete)
		}
		memtest.Bound(t, len(text), 800, func() { gaussian, _, err = hmm.LoadGaussian(strings.NewReader(text)) })
		if err == nil {
			save(t, gaussian)
		}
		var mixed *hmm.Model[[]float64]
		memtest.Bound(t, len(text), 800, func() {
			mixed, _, err = hmm.Load(strings.NewReader(text), hmm.Mixtures(hmm.Gaussians()))
		})
		if err == nil {
			save(t, mixed)
		}
		var pairs *hmm.Model[hmm.Pair[int32, []float64]]
		memtest.Bound(t, len(text), 800, func() {
			pairs, _, err = hmm.Load(strings.NewReader(text), hmm.Products(hmm.Discretes(), hmm.Gaussians()))
		})
		if err == nil {
			save(t, pairs)
		}
		memtest.Bound(t, len(text), 800, func() { discrete, _, err = hmm.Load(strings.NewReader(text), hmm.Poissons()) })
		if err == nil {
			save(t, discrete)
		}
	})
}

// TestSaveRows: rows may be numbered in any order, also if two states share a row.
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
