package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/regression"
	"example.org/pathsum/moments/privacy"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, target, mechanism *string
	trials                  *int
	seed                    *uint64
	epsilons                *[]float64
	output                  *program.Output
}

func newProgram() *program.Program {
	p := program.New("privacy", "privacy fits a linear regression to records released under local differential privacy.",
		"go run ./examples/privacy",
		"go run ./examples/privacy -data housing.csv -epsilon 2 -save regression.json")
	names := regression.Mechanisms()
	slices.Reverse(names) // the best first
	f := &flags{
		data:      p.Data(regression.Format),
		target:    p.Flags.String("target", "", "predict the column called `NAME`, or with that number, from 1; without the flag "+regression.DefaultTarget),
		mechanism: p.Choice("mechanism", "the mechanism by which people release their data", names...),
		trials:    p.Count("trials", 10, 1, "test `N` times, each time with another split of the data and other records"),
		seed:      p.Seed(),
		epsilons:  program.List(p, "epsilon", "keep each ε of the comma-separated `LIST`; a single one to -save or -apply a regression", .25, .5, 1, 2, 4, 8),
	}
	f.output = p.Output("the predicted target of a line of -apply, or else of a row of the data")
	p.Workers()
	p.About(program.AboutData, "target")
	p.About(program.AboutTraining, "trials")
	program.Define(p, program.Task[*regression.Table, *model]{
		Read: f.read, New: f.newModel, Fit: f.fit, Save: (*model).save, Load: load, Score: f.score,
		Answer: func(_ context.Context, m *model, line string, _ int) ([]string, error) { return m.answer(line) },
		Line:   "A line has the features of a person: numbers in the order of the table, with commas, semicolons or spaces between. Its answer is the predicted target.",
		Bare:   true,
	})
	p.Check(func() error {
		value := func(flag string) string { return p.Flags.Lookup(flag).Value.String() }
		if n := len(*f.epsilons); n > 1 && value("load") == "" && value("save")+value("apply") != "" {
			return fmt.Errorf("-epsilon %s: want one ε with -save or -apply", value("epsilon"))
		}
		return nil
	})
	return p
}

// read reads or simulates a table.
func (f *flags) read(_ context.Context, r *program.Run) (*regression.Table, error) {
	if *f.data != "" {
		return regression.Read(r, *f.data, *f.target)
	}
	if *f.target != "" {
		return nil, fmt.Errorf("-target %s: only with -data", *f.target)
	}
	return regression.Simulate(*f.seed, regression.SimulatedRows, regression.SimulatedFeatures, regression.SimulatedSignal, regression.SimulatedMixture), nil
}

func (f *flags) newModel(d *regression.Table) (*model, error) {
	releases, err := regression.Releases(*f.mechanism, d.Width(), *f.epsilons)
	return &model{Target: d.Target, Features: d.Features, releases: releases}, err
}

// fit fits the regression to a record of each person, with the last ε of the list. It draws
// from a predictable source, so these records are not private: see the package comment.
func (f *flags) fit(ctx context.Context, r *program.Run, m *model, d *regression.Table) (err error) {
	last := len(m.releases) - 1
	m.Mechanism, m.Epsilon = *f.mechanism, (*f.epsilons)[last]
	r.Trained(program.Training{Status: "done", Skipped: d.Skipped})
	m.Ranges, m.Weights, err = m.releases[last].Fit(ctx, d.Rows, privacy.NotPrivate(rand.NewPCG(*f.seed, 0)))
	return err
}

// score prints how well the regression predicts people who release no record.
func (f *flags) score(ctx context.Context, r *program.Run, m *model, d *regression.Table) error {
	if d.Skipped > 0 {
		fmt.Fprintf(r.Out, "%d rows with an empty value were left out\n", d.Skipped)
	}
	fmt.Fprintf(r.Out, "%d rows of %d features and the %s\n", len(d.Rows), d.Width(), d.Target)
	free, private := make([]float64, *f.trials), make([][]float64, len(m.releases))
	for j := range private {
		private[j] = make([]float64, *f.trials)
	}
	err := r.Each(ctx, "trials", *f.trials, func(i int) error {
		without, by, err := regression.Try(ctx, d, m.releases, rand.New(rand.NewPCG(*f.seed, 2+uint64(i))))
		free[i] = without.R2
		for j, x := range by {
			private[j][i] = x.R2
		}
		return err
	})
	if err != nil {
		return err
	}
	var r2 []program.Deviation
	var loss []float64
	rows := [][]string{{"ε", "R²", "privacy loss"}}
	for j, x := range m.releases {
		r2, loss = append(r2, program.NewDeviation(private[j])), append(loss, x.Loss)
		rows = append(rows, []string{fmt.Sprint((*f.epsilons)[j]), r2[j].String(), fmt.Sprintf("%.4g", x.Loss)})
	}
	without := program.NewDeviation(free).Mean
	fmt.Fprintf(r.Out, "\nR² of a fifth of them by records of the others, %s, mean ± sd of %d trials; %.3f without privacy\n\n", *f.mechanism, *f.trials, without)
	program.WriteTable(r.Out, rows)
	fmt.Fprintf(r.Out, "By records of all with ε = %g:\n%s\n", m.Epsilon, m)
	r.Set("rows", len(d.Rows))
	r.Set("features", d.Width())
	r.Set("epsilon", *f.epsilons)
	r.Set("r2", map[string][]program.Deviation{*f.mechanism: r2})
	r.Set("r2_non_private", without)
	r.Set("loss", map[string][]float64{*f.mechanism: loss})
	return f.output.Write(func(w io.Writer) error {
		for _, x := range d.Rows {
			if _, err := fmt.Fprintln(w, number(m.Ranges.Predict(m.Weights, x.Features))); err != nil {
				return err
			}
		}
		return nil
	})
}
