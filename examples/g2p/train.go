package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// kind is a kind of model: sizes of chunks, and directions to read in.
type kind struct {
	sizes      []pairgram.Size
	directions []string
}

const (
	forward  = "forward"
	backward = "backward"
)

// directions are the directions that -direction stands for.
var directions = map[string][]string{forward: {forward}, backward: {backward}, "both": {forward, backward}}

// parseKinds returns the kinds of models of a list such as 10,01,11:both+10,11,12,21.
func parseKinds(list, direction string) ([]kind, error) {
	var all []kind
	for _, part := range strings.Split(list, "+") {
		sizes, own, found := strings.Cut(part, ":")
		if !found {
			own = direction
		}
		k := kind{directions: directions[own]}
		if k.directions == nil {
			return nil, fmt.Errorf("-chunks %s: %q is no direction, want forward, backward or both", list, own)
		}
		for _, s := range strings.Split(sizes, ",") {
			if len(s) != 2 || s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9' {
				return nil, fmt.Errorf("-chunks %s: %q is no size, want two digits", list, s)
			}
			k.sizes = append(k.sizes, pairgram.Size{Source: int(s[0] - '0'), Target: int(s[1] - '0')})
		}
		all = append(all, k)
	}
	return all, nil
}

// settings are what is chosen on held-out pairs.
type settings struct {
	order    int
	discount float64
}

// trainer makes models of pairs.
type trainer struct {
	e        *experiment
	kinds    []kind
	pairs    []pairgram.Pair
	aligners []*pairgram.Aligner // per kind
	weight   float64             // of the pairs
	skipped  int
	fits     []*em.Result
}

// align aligns the pairs in chunks of each kind. Of a run that was interrupted it
// reports what is known.
func (e *experiment) align(ctx context.Context, r *program.Run, pairs []pairgram.Pair) (*trainer, error) {
	kinds, err := parseKinds(*e.chunks, *e.direction)
	if err != nil {
		return nil, err
	}
	t := &trainer{e: e, kinds: kinds, pairs: pairs}
	for i := range pairs {
		t.weight += pairs[i].Weight.Float64()
	}
	progress := r.Progress("alignment", len(kinds)**e.iterations)
	defer progress.Done()
	for _, k := range kinds {
		a, err := pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: k.sizes, LengthPrior: *e.prior})
		if err != nil {
			return nil, err
		}
		opts := &em.Options{Iterations: *e.iterations, Tolerance: -1, Workers: *e.workers, Observer: func(v em.Event) {
			progress.Step(fmt.Sprintf("%.4f nats per pair", v.Objective/t.weight))
		}}
		if *e.checkpoint != "" {
			opts.Checkpoint = fmt.Sprintf("%s.%d", *e.checkpoint, len(t.aligners))
			if len(kinds) == 1 {
				opts.Checkpoint = *e.checkpoint
			}
		}
		fit, err := a.Fit(ctx, pairs, opts)
		if fit != nil {
			t.fits = append(t.fits, fit)
			t.skipped = max(t.skipped, len(fit.Skipped))
			first := t.fits[0]
			r.Trained(program.Training{Iterations: first.Iterations(), Objective: first.Objective, Status: first.Status.String(), Skipped: t.skipped})
		}
		if err != nil {
			return nil, err
		}
		for i, s := range fit.Skipped {
			if i == 3 {
				r.Warn("%d further pairs cannot be cut into chunks of %v", len(fit.Skipped)-i, k.sizes)
				break
			}
			r.Warn("%s cannot be cut into chunks of %v", s.Name, k.sizes)
		}
		t.aligners = append(t.aligners, a)
	}
	return t, nil
}

// counts returns the expected counts for a model of each kind and direction.
func (t *trainer) counts(ctx context.Context, order int) ([]*pairgram.Counts, error) {
	var all []*pairgram.Counts
	for i, a := range t.aligners {
		for _, d := range t.kinds[i].directions {
			c, err := a.Count(ctx, t.pairs, &pairgram.CountOptions{Order: order, Reversed: d == backward, Workers: *t.e.workers})
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// smooth returns the models of counts.
func smooth(counts []*pairgram.Counts, discount float64) ([]*pairgram.Model, error) {
	var all []*pairgram.Model
	for _, c := range counts {
		m, err := c.Model(&ngram.Options{DiscountScale: []float64{1, discount}})
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Settings that are tried.
var (
	orders    = []int{4, 6, 8}
	discounts = []float64{1, 1.2, 1.4}
)

// settings returns those that the flags leave to be chosen from, by order.
func (e *experiment) settings() []settings {
	tried, scales := orders, discounts
	if *e.order > 0 {
		tried = []int{*e.order}
	}
	if *e.discount > 0 {
		scales = []float64{*e.discount}
	}
	var all []settings
	for _, order := range tried {
		for _, scale := range scales {
			all = append(all, settings{order, scale})
		}
	}
	return all
}

// usual are the settings where there are no held-out words: the greatest order that may be
// chosen, and its first discount.
func usual(all []settings) settings {
	last := all[len(all)-1].order
	return all[slices.IndexFunc(all, func(s settings) bool { return s.order == last })]
}

// choose returns the settings with which all models together make the fewest errors on
// held-out words.
func (t *trainer) choose(ctx context.Context, r *program.Run, d *data, s symbols) (settings, error) {
	all := t.e.settings()
	if len(all) == 1 || len(d.dev) == 0 {
		return usual(all), nil
	}
	progress := r.Progress("choice", len(all))
	defer progress.Done()
	var best settings
	var counts []*pairgram.Counts
	least := 2.0
	for i, x := range all {
		if i == 0 || x.order != all[i-1].order {
			var err error
			if counts, err = t.counts(ctx, x.order); err != nil {
				return best, err
			}
		}
		models, err := smooth(counts, x.discount)
		if err != nil {
			return best, err
		}
		w, err := newTranscriber(d.word, d.target, s, models...)
		if err != nil {
			return best, err
		}
		found, err := t.e.evaluate(ctx, w, d.dev)
		if err != nil {
			return best, err
		}
		progress.Step(fmt.Sprintf("order %d, discounts times %g: WER %.4f", x.order, x.discount, found.WER))
		if found.WER < least {
			best, least = x, found.WER
		}
	}
	return best, nil
}

// models returns a model for each kind and direction.
func (t *trainer) models(ctx context.Context, s settings) ([]*pairgram.Model, error) {
	counts, err := t.counts(ctx, s.order)
	if err != nil {
		return nil, err
	}
	return smooth(counts, s.discount)
}

// conditionals returns a conditional model for each kind and direction.
func (t *trainer) conditionals(ctx context.Context, r *program.Run, s settings) ([]*pairgram.Conditional, error) {
	var all []*pairgram.Conditional
	for _, k := range t.kinds {
		for _, d := range k.directions {
			c, err := t.conditional(ctx, r, s, k.sizes, d, len(all))
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// strengths is the number of iterations that find the strengths of features.
const strengths = 60

// conditional returns conditional model number n, of chunks of these sizes read in a direction.
func (t *trainer) conditional(ctx context.Context, r *program.Run, s settings, sizes []pairgram.Size, direction string, n int) (*pairgram.Conditional, error) {
	train := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
		a, err := pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: sizes, LengthPrior: *t.e.prior})
		if err != nil {
			return nil, err
		}
		if _, err := a.Fit(ctx, pairs, &em.Options{Iterations: *t.e.iterations, Tolerance: -1, Workers: *t.e.workers}); err != nil {
			return nil, err
		}
		counts, err := a.Count(ctx, pairs, &pairgram.CountOptions{Order: s.order, Reversed: direction == backward, Workers: *t.e.workers})
		if err != nil {
			return nil, err
		}
		models, err := smooth([]*pairgram.Counts{counts}, s.discount)
		if err != nil {
			return nil, err
		}
		return models[0].Predictor(nil)
	}
	progress := r.Progress("conditional", strengths)
	defer progress.Done()
	fit := em.Options{Iterations: strengths, Workers: *t.e.workers, Observer: func(v em.Event) { progress.Step(fmt.Sprintf("%.6g nats", v.Objective)) }}
	if *t.e.checkpoint != "" {
		fit.Checkpoint = fmt.Sprintf("%s.conditional.%d", *t.e.checkpoint, n)
	}
	c, result, err := pairgram.FitConditional(ctx, t.pairs, train, &pairgram.ConditionalOptions{Fit: fit})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(t.e.summary(r), "conditional %s model: %d features, %.6g nats before, %.6g after %d iterations\n",
		direction, len(result.Theta)-1, result.Objective[0], result.Objective[len(result.Objective)-1], result.Iterations())
	return c, nil
}
