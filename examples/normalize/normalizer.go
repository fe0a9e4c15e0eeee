package main

import (
	"compress/gzip"
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.org/pathsum/em"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/internal/program"
)

// normalizer has the grammars of the directions that are needed.
type normalizer struct {
	all       []*linegrammar.Grammar
	saved     linegrammar.Parameters // nil without -load
	explainer *linegrammar.Explainer // of the first grammar; nil without -explain
}

// The machines of the grammars with their default probabilities are stored with the program, in
// OpenFst's binary format, so that reading a line needs no compilation. A test compiles the
// grammars again and compares.
//
//go:generate go test . -run ^TestKept$ -update
//go:embed kept/*.fst.gz
var keptMachines embed.FS

// keptName is the file name of the machine of a direction.
func keptName(d grammars.Direction) string { return "kept/" + d.String() + ".fst.gz" }

// kept returns the stored grammar of a direction.
func kept(d grammars.Direction) (*linegrammar.Grammar, error) {
	file, err := keptMachines.Open(keptName(d))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keptName(d), err)
	}
	g, err := linegrammar.Kept(d.String(), z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keptName(d), err)
	}
	return g, nil
}

// load reads saved parameters.
func load(in io.Reader) (*normalizer, error) {
	saved, err := linegrammar.ReadParameters(in)
	return &normalizer{saved: saved}, err
}

// directions returns the directions that are needed; answers use the first.
func (f *flags) directions(r *program.Run) []grammars.Direction {
	switch {
	case *f.inverse:
		return []grammars.Direction{grammars.SpokenWritten}
	case r.Applies():
		return []grammars.Direction{grammars.WrittenSpoken}
	}
	return grammars.Directions
}

// compile makes the grammars that are needed.
func (f *flags) compile(ctx context.Context, r *program.Run, m *normalizer) error {
	needed := f.directions(r)
	progress := r.Progress("compiling", len(needed))
	defer progress.Done()
	for _, d := range needed {
		g, err := program.Interruptible(ctx, func() (*linegrammar.Grammar, error) {
			g, err := f.grammar(d, r)
			if err == nil && m.saved != nil {
				err = g.Load(m.saved)
			}
			return g, err
		})
		if err != nil {
			return err
		}
		progress.Step(d.String())
		m.all = append(m.all, g)
	}
	return nil
}

// grammar returns the grammar of a direction. If lines are only read, this is the stored one.
func (f *flags) grammar(d grammars.Direction, r *program.Run) (*linegrammar.Grammar, error) {
	switch {
	case *f.rules != "":
		own, err := rx.ReadDefinitions(os.DirFS(filepath.Dir(*f.rules)), filepath.Base(*f.rules))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", *f.rules, err)
		}
		g, err := grammars.Load(d, append([]rx.Definition{}, own...))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", *f.rules, err)
		}
		return g, nil
	case *f.train || *f.explain || r.Loads() || r.Given("export"):
		return grammars.Load(d, nil)
	}
	return kept(d)
}

// learn trains the grammars on the lines and on embedded ones.
func (f *flags) learn(ctx context.Context, r *program.Run, m *normalizer, lines []grammars.Line) error {
	more, err := grammars.Ambiguous()
	if err != nil {
		return err
	}
	lines = append(lines[:len(lines):len(lines)], more...)
	progress := r.Progress("training", *f.iterations*len(m.all))
	defer progress.Done()
	var report program.Training
	for i, d := range f.directions(r) {
		g, examples := m.all[i], grammars.Of(d, lines)
		if _, err := program.Interruptible(ctx, func() (any, error) {
			return nil, g.AddContexts(linegrammar.ContextWords(examples, *f.words))
		}); err != nil {
			return err
		}
		result, err := g.Train(ctx, examples, em.Options{
			Iterations: *f.iterations, Workers: *f.workers,
			Checkpoint: r.Checkpoint(d),
			Observer:   progress.Observe,
		})
		if result != nil {
			report.Iterations += result.Iterations()
			report.Objective = append(report.Objective, result.Objective...)
			report.Status = result.Status.String()
			report.Skipped += len(result.Skipped)
			r.Fitted(result)
			r.Trained(report)
		}
		if err != nil {
			return err
		}
		r.Curve(d.String(), 1, result.Objective)
	}
	return nil
}
