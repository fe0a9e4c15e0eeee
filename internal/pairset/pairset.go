// Package pairset has sets of models of string pairs that answer together, and trains, saves
// and loads them.
//
// The idea: models of different chunks, or with different reading directions, make different
// errors, so their product makes fewer. Each of them may be a mixture, with a model for each
// hidden class of words; or it may be trained for p(target | source).
package pairset

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/pairgram"
)

// Set has models whose product answers.
type Set struct {
	// Joint are the models. The models of a kind for all classes are consecutive.
	Joint []*pairgram.Model
	// Conditionals are trained on top of the models in Joint, and answer instead of them; it
	// may be empty.
	Conditionals []*pairgram.Conditional
	// Classes are the probabilities of hidden classes of sources; nil without classes.
	Classes []float64
}

// AddConditional adds a conditional model.
func (s *Set) AddConditional(c *pairgram.Conditional) {
	s.Conditionals, s.Joint = append(s.Conditionals, c), append(s.Joint, c.Joint().Model())
}

// Predictor returns the product of the models, or of their mixtures, with equal weights; the
// geometric mean of their probabilities ranks. For a single model it returns this model. The
// options are for joint models.
func (s *Set) Predictor(o *pairgram.PredictorOptions) (nbest.Predictor, error) {
	var all []nbest.Predictor
	for _, c := range s.Conditionals {
		all = append(all, c)
	}
	if all == nil {
		for _, m := range s.Joint {
			p, err := m.Predictor(o)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	if s.Classes != nil {
		var mixtures []nbest.Predictor
		for group := range slices.Chunk(all, len(s.Classes)) {
			m, err := nbest.NewMixture(factors(group, func(class int) float64 { return s.Classes[class] })...)
			if err != nil {
				return nil, err
			}
			mixtures = append(mixtures, m)
		}
		all = mixtures
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return nbest.NewProduct(factors(all, func(int) float64 { return 1 / float64(len(all)) })...)
}

// factors returns models with their weights.
func factors(all []nbest.Predictor, weight func(i int) float64) []nbest.Factor {
	list := make([]nbest.Factor, len(all))
	for i, p := range all {
		list[i] = nbest.Factor{Predictor: p, Weight: weight(i)}
	}
	return list
}

// Describe writes a line for each model.
func (s *Set) Describe(w io.Writer, name string) {
	kind := "joint"
	if len(s.Conditionals) > 0 {
		kind = "conditional"
	}
	for _, m := range s.Joint {
		grams, end := 0, "beginning"
		for length := 1; length <= m.NGrams().Order(); length++ {
			grams += m.NGrams().NumGrams(length)
		}
		if m.Reversed() {
			end = "end"
		}
		fmt.Fprintf(w, "%s, %s model, read from the %s: %d chunks of %v, %d n-grams\n", name, kind, end, m.Chunks().Len(), m.Chunks().Sizes(), grams)
	}
}

// ErrSeveral is returned for a set that other tools cannot use, because they do not support
// products.
var ErrSeveral = errors.New("want a single joint model that reads forward")

// Single returns the model for other tools. It returns ErrSeveral unless the set has a single
// joint model that reads forward.
func (s *Set) Single() (*pairgram.Model, error) {
	if len(s.Joint) > 1 || len(s.Conditionals) > 0 || s.Joint[0].Reversed() {
		return nil, ErrSeveral
	}
	return s.Joint[0], nil
}

// Savers returns the models in the order in which Load reads them.
func (s *Set) Savers() []saved.Saver {
	var all []saved.Saver
	for _, c := range s.Conditionals {
		all = append(all, c)
	}
	if all == nil {
		for _, m := range s.Joint {
			all = append(all, m)
		}
	}
	return all
}

// Load reads n models that were saved one after another, conditional or joint ones.
func Load(r io.Reader, n int, conditional bool, classes []float64) (*Set, error) {
	s := &Set{Classes: classes}
	if k := len(classes); n == 0 || k > 0 && n%k != 0 {
		return nil, fmt.Errorf("%d models of %d classes", n, max(1, k))
	}
	if conditional && classes != nil {
		return nil, errors.New("conditional models of classes")
	}
	for range n {
		if conditional {
			c, err := pairgram.LoadConditional(r)
			if err != nil {
				return nil, err
			}
			s.AddConditional(c)
			continue
		}
		m, err := pairgram.Load(r)
		if err != nil {
			return nil, err
		}
		s.Joint = append(s.Joint, m)
	}
	return s, nil
}
