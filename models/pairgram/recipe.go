package pairgram

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/models/ngram"
)

// Recipe makes a model of pairs in one call: it aligns them, counts chunks and smooths the counts.
// The zero value makes what the options' defaults make.
type Recipe struct {
	Aligner   AlignerOptions
	Count     CountOptions
	Smoothing ngram.Options
}

// Fit returns the model of pairs. The aligner is trained with opts, nil for the defaults, whose
// Workers also count if Count has none. Errors are those of NewAligner, Aligner.Fit, Aligner.Count
// and Counts.Model; a training that ctx ends makes no model.
func (r Recipe) Fit(ctx context.Context, pairs []Pair, opts *em.Options) (*Model, error) {
	a, err := NewAligner(pairs, &r.Aligner)
	if err != nil {
		return nil, err
	}
	if _, err := a.Fit(ctx, pairs, opts); err != nil {
		return nil, err
	}
	if opts != nil && r.Count.Workers == 0 {
		r.Count.Workers = opts.Workers
	}
	counts, err := a.Count(ctx, pairs, &r.Count)
	if err != nil {
		return nil, err
	}
	return counts.Model(&r.Smoothing)
}
