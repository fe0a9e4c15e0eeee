package main

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/models/bayes"
)

// Methods, by the names that they have in tables and in the JSON object.
const (
	supervised     = "supervised"
	viterbi        = "viterbi"
	viterbiAverage = "viterbi_average"
	marginal       = "marginal"
	relaxed        = "convex"
	hardLabels     = "convex_hard"
	hardViterbi    = "convex_hard_viterbi"
	hardMarginal   = "convex_hard_marginal"
	softLabels     = "convex_soft"
	softViterbi    = "convex_soft_viterbi"
	softMarginal   = "convex_soft_marginal"
)

var methods = []string{supervised, viterbi, viterbiAverage, marginal, relaxed,
	hardLabels, hardViterbi, hardMarginal, softLabels, softViterbi, softMarginal}

// score is the mean of −ln P over rows without missing cells: those of training and of
// the test with the hidden states named as fits the training rows best, and those of the
// test with the names as they came out.
type score struct{ train, test, raw float64 }

// outcome is what one repeat found.
type outcome struct {
	hidden  string
	scores  map[string]score
	relaxed *convex.Result
	rounded *convex.Rounded
	best    *em.Result // the EM from the relaxation that has the best objective
}

// trial is one repeat.
type trial struct {
	*sample
	e        *experiment
	ctx      context.Context
	rng      *rand.Rand
	hidden   []int
	model    *bayes.Model
	data     bayes.Data // training rows, what is hidden missing
	distinct []repeated
	likely   em.Likelihood // of data
	result   outcome
}

// repeated is a row that occurs more than once.
type repeated struct {
	row   bayes.Row
	times float64
}

// distinct returns the different rows, in the order in which they first occur.
func distinct(rows []bayes.Row) []repeated {
	var all []repeated
	place := make(map[string]int)
	for _, r := range rows {
		var key []byte
		for _, x := range r {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
		}
		k, ok := place[string(key)]
		if !ok {
			k = len(all)
			place[string(key)] = k
			all = append(all, repeated{row: r})
		}
		all[k].times++
	}
	return all
}

// newTrial draws the rows of repeat number i.
func (e *experiment) newTrial(ctx context.Context, s *source, i int) (*trial, error) {
	rng := rand.New(rand.NewPCG(*e.seed, uint64(i)))
	drawn, err := s.draw(rng, *e.train, *e.test)
	if err != nil {
		return nil, err
	}
	t := &trial{sample: drawn, e: e, ctx: ctx, rng: rng, result: outcome{scores: make(map[string]score)}}
	if t.hidden, err = s.choose(drawn.structure, *e.hidden); err != nil {
		return nil, err
	}
	if t.model, err = bayes.NewModel(drawn.structure, bayes.Same(bayes.Ridge{Beta: *e.beta})); err != nil {
		return nil, err
	}
	t.result.hidden = names(drawn.structure, t.hidden)
	t.data = bayes.Data{Rows: bayes.Hide(drawn.train, t.hidden...)}
	t.distinct = distinct(t.data.Rows)
	t.likely, err = t.model.Likelihood(t.data)
	return t, err
}

// repeat makes repeat number i.
func (e *experiment) repeat(ctx context.Context, s *source, i int) (*outcome, error) {
	t, err := e.newTrial(ctx, s, i)
	if err != nil {
		return nil, err
	}
	for _, stage := range []func() error{t.supervise, t.climb, t.relax} {
		if err := stage(); err != nil {
			return nil, err
		}
	}
	return &t.result, nil
}

// supervise trains on rows in which nothing is hidden.
func (t *trial) supervise() error {
	n, err := t.complete(t.train)
	if err != nil {
		return err
	}
	var s score
	if s.train, err = n.LogLoss(t.train); err != nil {
		return err
	}
	s.test, err = n.LogLoss(t.test)
	s.raw = s.test
	t.result.scores[supervised] = s
	return err
}

// complete returns the network fitted to complete rows.
func (t *trial) complete(rows []bayes.Row) (*bayes.Network, error) {
	t.model.Theta = t.model.Params.Start()
	if _, err := t.model.Fit(t.ctx, bayes.Data{Rows: rows}, &em.Options{Workers: 1}); err != nil {
		return nil, err
	}
	return t.model.Network()
}

// climb trains by EM of both kinds from the same random starts.
func (t *trial) climb() error {
	starts, err := t.starts()
	if err != nil {
		return err
	}
	for _, method := range []string{viterbi, marginal} {
		all, best, err := t.restart(starts, method == viterbi)
		if err != nil {
			return err
		}
		if t.result.scores[method], err = t.score(all[best]); err != nil {
			return err
		}
		if method == viterbi {
			if err := t.average(all); err != nil {
				return err
			}
		}
	}
	return nil
}

// starts returns networks fitted to rows whose hidden cells are drawn uniformly.
func (t *trial) starts() ([]*bayes.Network, error) {
	var all []*bayes.Network
	for range 1 + *t.e.restarts {
		rows := make([]bayes.Row, len(t.train))
		for i, r := range t.data.Rows {
			rows[i] = append(bayes.Row(nil), r...)
			for _, v := range t.hidden {
				rows[i][v] = float64(t.rng.IntN(len(t.structure.Variables()[v].States)))
			}
		}
		n, err := t.complete(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// restart returns the networks that EM makes of the starts, and the number of the one with
// the best objective.
func (t *trial) restart(starts []*bayes.Network, hard bool) (all []*bayes.Network, best int, err error) {
	highest := 0.0
	for i, start := range starts {
		n, r, err := t.em(start, hard, *t.e.iterations)
		if err != nil {
			return nil, 0, err
		}
		if o := r.Last(); i == 0 || o > highest {
			highest, best = o, i
		}
		all = append(all, n)
	}
	return all, best, nil
}

// average sets the score of an average start of Viterbi EM.
func (t *trial) average(all []*bayes.Network) error {
	var train, test, raw []float64
	for _, n := range all {
		s, err := t.score(n)
		if err != nil {
			return err
		}
		train, test, raw = append(train, s.train), append(test, s.test), append(raw, s.raw)
	}
	t.result.scores[viterbiAverage] = score{stat.Mean(train, nil), stat.Mean(test, nil), stat.Mean(raw, nil)}
	return nil
}

// em trains by so many iterations of EM at most from the numbers of n, in which states may be
// alike that no label uses.
func (t *trial) em(n *bayes.Network, hard bool, iterations int) (*bayes.Network, *em.Result, error) {
	theta, err := t.model.At(n)
	if err != nil {
		return nil, nil, err
	}
	o := &em.Options{Start: theta, Iterations: iterations, Workers: 1}
	if hard {
		o.EStep = em.Viterbi
	}
	r, err := em.Fit(t.ctx, t.likely, o)
	if err != nil {
		return nil, r, err
	}
	fit, err := t.at(r.Theta)
	return fit, r, err
}

// at returns the network of θ.
func (t *trial) at(theta []float64) (*bayes.Network, error) {
	t.model.Theta = theta
	return t.model.Network()
}

// score returns the losses of n.
func (t *trial) score(n *bayes.Network) (score, error) {
	var s score
	matched, err := n.Match(t.train, t.hidden...)
	if err != nil {
		return s, err
	}
	if s.train, err = matched.LogLoss(t.train); err != nil {
		return s, err
	}
	if s.test, err = matched.LogLoss(t.test); err != nil {
		return s, err
	}
	s.raw, err = n.LogLoss(t.test)
	return s, err
}
