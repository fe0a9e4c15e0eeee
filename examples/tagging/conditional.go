package main

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/tagged"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/semiring/trellis"
)

// conditional is a tagger that uses the features of words.
type conditional struct {
	kind  crf.Kind
	words tagged.Dictionary
	model *crf.Predictor
}

// Settings of the gradient ascent: sigma is the standard deviation of the Gaussian prior, rate
// the size of the first step.
const (
	sigma = 1
	rate  = .3
)

// train makes o.iterations passes of stochastic gradient ascent.
func (c *conditional) train(ctx context.Context, sentences []sentence, o options) (*program.Training, error) {
	c.words = tagged.NewDictionary(sentences)
	data := crf.NewData()
	for _, s := range sentences {
		if err := data.Add(s.Tags, c.words.Features(s.Words)); err != nil {
			return nil, err
		}
	}
	m, err := crf.New(c.kind, data, em.LogLinearOptions{Sigma: sigma})
	if err != nil {
		return nil, err
	}
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	pass := l.Shards() // iterations of em.Fit after its first
	fit, fault := em.FitFrom(ctx, l, &m.Theta, &em.Options{
		Method: em.SGD{Rate: rate}, Iterations: 1 + o.iterations*pass,
		Workers: o.workers, Checkpoint: o.checkpoint,
		Observer: func(v em.Event) {
			if v.Iteration > 0 && v.Iteration%pass == 0 {
				o.observe(v)
			}
		},
	})
	if fit == nil {
		return nil, fault
	}
	if c.model, err = m.Predictor(); err != nil {
		return nil, err
	}
	t := &program.Training{Status: fit.Status.String()}
	for i := pass; i < len(fit.Objective); i += pass {
		t.Objective = append(t.Objective, fit.Objective[i])
	}
	t.Iterations = len(t.Objective)
	return t, fault
}

func (c *conditional) features() int { return c.model.NumWeights() }

func (c *conditional) tag(words []string) ([]string, error) {
	return c.model.Best(len(words), c.words.Features(words))
}

func (c *conditional) trellis(words []string) (*trellis.Trellis, []string, error) {
	t, err := c.model.Trellis(len(words), c.words.Features(words))
	return t, c.model.Labels(), err
}

// conditionalFormat is the format of the dictionary, before the weights.
const conditionalFormat saved.Format = "pathsum tagging conditional 2"

func (c *conditional) save(w io.Writer) error {
	if err := conditionalFormat.Write(w, c.words); err != nil {
		return err
	}
	return c.model.Save(w)
}

func (c *conditional) load(r io.Reader) (err error) {
	if err := conditionalFormat.Read(r, &c.words); err != nil {
		return err
	}
	c.model, err = crf.Load(r)
	if err == nil && c.model.Kind() != c.kind {
		err = fmt.Errorf("a model of kind %v, want %v", c.model.Kind(), c.kind)
	}
	return err
}
