package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/internal/program"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, rules                *string
	inverse, train, explain    *bool
	words, iterations, workers *int
	output                     *program.Output
}

func newProgram() *program.Program {
	p := program.New("normalize", "normalize converts written English to spoken English, and back.",
		"go run ./examples/normalize",
		"go run ./examples/normalize -inverse -n 3 -apply lines.txt")
	f := &flags{
		data:       p.Input("data", "test with the lines of `FILE` instead of the tests of the grammars, or with -train learn from them, too; lines: "+grammars.Format),
		train:      p.Flags.Bool("train", false, "learn the probabilities of choices from the lines of -data, and from embedded ones that are ambiguous but for the words around a token"),
		words:      p.Count("words", 8, 0, "with -train, let up to `N` words before and after a token determine its kind"),
		iterations: p.Iterations(30),
		workers:    p.Workers(),
		rules:      p.Input("rules", "give the rules of `FILE` priority: definitions of package fst/rx, one of which is own"),
		inverse:    p.Flags.Bool("inverse", false, "go from spoken to written, and that way alone"),
		explain:    p.Flags.Bool("explain", false, "write after each reading the names of its alternatives, each before its text"),
		output:     p.Output("a reading; of the test direction<TAB>kind<TAB>input<TAB>expected<TAB>reading"),
	}
	p.Checkpoint()
	p.About(program.AboutTraining, "train words")
	p.About(program.AboutAnswers, "rules inverse explain")
	p.Uses("data")
	program.Define(p, program.Task[[]grammars.Line, *normalizer]{
		Read: f.read, Fit: f.fit, Load: load, Prepare: f.prepare, Answer: answer, Score: f.score,
		New:     func([]grammars.Line) (*normalizer, error) { return new(normalizer), nil },
		Save:    func(m *normalizer, w io.Writer) error { return linegrammar.SaveParameters(w, m.all) },
		Line:    "The answer to a line is its best reading; with -n each reading is followed by a tab and its cost.",
		Several: "readings",
		Bare:    true,
		Curve:   figure.Curve("log likelihood, nats"),
		Exports: []program.Export[*normalizer]{{
			Flag: "export", Usage: "write the machines to `FILE`, an archive of OpenFst whose labels are bytes",
			Write: func(m *normalizer, w io.Writer) error { return linegrammar.Export(w, m.all) },
		}},
	})
	for _, flag := range []string{"save", "checkpoint", "plot", "words"} {
		p.Needs(flag, "train")
	}
	p.Needs("explain", "apply")
	p.Needs("rules", "apply")
	p.Check(func() error {
		if given := p.Flags.Lookup("apply").Value.String() != ""; given && *f.data != "" && !*f.train {
			return errors.New("-data and -apply: want one of them, or -train with both")
		}
		return nil
	})
	return p
}

// read reads the lines for training and testing.
func (f *flags) read(_ context.Context, r *program.Run) ([]grammars.Line, error) {
	if *f.data == "" {
		return grammars.Tests()
	}
	lines, err := readLines(r, *f.data)
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("-data %s: no lines", *f.data)
	}
	return lines, err
}

// fit gets the grammars, and trains them with -train.
func (f *flags) fit(ctx context.Context, r *program.Run, m *normalizer, lines []grammars.Line) error {
	if err := f.compile(ctx, r, m); err != nil {
		return err
	}
	if *f.train {
		if err := f.learn(ctx, r, m, lines); err != nil {
			return err
		}
	}
	return f.ready(r, m)
}

// prepare gets the grammars with the loaded parameters.
func (f *flags) prepare(ctx context.Context, r *program.Run, m *normalizer) error {
	if err := f.compile(ctx, r, m); err != nil {
		return err
	}
	return f.ready(r, m)
}

// ready makes an explainer with -explain, and reports the sizes of the machines.
func (f *flags) ready(r *program.Run, m *normalizer) (err error) {
	states, arcs := 0, 0
	for _, g := range m.all {
		s, a := g.Size()
		states, arcs = states+s, arcs+a
	}
	r.Set("states", states)
	r.Set("arcs", arcs)
	if *f.explain {
		m.explainer, err = linegrammar.NewExplainer(m.all[0])
	}
	return err
}

// answer returns the best readings of a line.
func answer(_ context.Context, m *normalizer, line string, n int) ([]string, error) {
	readings, err := m.all[0].Apply(line, n)
	var answers []string
	for _, x := range readings {
		answers = append(answers, x.Text)
		if n > 1 {
			answers = append(answers, fmt.Sprintf("%.4g", x.Cost))
		}
		if m.explainer != nil {
			why, err := m.explainer.Explain(line, x.Text)
			if err != nil {
				return answers, err
			}
			answers = append(answers, why)
		}
	}
	return answers, err
}
