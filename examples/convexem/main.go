package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/program"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	network, data, hidden, recover *string
	train, test, repeats           *int
	iterations, restarts           *int
	seed                           *uint64
	beta                           *float64
	matrix, output                 *program.Output
}

// Ways to recover parameters from the relaxation, values of -recover.
const (
	selecting = "select"
	hard      = "hard"
	soft      = "soft"
)

func newProgram() *program.Program {
	p := program.New("convexem", "convexem trains Bayesian networks with hidden variables by EM from a convex relaxation.",
		"go run ./examples/convexem",
		"go run ./examples/convexem -network cancer -train-rows 50 -save cancer.bif")
	f := &flags{
		network:    p.InputOr("network", "the network `NAME`: naive-bayes (the default), six-nodes, three-layers, or the same with other tables, naive-bayes-2, six-nodes-2, three-layers-2; cancer, asia, survey; or a file that ends in .bif. Rows are drawn from it, unless there are -data. A file that ends in .csv is what -data is by itself", hidden.IsFile),
		data:       p.Data("the values of a row, with commas between; the first line has the names of variables of -network. Variables without a column are hidden. Without -network it is naive Bayes, the class last; columns of more than 4 numbers are cut into 2 bins"),
		hidden:     p.Flags.String("hidden", "", "hide the variables with these `NAMES`, separated by commas; by default the variables G and H, the class, or the variable with the most neighbours"),
		train:      p.Count("train-rows", 100, 2, "train on `N` rows"),
		test:       p.Count("test-rows", 1000, 1, "test on at most `N` rows"),
		repeats:    p.Count("repeats", 10, 1, "repeat the test `N` times, with other rows to train on"),
		beta:       p.Flags.Float64("beta", 1, "penalize the squares of all log strengths with `X`/2"),
		recover:    p.Choice("recover", "take parameters from the average of the relaxation's solution and EM from there; from its labels; or from the simplex that it spans", selecting, hard, soft),
		iterations: p.Iterations(200),
		restarts:   p.Restarts(9),
		seed:       p.Seed(),
		matrix:     p.Figure("matrix", "the relation of training rows, relaxed and rounded"),
		output:     p.Output("a row with its missing values filled in, and how probable they are: of -apply, or else of the test"),
	}
	p.Workers()
	p.About(program.AboutData, "network hidden train-rows test-rows")
	p.About(program.AboutTraining, "repeats beta recover")
	p.Check(func() error {
		if !(*f.beta > 0) || math.IsInf(*f.beta, 1) {
			return fmt.Errorf("-beta %g: want a number > 0", *f.beta)
		}
		return nil
	})
	program.Define(p, program.Task[*hidden.Source, *model]{
		Read: f.read, New: newModel, Fit: f.fit, Save: (*model).save, Load: load, Score: f.score,
		Answer: func(_ context.Context, m *model, line string, _ int) ([]string, error) { return m.answer(line) },
		Line:   "A line has the values of the variables, in the order of the network with commas between, ? if missing. Its answer has the likeliest ones in their place, and how probable they are.",
		Bare:   true,
		Curve:  figure.Curve("log likelihood, nats"),
	})
	return p
}

// read returns the source of rows.
func (f *flags) read(_ context.Context, r *program.Run) (*hidden.Source, error) {
	if *f.network == "" && *f.data != "" {
		return hidden.Open(r, *f.data, "")
	}
	return hidden.Open(r, cmp.Or(*f.network, "naive-bayes"), *f.data)
}

// newRepeat draws the rows of repeat number i.
func (f *flags) newRepeat(ctx context.Context, s *hidden.Source, i int) (*repeat, error) {
	t, err := hidden.NewTrial(ctx, s, hidden.Settings{
		Hidden: *f.hidden, Train: *f.train, Test: *f.test, Starts: 1 + *f.restarts, Iterations: *f.iterations, Beta: *f.beta, Seed: *f.seed,
	}, i)
	return &repeat{Trial: t}, err
}

// fit trains by convex EM on the rows of the first repeat.
func (f *flags) fit(ctx context.Context, r *program.Run, m *model, s *hidden.Source) (err error) {
	if m.first, err = f.newRepeat(ctx, s, 0); err != nil {
		return err
	}
	if err := m.first.relax(*f.recover); err != nil {
		return err
	}
	best := m.first.Best
	r.Trained(program.Training{Iterations: best.Iterations(), Objective: best.Objective, Status: best.Status.String(), Skipped: s.Skipped})
	n := m.first.network
	if m.first.Labelled {
		if n, err = n.Match(m.first.Train, m.first.Hidden...); err != nil {
			return err
		}
	}
	if m.network, m.order, err = s.Ordered(n); err != nil {
		return err
	}
	if f.matrix.Given() {
		return f.matrix.Draw(m.first.draw())
	}
	return nil
}

// score compares convex EM with the other methods, on test rows.
func (f *flags) score(ctx context.Context, r *program.Run, m *model, s *hidden.Source) error {
	repeats := make([]*repeat, *f.repeats)
	err := r.Each(ctx, "repeats", *f.repeats, func(i int) (err error) {
		x := m.first
		if i > 0 {
			if x, err = f.newRepeat(ctx, s, i); err != nil {
				return err
			}
			if err = x.relax(*f.recover); err != nil {
				return err
			}
		}
		if err = x.compare(); err == nil {
			repeats[i] = x
		}
		return err
	})
	repeats = slices.DeleteFunc(repeats, func(x *repeat) bool { return x == nil })
	if len(repeats) == 0 {
		return err
	}
	fmt.Fprintf(r.Out, "%s, %s hidden: %d rows to train, %d to test, %d repeats\n", s.Name, m.first.Names(), *f.train, s.Tested(*f.train, *f.test), len(repeats))
	if s.Skipped > 0 {
		fmt.Fprintf(r.Out, "%d rows with missing cells were left out\n", s.Skipped)
	}
	r.Set("network", s.Name)
	r.Set("hidden", m.first.Names())
	r.Set("repeats", len(repeats))
	summarize(r, repeats)
	if err != nil {
		return err
	}
	return f.output.Write(m.complete)
}
