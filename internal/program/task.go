package program

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Task has the specific parts of a program. D is its data, including test data, and M its
// model, usually a pointer. Define makes a program from it. Parts that are nil are left out,
// together with their flags: a program without Load and Save has neither -load nor -save.
type Task[D, M any] struct {
	// Read reads the data that the flags name. If r.Loads(), there is no training, and it reads
	// only the test data.
	Read func(ctx context.Context, r *Run) (D, error)
	// New returns the model before training.
	New func(d D) (M, error)
	// Fit trains the model and reports the training with r.Trained or r.Fitted, even after an
	// interrupt.
	Fit func(ctx context.Context, r *Run, m M, d D) error
	// Save writes the model, and Load reads it again, ready for Answer and Score.
	Save func(m M, w io.Writer) error
	Load func(in io.Reader) (M, error)
	// Prepare applies other flags to a loaded model, if Load cannot: because it takes long and
	// needs ctx, or reads other files.
	Prepare func(ctx context.Context, r *Run, m M) error
	// Answer returns the answers to a line of -apply: see Stream.Answer. With Several it
	// returns at most n answers, the best first.
	Answer func(ctx context.Context, m M, line string, n int) ([]string, error)
	// Score tests the model, unless the program answers lines instead. For a loaded model it is
	// called only if there are test data, that is, if Read was called.
	Score func(ctx context.Context, r *Run, m M, d D) error
	// Figures draw a trained model, and Exports write any model.
	Figures []Figure[D, M]
	Exports []Export[M]

	Line    string    // usage of -apply: a description of a line and its answers
	Several string    // usage of -n: the unit, such as "corrections"; "": one answer per line
	Bare    bool      // see Stream
	Others  []*Output // see Stream
	Curve   Curve     // -plot
}

// Figure is a drawing of a model and its training data, requested by a flag.
type Figure[D, M any] struct {
	Flag, Shows string // see Program.Figure
	Draw        func(m M, d D) (Drawing, error)
}

// Curve is the drawing of a learning curve: see figure.Curve. The zero Curve declares no -plot.
type Curve struct {
	Axis string // the vertical axis, such as "log likelihood, nats"
	Draw func(title, axis string, lines ...Line) (Drawing, error)
}

// Line has the values of a quantity by iteration.
type Line struct {
	Name   string // in the legend; "" for no entry
	First  int    // the number of the iteration of the first value
	Values []float64
}

// Export is a format of a model, requested by a flag.
type Export[M any] struct {
	Flag, Usage string // see Program.Save
	Write       func(m M, w io.Writer) error
}

// Define makes p the program that performs t, and declares the flags of t's parts. Call it
// after declaring the program's own flags. With -load there is no training: flags of data,
// training and the model are errors, except the flags of Program.Uses, and so are figures of
// training.
func Define[D, M any](p *Program, t Task[D, M]) {
	x := &task[D, M]{Task: t, figures: make([]*Output, len(t.Figures)), exports: make([]*Output, len(t.Exports))}
	if t.Curve.Draw != nil {
		x.curve = p.Figure("plot", "the learning curve ("+t.Curve.Axis+")")
	}
	for i, f := range t.Figures {
		x.figures[i] = p.Figure(f.Flag, f.Shows)
	}
	for i, e := range t.Exports {
		x.exports[i] = p.Save(e.Flag, e.Usage)
		p.Uses(e.Flag)
	}
	if t.Save != nil {
		x.save = p.Save("save", "write the trained model to `FILE`")
	}
	if t.Answer != nil {
		p.Apply(t.Line)
		p.Uses("apply")
		if p.Flags.Lookup("test") != nil {
			p.Excludes("apply", "test")
		}
	}
	if t.Several != "" {
		p.answers = p.Count("n", 1, 1, "write the `N` best "+t.Several)
		if p.records != nil {
			p.Needs("n", "apply o")
		} else {
			p.Needs("n", "apply")
		}
	}
	if t.Load != nil {
		p.loads = p.Input("load", "read the model from `FILE`, written by -save, instead of training one")
		p.Needs("load", strings.Join(p.uses, " "))
		p.Excludes("load", strings.Join(x.drawn(), " "))
		p.Check(p.checkLoad)
	}
	p.run = x.run
}

// Uses names flags that define a use of a loaded model. They are permitted together with -load,
// which requires one of them. -apply, -test and the flags of Exports are included
// automatically.
func (p *Program) Uses(flags ...string) { p.uses = append(p.uses, flags...) }

// Permits names flags that modify the use of a loaded model, but do not define one. They are
// also permitted together with -load.
func (p *Program) Permits(flags ...string) { p.permitted = append(p.permitted, flags...) }

// checkLoad returns an error for a flag that has no effect with -load.
func (p *Program) checkLoad() error {
	given := p.given()
	if !given["load"] {
		return nil
	}
	for _, s := range []Subject{AboutData, AboutTraining, AboutModel} {
		for _, f := range p.flagsOf(s) {
			permitted := f.Name == "load" || f.Name == "workers" || slices.Contains(p.uses, f.Name) || slices.Contains(p.permitted, f.Name)
			if given[f.Name] && !permitted {
				return fmt.Errorf("-%s: has no effect with -load", f.Name)
			}
		}
	}
	return nil
}

// task is a Task with the files of its flags.
type task[D, M any] struct {
	Task[D, M]
	curve, save      *Output // nil: the flag is not declared
	figures, exports []*Output
}

// drawn returns the flags for drawings of training.
func (t *task[D, M]) drawn() []string {
	var flags []string
	if t.curve != nil {
		flags = append(flags, "plot")
	}
	for _, f := range t.Figures {
		flags = append(flags, f.Flag)
	}
	return flags
}

// run performs the task.
func (t *task[D, M]) run(ctx context.Context, r *Run) error {
	m, d, tested, err := t.model(ctx, r)
	if err != nil {
		return err
	}
	for i, to := range t.exports {
		if to.Given() {
			if err := to.Write(func(w io.Writer) error { return t.Exports[i].Write(m, w) }); err != nil {
				return err
			}
		}
	}
	switch {
	case r.program.applies():
		return r.Stream(ctx, Stream{
			Answer: func(ctx context.Context, line string) ([]string, error) { return t.Answer(ctx, m, line, r.Answers()) },
			Bare:   t.Bare, Others: t.Others,
		})
	case tested && t.Score != nil:
		return t.Score(ctx, r, m, d)
	}
	return nil
}

// model returns a trained model and its data, and whether these include test data.
func (t *task[D, M]) model(ctx context.Context, r *Run) (m M, d D, tested bool, err error) {
	if r.Loads() {
		if m, err = loaded(*r.program.loads, t.Load); err == nil && t.Prepare != nil {
			err = t.Prepare(ctx, r, m)
		}
		if err == nil && r.tests() {
			d, err = t.Read(ctx, r)
			tested = true
		}
		return m, d, tested, err
	}
	if t.Read != nil {
		if d, err = t.Read(ctx, r); err != nil {
			return m, d, false, err
		}
	}
	if t.New != nil {
		if m, err = t.New(d); err != nil {
			return m, d, false, err
		}
	}
	if t.Fit != nil {
		if err = t.Fit(ctx, r, m, d); err != nil {
			return m, d, false, err
		}
	}
	if t.save != nil && t.save.Given() {
		if err = t.save.Write(func(w io.Writer) error { return t.Save(m, w) }); err != nil {
			return m, d, false, err
		}
	}
	if t.curve != nil && t.curve.Given() {
		if err = t.curve.Draw(t.Curve.Draw("Training", t.Curve.Axis, r.lines()...)); err != nil {
			return m, d, false, err
		}
	}
	for i, to := range t.figures {
		if to.Given() {
			if err = to.Draw(t.Figures[i].Draw(m, d)); err != nil {
				return m, d, false, err
			}
		}
	}
	return m, d, true, nil
}

// Loads reports whether the model is loaded instead of trained.
func (r *Run) Loads() bool { return r.program.loads != nil && *r.program.loads != "" }

// Applies reports whether the program answers lines instead of testing.
func (r *Run) Applies() bool { return r.program.applies() }

// Answers returns the value of -n, or 1 without the flag.
func (r *Run) Answers() int {
	if r.program.answers == nil {
		return 1
	}
	return *r.program.answers
}

// tests reports whether a flag requests a test of a loaded model.
func (r *Run) tests() bool {
	given := r.program.given()
	for _, flag := range r.program.uses {
		if given[flag] && flag != "apply" && !slices.Contains(r.program.Outputs(), flag) {
			return true
		}
	}
	return false
}

// Curve adds a line to -plot, with values from iteration first on. Without a call the line is
// the objective of training.
func (r *Run) Curve(name string, first int, values []float64) {
	r.curves = append(r.curves, Line{Name: name, First: first, Values: values})
}

// lines returns the lines of -plot.
func (r *Run) lines() []Line {
	if r.curves == nil {
		return []Line{{First: 1, Values: r.training.Objective}}
	}
	return r.curves
}

// Given reports whether the arguments set a flag to a non-empty value.
func (r *Run) Given(flag string) bool { return r.program.given()[flag] }
