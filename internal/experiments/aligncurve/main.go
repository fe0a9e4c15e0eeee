package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/wordalign"
	"example.org/pathsum/models/align"
)

func main() { newProgram().Main() }

// all is the value of -train that selects all ways.
const all = "all"

// flags are the values of the flags.
type flags struct {
	texts                        *wordalign.Texts
	settings                     *wordalign.Settings
	train, combine               *string
	threshold                    *float64
	null, dirichlet, variational *float64
	backoff, jumps, deleted      *float64
	reach, workers               *int
	plot                         *program.Output

	set *flag.FlagSet // tells which flags are set
}

func newProgram() *program.Program {
	p := program.New("aligncurve", "aligncurve compares ways to train word alignment by the error rate of each iteration.",
		"go run ./internal/experiments/aligncurve -plot curve.svg",
		"go run ./internal/experiments/aligncurve -train agreement -deleted 0")
	number := func(name, usage string, most float64) *float64 {
		x := p.Flags.Float64(name, 0, usage)
		wordalign.Within(p, name, x, 0, most)
		return x
	}
	f := &flags{
		texts:       wordalign.NewTexts(p),
		settings:    wordalign.NewSettings(p),
		train:       p.Choice("train", "how to train", all, wordalign.Independent, wordalign.Product2006, wordalign.Agreement2007, wordalign.Agreement),
		combine:     wordalign.NewCombine(p),
		workers:     p.Workers(),
		null:        number("null", "let words come from NULL with the probability `P`; 0: one in n+1, for n words to come from", .999),
		dirichlet:   number("dirichlet", "estimate translations with a Dirichlet prior of parameter `A`, which is more than 1 to smooth them; 0: none", 1e9),
		variational: number("variational", "estimate translations by variational Bayes with a Dirichlet prior of parameter `A`, which is far less than 1 for few translations of a word; 0: none", 1e9),
		backoff:     number("backoff", "count `N` links of each word as its class of -classes has them, in place of 2 with -train agreement, and else 0", 1e9),
		jumps:       number("jumps", "count `N` jumps of each two classes as all jumps from a word of the first one are, in place of 500 with -train agreement, and else 0", 1e9),
		deleted:     number("deleted", "align a sentence learnt from without the share `P` of what it counted itself, in place of .9 with -train agreement, and else 0", .999),
		reach:       p.Flags.Int("reach", 5, "give jumps as far as `N` words a probability of their own, farther ones the same"),
		plot:        p.Plot("the error rate by iteration"),
		threshold:   number("threshold", "show the error rate at the threshold `P`; 0: at the best one after each iteration", 1),
		set:         p.Flags,
	}
	wordalign.Within(p, "reach", f.reach, 1, 255)
	p.Needs("e", "dev-e")
	p.Needs("bitext", "dev-e")
	p.Needs("dev-e", "e bitext")
	p.Needs("test-e", "e bitext")
	p.Excludes("dirichlet", "variational")
	p.Check(func() error {
		if *f.deleted > 0 && (*f.train != wordalign.Agreement || *f.dirichlet > 0 || *f.variational > 0) {
			return errors.New("-deleted: has no effect without -train agreement, or with -dirichlet or -variational")
		}
		return nil
	})
	p.Do(f.run)
	return p
}

// run trains in each of the ways and shows the error rates.
func (f *flags) run(ctx context.Context, r *program.Run) error {
	d, err := f.texts.Read(r, *f.settings.Prune)
	if err != nil {
		return err
	}
	r.Set("lines", d.Corpus.Len())
	ways := []string{wordalign.Independent, wordalign.Product2006, wordalign.Agreement2007, wordalign.Agreement}
	if *f.train != all {
		ways = []string{*f.train}
	}
	fmt.Fprintf(r.Out, "AER on %d sentences by iteration, and in the end on %d others:\n", len(d.Dev.Sentences), len(d.Test.Sentences))
	var lines []program.Line
	for _, how := range ways {
		rates, score, err := f.rates(ctx, r, d, how)
		if err != nil {
			return err
		}
		r.Set("aer_iterations_"+how, rates)
		r.Set("aer_"+how, score.Final.AER())
		r.Set("threshold_"+how, score.Tuned.Threshold)
		fmt.Fprintf(r.Out, "%-14s", how)
		for _, rate := range rates {
			fmt.Fprintf(r.Out, " %.4f", rate)
		}
		fmt.Fprintf(r.Out, "; %.4f\n", score.Final.AER())
		_, opts := f.options(how, d.Corpus.Len())
		lines = append(lines, program.Line{Name: how, First: 1 - opts.Stages[0].Iterations, Values: rates})
	}
	if !f.plot.Given() {
		return nil
	}
	title := fmt.Sprintf("Error rates on the development set (%s); Model 1 to iteration 0", *f.combine)
	return f.plot.Draw(figure.Lines(title, "AER", lines...))
}

// rates trains in one of the ways and returns the error rate on the development set after each
// iteration, and the final score.
func (f *flags) rates(ctx context.Context, r *program.Run, d *wordalign.Data, how string) (rates []float64, s wordalign.Score, err error) {
	o, opts := f.options(how, d.Corpus.Len())
	m, err := align.New(d.Corpus, o)
	if err != nil {
		return nil, s, err
	}
	progress := r.Progress(how, wordalign.Iterations(opts))
	defer progress.Done()
	posteriors := func(s align.Sentence) (wordalign.Posteriors, error) { return d.Posteriors(m, s) }
	way := wordalign.Combinations[*f.combine]
	training := program.Training{Status: em.IterationLimit.String()}
	stages := opts.Stages
	for _, stage := range stages {
		for n := stage.Iterations; n > 0; n-- { // one at a time, with the same result
			stage.Iterations = 1
			opts.Stages = []align.Stage{stage}
			result, err := m.Fit(ctx, d.Corpus, opts)
			if err != nil {
				return nil, s, err
			}
			training.Objective, training.Skipped = append(training.Objective, result.Objective...), len(result.Skipped)
			curves, err := d.Sweep(ctx, posteriors, *f.threshold, *f.workers, way)
			if err != nil {
				return nil, s, err
			}
			point := curves[0].Best()
			if *f.threshold > 0 {
				point = curves[0].At(*f.threshold)
			}
			rates = append(rates, point.AER())
			progress.Step(fmt.Sprintf("AER %.4f", point.AER()))
		}
	}
	training.Iterations = len(training.Objective)
	r.Trained(training)
	scores, err := d.Tune(ctx, posteriors, *f.threshold, 0, *f.workers, way)
	if err != nil {
		return nil, s, err
	}
	return rates, scores[0], nil
}

// options returns the options of a way of training for the given number of sentences.
func (f *flags) options(how string, sentences int) (*align.Options, *align.FitOptions) {
	o, opts := f.settings.Options(how, sentences)
	o.Null, o.MaxJump = *f.null, *f.reach
	switch {
	case *f.dirichlet > 0:
		opts.Prior.Law = em.Dirichlet{Alpha: *f.dirichlet}
	case *f.variational > 0:
		opts.Prior.Law = em.Variational{Alpha: *f.variational}
	}
	f.set.Visit(func(given *flag.Flag) {
		switch given.Name {
		case "deleted":
			o.Deleted = *f.deleted
		case "backoff":
			opts.Prior.Classes = *f.backoff
		case "jumps":
			opts.Prior.Jumps = *f.jumps
		}
	})
	opts.Workers = *f.workers
	return o, opts
}
