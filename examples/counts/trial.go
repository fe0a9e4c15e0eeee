package main

import (
	"context"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/moments/counts"
)

// trial compares the methods for regions of one size.
type trial struct {
	*corpus
	flags   *experiment
	size    int
	step    func(string)
	data    *counts.Data
	unseen  []int     // words in no region
	counted []float64 // per tag
	results []result
}

// How estimates are made.
const (
	freeRidge = 1    // of least squares: as much as an equation with one position
	ridge     = 1e-3 // with the constraint
	smoothing = 1.05 // of the Dirichlet prior of EM
	share     = .1   // of the uniform distribution in the start from the moments
)

func (t *trial) run(ctx context.Context) error {
	annotations := counts.Simulate(rand.New(rand.NewPCG(*t.flags.seed, uint64(t.size))), t.train.tag, len(t.tags), t.size)
	var err error
	if t.data, err = counts.New(len(t.words), len(t.tags), t.train.word, annotations); err != nil {
		return err
	}
	t.unseen, t.counted = t.data.Unseen(), make([]float64, len(t.tags))
	for _, a := range annotations {
		for k, b := range a.Labels {
			t.counted[b] += float64(a.Counts[k])
		}
	}
	w, err := t.moments(ctx)
	if err != nil {
		return err
	}
	return t.likelihood(ctx, w)
}

// moments adds the results of the moment estimates and returns the constrained one.
func (t *trial) moments(ctx context.Context) (*mat.Dense, error) {
	began := time.Now()
	free, err := t.data.LeastSquares(freeRidge, counts.Stop{Tolerance: 1e-4, Iterations: 500})
	if err != nil {
		return nil, err
	}
	t.add("least squares", 0, t.table(free.W), began, 0)
	began = time.Now()
	bound, err := t.data.Constrained(ridge, counts.Stop{Tolerance: .5, Iterations: 400})
	if err != nil {
		return nil, err
	}
	t.add("constrained", 0, t.table(bound.W), began, 0)
	began = time.Now()
	spelling, err := t.fitSpelling(ctx, bound.W, *t.flags.workers)
	if err != nil {
		return nil, err
	}
	t.add("spelling from constrained", 0, spelling, began, 0)
	return bound.W, nil
}

// likelihood adds the results of EM, from uniform distributions and from w.
func (t *trial) likelihood(ctx context.Context, w *mat.Dense) error {
	model := t.data.Tagger(em.Dirichlet{Alpha: smoothing})
	theta, err := model.Theta(w, share)
	if err != nil {
		return err
	}
	l := model.Beam(*t.flags.beam)
	if t.size <= *t.flags.exact {
		if l, err = model.Exact(0); err != nil {
			return err
		}
	}
	if err := t.climb(ctx, "EM", l, nil, model); err != nil {
		return err
	}
	return t.climb(ctx, "EM from constrained", l, theta, model)
}

// climb makes passes of EM from start and adds the result of each.
func (t *trial) climb(ctx context.Context, method string, l em.Likelihood, start []float64, model *counts.Tagger) error {
	began := time.Now()
	for pass := 1; pass <= *t.flags.iterations; pass++ {
		fit, err := em.Fit(ctx, l, &em.Options{Start: start, Iterations: 1, Tolerance: -1, Workers: *t.flags.workers})
		if err != nil {
			return err
		}
		start = fit.Theta
		t.add(method, pass, t.table(model.Distributions(fit.Theta)), began, len(fit.Skipped))
	}
	return nil
}

// add adds the accuracy of tag.
func (t *trial) add(method string, pass int, tag tagger, began time.Time, skipped int) {
	r := result{Size: t.size, Method: method, Pass: pass, Seconds: time.Since(began).Seconds(), Skipped: skipped}
	r.Train, r.Test = t.train.accuracy(tag), t.test.accuracy(tag)
	t.results = append(t.results, r)
	t.step("")
}

// table is newTable for this trial.
func (t *trial) table(w *mat.Dense) tagger { return newTable(w, t.unseen, t.counted) }

// tagger returns the tags of words.
type tagger func(words []int) []int

// accuracy returns the share of words that tag tags right.
func (h *half) accuracy(tag tagger) float64 {
	right, all := 0, 0
	for i, words := range h.word {
		for j, b := range tag(words) {
			if b == h.tag[i][j] {
				right++
			}
		}
		all += len(words)
	}
	return float64(right) / float64(all)
}

// newTable returns the tagger that takes the most probable tag of each word, and that of
// fallback for unseen words.
func newTable(w *mat.Dense, unseen []int, fallback []float64) tagger {
	words, _ := w.Dims()
	best := make([]int, words)
	for a := range best {
		best[a] = floats.MaxIdx(w.RawRowView(a))
	}
	for _, a := range unseen {
		best[a] = floats.MaxIdx(fallback)
	}
	return func(words []int) []int {
		tags := make([]int, len(words))
		for j, a := range words {
			tags[j] = best[a]
		}
		return tags
	}
}
