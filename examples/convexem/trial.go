package main

import (
	"context"
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
	relaxedViterbi = "convex_viterbi"
	relaxedEM      = "convex_marginal"
)

var methods = []string{supervised, viterbi, viterbiAverage, marginal, relaxed, relaxedViterbi, relaxedEM}

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
	polish  *em.Result // by Viterbi EM
}

// trial is one repeat.
type trial struct {
	*sample
	e      *experiment
	ctx    context.Context
	rng    *rand.Rand
	hidden []int
	model  *bayes.Model
	data   bayes.Data    // training rows, what is hidden missing
	likely em.Likelihood // of data
	result outcome
}

// repeat makes repeat number i.
func (e *experiment) repeat(ctx context.Context, s *source, i int) (*outcome, error) {
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
	if t.likely, err = t.model.Likelihood(t.data); err != nil {
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

// climb trains by EM of both kinds from the same random starts: networks fitted to rows
// whose hidden cells are drawn uniformly.
func (t *trial) climb() error {
	best := make(map[string]float64)
	var all []score
	for start := range 1 + *t.e.restarts {
		rows := make([]bayes.Row, len(t.train))
		for i, r := range t.data.Rows {
			rows[i] = append(bayes.Row(nil), r...)
			for _, v := range t.hidden {
				rows[i][v] = float64(t.rng.IntN(len(t.structure.Variables()[v].States)))
			}
		}
		n, err := t.complete(rows)
		if err != nil {
			return err
		}
		for _, method := range []string{viterbi, marginal} {
			s, r, err := t.em(n, method == viterbi)
			if err != nil {
				return err
			}
			if method == viterbi {
				all = append(all, s)
			}
			if objective := last(r); start == 0 || objective > best[method] {
				best[method], t.result.scores[method] = objective, s
			}
		}
	}
	mean := func(of func(score) float64) float64 {
		var x []float64
		for _, s := range all {
			x = append(x, of(s))
		}
		return stat.Mean(x, nil)
	}
	t.result.scores[viterbiAverage] = score{
		mean(func(s score) float64 { return s.train }),
		mean(func(s score) float64 { return s.test }),
		mean(func(s score) float64 { return s.raw }),
	}
	return nil
}

func last(r *em.Result) float64 { return r.Objective[len(r.Objective)-1] }

// em trains by EM from the numbers of n, in which states may be alike that no label uses.
func (t *trial) em(n *bayes.Network, hard bool) (score, *em.Result, error) {
	theta, err := t.model.At(n)
	if err != nil {
		return score{}, nil, err
	}
	o := &em.Options{Start: theta, Iterations: *t.e.iterations, Workers: 1}
	if hard {
		o.EStep = em.Viterbi
	}
	r, err := em.Fit(t.ctx, t.likely, o)
	if err != nil {
		return score{}, r, err
	}
	t.model.Theta = r.Theta
	fit, err := t.model.Network()
	if err != nil {
		return score{}, r, err
	}
	s, err := t.score(fit)
	return s, r, err
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

// relax trains by convex EM, and goes on from there by EM of both kinds.
func (t *trial) relax() error {
	p, err := t.structure.Relax(t.data, *t.e.beta)
	if err != nil {
		return err
	}
	solution, err := p.Fit(t.ctx, convex.Fitting{
		Solver:   convex.Splitting{Gap: gap, Iterations: steps},
		Rounding: convex.Rounding{Rand: t.rng},
	})
	if err != nil {
		return err
	}
	t.result.relaxed, t.result.rounded = solution.Relaxed, solution.Rounded
	n, err := t.structure.WithTables(solution.Rounded.Tables)
	if err != nil {
		return err
	}
	if t.result.scores[relaxed], err = t.score(n); err != nil {
		return err
	}
	if t.result.scores[relaxedViterbi], t.result.polish, err = t.em(n, true); err != nil {
		return err
	}
	t.result.scores[relaxedEM], _, err = t.em(n, false)
	return err
}

const (
	// gap is the relative gap of the bounds at which the relaxation ends, steps the most
	// iterations that it makes.
	gap   = 1e-3
	steps = 1000
)
