package crf_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/crf"
)

var kinds = []crf.Kind{crf.Chain, crf.Node, crf.MEMM}

// labeled is a sequence: the attributes of its positions, and labels.
type labeled struct {
	attributes [][]attribute
	labels     []string
}

type attribute struct {
	name  string
	value float64
}

func (s labeled) features(t int, a *crf.Attributes) {
	for _, x := range s.attributes[t] {
		a.AddValue(x.value, x.name[:1], x.name[1:])
	}
}

var names = []string{"a0", "a1", "a2", "a3", "a4", "b0", "b1", "b2", "b3", "b4"}

func randomSequence(r *rand.Rand, labels, length int) labeled {
	var s labeled
	for range length {
		var at []attribute // some of them twice
		for range r.IntN(4) {
			at = append(at, attribute{names[r.IntN(len(names))], math.Round(8*r.NormFloat64()) / 4})
		}
		s.attributes = append(s.attributes, at)
		s.labels = append(s.labels, fmt.Sprintf("L%d", r.IntN(labels)))
	}
	return s
}

// randomData returns data with up to the given numbers of labels and sequences; some sequences
// are empty.
func randomData(r *rand.Rand, labels, sequences, length int) ([]labeled, *crf.Data) {
	all := []labeled{randomSequence(r, labels, 1)}
	for range r.IntN(sequences) {
		all = append(all, randomSequence(r, labels, r.IntN(length+1)))
	}
	return all, collect(all)
}

func collect(all []labeled) *crf.Data {
	d := crf.NewData()
	for _, s := range all {
		if err := d.Add(s.labels, s.features); err != nil {
			panic(err)
		}
	}
	return d
}

// likelihood is one of the data that its model is made for.
type likelihood struct {
	*crf.Likelihood
	model *crf.Model
}

func newLikelihood(kind crf.Kind, d *crf.Data, priors em.LogLinearOptions) (likelihood, error) {
	m, err := crf.New(kind, d, priors)
	if err != nil {
		return likelihood{}, err
	}
	l, err := m.Likelihood(d)
	return likelihood{l, m}, err
}

// at returns the model with the weights theta.
func (l likelihood) at(theta []float64) (*crf.Predictor, error) {
	l.model.Theta = theta
	return l.model.Predictor()
}

// random returns a likelihood and its weights; some weights are 0.
func random(t testing.TB, r *rand.Rand, kind crf.Kind, d *crf.Data) (likelihood, []float64) {
	t.Helper()
	l, err := newLikelihood(kind, d, em.LogLinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	theta := make([]float64, l.Params().Len())
	for i := range theta {
		if r.IntN(5) > 0 {
			theta[i] = r.NormFloat64()
		}
	}
	return l, theta
}

func expect(t testing.TB, l em.Likelihood, q em.Query) *em.Expectations {
	t.Helper()
	e, err := l.Expect(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}
