package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"example.org/pathsum/examples/internal/program"
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

	machine, labels *string
	export          *program.Output
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("normalize", "normalize says written English as it is spoken, and writes down what was said, with\ngrammars of weighted transducers.")
	e := &experiment{
		data:    p.Data(format),
		lines:   p.Input("apply", "in place of the test, read the lines of `FILE`, - for standard input; each gets one line of output, its best reading"),
		inverse: p.Flags.Bool("inverse", false, "with -apply, go from spoken to written"),
		n:       p.Flags.Int("n", 1, "with -apply, write the `N` best readings, each with the cost behind it, tabs between"),
		workers: p.Workers(),
		output:  p.Output("a reading, or one for each development line: direction<TAB>kind<TAB>input<TAB>expected<TAB>reading"),
		machine: p.Input("grammar", "with -apply, use the machine of `FILE` in a form of OpenFst; in a file whose name ends in .far, the one with the direction for its key"),
		labels:  p.Choice("labels", "what the labels of -grammar are", "byte", "utf8"),
		export:  p.Save("export", "write the machines to `FILE`, an archive of OpenFst whose labels are bytes"),
	}
	p.Check(func() error {
		switch {
		case *e.n < 1:
			return fmt.Errorf("-n %d: want at least 1", *e.n)
		case *e.lines == "" && (*e.inverse || *e.n > 1):
			return errors.New("-inverse and -n: want -apply as well")
		case *e.lines != "" && *e.data != "":
			return errors.New("-data and -apply: want one of them")
		case *e.machine != "" && (*e.lines == "" || e.export.Given()):
			return errors.New("-grammar: want -apply as well, and no -export")
		}
		return nil
	})
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	var all []*grammar
	for _, d := range e.directions() {
		g, err := e.load(d)
		if err != nil {
			return err
		}
		all = append(all, g)
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

// load returns the grammar of a direction, or the machine that takes its place.
func (e *experiment) load(d direction) (*grammar, error) {
	if *e.machine != "" {
		return imported(d, *e.machine, d.String(), *e.labels == "byte")
	}
	return load(d)
}

// apply answers the lines of -apply.
func (e *experiment) apply(ctx context.Context, r *program.Run, g *grammar) error {
	return r.Stream(ctx, program.Stream{
		Input: *e.lines, Output: e.output, Workers: *e.workers, Bare: true,
		Answer: func(_ context.Context, line string) ([]string, error) {
			readings, err := g.Apply(line, *e.n)
			var answers []string
			for _, x := range readings {
				answers = append(answers, x.text)
				if *e.n > 1 {
					answers = append(answers, fmt.Sprintf("%.4g", x.cost))
				}
			}
			return answers, err
		},
	})
}

// report sets the sizes of the machines.
func report(r *program.Run, all []*grammar) {
	states, arcs := 0, 0
	for _, g := range all {
		states += g.machine.NumStates()
		arcs += g.machine.NumArcs()
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
	write := func(write func(example, string) error) error {
		began := time.Now()
		s, err := score(ctx, r, all, examples, write)
		if err != nil {
			return err
		}
		s.print(r.Out)
		r.Set("accuracy", s.accuracy())
		r.Set("sentences_per_second", float64(len(examples))/time.Since(began).Seconds())
		return nil
	}
	return e.writeReadings(write)
}
