package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
	"example.org/pathsum/models/align/gold"
)

// posteriors are those of a sentence in the two directions.
type posteriors struct{ forward, backward *align.Posterior }

// combination makes a choice of links of the posteriors of the two directions.
type combination func(p posteriors) align.Choice

var combinations = map[string]combination{
	"average":      func(p posteriors) align.Choice { return align.Average(p.forward, p.backward) },
	"product":      func(p posteriors) align.Choice { return align.Product(p.forward, p.backward) },
	"intersection": func(p posteriors) align.Choice { return align.Least(p.forward, p.backward) },
	"union":        func(p posteriors) align.Choice { return align.Greatest(p.forward, p.backward) },
	"competitive": func(p posteriors) align.Choice {
		return align.Competitive{Posterior: align.Average(p.forward, p.backward)}
	},
	"grow-diag":           symmetric(align.GrowDiag),
	"grow-diag-final":     symmetric(align.GrowDiagFinal),
	"grow-diag-final-and": symmetric(align.GrowDiagFinalAnd),
	"forward":             forward,
	"backward":            backward,
}

func forward(p posteriors) align.Choice  { return p.forward }
func backward(p posteriors) align.Choice { return p.backward }

func symmetric(of func(forward, backward align.Alignment) align.Alignment) combination {
	return func(p posteriors) align.Choice {
		return align.Symmetric{Forward: p.forward, Backward: p.backward, Of: of}
	}
}

// infer yields the posteriors of sentences, in their order.
func infer(ctx context.Context, a *aligner, sentences []align.Sentence, workers int) iter.Seq2[posteriors, error] {
	lines := make([]bitext.Line, len(sentences))
	for i, s := range sentences {
		lines[i] = bitext.Line{Number: i + 1, Sentence: s}
	}
	return bitext.Map(ctx, sequence(lines), workers, func(l bitext.Line) (posteriors, error) {
		return a.posteriors(l.Sentence)
	})
}

// usual is the threshold where there is nothing to tune it with, and leastTuned is less than
// any to which it is tuned.
const (
	usual      = .5
	leastTuned = 1e-6
)

// scores is how good alignments are.
type scores struct {
	curve *gold.Curve // of the development set, nil without one
	tuned gold.Point  // on the development set
	final gold.Counts // at the tuned threshold, on the test set if there is one
}

// tune tunes the thresholds of combinations on the development set and scores them on the test
// set or, if that is empty, on the development set.
func (x *experiment) tune(ctx context.Context, a *aligner, d *data, of ...combination) ([]scores, error) {
	var curves []*gold.Curve
	if len(d.dev.sentences) > 0 {
		var err error
		if curves, err = x.sweep(ctx, a, d, of...); err != nil {
			return nil, err
		}
	}
	all := make([]scores, len(of))
	for k := range all {
		s := &all[k]
		s.tuned.Threshold = usual
		if a.threshold > 0 {
			s.tuned.Threshold = a.threshold
		}
		if curves != nil {
			s.curve, s.tuned = curves[k], curves[k].Best()
		}
		if *x.threshold > 0 {
			s.tuned.Threshold = *x.threshold
		}
		if s.curve != nil {
			s.tuned = s.curve.At(s.tuned.Threshold)
			s.final = s.tuned.Counts
		}
		if len(d.test.sentences) > 0 {
			s.final = gold.Counts{}
		}
	}
	i := 0
	for p, err := range infer(ctx, a, d.test.sentences, *x.workers) {
		if err != nil {
			return nil, err
		}
		for k := range all {
			s := &all[k]
			s.final = s.final.Plus(gold.Compare(of[k](p).Align(s.tuned.Threshold), d.test.references[i]))
		}
		i++
	}
	return all, nil
}

// sweep scores combinations on the development set at all thresholds.
func (x *experiment) sweep(ctx context.Context, a *aligner, d *data, of ...combination) ([]*gold.Curve, error) {
	least := leastTuned
	if *x.threshold > 0 {
		least = min(least, *x.threshold)
	}
	sweepers := make([]*gold.Sweeper, len(of))
	for k := range sweepers {
		sweepers[k] = gold.NewSweeper(least)
	}
	i := 0
	for p, err := range infer(ctx, a, d.dev.sentences, *x.workers) {
		if err != nil {
			return nil, err
		}
		for k, s := range sweepers {
			if err := s.Add(of[k](p), d.dev.references[i]); err != nil {
				return nil, err
			}
		}
		i++
	}
	curves := make([]*gold.Curve, len(of))
	for k, s := range sweepers {
		var err error
		if curves[k], err = s.Curve(); err != nil {
			return nil, err
		}
	}
	return curves, nil
}

// thresholds are those of the table.
var thresholds = []float64{.01, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99}

// printCurve writes the table of thresholds.
func printCurve(w io.Writer, c *gold.Curve) {
	best := c.Best()
	fmt.Fprintf(w, "%9s %8s %10s %8s\n", "threshold", "AER", "precision", "recall")
	line := func(p gold.Point, note string) {
		fmt.Fprintf(w, "%9.4g %8.4f %10.4f %8.4f%s\n", p.Threshold, p.AER(), p.Precision(), p.Recall(), note)
	}
	shown := false
	for _, t := range thresholds {
		if !shown && best.Threshold < t {
			line(best, "  best")
			shown = true
		}
		line(c.At(t), "")
	}
	if !shown {
		line(best, "  best")
	}
	fmt.Fprintln(w)
}

// score tunes the threshold of a, which is that of -threshold if there is one, and says how
// good the combination and the two directions are.
func (x *experiment) score(ctx context.Context, r *program.Run, a *aligner, d *data) error {
	all, err := x.tune(ctx, a, d, combinations[*x.combine], forward, backward)
	if err != nil {
		return err
	}
	s := all[0]
	tuned := math.NaN()
	if s.curve != nil {
		fmt.Fprintf(r.Out, "%s, development set:\n", *x.combine)
		printCurve(r.Out, s.curve)
		tuned = s.tuned.AER()
	}
	if len(d.dev.sentences)+len(d.test.sentences) > 0 {
		set := "development"
		if len(d.test.sentences) > 0 {
			set = "test"
		}
		for i, name := range []string{*x.combine, "E→F", "F→E"} {
			s := all[i]
			fmt.Fprintf(r.Out, "%s, %s set, threshold %.3g: AER %.4f, precision %.4f, recall %.4f\n",
				name, set, s.tuned.Threshold, s.final.AER(), s.final.Precision(), s.final.Recall())
		}
	}
	r.Set("aer", s.final.AER())
	r.Set("aer_dev", tuned)
	r.Set("precision", s.final.Precision())
	r.Set("recall", s.final.Recall())
	r.Set("threshold", s.tuned.Threshold)
	r.Set("aer_directions", []float64{all[1].final.AER(), all[2].final.AER()})
	r.Set("combination", *x.combine)
	a.threshold = s.tuned.Threshold
	return nil
}
