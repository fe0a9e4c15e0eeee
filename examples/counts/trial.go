package main

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/moments/counts"
)

// trial compares the methods for one size of regions after another; size 0 stands for known
// tags.
type trial struct {
	*corpus
	flags   *flags
	step    func(string)
	results results

	size        int
	annotations []counts.Annotation
	data        *counts.Data
	unseen      []int      // words in no region
	counted     []float64  // per tag
	model       *crf.Model // of features, fitted to the moments
}

// Names of methods.
const (
	constrained = "constrained"
	cold        = "EM, beam"
	warm        = "EM, beam, from constrained"
)

// How estimates are made.
const (
	freeRidge = 1    // of least squares: as strong as an equation with one position
	ridge     = 1e-3 // with the constraint
	smoothing = 1.05 // of the Dirichlet prior of EM
	share     = .1   // of the uniform distribution in the start from the moments
)

// supervised adds the results with all tags known, an upper bound.
func (t *trial) supervised(ctx context.Context) error {
	began := time.Now()
	w, unseen, all := t.frequencies()
	t.add(result{Method: "most frequent tag"}, newTable(w, unseen, all), began)
	began = time.Now()
	m, err := t.fit(ctx, t.known(), t.flags)
	if err != nil {
		return err
	}
	return t.addModel(result{Method: "features"}, m, began)
}

// ofRegions adds the results for regions of a size, after an annotator has counted the tags of
// each.
func (t *trial) ofRegions(ctx context.Context, size int) error {
	t.size = size
	counted := min(cmp.Or(*t.flags.counted, len(t.tags)), len(t.tags))
	t.annotations = counts.SimulateSubsets(t.train.tag, len(t.tags), size, counted, rand.NewPCG(*t.flags.seed, uint64(t.size)))
	var err error
	if t.data, err = counts.New(len(t.words), len(t.tags), t.train.word, t.annotations); err != nil {
		return err
	}
	t.unseen, t.counted = t.data.Unseen(), make([]float64, len(t.tags))
	for _, a := range t.annotations {
		for k, b := range a.Labels {
			t.counted[b] += float64(a.Counts[k])
		}
	}
	w, err := t.moments(ctx)
	if err != nil {
		return err
	}
	if err := t.features(ctx); err != nil {
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
	t.add(result{Method: "least squares"}, t.table(free.W), began)
	began = time.Now()
	bound, err := t.data.Constrained(ridge, counts.Stop{Tolerance: .5, Iterations: 400})
	if err != nil {
		return nil, err
	}
	t.add(result{Method: constrained, Gap: bound.Gap}, t.table(bound.W), began)
	began = time.Now()
	if t.model, err = t.fit(ctx, t.byWord(bound.W, t.unseen), t.flags); err != nil {
		return nil, err
	}
	return bound.W, t.addModel(result{Method: "features from constrained"}, t.model, began)
}

// features adds the results of maximum likelihood of the model of features, from weights of 0
// and from the weights fitted to the moments.
func (t *trial) features(ctx context.Context) error {
	m := *t.model
	m.Theta = make([]float64, len(t.model.Theta))
	for _, x := range []struct {
		method string
		model  *crf.Model
	}{{"features, likelihood", &m}, {"features, likelihood from moments", t.model}} {
		began := time.Now()
		skipped, err := t.fitCounts(ctx, x.model, t.annotations, t.flags)
		if err != nil {
			return err
		}
		if err := t.addModel(result{Method: x.method, Skipped: skipped}, x.model, began); err != nil {
			return err
		}
	}
	return nil
}

// likelihood adds the results of EM, from uniform distributions and from w.
func (t *trial) likelihood(ctx context.Context, w *mat.Dense) error {
	model := t.data.Tagger(em.Dirichlet{Alpha: smoothing})
	theta, err := model.Theta(w, share)
	if err != nil {
		return err
	}
	beam := model.Beam(*t.flags.beam)
	if err := t.climb(ctx, cold, beam, nil, model); err != nil {
		return err
	}
	if err := t.climb(ctx, warm, beam, theta, model); err != nil || t.size > *t.flags.exact {
		return err
	}
	exact, err := model.Exact(nil)
	if err != nil {
		return err
	}
	return t.climb(ctx, "EM, exact", exact, nil, model)
}

// climb makes passes of EM from start and adds the result after each.
func (t *trial) climb(ctx context.Context, method string, l em.Likelihood, start []float64, model *counts.Tagger) error {
	for pass := 1; pass <= *t.flags.passes; pass++ {
		began := time.Now()
		fit, err := em.Fit(ctx, l, &em.Options{Start: start, Iterations: 1, Tolerance: -1, Workers: *t.flags.workers})
		if err != nil {
			return err
		}
		start = fit.Theta
		t.add(result{Method: method, Pass: pass, Skipped: len(fit.Skipped)}, t.table(model.Distributions(fit.Theta)), began)
	}
	return nil
}

// table calls newTable with the words and tag counts of the regions.
func (t *trial) table(w *mat.Dense) tagger { return newTable(w, t.unseen, t.counted) }

// addModel adds r with the accuracy of the tagger of m.
func (t *trial) addModel(r result, m *crf.Model, began time.Time) error {
	tag, err := t.conditional(m)
	if err == nil {
		t.add(r, tag, began)
	}
	return err
}

// add adds r with the accuracy of tag.
func (t *trial) add(r result, tag tagger, began time.Time) {
	r.Seconds, r.Size = time.Since(began).Seconds(), t.size
	r.Train, r.Test = t.train.accuracy(tag), t.test.accuracy(tag)
	t.results = append(t.results, r)
	t.step("")
}
