package main

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/examples/internal/tagged"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, checkpoint *string
	output                 *program.Output
	iterations, workers    *int
	model                  model
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("tagging", "tagging learns parts of speech from tagged sentences and tags others. An iteration\nis a pass over the sentences.")
	e := &experiment{
		data:       p.Data(tagged.Format),
		test:       p.Test("Lines: those of -data. Without -test, every sixth sentence is held out."),
		iterations: p.Iterations(10),
		workers:    p.Workers(),
		checkpoint: p.Checkpoint(),
		output:     p.Output("word<TAB>tag<TAB>predicted tag, of the test sentences, with an empty line after each"),
		model:      models[0],
	}
	p.Flags.Var(&e.model, "model", "train the model called `NAME`: "+modelNames())
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	train, test, err := loadData(*e.data, *e.test)
	if err != nil {
		return err
	}
	r.Set("model", e.model.name)
	r.Set("sentences", len(train))
	r.Set("test_sentences", len(test))
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to be tested with\n\n", len(train), len(test))
	t, err := e.train(ctx, r, train)
	if err != nil {
		return err
	}
	predicted, err := tagAll(ctx, r, t, test, *e.workers)
	if err != nil {
		return err
	}
	s := newScore(train, test, predicted)
	s.print(r.Out)
	s.report(r)
	printSentences(r.Out, test, predicted)
	if e.output.Given() {
		return e.output.Write(func(w io.Writer) error { return write(w, test, predicted) })
	}
	return nil
}

// train returns a trained tagger. Of a run that was interrupted it reports what is
// known.
func (e *experiment) train(ctx context.Context, r *program.Run, sentences []sentence) (tagger, error) {
	progress := r.Progress("training", *e.iterations)
	defer progress.Done()
	t := e.model.new()
	trained, err := t.train(ctx, sentences, options{
		iterations: *e.iterations, workers: *e.workers, checkpoint: *e.checkpoint, step: progress.Step,
	})
	if trained != nil {
		r.Trained(*trained)
		r.Set("features", t.features())
		fmt.Fprintf(r.Out, "%d features\n\n", t.features())
		printObjective(r.Out, trained.Objective)
	}
	return t, err
}
