package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	network, hidden, data         *string
	plot, curve                   *program.Output
	train, test, repeats          *int
	iterations, restarts, workers *int
	seed                          *uint64
	beta                          *float64
	recover                       *string
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("convexem", "convexem trains Bayesian networks with a hidden variable by EM from random starts and by\nits convex relaxation, and compares what they lose on other rows.")
	e := &experiment{
		network:    p.InputOr("network", "sample rows from the network called `NAME`: three-layers, six-nodes, naive-bayes (the default), or\nthe same with other tables, three-layers-2, six-nodes-2, naive-bayes-2; cancer, asia, survey; or of a file that ends in .bif; or take the rows of one that ends in .csv; .gz is read\ndirectly. A .csv is naive Bayes, the class last; columns of more than 4 numbers are cut into 2 bins", isFile),
		data:       p.Data("a network (.bif) or rows (.csv), as\nfor -network."),
		hidden:     p.Flags.String("hidden", "", "hide the variables with these `NAMES`, separated by commas (default: of a synthetic network those\ncalled G and H, the class, or the variable with the most neighbours)"),
		train:      p.Count("train-rows", 100, 2, "train on `N` rows"),
		test:       p.Count("test-rows", 1000, 1, "test on `N` rows, or on those that there are"),
		repeats:    p.Count("repeats", 10, 1, "repeat everything `N` times, with other rows"),
		beta:       p.Flags.Float64("beta", 1, "penalize the squares of all log strengths with `X`/2"),
		recover:    p.Choice("recover", "recover parameters from the relation between rows by average over what follows and EM from it,\nfrom labels, or from the simplex that it spans", selecting, hard, soft),
		iterations: p.Iterations(200),
		restarts:   p.Restarts(9),
		seed:       p.Seed(),
		workers:    p.Workers(),
		plot:       p.Plot("the relation between rows, relaxed and rounded, of the first repeat"),
		curve:      p.Figure("curve", "the log likelihood by iteration, of the first repeat"),
	}
	p.Check(func() error {
		switch {
		case *e.network != "" && *e.data != "":
			return fmt.Errorf("-network %s -data %s: want one of the two", *e.network, *e.data)
		case !(*e.beta > 0) || math.IsInf(*e.beta, 1):
			return fmt.Errorf("-beta %g: want a number > 0", *e.beta)
		}
		return nil
	})
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	s, err := open(cmp.Or(*e.data, *e.network, "naive-bayes"))
	if err != nil {
		return err
	}
	outcomes, err := e.all(ctx, r, s)
	if len(outcomes) == 0 {
		return err
	}
	first := outcomes[0]
	r.Trained(program.Training{Iterations: first.best.Iterations(), Objective: first.best.Objective,
		Status: first.best.Status.String(), Skipped: s.skipped})
	summarize(outcomes).report(r, e, s, first.hidden, len(outcomes))
	if err == nil && e.plot.Given() {
		err = draw(e.plot, first)
	}
	if err == nil && e.curve.Given() {
		err = e.curve.Draw(figure.Lines("EM from the relaxation, first repeat", "log likelihood, nats", figure.Line{First: 1, Values: first.best.Objective}))
	}
	return err
}

// all makes all repeats, and returns those that were done when one failed.
func (e *experiment) all(ctx context.Context, r *program.Run, s *source) ([]*outcome, error) {
	outcomes := make([]*outcome, *e.repeats)
	err := r.Each(ctx, "repeats", *e.repeats, func(i int) (err error) {
		outcomes[i], err = e.repeat(ctx, s, i)
		return err
	})
	return slices.DeleteFunc(outcomes, func(o *outcome) bool { return o == nil }), err
}
