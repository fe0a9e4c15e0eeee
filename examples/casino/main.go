package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/hmm"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, lines                   *string
	plot, curve, output           *program.Output
	model                         *program.Model
	iterations, restarts, workers *int
	seed                          *uint64
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("casino", "casino finds out when a casino used a loaded die, from the throws alone: a hidden\nMarkov model of two states, trained by expectation maximization.")
	e := &experiment{
		data:       p.Data(format),
		plot:       p.Plot("the probability, given all throws of the first evening, that the die was loaded"),
		curve:      p.Figure("curve", "the log likelihood by iteration"),
		iterations: p.Iterations(200),
		restarts:   p.Restarts(4),
		seed:       p.Seed(),
		workers:    p.Workers(),
		output:     p.Output("throws<TAB>most probable dice, for each evening or each line of -apply"),
		lines:      p.Apply("A line is the throws of an evening; its answer is the line and the most probable dice, with a tab between."),
	}
	p.Checkpoint()
	e.model = p.Model("data iterations restarts seed checkpoint plot curve", "apply")
	p.Excludes("apply", "plot")
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	if e.model.Loads() {
		m, err := e.loadModel()
		if err != nil {
			return err
		}
		return e.apply(ctx, r, m)
	}
	truth, err := newTruth()
	if err != nil {
		return err
	}
	data, logTrue, err := e.load(truth)
	if err != nil {
		return err
	}
	m, emission, err := newModel()
	if err != nil {
		return err
	}
	fit, err := e.train(ctx, r, m, hmm.Hide(data...))
	if fit == nil {
		return err
	}
	byLoad(m, emission)
	r.Set("loglik_true", logTrue)
	r.Set("loglik_fit", fit.LogLikelihood)
	printModels(r.Out, m, emission, truth, *e.data == "")
	fmt.Fprintf(r.Out, "log likelihood %.3f", fit.LogLikelihood)
	if *e.data == "" {
		fmt.Fprintf(r.Out, ", under the true model %.3f", logTrue)
	}
	fmt.Fprintln(r.Out)
	if err == nil && e.curve.Given() {
		err = e.curve.Draw(figure.Lines("Training: the best start", "log likelihood, nats", figure.Line{First: 1, Values: fit.Objective}))
	}
	if err == nil {
		err = e.model.Save(m.Save)
	}
	switch {
	case err != nil:
		return err
	case *e.lines != "":
		return e.apply(ctx, r, m)
	}
	return e.decode(r, m, data)
}

// load returns the evenings and, if they are simulated, their log likelihood under
// the truth.
func (e *experiment) load(truth *hmm.Model[int32]) ([]hmm.Sequence[int32], float64, error) {
	if *e.data != "" {
		data, err := read(*e.data)
		return data, math.NaN(), err
	}
	s, err := truth.Predictor()
	if err != nil {
		return nil, 0, err
	}
	data, err := simulate(s, *e.seed)
	if err != nil {
		return nil, 0, err
	}
	sum := 0.0
	for _, x := range hmm.Hide(data...) {
		log, err := s.LogProb(x)
		if err != nil {
			return nil, 0, err
		}
		sum += log
	}
	return data, sum, nil
}

// train trains m from random starts. Like em.Fit it returns what it has if ctx is
// done.
func (e *experiment) train(ctx context.Context, r *program.Run, m *hmm.Model[int32], data []hmm.Sequence[int32]) (*em.Result, error) {
	progress := r.Progress("training", *e.iterations*(1+*e.restarts))
	defer progress.Done()
	rng := rand.NewPCG(*e.seed, 2)
	fit, err := m.Fit(ctx, data, &em.Options{
		Start:      m.Params.Random(rand.New(rng)),
		Iterations: *e.iterations, Restarts: *e.restarts, Rand: rng,
		Workers: *e.workers, Checkpoint: r.Checkpoint(),
		Observer: progress.Observe,
	})
	if fit != nil {
		r.Fitted(fit)
	}
	return fit, err
}

func printModels(w io.Writer, m *hmm.Model[int32], e *hmm.Discrete, truth *hmm.Model[int32], known bool) {
	columns := []*hmm.Model[int32]{m}
	fmt.Fprintf(w, "%-26s%8s", "", "fitted")
	if known {
		columns = append(columns, truth)
		fmt.Fprintf(w, "%8s", "true")
	}
	fmt.Fprintln(w)
	line := func(name string, of func(theta []float64) float64) {
		fmt.Fprintf(w, "%-26s", name)
		for _, c := range columns {
			fmt.Fprintf(w, "%8.3f", of(c.Theta))
		}
		fmt.Fprintln(w)
	}
	names := [dice]string{"fair", "loaded"}
	for die, g := range e.Groups() {
		for face := range faces {
			line(fmt.Sprintf("%s die shows %d", names[die], face+1), func(theta []float64) float64 { return g.In(theta)[face] })
		}
	}
	line("fair die is kept", func(theta []float64) float64 { return m.Row(fair).In(theta)[fair] })
	line("loaded die is kept", func(theta []float64) float64 { return m.Row(loaded).In(theta)[loaded] })
	fmt.Fprintln(w)
}

// decode finds the dice, says how many were told right, and writes what is asked for.
func (e *experiment) decode(r *program.Run, m *hmm.Model[int32], data []hmm.Sequence[int32]) error {
	s, err := m.Predictor()
	if err != nil {
		return err
	}
	var decoded [][]int32
	right, known := 0, 0
	for i, x := range hmm.Hide(data...) {
		path, _, err := s.Best(x)
		if err != nil {
			return err
		}
		decoded = append(decoded, path)
		for t, die := range data[i].States {
			known++
			if die == path[t] {
				right++
			}
		}
	}
	accuracy := math.NaN()
	if known > 0 {
		accuracy = float64(right) / float64(known)
		fmt.Fprintf(r.Out, "%.2f %% of %d dice told right\n", 100*accuracy, known)
	}
	r.Set("decode_accuracy", accuracy)
	if e.plot.Given() {
		if err := e.draw(s, data[0], decoded[0]); err != nil {
			return err
		}
	}
	return e.output.Write(func(w io.Writer) error { return write(w, data, decoded) })
}
