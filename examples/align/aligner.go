package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/wordalign"
	"example.org/pathsum/models/align"
)

// aligner is a trained model with its settings for use.
type aligner struct {
	use
	model  *align.Model
	data   *wordalign.Data // the training data; nil if they are not available
	scores []wordalign.Score
}

// use has the settings of a model, which -save writes before it.
type use struct {
	Stages    []align.Stage // of the training
	Threshold float64
	Spelling  bool // whether the model was trained with -spelling
}

// fit trains the model and tunes the threshold.
func (f *flags) fit(ctx context.Context, r *program.Run, a *aligner, d *wordalign.Data) error {
	// From here on nearly all memory holds numbers, which the collector does not scan: it can
	// run often.
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	o, opts := f.settings.Options(*f.train, d.Corpus.Len())
	opts.Workers = *f.workers
	opts.Checkpoint = checkpoint(r, len(opts.Stages))
	progress := r.Progress("training", wordalign.Iterations(opts))
	defer progress.Done()
	opts.Observer = func(p align.Progress) {
		progress.Iteration(p.Event, fmt.Sprintf("log likelihood %.6g", p.LogLikelihood))
	}
	var err error
	if a.model, err = align.New(d.Corpus, o); err != nil {
		return err
	}
	debug.FreeOSMemory() // the memory for reading the text and finding word classes
	result, interrupted := a.model.Fit(ctx, d.Corpus, opts)
	if result == nil {
		return interrupted
	}
	debug.FreeOSMemory() // the memory for training
	r.Fitted(result)
	if len(result.Objective) == 0 {
		return interrupted
	}
	a.Stages = opts.Stages
	if err := f.tune(context.WithoutCancel(ctx), a, d); err != nil || interrupted == nil {
		return err
	}
	f.report(r, a, d)
	return interrupted
}

// checkpoint returns the name of the checkpoint of a training in the given number of stages.
// The model keeps more files next to it: the states of later stages, and the counts of each
// sentence.
func checkpoint(r *program.Run, stages int) string {
	name := r.Checkpoint()
	for n := range stages {
		r.Checkpoint(n)
	}
	for n := range stages {
		r.Checkpoint(n, "own")
	}
	return name
}

// posteriors returns the posteriors of the links of a sentence.
func (a *aligner) posteriors(s align.Sentence) (p wordalign.Posteriors, err error) {
	if a.data != nil {
		return a.data.Posteriors(a.model, s)
	}
	p.Forward, p.Backward, err = a.model.Posteriors(s)
	return p, err
}

// adapted returns the aligner with the model adapted to new text.
func (a *aligner) adapted(ctx context.Context, d *wordalign.Data, workers int) (*aligner, error) {
	opts := &align.FitOptions{Stages: a.Stages}
	opts.Workers = workers
	if a.Spelling {
		opts.Prior.Pair = wordalign.Cognates
	}
	m, err := a.model.Adapt(ctx, d.Corpus, opts)
	return &aligner{use: a.use, model: m, data: d}, err
}

// alone returns the posteriors of a sentence that is treated as a new text.
func (a *aligner) alone(s align.Sentence) (p wordalign.Posteriors, err error) {
	d := &wordalign.Data{Corpus: align.NewCorpus()}
	if err := d.Corpus.Add(s); err != nil {
		return p, err
	}
	if a, err = a.adapted(context.Background(), d, 1); err != nil {
		return p, err
	}
	return d.PosteriorsOf(a.model, 0)
}

// saveFormat is the format of the settings before the model in a file of -save.
const saveFormat saved.Format = "pathsum example align 2"

// save writes a in the format that load reads.
func (a *aligner) save(w io.Writer) error {
	if err := saveFormat.Write(w, a.use); err != nil {
		return err
	}
	return a.model.Save(w)
}

// load reads an aligner written by save.
func load(r io.Reader) (*aligner, error) {
	a := new(aligner)
	r = saved.Series(r)
	if err := saveFormat.Read(r, &a.use); err != nil {
		return nil, err
	}
	if !(a.Threshold > 0) {
		return nil, errors.New("a threshold that is not more than 0")
	}
	var err error
	a.model, err = align.Load(r)
	return a, err
}
