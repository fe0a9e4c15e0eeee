package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/regression"
)

func main() { newProgram().Main() }

// experiment has the values of the flags.
type experiment struct {
	data, target, mechanism *string
	figure                  *program.Output
	seed                    *uint64
	rows, features, trials  *int
	signal                  *float64
	epsilons                *[]float64
	mechanisms              []string // the mechanism of -mechanism, or all
}

// all is the value of -mechanism that selects all mechanisms.
const all = "all"

func newProgram() *program.Program {
	p := program.New("privacy", "privacy compares mechanisms to fit a linear regression under local differential privacy.",
		"go run ./internal/experiments/privacy",
		"go run ./internal/experiments/privacy -rows 4898 -features 11 -signal .285")
	e := &experiment{
		data:       p.Data(regression.Format),
		target:     p.Flags.String("target", "", "predict the column called `NAME`, or with that number, from 1; without the flag "+regression.DefaultTarget),
		figure:     p.Figure("figure", "R² by ε"),
		seed:       p.Seed(),
		signal:     p.Flags.Float64("signal", regression.SimulatedSignal, "simulate a target of which features explain that `SHARE` of the variance"),
		rows:       p.Count("rows", 0, 0, "use `N` rows only, drawn from all; 0 is all"),
		features:   p.Count("features", 0, 0, "use the first `N` features only, or simulate as many; 0 is all"),
		trials:     p.Count("trials", 10, 1, "repeat everything `N` times, each with another split of the data and other records"),
		epsilons:   program.List(p, "epsilon", "keep each ε of the comma-separated `LIST`", .25, .5, 1, 2, 4, 8),
		mechanism:  p.Choice("mechanism", "which mechanisms to use", append([]string{all}, regression.Mechanisms()...)...),
		mechanisms: regression.Mechanisms(),
	}
	p.Workers()
	p.About(program.AboutData, "target signal rows features")
	p.Check(func() error {
		if *e.mechanism != all {
			e.mechanisms = []string{*e.mechanism}
		}
		return nil
	})
	p.Do(e.run)
	return p
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	data, err := e.load(r)
	if err != nil {
		return err
	}
	if data.Skipped > 0 {
		fmt.Fprintf(r.Out, "%d rows with an empty value were left out\n", data.Skipped)
	}
	r.Trained(program.Training{Status: "done", Skipped: data.Skipped})
	width := data.Width()
	fmt.Fprintf(r.Out, "%d rows of %d features and the %s: %d statistics of each\n\n", len(data.Rows), width, data.Target, regression.Statistics(width))
	r.Set("rows", len(data.Rows))
	r.Set("features", width)
	r.Set("statistics", regression.Statistics(width))
	var releases []regression.Release // by mechanism and ε
	for _, name := range e.mechanisms {
		more, err := regression.Releases(name, width, *e.epsilons)
		if err != nil {
			return err
		}
		releases = append(releases, more...)
	}
	results := make([]result, *e.trials)
	err = r.Each(ctx, "trials", len(results), func(i int) (err error) {
		rng := rand.New(rand.NewPCG(*e.seed, 2+uint64(i)))
		results[i].free, results[i].private, err = regression.Try(ctx, data, releases, rng)
		return err
	})
	if err != nil {
		return err
	}
	s := e.summarize(results, releases)
	for _, epsilon := range *e.epsilons {
		s.bound = append(s.bound, regression.Bound(len(data.Rows)-len(data.Rows)/5, width, s.free.R2.Mean, epsilon))
	}
	s.report(r, e)
	s.print(r.Out, e)
	if e.figure.Given() {
		return e.figure.Draw(s.draw(e))
	}
	return nil
}

// load returns the table to fit.
func (e *experiment) load(r *program.Run) (*regression.Table, error) {
	if *e.data == "" {
		if *e.target != "" {
			return nil, fmt.Errorf("-target %s: only with -data", *e.target)
		}
		if !(*e.signal > 0 && *e.signal < 1) {
			return nil, fmt.Errorf("-signal %g: want a number between 0 and 1", *e.signal)
		}
		rows := cmp.Or(*e.rows, regression.SimulatedRows)
		if rows < regression.Least {
			return nil, fmt.Errorf("-rows %d: want at least %d", rows, regression.Least)
		}
		return regression.Simulate(*e.seed, rows, cmp.Or(*e.features, regression.SimulatedFeatures), *e.signal, regression.SimulatedMixture), nil
	}
	t, err := regression.Read(r, *e.data, *e.target)
	if err != nil {
		return nil, err
	}
	if n := *e.rows; n > 0 {
		if n < regression.Least || n > len(t.Rows) {
			return nil, fmt.Errorf("-rows %d: want from %d to %d", n, regression.Least, len(t.Rows))
		}
		rng := rand.New(rand.NewPCG(*e.seed, 1))
		rng.Shuffle(len(t.Rows), func(i, j int) { t.Rows[i], t.Rows[j] = t.Rows[j], t.Rows[i] })
		t.Rows = t.Rows[:n]
	}
	if n := *e.features; n > 0 {
		if n > t.Width() {
			return nil, fmt.Errorf("-features %d: there are %d", n, t.Width())
		}
		for i := range t.Rows {
			t.Rows[i].Features = t.Rows[i].Features[:n]
		}
	}
	return t, nil
}
