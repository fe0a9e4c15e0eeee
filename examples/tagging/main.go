package main

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/tagged"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test             *string
	lines                  *string
	output, plot, curve    *program.Output
	saved                  *program.Model
	iterations, workers, n *int
	column                 *int
	model                  *string
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("tagging", "tagging learns parts of speech from tagged sentences and tags others. An iteration\nis a pass over the sentences.")
	e := &experiment{
		data:       p.Data(tagged.Format),
		test:       p.Test("Lines: those of -data. Without -test, and without -apply, every sixth sentence is held out."),
		iterations: p.Iterations(6),
		workers:    p.Workers(),
		output:     p.Output("word<TAB>tag<TAB>predicted tag, of the test sentences, with an empty line after each; or the answers to -apply"),
		lines:      p.Apply("A line is a sentence, its words with spaces between; its answer is word/TAG for each."),
		plot:       p.Plot("the confusions of tags in the test"),
		curve:      p.Figure("curve", "the objective by iteration"),
		n:          p.Best(1, "of -apply; if they are several, <TAB> and its probability behind each"),
		model:      p.Choice("model", "train a model", modelNames()...),
	}
	e.column = tagged.Column(p)
	p.Checkpoint()
	e.saved = p.Model("data model iterations checkpoint curve", "apply test")
	p.Excludes("apply", "test plot")
	p.Needs("n", "apply")
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	t, test, err := e.tagger(ctx, r)
	if err != nil {
		return err
	}
	if *e.lines != "" {
		return e.apply(ctx, r, t)
	}
	return e.evaluate(ctx, r, t, test)
}

// tagger returns the tagger that was saved, or a new one, and the test sentences, if it is to
// be tested.
func (e *experiment) tagger(ctx context.Context, r *program.Run) (t *learnt, test []sentence, err error) {
	if e.saved.Loads() {
		t, err := program.Loaded(e.saved, loadTagger)
		if err == nil && *e.lines == "" {
			test, err = tagged.ReadFile(*e.test, *e.column)
		}
		return t, test, err
	}
	train, test, err := e.load()
	if err != nil {
		return nil, nil, err
	}
	r.Set("sentences", len(train))
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to be tested with\n\n", len(train), len(test))
	if t, err = e.train(ctx, r, train); err != nil {
		return nil, nil, err
	}
	return t, test, e.saved.Save(t.save)
}

// load returns the training sentences and, unless there are lines to be tagged in place of the
// test, the test sentences.
func (e *experiment) load() (train, test []sentence, err error) {
	if *e.lines != "" {
		train, err = tagged.LoadAll(*e.data, *e.column, embedded)
		return train, nil, err
	}
	return tagged.Load(*e.data, *e.test, *e.column, embedded)
}

// evaluate tags the test sentences and says how many words are right.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, t *learnt, test []sentence) error {
	r.Set("model", t.model)
	r.Set("test_sentences", len(test))
	predicted, err := tagAll(ctx, r, t, test)
	if err != nil {
		return err
	}
	s := newScore(t.words, test, predicted)
	s.print(r.Out)
	s.report(r)
	printSentences(r.Out, test, predicted)
	if e.plot.Given() {
		if err := drawConfusion(e.plot, test, predicted); err != nil {
			return err
		}
	}
	return e.output.Write(func(w io.Writer) error { return write(w, test, predicted) })
}

// train returns a trained tagger. Of a run that was interrupted it reports what is
// known.
func (e *experiment) train(ctx context.Context, r *program.Run, sentences []sentence) (*learnt, error) {
	progress := r.Progress("training", *e.iterations)
	defer progress.Done()
	of, err := newTagger(*e.model)
	if err != nil {
		return nil, err
	}
	t := &learnt{tagger: of, model: *e.model, words: wordsOf(sentences)}
	trained, err := t.train(ctx, sentences, options{
		iterations: *e.iterations, workers: *e.workers, checkpoint: r.Checkpoint(), observe: progress.Observe,
	})
	if trained != nil {
		r.Set("model", t.model)
		r.Trained(*trained)
		r.Set("features", t.features())
		fmt.Fprintf(r.Out, "%d features\n\n", t.features())
		program.WriteObjective(r.Out, "log likelihood + log prior", trained.Objective)
	}
	if err == nil && e.curve.Given() {
		err = e.curve.Draw(figure.Lines("Training", "log likelihood + log prior, nats", figure.Line{First: 1, Values: trained.Objective}))
	}
	return t, err
}
