package align_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/align"
)

// aligner is a model, which training makes anew for its sentences.
type aligner struct{ *align.Model }

// spoken returns a sentence of up to 4 words of each side, of which many are the same.
func spoken(rng *rand.Rand) (s align.Sentence) {
	for range 1 + rng.IntN(4) {
		s.Source = append(s.Source, string(rune('a'+rng.IntN(5))))
	}
	s.Target = slices.Clone(s.Source[:1+rng.IntN(len(s.Source))])
	if rng.IntN(2) == 0 {
		s.Target = append(s.Target, string(rune('a'+rng.IntN(5))))
	}
	return s
}

func corpus(data []align.Sentence) (*align.Corpus, error) {
	c := align.NewCorpus()
	for _, s := range data {
		if err := c.Add(s); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// fit trains a model of the data by one stage. In place of its parameters, which are its own, a
// result gets the bytes of its file.
func fit(ctx context.Context, a *aligner, data []align.Sentence, positions align.Positions, opts *em.Options) (*em.Result, error) {
	c, err := corpus(data)
	if err != nil {
		return nil, err
	}
	if a.Model, err = align.New(c, &align.Options{Floor: -1}); err != nil {
		return nil, err
	}
	o := &align.FitOptions{Stages: []align.Stage{{Positions: positions, Iterations: opts.Iterations}}, Options: *opts}
	o.Options.Iterations, o.Options.Observer = 0, nil
	if opts.Observer != nil {
		o.Observer = func(p align.Progress) { opts.Observer(p.Event) }
	}
	r, err := a.Fit(ctx, c, o)
	if r != nil {
		r.Theta = a.file()
	}
	return r, err
}

func (a *aligner) file() (list []float64) {
	var b bytes.Buffer
	if err := a.Save(&b); err != nil {
		return nil
	}
	for _, x := range b.Bytes() {
		list = append(list, float64(x))
	}
	return list
}

func TestPromises(t *testing.T) {
	const listed, inside = "its parameters are no table that others see: TestModelsByEnumeration", "Fit makes its own likelihoods"
	for _, positions := range []align.Positions{align.Model1, align.Model2, align.Diagonal, align.HMM} {
		t.Run(positions.String(), func(t *testing.T) {
			modeltest.Check(t, modeltest.Model[*aligner, align.Sentence]{
				New: func(rng *rand.Rand) *aligner {
					var data []align.Sentence
					for range 5 {
						data = append(data, spoken(rng))
					}
					a := new(aligner)
					if _, err := fit(t.Context(), a, data, positions, &em.Options{Iterations: 2}); err != nil {
						t.Fatal(err)
					}
					return a
				},
				Example: func(rng *rand.Rand, _ *aligner) align.Sentence { return spoken(rng) },
				Impossible: func(rng *rand.Rand, _ *aligner) align.Sentence {
					s := spoken(rng)
					s.Source, s.Target = append(s.Source, "unseen"), append(s.Target, "unseen")
					return s
				},
				LogProb: func(a *aligner, s align.Sentence) (float64, error) {
					forward, backward, err := a.LogProb(s)
					return forward + backward, err
				},
				Posteriors: func(a *aligner, s align.Sentence) ([]float64, error) {
					p, q, err := a.Posteriors(s)
					if err != nil {
						return nil, err
					}
					return slices.Concat(p.P, q.P), nil
				},
				Fit: func(ctx context.Context, a *aligner, data []align.Sentence, opts *em.Options) (*em.Result, error) {
					return fit(ctx, a, data, positions, opts)
				},
				Theta: (*aligner).file,
				Save:  func(a *aligner, w io.Writer) error { return a.Save(w) },
				Load: func(r io.Reader) (*aligner, error) {
					m, err := align.Load(r)
					return &aligner{m}, err
				},
				Heuristic: positions == align.HMM,
				Lacks: map[string]string{
					"Enumerate": listed, "Likelihood": inside,
					"Best": "a threshold decides about links one by one", "Sample": "links are not drawn",
					"Weigh": "sentences have no weights",
				},
			})
		})
	}
}
