package main

import (
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/tsv"
)

func main() { newProgram().Main() }

// experiment has the values of the flags.
type experiment struct {
	data                              *string
	folds, words, iterations, workers *int
	seed                              *uint64
}

func newProgram() *program.Program {
	p := program.New("normalizefolds", "normalizefolds cross-validates the grammars of examples/normalize.",
		"go run ./internal/experiments/normalizefolds -data english.tsv")
	e := &experiment{
		data:       p.Input("data", "cross-validate on the lines of `FILE` instead of the tests of the grammars; lines: "+grammars.Format),
		folds:      p.Count("folds", 3, 2, "read each of `N` parts of the lines with what was learnt from the others"),
		words:      p.Count("words", 8, 0, "let `N` words tell the kind of the token before or behind them"),
		iterations: p.Iterations(10),
		workers:    p.Workers(),
		seed:       p.Seed(),
	}
	p.Do(e.validate)
	return p
}

// lines returns the lines for training and testing.
func (e *experiment) lines(r *program.Run) (lines []grammars.Line, err error) {
	if *e.data == "" {
		lines, err = grammars.Tests()
	} else {
		lines, err = program.All(r, grammars.Lines(tsv.RowsOf(*e.data, 4, 4), *e.data))
	}
	if err != nil {
		return nil, err
	}
	more, err := grammars.Ambiguous()
	return append(lines, more...), err
}
