package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, lines *string
	inverse     *bool
	n, workers  *int
	output      *program.Output
	curve       *program.Output

	machine, labels *string
	rules           *string
	export          *program.Output

	train                    *bool
	folds, words, iterations *int
	seed                     *uint64
	model                    *program.Model // the parameters
	explain                  *bool
	channel                  *bool
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("normalize", "normalize says written English as it is spoken, and writes down what was said, with\ngrammars of weighted transducers.")
	e := &experiment{
		data:    p.Data(format),
		lines:   p.Apply("The answer to a line is its best reading."),
		inverse: p.Flags.Bool("inverse", false, "with -apply, go from spoken to written"),
		n:       p.Best(1, "to a line of -apply, each with the cost behind it, tabs between"),
		workers: p.Workers(),
		output:  p.Output("a reading, or one for each development line: direction<TAB>kind<TAB>input<TAB>expected<TAB>reading"),
		machine: p.Input("grammar", "with -apply, use the machine of `FILE` in a form of OpenFst; in a file whose name ends in .far, the one with the direction for its key"),
		labels:  p.Choice("labels", "what the labels of -grammar are", "byte", "utf8"),
		rules:   p.Input("rules", "with -apply, read what the rules of `FILE` read so before all others: definitions of package fst/rx, that of own among them"),
		export:  p.Save("export", "write the machines to `FILE`, an archive of OpenFst whose labels are bytes"),
		explain: p.Flags.Bool("explain", false, "with -apply, write behind each reading the names of the alternatives that made it, each before what it writes"),

		channel:    p.Flags.Bool("channel", false, "with -apply, go the other way by the same grammar: read it backward, as a noisy channel behind an n-gram model of the lines of -train"),
		train:      p.Flags.Bool("train", false, "learn the probabilities of choices from the lines of -data and from embedded ones that are ambiguous but for the words around a token, and use them"),
		folds:      p.Flags.Int("folds", 0, "in place of the test, cross-validate: read each of `N` parts of the lines of -train with what was learnt from the others"),
		words:      p.Count("words", 8, 0, "`NUMBER` of words that may tell the kind of the token before or behind them"),
		iterations: p.Iterations(30),
		curve:      p.Figure("curve", "with -train, the log likelihood by iteration"),
		seed:       p.Seed(),
	}
	p.Checkpoint()
	e.model = p.Model("train seed iterations checkpoint curve", "apply data export")
	p.Needs("save", "train")
	p.Needs("curve", "train")
	p.Needs("checkpoint", "train")
	p.Excludes("grammar", "load train explain export")
	p.Excludes("rules", "grammar")
	p.Excludes("folds", "apply train save load export")
	p.Needs("grammar", "apply")
	p.Needs("rules", "apply")
	for _, flag := range []string{"inverse", "n", "explain", "channel"} {
		p.Needs(flag, "apply")
	}
	p.Check(func() error {
		switch {
		case *e.channel && (*e.explain || *e.machine != ""):
			return errors.New("-channel: neither -explain nor -grammar applies")
		case *e.lines != "" && *e.data != "" && !*e.train:
			return errors.New("-data and -apply: want one of them, or -train as well")
		case *e.folds != 0 && *e.folds < 2:
			return fmt.Errorf("-folds %d: want at least 2", *e.folds)
		}
		return nil
	})
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	if *e.folds > 0 {
		return e.validate(ctx, r)
	}
	all, err := e.grammars(ctx, r)
	if err != nil {
		return err
	}
	if *e.train {
		if err := e.learn(ctx, r, all); err != nil {
			return err
		}
	}
	report(r, all)
	if e.export.Given() {
		return e.export.Write(func(w io.Writer) error { return export(w, all) })
	}
	if *e.lines != "" {
		return e.apply(ctx, r, all[0])
	}
	return e.evaluate(ctx, r, all)
}

// grammars returns those that are needed, with the parameters that are to be loaded.
func (e *experiment) grammars(ctx context.Context, r *program.Run) (all []*grammar, err error) {
	compile := func(saved parameters) error {
		progress := r.Progress("compiling", len(e.directions()))
		defer progress.Done()
		for _, d := range e.directions() {
			g, err := interruptible(ctx, func() (*grammar, error) {
				g, err := e.grammar(d)
				if err == nil && saved != nil {
					err = g.load(saved)
				}
				return g, err
			})
			if err != nil {
				return err
			}
			progress.Step(d.String())
			all = append(all, g)
		}
		return nil
	}
	if !e.model.Loads() {
		err = compile(nil)
		return all, err
	}
	err = e.model.Load(func(file io.Reader) error {
		saved, err := readParameters(file)
		if err != nil {
			return err
		}
		return compile(saved)
	})
	return all, err
}

// directions returns those that are needed.
func (e *experiment) directions() []direction {
	switch {
	case *e.lines == "":
		return directions
	case *e.inverse:
		return []direction{spokenWritten}
	}
	return []direction{writtenSpoken}
}

// grammar returns the grammar of a direction, or the machine that takes its place. Where lines are
// read and no more, it is the one that is kept.
func (e *experiment) grammar(d direction) (*grammar, error) {
	switch {
	case *e.machine != "":
		return imported(d, *e.machine, d.String(), *e.labels == "byte")
	case *e.rules != "":
		own, err := rx.ReadDefinitions(os.DirFS(filepath.Dir(*e.rules)), filepath.Base(*e.rules))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", *e.rules, err)
		}
		g, err := loadWith(d, append([]rx.Definition{}, own...))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", *e.rules, err)
		}
		return g, nil
	case *e.train || *e.explain || *e.channel || e.model.Loads() || e.export.Given():
		return load(d)
	}
	return kept(d)
}

// apply answers the lines of -apply.
func (e *experiment) apply(ctx context.Context, r *program.Run, g *grammar) error {
	apply := g.Apply
	if *e.channel {
		examples, err := e.lessons()
		if err != nil {
			return err
		}
		c, err := newChannel(g, inputs(examples, g.direction))
		if err != nil {
			return err
		}
		apply = c.Apply
	}
	var explain *explainer
	if *e.explain {
		var err error
		if explain, err = newExplainer(g); err != nil {
			return err
		}
	}
	return r.Stream(ctx, program.Stream{
		Bare: true,
		Answer: func(_ context.Context, line string) ([]string, error) {
			readings, err := apply(line, *e.n)
			var answers []string
			for _, x := range readings {
				answers = append(answers, x.text)
				if *e.n > 1 {
					answers = append(answers, fmt.Sprintf("%.4g", x.cost))
				}
				if explain != nil {
					why, err := explain.explain(line, x.text)
					if err != nil {
						return answers, err
					}
					answers = append(answers, why)
				}
			}
			return answers, err
		},
	})
}

// report sets the sizes of the machines that are applied.
func report(r *program.Run, all []*grammar) {
	states, arcs := 0, 0
	for _, g := range all {
		states += g.running.NumStates()
		arcs += g.running.NumArcs()
	}
	r.Set("states", states)
	r.Set("arcs", arcs)
}

// evaluate reads the development lines and counts what is right.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, all []*grammar) error {
	examples, err := readExamples(*e.data)
	if err != nil {
		return err
	}
	return e.output.Write(func(w io.Writer) error {
		began := time.Now()
		s, err := score(ctx, r, all, examples, func(x example, text string) error {
			_, err := fmt.Fprintln(w, strings.Join([]string{x.direction.String(), x.kind, x.input, x.expected, text}, "\t"))
			return err
		})
		if err != nil {
			return err
		}
		s.print(r.Out)
		r.Set("accuracy", s.accuracy())
		r.Set("sentences_per_second", float64(len(examples))/time.Since(began).Seconds())
		return nil
	})
}
