package edit

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// near is a feature of what is replaced by its neighbour in the alphabet.
func near(e Edit) []em.Feature {
	switch {
	case e.Source == fst.Epsilon:
		return nil
	case e.Target == fst.Epsilon:
		return []em.Feature{{Name: "delete"}}
	case e.Source == e.Target:
		return []em.Feature{{Name: "keep"}}
	case e.Source == e.Target+1 || e.Target == e.Source+1:
		return []em.Feature{{Name: "replace"}, {Name: "near"}}
	}
	return []em.Feature{{Name: "replace"}}
}

// mixed returns a contextual and a featured model, trained on random pairs over 1, 2, 3, and
// other pairs.
func mixed(t *testing.T, seed uint64) (contextual, featured *Model, held []Pair) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	alphabet := []int32{1, 2, 3}
	draw := func() []int32 {
		x := make([]int32, 1+rng.IntN(4))
		for i := range x {
			x[i] = 1 + rng.Int32N(3)
		}
		return x
	}
	var pairs []Pair
	for i := range 40 {
		x := draw()
		y := slices.Clone(x)
		y[rng.IntN(len(y))] = 1 + rng.Int32N(3)
		if p := (Pair{Source: x, Target: y}); i < 20 {
			pairs = append(pairs, p)
		} else {
			held = append(held, p)
		}
	}
	c, err := NewContextual(alphabet, pairs, &ContextOptions{Prior: 5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Fit(t.Context(), pairs, &em.Options{Iterations: 3}); err != nil {
		t.Fatal(err)
	}
	f, err := NewFeatured(alphabet, alphabet, near, em.LogLinearOptions{Sigma: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Fit(t.Context(), asExamplesOf(pairs), &em.Options{Iterations: 3}); err != nil {
		t.Fatal(err)
	}
	return &c.Model, f, held
}

// logProb returns ln p(y | x) by m.
func logProb(t *testing.T, m *Model, x, y []int32) float64 {
	t.Helper()
	p, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.LogProb(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestMixture: a mixture has the probabilities of its models, by the weights that EM by hand
// finds, and is saved with them.
func TestMixture(t *testing.T) {
	a, b, held := mixed(t, 1)
	for _, models := range [][]*Model{{a, b}, {b, a}, {b, b}, {a}} {
		m, err := NewMixture(models...)
		if err != nil {
			t.Fatal(err)
		}
		const iterations = 5
		var data cascade.Data
		for _, p := range held {
			x, ok := m.Labels(p.Source)
			if !ok {
				t.Fatalf("no labels of %v", p.Source)
			}
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(p.Target...)})
		}
		r, err := m.Fit(t.Context(), data, &em.Options{Iterations: iterations, Tolerance: -1})
		if err != nil {
			t.Fatal(err)
		}
		probs := make([][]float64, len(held))
		for i, e := range held {
			for _, c := range models {
				probs[i] = append(probs[i], math.Exp(logProb(t, c, e.Source, e.Target)))
			}
		}
		lambda := make([]float64, len(models))
		for k := range lambda {
			lambda[k] = 1 / float64(len(models))
		}
		for range iterations {
			counts := make([]float64, len(models))
			for _, p := range probs {
				sum := 0.0
				for k := range p {
					sum += lambda[k] * p[k]
				}
				for k := range p {
					counts[k] += lambda[k] * p[k] / sum / float64(len(held))
				}
			}
			lambda = counts
		}
		var saved bytes.Buffer
		if err := m.Save(&saved); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(&saved)
		if err != nil {
			t.Fatal(err)
		}
		for k := range lambda {
			if math.Abs(r.Theta[k]-lambda[k]) > 1e-12 {
				t.Errorf("weights %v, by hand %v", r.Theta, lambda)
			}
		}
		for i, e := range held[:5] {
			want := 0.0
			for k := range lambda {
				want += lambda[k] * probs[i][k]
			}
			for _, m := range []*Model{m, loaded} {
				if got := math.Exp(logProb(t, m, e.Source, e.Target)); math.Abs(got-want) > 1e-12*want {
					t.Errorf("probability %g, want %g", got, want)
				}
			}
		}
	}
}

// TestFeatured: edits with the same features are equally probable, the ones of a symbol sum
// to 1, and the likelihood is greater than that of strengths nearby.
func TestFeatured(t *testing.T) {
	_, m, _ := mixed(t, 1)
	p, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	prob := func(x, y int32) float64 { return p.Prob(Edit{x, y}) }
	if math.Abs(prob(1, 3)-prob(3, 1)) > 1e-15 || math.Abs(prob(2, 1)-prob(2, 3)) > 1e-15 || math.Abs(prob(1, 1)-prob(3, 3)) > 1e-15 || prob(1, 2) == prob(1, 3) || prob(0, 1) != prob(0, 3) {
		t.Errorf("1:2 %g, 1:3 %g, 3:1 %g, 0:1 %g, 0:3 %g", prob(1, 2), prob(1, 3), prob(3, 1), prob(0, 1), prob(0, 3))
	}
	insert := prob(0, 1) + prob(0, 2) + prob(0, 3)
	if sum := insert + prob(2, 0) + prob(2, 1) + prob(2, 2) + prob(2, 3); math.Abs(sum-1) > 1e-12 {
		t.Errorf("insertions and what becomes of 2 sum to %g", sum)
	}
}

// TestFeaturedOfEach: with a feature for each edit, probabilities are free, and EM goes the way
// of NewConditional.
func TestFeaturedOfEach(t *testing.T) {
	_, _, held := mixed(t, 1)
	alphabet := []int32{1, 2, 3}
	each := func(e Edit) []em.Feature { return []em.Feature{{Name: fmt.Sprint(e)}} }
	f, err := NewFeatured(alphabet, alphabet, each, em.LogLinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewConditional(alphabet, alphabet, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	var objectives [2][]float64
	for i, m := range []*Model{f, c} {
		r, err := m.Fit(t.Context(), asExamplesOf(held), &em.Options{Iterations: 4, Tolerance: -1})
		if err != nil {
			t.Fatal(err)
		}
		objectives[i] = r.Objective
	}
	for i, want := range objectives[1] {
		if got := objectives[0][i]; math.Abs(got-want) > 1e-5*math.Abs(want) {
			t.Errorf("iteration %d: %g, want %g", i, got, want)
		}
	}
}

// asExamplesOf returns pairs as data.
func asExamplesOf(pairs []Pair) cascade.Data {
	var data cascade.Data
	for _, p := range pairs {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(p.Source...), Y: cascade.Labels(p.Target...)})
	}
	return data
}

// TestCorrectMixture: a mixture finds each word once, with the probability of all its models,
// and Rank ranks words as Best does.
func TestCorrectMixture(t *testing.T) {
	a, b, held := mixed(t, 1)
	m, err := NewMixture(a, b)
	if err != nil {
		t.Fatal(err)
	}
	var words []Word
	for _, p := range held {
		if !slices.ContainsFunc(words, func(w Word) bool { return slices.Equal(w.Labels, p.Source) }) {
			words = append(words, Word{p.Source, 1 + float64(len(words))})
		}
	}
	c, err := NewCorrector(m, words, &CorrectorOptions{CandidateModel: b, Width: 1 << 20, Margin: 1e6, Prune: 1e-300, Candidates: len(words)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range held {
		found, err := c.Best(t.Context(), p.Target, len(words)+1)
		if err != nil || len(found) != len(words) {
			t.Fatalf("%d words of %d, %v", len(found), len(words), err)
		}
		for _, f := range found {
			if want := logProb(t, m, words[f.Word].Labels, p.Target) + math.Log(words[f.Word].Weight); math.Abs(f.LogProb-want) > 1e-9 {
				t.Errorf("word %d scores %g, want %g", f.Word, f.LogProb, want)
			}
		}
		ranked, err := c.Rank(t.Context(), p.Target, []int{found[2].Word, found[0].Word})
		if err != nil || len(ranked) != 2 || !reflect.DeepEqual(ranked[0], found[0]) || !reflect.DeepEqual(ranked[1], found[2]) {
			t.Errorf("ranked %v, %v, of %v", ranked, err, found[:3])
		}
	}
	if ranked, err := c.Rank(t.Context(), held[0].Target, nil); len(ranked) != 0 || err != nil {
		t.Errorf("no words are ranked %v, %v", ranked, err)
	}
	if _, err := c.Rank(t.Context(), make([]int32, c.Longest()+1), []int{0}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a string that is too long: %v", err)
	}
	if _, err := c.Rank(t.Context(), held[0].Target, []int{1, 1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a word twice: %v", err)
	}
}
