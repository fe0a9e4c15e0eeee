package hmm_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
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

// TestSave: models of random topologies, and Gaussian ones, come back with the same
// parameters and score the same, to the bit.
func TestSave(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := randomModel(t, rng, 3, 3)
		text := save(t, m)
		got, _, err := hmm.LoadDiscrete(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if again := save(t, got); again != text || !slices.Equal(got.Theta, m.Theta) {
			t.Errorf("seed %d: saved again it is\n%s\nbut was\n%s", seed, again, text)
		}
		s := randomSequence(rng, 5, 3, 3)
		score := func(m *hmm.Model[int32]) float64 {
			predictor, err := m.Predictor()
			if err != nil {
				t.Fatal(err)
			}
			log, err := predictor.LogProb(s)
			if err != nil {
				t.Fatal(err)
			}
			return log
		}
		if a, b := score(m), score(got); a != b {
			t.Errorf("seed %d: log probability %g, was %g", seed, b, a)
		}
	}
	p := em.NewParams()
	law := em.NewGaussian(2)
	law.Center, law.Prior.Weight = []float64{1, 2}, .5
	e, err := hmm.NewGaussian(p, "g", []int{0, 1, 0}, law)
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 3}, em.Dirichlet{Alpha: 2}, e)
	if err != nil {
		t.Fatal(err)
	}
	m.Theta = p.Random(rand.New(rand.NewPCG(1, 1)))
	text := save(t, m)
	got, _, err := hmm.LoadGaussian(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := save(t, got); again != text {
		t.Errorf("saved again it is\n%s\nbut was\n%s", again, text)
	}
	if _, _, err := hmm.LoadDiscrete(strings.NewReader(text)); !errors.Is(err, hmm.ErrFormat) {
		t.Errorf("other emissions: error %v", err)
	}
}

func TestBadFile(t *testing.T) {
	m, _ := weather(t)
	text := save(t, m)
	swap := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %s in %s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for says, bad := range map[string]string{
		"EOF":          "",
		"format":       swap("hmm 1", "hmm 2"),
		"lists for":    swap(`"States":2`, `"States":1000000000`),
		"law is":       swap(`"law"`, `"flaw"`),
		"symbols for":  swap(`"symbols":3`, `"symbols":1000000000`),
		"distribution": swap(`"of":[0,1]`, `"of":[0,7]`),
		"state 9":      swap(`"Start":[0,1]`, `"Start":[0,9]`),
		"values":       swap(`"theta":[`, `"theta":[0,`),
	} {
		_, _, err := hmm.LoadDiscrete(strings.NewReader(bad))
		if !errors.Is(err, hmm.ErrFormat) || !strings.Contains(err.Error(), says) && says != "distribution" {
			t.Errorf("%s: error %v", says, err)
		}
	}
	m.Params.Group("more", 1, em.Fixed{})
	m.Theta = append(m.Theta, 1)
	if err := m.Save(new(bytes.Buffer)); !errors.Is(err, hmm.ErrFormat) {
		t.Errorf("another's parameters: error %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	m, _ := weather(f)
	text := save(f, m)
	f.Add(text)
	f.Add(strings.Replace(text, `"discrete"`, `"gaussian"`, 1))
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
	})
}
