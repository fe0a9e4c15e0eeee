package main

import (
	"cmp"
	"context"
	"fmt"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/pairgram"
)

// settings are what is chosen on held-out pairs.
type settings struct {
	order    int
	discount float64
	sigma    float64 // of conditional models
}

// The settings without flags. They are not chosen for each data set: held-out words are often
// too few to tell settings apart, and the chosen ones were worse than these. See PERFORMANCE.md.
const (
	usualOrder    = 6
	usualDiscount = 1.2
)

// Settings that are tried if flags ask for a choice.
var (
	orders    = []int{4, 6, 8}
	discounts = []float64{1, 1.2, 1.4}
)

// settings returns the settings to choose from, by order: all where a flag is 0.
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
			all = append(all, settings{order: order, discount: scale})
		}
	}
	return all
}

// usual returns the settings if there is no choice or there are no held-out words.
func (e *experiment) usual() settings {
	return settings{order: cmp.Or(*e.order, usualOrder), discount: cmp.Or(*e.discount, usualDiscount)}
}

// triedClasses is the most hidden classes that are tried.
const triedClasses = 3

// choose aligns the training pairs, and returns the settings with which all models together
// make the fewest errors on held-out words: of every way to cut columns into symbols, order and
// discount, and then of numbers of hidden classes.
func (e *experiment) choose(ctx context.Context, r *program.Run, c *corpus) (*trainer, settings, error) {
	var best settings
	var chosen *trainer
	least := 2.0
	all := e.settings()
	for _, cut := range c.readings {
		t, err := e.align(ctx, r, c, cut)
		if err != nil {
			return nil, best, err
		}
		if len(all)*len(c.readings) == 1 && *e.classes > 0 || len(c.dev.pairs) == 0 {
			return t, e.usual(), nil
		}
		s, wer, err := t.choose(ctx, r, all, t.items(c.dev))
		if err != nil {
			return nil, best, err
		}
		if wer < least {
			chosen, best, least = t, s, wer
		}
	}
	if *e.classes > 0 {
		return chosen, best, nil
	}
	for n := 2; n <= triedClasses; n++ {
		t := *chosen
		if err := t.classify(ctx, r, n); err != nil {
			return nil, best, err
		}
		_, wer, err := t.choose(ctx, r, []settings{best}, t.items(c.dev))
		if err != nil {
			return nil, best, err
		}
		if wer < least {
			chosen, least = &t, wer
		}
	}
	return chosen, best, nil
}

// choose returns the best of settings on held-out items, and the part of words that is wrong.
func (t *trainer) choose(ctx context.Context, r *program.Run, all []settings, held []item) (settings, float64, error) {
	progress := r.Progress(fmt.Sprintf("choice (%v, %s spaced, %d classes)", t.columns.Word.Form, t.columns.spaced(), max(1, len(t.classes))), len(all))
	defer progress.Done()
	var best settings
	var counts []*pairgram.Counts
	least := 2.0
	for i, x := range all {
		if i == 0 || x.order != all[i-1].order {
			var err error
			if counts, err = t.counts(ctx, x.order); err != nil {
				return best, 0, err
			}
		}
		models, err := smooth(counts, x.discount)
		if err != nil {
			return best, 0, err
		}
		w, err := newTranscriber(t.columns, t.symbols, t.classes, models...)
		if err != nil {
			return best, 0, err
		}
		found, err := t.e.evaluate(ctx, w, held)
		if err != nil {
			return best, 0, err
		}
		progress.Step(fmt.Sprintf("order %d, discounts times %g: WER %.4f", x.order, x.discount, found.WER))
		if found.WER < least {
			best, least = x, found.WER
		}
	}
	return best, least, nil
}
