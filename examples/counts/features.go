package main

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/tagged"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/moments"
	"example.org/pathsum/moments/counts"
)

// Features have weights with tags whose estimated probability is at least least, for at most
// candidates tags of a word. A fit makes at most looks iterations.
const (
	least      = .05
	candidates = 4
	looks      = 60
)

// estimate returns the probabilities of the tags of word j of training sentence i, nil if they
// are unknown.
type estimate func(i, j int) []float64

// fit fits a conditional model of tags given sentences. The target statistics are their values
// if tags were independent, with the given probabilities.
func (c *corpus) fit(ctx context.Context, tags estimate, f *flags) (*crf.Model, error) {
	data, known, err := c.read(tags)
	if err != nil {
		return nil, err
	}
	kind, err := crf.ParseKind(*f.model)
	if err != nil {
		return nil, err
	}
	m, err := crf.New(kind, data, em.LogLinearOptions{Sigma: 1})
	if err != nil {
		return nil, err
	}
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	a, err := l.LogPartition()
	if err != nil {
		return nil, err
	}
	var share []float64
	for _, x := range known {
		for _, name := range a.Labels() {
			share = append(share, x[c.tag[name]])
		}
	}
	fit, err := moments.Fit(ctx, a, a.Statistics(share), &moments.Options{
		Ridge:    -1, // the prior of the weights is a ridge
		Training: &em.Options{Iterations: looks, Tolerance: 1e-5, Workers: *f.workers}})
	if err != nil {
		return nil, err
	}
	m.Theta = fit.Theta
	return m, nil
}

// fitCounts fits m to the counts by maximum likelihood, starting from its weights, and returns
// the number of skipped annotations.
func (c *corpus) fitCounts(ctx context.Context, m *crf.Model, annotations []counts.Annotation, f *flags) (skipped int, err error) {
	data, regions := crf.NewData(), slices.Clone(annotations)
	unknown := m.Labels()[0] // an arbitrary one
	for i, a := range annotations {
		features := tagged.Features(c.train.sentences[a.Sequence].Words)
		err := data.Add(slices.Repeat([]string{unknown}, a.Hi-a.Lo), func(t int, x *crf.Attributes) { features(a.Lo+t, x) })
		if err != nil {
			return 0, err
		}
		regions[i].Sequence, regions[i].Lo, regions[i].Hi = i, 0, a.Hi-a.Lo
	}
	l, err := m.Likelihood(data)
	if err != nil {
		return 0, err
	}
	constraint, err := l.CountConstraint(c.tags, regions)
	if err != nil {
		return 0, err
	}
	constraint.Width, constraint.Underivable = *f.beam, em.Skip
	constrained, err := l.Constrained(constraint)
	if err != nil {
		return 0, err
	}
	fit, err := em.FitFrom(ctx, constrained, &m.Theta, &em.Options{
		Method: em.LBFGS{}, Iterations: looks, Tolerance: 1e-5, Workers: *f.workers})
	if err != nil {
		return 0, err
	}
	return len(fit.Skipped), nil
}

// read returns the runs of words with known probabilities, and these.
func (c *corpus) read(tags estimate) (*crf.Data, [][]float64, error) {
	data := crf.NewData()
	var known [][]float64
	for i, s := range c.train.sentences {
		features := tagged.Features(s.Words)
		for lo, hi := 0, 0; lo < len(s.Words); lo = hi + 1 {
			for hi = lo; hi < len(s.Words) && tags(i, hi) != nil; hi++ {
				known = append(known, tags(i, hi))
			}
			if hi == lo {
				continue
			}
			for k, names := range c.candidates(known[len(known)-(hi-lo):]) {
				add := data.Allow
				if k == 0 {
					add = data.Add
				}
				if err := add(names, func(t int, a *crf.Attributes) { features(lo+t, a) }); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return data, known, nil
}

// candidates returns names of tags for words with the given probabilities: first the most
// probable tag of each word, then the next, and so on. A word with fewer tags repeats its most
// probable one.
func (c *corpus) candidates(words [][]float64) [][]string {
	all := make([][]string, min(candidates, len(c.tags)))
	order := make([]int, len(c.tags))
	for _, p := range words {
		for b := range order {
			order[b] = b
		}
		slices.SortFunc(order, func(x, y int) int { return cmp.Or(cmp.Compare(p[y], p[x]), cmp.Compare(x, y)) })
		for k := range all {
			b := order[k]
			if p[b] < least {
				b = order[0]
			}
			all[k] = append(all[k], c.tags[b])
		}
	}
	return all
}

// conditional returns the tagger that predicts by m. The tagger panics if the model cannot
// score a word; the bias feature rules this out.
func (c *corpus) conditional(m *crf.Model) (tagger, error) {
	p, err := m.Predictor()
	if err != nil {
		return nil, err
	}
	return func(_ []int, words []string) []int {
		names, err := p.Best(len(words), tagged.Features(words))
		if err != nil {
			panic(err)
		}
		tags := make([]int, len(words))
		for j, name := range names {
			tags[j] = c.tag[name]
		}
		return tags
	}, nil
}

// byWord returns the estimate that depends on the word alone: rows of w, and nil for unseen
// words.
func (c *corpus) byWord(w *mat.Dense, unseen []int) estimate {
	rows := make([][]float64, len(c.words))
	for a := range rows {
		rows[a] = w.RawRowView(a)
	}
	for _, a := range unseen {
		rows[a] = nil
	}
	return func(i, j int) []float64 { return rows[c.train.word[i][j]] }
}

// known returns the estimate of fully tagged sentences: probabilities 0 and 1.
func (c *corpus) known() estimate {
	rows := make([][]float64, len(c.tags))
	for b := range rows {
		rows[b] = make([]float64, len(c.tags))
		rows[b][b] = 1
	}
	return func(i, j int) []float64 { return rows[c.train.tag[i][j]] }
}
