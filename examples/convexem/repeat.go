package main

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/bayes"
)

// Methods, by their names in the JSON object.
const (
	supervised = "supervised"
	viterbi    = "viterbi"
	marginal   = "marginal"
	relaxed    = "convex"
)

var methods = []string{supervised, viterbi, marginal, relaxed}

// titles are the methods' names in the output.
var titles = map[string]string{
	supervised: "nothing hidden",
	viterbi:    "Viterbi EM, best start",
	marginal:   "marginal EM, best start",
	relaxed:    "convex EM",
}

// repeat is one repeat of the test.
type repeat struct {
	*hidden.Trial
	network  *bayes.Network   // trained by convex EM
	solution *convex.Solution // of the relaxation
	scores   map[string]hidden.Score
}

// relax trains by convex EM.
func (x *repeat) relax(recover string) (err error) {
	if x.network, err = x.Convex(); err != nil {
		return err
	}
	var starts []*bayes.Network
	if x.solution, starts, err = x.Recover(hidden.Solving); err != nil {
		return err
	}
	switch recover {
	case hard:
		x.network, err = x.Structure.WithTables(x.solution.Rounded.Tables)
	case soft:
		x.network = starts[0]
	}
	return err
}

// compare sets the scores of all methods. Supervised training requires the values of hidden
// variables.
func (x *repeat) compare() (err error) {
	x.scores = make(map[string]hidden.Score)
	if x.Labelled {
		if x.scores[supervised], err = x.Supervised(); err != nil {
			return err
		}
	}
	for _, method := range []string{viterbi, marginal} {
		all, best, err := x.Restart(x.Random, method == viterbi)
		if err != nil {
			return err
		}
		if x.scores[method], err = x.Score(all[best]); err != nil {
			return err
		}
	}
	x.scores[relaxed], err = x.Score(x.network)
	return err
}

// draw draws the relation between the training rows for the first hidden variable.
func (x *repeat) draw() (*figure.Figure, error) {
	return hidden.Draw(x.solution.Relaxed.Relations[0], x.solution.Rounded.Labels[0]), nil
}

// summarize prints a summary of the repeats, and sets the keys of the JSON object.
func summarize(r *program.Run, repeats []*repeat) {
	scores := func(method string) (all []hidden.Score) {
		for _, x := range repeats {
			all = append(all, x.scores[method])
		}
		return all
	}
	over := func(of func(s *convex.Solution) float64) float64 {
		var all []float64
		for _, x := range repeats {
			all = append(all, of(x.solution))
		}
		return stat.Mean(all, nil)
	}
	rows, of := "complete rows", methods
	if !repeats[0].Labelled {
		rows, of = "rows as observed", methods[1:]
	}
	loss, paired := make(map[string]hidden.Losses), make(map[string]hidden.Difference)
	fmt.Fprintf(r.Out, "\nLoss, −ln P of %s in nats, mean ± sd, and more than convex EM, mean ± se [convex EM wins]\n\n", rows)
	line := func(cells ...any) {
		fmt.Fprintln(r.Out, strings.TrimRight(fmt.Sprintf("%-26s%-16s%-26s%-16s%s", cells...), " "))
	}
	line("", "test", "more", "train", "test, states unmatched")
	for _, m := range of {
		l, pair := hidden.NewLosses(scores(m)), ""
		loss[m] = l
		if m != relaxed {
			d := hidden.NewDifference(scores(m), scores(relaxed))
			paired[m] = d
			pair = fmt.Sprintf("%+.3f ± %.3f [%d/%d]", d.Mean, d.SE, d.Wins, d.N)
		}
		line(titles[m], l.Test, pair, l.Train, l.RawTest)
	}
	lower, upper := over(func(s *convex.Solution) float64 { return s.Relaxed.Lower }), over(func(s *convex.Solution) float64 { return s.Relaxed.Upper })
	rounded := over(func(s *convex.Solution) float64 { return s.Rounded.Objective })
	fmt.Fprintf(r.Out, "\nThe relaxed objective is between %.2f and %.2f, and %.2f of the rounded labels (means)\n", lower, upper, rounded)
	r.Set("loss", loss)
	r.Set("relaxed_lower", lower)
	r.Set("relaxed_upper", upper)
	r.Set("rounded", rounded)
	r.Set("paired", paired)
}
