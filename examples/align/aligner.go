package main

import (
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
	adapt     bool // sentences are new text, see Model.Adapt
}

// posteriors returns those of a sentence.
func (a *aligner) posteriors(s align.Sentence) (p posteriors, err error) {
	if a.adapt {
		opts := &align.FitOptions{Stages: a.stages}
		if a.spelling {
			opts.Prior.Pair = spelling.Pair
		}
		p.forward, p.backward, err = a.model.Adapt(s, opts)
	} else {
		p.forward, p.backward, err = a.model.Posteriors(s)
	}
	return p, err
}

// saveFormat is the format of what stands before the model in a file of -save.
const saveFormat saved.Format = "pathsum example align 1"

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
