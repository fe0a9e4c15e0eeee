package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, target   *string
	plot           *program.Output
	workers        *int
	seed           *uint64
	rows, features *int
	trials         *int
	signal         *float64
	epsilons       *[]float64
	mechanism      *string
	mechanisms     []mechanism // those of that name, or all
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("privacy", "privacy fits a linear regression to statistics that people release under local\ndifferential privacy, and says how much the fit loses for how much privacy.")
	e := &experiment{
		data:       p.Data(format),
		target:     p.Flags.String("target", "", "predict the column called `NAME`, or with that number, from 1 (default: "+defaultTarget+")"),
		plot:       p.Plot("R² by ε"),
		workers:    p.Workers(),
		seed:       p.Seed(),
		signal:     p.Flags.Float64("signal", simulatedSignal, "simulate a target of which features explain that `SHARE` of the variance"),
		rows:       p.Count("rows", 0, 0, "use `N` rows only, drawn from all; 0 is all"),
		features:   p.Count("features", 0, 0, "use the first `N` features only, or simulate as many; 0 is all"),
		trials:     p.Count("trials", 10, 1, "repeat everything `N` times, each with another split of the data and other records"),
		epsilons:   program.List(p, "epsilon", "keep each ε of the comma-separated `LIST`", .25, .5, 1, 2, 4, 8),
		mechanism:  p.Choice("mechanism", "which mechanisms to use", mechanismNames()...),
		mechanisms: mechanisms,
	}
	p.Check(func() error {
		if *e.mechanism != all {
			e.mechanisms = slices.DeleteFunc(slices.Clone(mechanisms), func(m mechanism) bool { return m.name != *e.mechanism })
		}
		return nil
	})
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	data, err := e.load()
	if err != nil {
		return err
	}
	if data.skipped > 0 {
		fmt.Fprintf(r.Out, "%d rows with an empty value were left out\n", data.skipped)
	}
	r.Trained(program.Training{Status: "done", Skipped: data.skipped})
	width := data.width()
	fmt.Fprintf(r.Out, "%d rows of %d features and the %s: %d statistics of each\n\n", len(data.rows), width, data.target, statistics(width))
	r.Set("rows", len(data.rows))
	r.Set("features", width)
	r.Set("statistics", statistics(width))
	p, err := e.plan(width)
	if err != nil {
		return err
	}
	results, err := e.repeat(ctx, r, data, p)
	if err != nil {
		return err
	}
	s := summarize(results, p)
	s.limit(e, len(data.rows)-len(data.rows)/5, width)
	s.report(r, e)
	s.print(r.Out, e)
	if e.plot.Given() {
		return s.draw(e.plot, e)
	}
	return nil
}

// load returns the table to learn from.
func (e *experiment) load() (*table, error) {
	if *e.data == "" {
		if *e.target != "" {
			return nil, fmt.Errorf("-target %s: only with -data", *e.target)
		}
		if !(*e.signal > 0 && *e.signal < 1) {
			return nil, fmt.Errorf("-signal %g: want a number between 0 and 1", *e.signal)
		}
		rows := cmp.Or(*e.rows, simulatedRows)
		if rows < least {
			return nil, fmt.Errorf("-rows %d: want at least %d", rows, least)
		}
		return simulate(*e.seed, rows, cmp.Or(*e.features, simulatedFeatures), *e.signal, .4), nil
	}
	t, err := read(*e.data, *e.target)
	if err != nil {
		return nil, err
	}
	if n := *e.rows; n > 0 {
		if n < least || n > len(t.rows) {
			return nil, fmt.Errorf("-rows %d: want from %d to %d", n, least, len(t.rows))
		}
		rng := rand.New(rand.NewPCG(*e.seed, 1))
		rng.Shuffle(len(t.rows), func(i, j int) { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] })
		t.rows = t.rows[:n]
	}
	if n := *e.features; n > 0 {
		if n > t.width() {
			return nil, fmt.Errorf("-features %d: there are %d", n, t.width())
		}
		for i := range t.rows {
			t.rows[i].features = t.rows[i].features[:n]
		}
	}
	return t, nil
}
