package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, test, model, init *string
	iterations, workers     *int
	output                  *program.Output
}

func newProgram() *program.Program {
	p := program.New("grammar", "grammar induces the structure of sentences from their tags alone.",
		"go run ./examples/grammar",
		"echo the_DT dog_NN barks_VBZ | go run ./examples/grammar -apply -")
	f := &flags{
		data:       p.Data(format),
		test:       p.Test("Lines: as for -data. Without -test, the training sentences are the test."),
		model:      p.Choice("model", "train a model", grammar.Product.String(), grammar.DMV.String(), grammar.CCM.String()),
		init:       p.Choice("init", "start the dependency model by", grammar.Starts()...),
		iterations: p.Iterations(40),
		workers:    p.Workers(),
		output:     p.Output("the test sentences with their predicted heads and spans; or the answers to -apply"),
	}
	p.Checkpoint()
	p.About(program.AboutTraining, "init")
	program.Define(p, program.Task[*data, *induced]{
		Read: f.read, New: f.newModel, Fit: f.fit, Load: load, Answer: answer, Score: f.score,
		Save:    func(i *induced, w io.Writer) error { return i.Save(w) },
		Line:    "A line is a sentence of tags, or of words with tags, word_TAG, with spaces between. Its answer is the sentence in brackets and, unless the model is ccm, <TAB> and the numbers of the heads.",
		Several: "parses of each line of -apply; if N is more than 1, each is followed by <TAB> and its log probability given the tags, in nats",
		Bare:    true,
		Curve:   figure.Curve("log likelihood + log prior, nats"),
	})
	p.Needs("n", "apply")
	return p
}

// format describes the format of the data.
const format = "id<TAB>words<TAB>tags<TAB>heads<TAB>spans, separated by spaces; heads count from 1, 0 is the root; a span is i-j, the words i+1 … j; _ stands for heads or spans that are not known"

// sentencesTSV is the default data: sentences written for this program.
//
//go:embed sentences.tsv
var sentencesTSV string

// data are the training sentences and the test sentences; nil: the same.
type data struct{ train, test []treebank.Sentence }

func (f *flags) read(_ context.Context, r *program.Run) (d *data, err error) {
	d = new(data)
	if !r.Loads() {
		all := treebank.Sentences(strings.NewReader(sentencesTSV), "sentences.tsv")
		if *f.data != "" {
			all = treebank.SentencesOf(*f.data)
		}
		if d.train, err = collect(r, all); err != nil {
			return nil, err
		}
	}
	if *f.test != "" {
		d.test, err = collect(r, treebank.SentencesOf(*f.test))
	}
	return d, err
}

func collect(r *program.Run, all iter.Seq2[treebank.Sentence, error]) ([]treebank.Sentence, error) {
	sentences, err := treebank.Collect(program.Records(r, all))
	if err == nil && len(sentences) == 0 {
		err = errors.New("no sentences")
	}
	return sentences, err
}

// tagsOf returns the tags of all sentences.
func tagsOf(sentences []treebank.Sentence) [][]string {
	tags := make([][]string, len(sentences))
	for i, s := range sentences {
		tags[i] = s.Tags
	}
	return tags
}

// induced is a grammar, and a function that makes its parser once it is trained.
type induced struct {
	*grammar.Model
	open func() (*open, error)
}

func newInduced(m *grammar.Model, err error) (*induced, error) {
	return &induced{m, sync.OnceValues(func() (*open, error) { return newOpen(m) })}, err
}

func load(r io.Reader) (*induced, error) { return newInduced(grammar.Load(r)) }

// newModel returns the model of the kind and start in the flags. It sees only the tags of the
// sentences.
func (f *flags) newModel(d *data) (*induced, error) {
	kind, err := grammar.ParseKind(*f.model)
	if err != nil {
		return nil, err
	}
	start, err := grammar.ParseStart(*f.init)
	if err != nil {
		return nil, err
	}
	return newInduced(grammar.New(kind, tagsOf(d.train), &grammar.Options{Start: start}))
}

// fit trains the model. If it is interrupted, it reports the current scores.
func (f *flags) fit(ctx context.Context, r *program.Run, m *induced, d *data) error {
	r.Set("model", *f.model)
	r.Set("init", *f.init)
	r.Set("sentences", len(d.train))
	fmt.Fprintf(r.Out, "%d sentences, %d parameters\n\n", len(d.train), m.Params.Len())
	err := f.train(ctx, r, m, d)
	if err != nil && ctx.Err() != nil && !r.Applies() {
		_, _, failed := f.parse(context.WithoutCancel(ctx), r, m, d)
		err = errors.Join(err, failed)
	}
	return err
}

func (f *flags) train(ctx context.Context, r *program.Run, m *induced, d *data) error {
	starts := 1
	if *f.init == grammar.Likeliest.String() && m.Kind() != grammar.CCM {
		starts = len(grammar.Starts()) - 1
	}
	progress := r.Progress("training", starts**f.iterations)
	defer progress.Done()
	likelihoods, failed := newHistories(r, starts)
	if failed != nil {
		return failed
	}
	fit, err := m.Fit(ctx, tagsOf(d.train), &em.Options{
		Iterations: *f.iterations, Tolerance: -1, Workers: *f.workers, Checkpoint: r.Checkpoint(),
		Observer: func(v em.Event) {
			if failed == nil {
				failed = likelihoods[v.Start].Note(v.Iteration, v.Objective, v.LogLikelihood)
			}
			progress.Iteration(v, fmt.Sprintf("objective %.3f", v.Objective))
		},
	})
	if fit == nil {
		return err
	}
	r.Fitted(fit)
	if starts > 1 {
		best := grammar.Starts()[int(grammar.HarmonicCounts)+fit.Start]
		fmt.Fprintf(r.Out, "the best start is %s\n\n", best)
		r.Set("best_start", best)
		for i, s := range fit.Starts {
			r.Curve(grammar.Starts()[int(grammar.HarmonicCounts)+i], 1, s.Objective)
		}
	}
	if m.Kind() == grammar.Product {
		r.Set("o_agree", ofIterations(likelihoods[fit.Start], fit.Objective))
	}
	program.WriteObjective(r.Out, "log likelihood + log prior", fit.Objective)
	if err == nil {
		err = failed
	}
	return err
}

// newHistories returns a history of log likelihoods for each start. Each is a file next to the
// checkpoint.
func newHistories(r *program.Run, starts int) ([]*program.History, error) {
	var all []*program.History
	for i := range starts {
		start := ""
		if i > 0 {
			start = fmt.Sprint("start", i)
		}
		h, err := program.NewHistory(r.Checkpoint(start))
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// ofIterations returns the log likelihoods of the iterations with the given objectives. It is
// NaN for iterations that are missing in the history.
func ofIterations(h *program.History, objective []float64) []float64 {
	all := make([]float64, len(objective))
	for i, x := range objective {
		all[i] = math.NaN()
		if noted := h.Of(i, x); noted != nil {
			all[i] = noted[0]
		}
	}
	return all
}

// score parses the test sentences, and prints and writes the results.
func (f *flags) score(ctx context.Context, r *program.Run, m *induced, d *data) error {
	sentences, parses, err := f.parse(ctx, r, m, d)
	if err != nil {
		return err
	}
	return f.output.Write(func(w io.Writer) error { return write(w, sentences, parses) })
}

// parse parses the test sentences and prints the scores.
func (f *flags) parse(ctx context.Context, r *program.Run, m *induced, d *data) (sentences []treebank.Sentence, parses []*grammar.Parse, err error) {
	r.Set("model", m.Kind().String())
	if d.test == nil {
		sentences = d.train
		parses, err = parseAll(ctx, r, m.Model, sentences)
	} else {
		sentences = d.test
		r.Set("test_sentences", len(sentences))
		var o *open
		if o, err = m.open(); err == nil {
			parses, err = parseTest(ctx, r, o, sentences)
		}
	}
	if err == nil {
		printScores(r, m.Kind(), sentences, parses)
	}
	return sentences, parses, err
}
