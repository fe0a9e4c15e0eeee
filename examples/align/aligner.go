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

// aligner is a trained model and how to use it.
type aligner struct {
	use
	model  *align.Model
	data   *wordalign.Data // that the model has learnt from; nil: it is not there
	scores []wordalign.Score
}

// use is how to use a model, which -save keeps before it.
type use struct {
	Stages    []align.Stage // it was trained in
	Threshold float64
	Spelling  bool // it was trained with that
}

// fit trains the model and tunes the threshold.
func (f *flags) fit(ctx context.Context, r *program.Run, a *aligner, d *wordalign.Data) error {
	// From here on nearly all memory holds numbers, which cost the collector nothing: it can
	// come often.
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
	debug.FreeOSMemory() // what it took to read the text and to find classes of words
	result, interrupted := a.model.Fit(ctx, d.Corpus, opts)
	if result == nil {
		return interrupted
	}
	debug.FreeOSMemory() // what training alone needed
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

// checkpoint returns the name of the checkpoint of a training in so many stages. The model keeps
// more files beside it: the states of later stages, and what each sentence counts.
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

// posteriors returns those of a sentence.
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

// alone returns the posteriors of a sentence that is a new text of its own.
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

// saveFormat is the format of what stands before the model in a file of -save.
const saveFormat saved.Format = "pathsum example align 2"

// save writes a, for load.
func (a *aligner) save(w io.Writer) error {
	if err := saveFormat.Write(w, a.use); err != nil {
		return err
	}
	return a.model.Save(w)
}

// load reads what save has written.
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
