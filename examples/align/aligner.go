package main

import (
	"context"
	"io"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/align"
)

// aligner is a trained model and how to use it, which is what -save keeps.
type aligner struct {
	model     *align.Model
	stages    []align.Stage // it was trained in
	threshold float64
	spelling  bool // it was trained with that
	adapt     bool // each sentence is new text of its own, see Model.Adapt

	// The text that the model has learnt from, nil if it is not there, and the numbers in it of
	// the sentences of data.learnt.
	corpus *align.Corpus
	learnt map[string]int
}

// posteriors returns those of a sentence.
func (a *aligner) posteriors(s align.Sentence) (p posteriors, err error) {
	m := a.model
	if n, ok := a.learnt[key(s)]; ok {
		p.forward, p.backward, err = m.PosteriorsOf(a.corpus, n)
		return p, err
	}
	if !a.adapt {
		p.forward, p.backward, err = m.Posteriors(s)
		return p, err
	}
	c := align.NewCorpus()
	if err := c.Add(s); err != nil {
		return p, err
	}
	if m, err = a.adapted(context.Background(), c, 1); err != nil {
		return p, err
	}
	p.forward, p.backward, err = m.PosteriorsOf(c, 0)
	return p, err
}

// adapted returns the model adapted to new text.
func (a *aligner) adapted(ctx context.Context, c *align.Corpus, workers int) (*align.Model, error) {
	opts := &align.FitOptions{Stages: a.stages}
	opts.Workers = workers
	if a.spelling {
		opts.Prior.Pair = spelling.Pair
	}
	return a.model.Adapt(ctx, c, opts)
}

// saveFormat is the format of what stands before the model in a file of -save.
const saveFormat saved.Format = "pathsum example align 2"

// use is how to use the model behind it.
type use struct {
	Stages    []align.Stage
	Threshold float64
	Spelling  bool
}

// save writes a, for load.
func (a *aligner) save(w io.Writer) error {
	if err := saveFormat.Write(w, use{a.stages, a.threshold, a.spelling}); err != nil {
		return err
	}
	return a.model.Save(w)
}

// load reads what save has written.
func (a *aligner) load(r io.Reader) error {
	var u use
	r = saved.Series(r)
	if err := saveFormat.Read(r, &u); err != nil {
		return err
	}
	if !(u.Threshold > 0) {
		return errThreshold
	}
	m, err := align.Load(r)
	*a = aligner{model: m, stages: u.Stages, threshold: u.Threshold, spelling: u.Spelling}
	return err
}
