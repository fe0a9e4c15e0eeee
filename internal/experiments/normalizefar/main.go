package main

import (
	"context"
	"errors"
	"fmt"

	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/internal/program"
)

func main() { newProgram().Main() }

func newProgram() *program.Program {
	p := program.New("normalizefar", "normalizefar applies a machine of OpenFst to lines.",
		"go run ./internal/experiments/normalizefar -grammar all.far -key written-spoken -apply lines.txt")
	grammar := p.Input("grammar", "apply the machine of `FILE` in a form of OpenFst; in a file whose name ends in .far, that of -key")
	key := p.Flags.String("key", "", "apply the machine with this `KEY`, which may be left out where there is one machine")
	labels := p.Choice("labels", "what the labels of -grammar are", "byte", "utf8")
	p.Workers()
	p.Output("a reading")
	program.Define(p, program.Task[struct{}, *linegrammar.Grammar]{
		New: func(struct{}) (*linegrammar.Grammar, error) {
			return linegrammar.Import(*grammar, *key, *labels == "byte")
		},
		Answer: func(_ context.Context, g *linegrammar.Grammar, line string, n int) ([]string, error) {
			readings, err := g.Apply(line, n)
			var answers []string
			for _, x := range readings {
				answers = append(answers, x.Text)
				if n > 1 {
					answers = append(answers, fmt.Sprintf("%.4g", x.Cost))
				}
			}
			return answers, err
		},
		Line:    "The answer to a line is its best reading.",
		Several: "readings, each with the cost behind it",
		Bare:    true,
	})
	p.Check(func() error {
		if *grammar == "" || p.Flags.Lookup("apply").Value.String() == "" {
			return errors.New("want -grammar and -apply")
		}
		return nil
	})
	return p
}
