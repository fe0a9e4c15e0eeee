package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/tagged"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	files               *tagged.Files
	iterations, workers *int
	model               *string
	output, matrix      *program.Output
}

func newProgram() *program.Program {
	p := program.New("tagging", "tagging learns parts of speech from tagged sentences, and tags others.",
		"go run ./examples/tagging",
		"echo 'The old dog barks .' | go run ./examples/tagging -apply - -n 3")
	f := &flags{
		files:      tagged.Declare(p),
		iterations: p.Iterations(6),
		workers:    p.Workers(),
		model:      p.Choice("model", "train a model", modelNames()...),
		output:     p.Output("word<TAB>tag<TAB>predicted tag, of the test sentences, with an empty line after each; or the answers to -apply"),
		matrix:     p.Figure("matrix", "a heat map of the confusions of tags in the test,"),
	}
	p.Checkpoint()
	program.Define(p, program.Task[*data, *learnt]{
		Read: f.read, New: f.newTagger, Fit: f.fit, Save: (*learnt).save, Load: load, Answer: answer, Score: f.score,
		Line:    "A line is a sentence, its words with spaces between; its answer is word/TAG for each.",
		Several: "taggings of each line of -apply; if N is more than 1, each is followed by <TAB> and its probability",
		Bare:    true,
		Curve:   figure.Curve("log likelihood + log prior, nats"),
	})
	p.Uses("column") // of -test
	p.Excludes("apply", "matrix")
	p.Needs("n", "apply")
	return p
}

// sentencesTSV is the default data: sentences written for this program, with a simple
// set of tags.
//
//go:embed sentences.tsv
var sentencesTSV string

// embedded returns the default data.
func embedded() ([]sentence, error) {
	return tagged.Read(strings.NewReader(sentencesTSV), "sentences.tsv", 0)
}

type sentence = tagged.Sentence

// data are the training sentences and the test sentences.
type data struct{ train, test []sentence }

func (f *flags) read(_ context.Context, r *program.Run) (*data, error) {
	train, test, err := f.files.Load(r, embedded)
	return &data{train, test}, err
}

func (f *flags) newTagger(*data) (*learnt, error) { return newLearnt(*f.model) }

// fit trains the tagger. If it is interrupted, it reports the result so far.
func (f *flags) fit(ctx context.Context, r *program.Run, t *learnt, d *data) error {
	r.Set("sentences", len(d.train))
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to be tested with\n\n", len(d.train), len(d.test))
	progress := r.Progress("training", *f.iterations)
	defer progress.Done()
	trained, err := t.train(ctx, d.train, options{
		iterations: *f.iterations, workers: *f.workers, checkpoint: r.Checkpoint(), observe: progress.Observe,
	})
	if trained == nil {
		return err
	}
	t.words = wordsOf(d.train)
	r.Set("model", t.model)
	r.Trained(*trained)
	r.Set("features", t.features())
	fmt.Fprintf(r.Out, "%d features\n\n", t.features())
	program.WriteObjective(r.Out, "log likelihood + log prior", trained.Objective)
	return err
}

// score tags the test sentences, and prints and writes the results.
func (f *flags) score(ctx context.Context, r *program.Run, t *learnt, d *data) error {
	r.Set("model", t.model)
	r.Set("test_sentences", len(d.test))
	predicted := make([][]string, len(d.test))
	err := r.Each(ctx, "tagging", len(d.test), func(i int) (err error) {
		predicted[i], err = t.tag(d.test[i].Words)
		return err
	})
	if err != nil {
		return err
	}
	s := newScore(t.words, d.test, predicted)
	s.report(r)
	printSentences(r.Out, d.test, predicted)
	if f.matrix.Given() {
		if err := f.matrix.Draw(s.confusions().Figure(), nil); err != nil {
			return err
		}
	}
	return f.output.Write(func(w io.Writer) error { return write(w, d.test, predicted) })
}
