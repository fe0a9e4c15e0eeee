package main

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/internal/assignment"
	"example.org/pathsum/models/bayes"
)

// Ways to recover parameters from a relation between rows: from labels, from the place of
// each row among the corners of the simplex, or by averaging over these and EM from them.
const (
	hard      = "hard"
	soft      = "soft"
	selecting = "select"
)

// recovery is a network recovered from the relaxation, or EM from one.
type recovery struct {
	network   *bayes.Network
	objective float64 // ln P of the rows as observed, and the log prior
	counts    []float64
}

// relax trains by convex EM.
func (t *trial) relax() error {
	average, err := t.convex()
	if err != nil {
		return err
	}
	solution, starts, err := t.recover(solving)
	if err != nil {
		return err
	}
	t.result.relaxed, t.result.rounded = solution.Relaxed, solution.Rounded
	labels, err := t.structure.WithTables(solution.Rounded.Tables)
	if err != nil {
		return err
	}
	fits := map[string]*bayes.Network{hardLabels: labels, softLabels: starts[0]}
	for start, methods := range map[string][2]string{hardLabels: {hardViterbi, hardMarginal}, softLabels: {softViterbi, softMarginal}} {
		for k, method := range methods {
			if fits[method], _, err = t.em(fits[start], k == 0, *t.e.iterations); err != nil {
				return err
			}
		}
	}
	fits[relaxed] = map[string]*bayes.Network{hard: labels, soft: starts[0], selecting: average}[*t.e.recover]
	for method, n := range fits {
		if t.result.scores[method], err = t.score(n); err != nil {
			return err
		}
	}
	return nil
}

// convex returns what -recover select trains.
func (t *trial) convex() (*bayes.Network, error) {
	_, starts, err := t.recover(starting)
	if err != nil {
		return nil, err
	}
	ends, err := t.race(starts)
	if err != nil {
		return nil, err
	}
	return t.selected(slices.Concat(starts, ends))
}

// solving is how the relaxation is solved and rounded where parameters are taken from it as
// they are, starting where they only start EM. The fewest iterations were chosen from which
// EM ends at networks as likely, on training rows, as from the optimum.
var (
	solving  = convex.Fitting{Solver: convex.Splitting{Gap: gap, Iterations: 1000}}
	starting = convex.Fitting{
		Solver:   convex.Splitting{Gap: .3, Iterations: 3},
		Rounding: convex.Rounding{Restarts: 5, Draws: 10},
	}
)

// gap is the relative gap of the bounds at which the relaxation ends.
const gap = .03

// recover relaxes and returns networks recovered from that: by the simplex map, by k-means
// and by the best few random roundings.
func (t *trial) recover(how convex.Fitting) (*convex.Solution, []*bayes.Network, error) {
	p, err := t.structure.Relax(t.data, *t.e.beta)
	if err != nil {
		return nil, nil, err
	}
	how.Rounding.Rand = t.rng
	s, err := p.Fit(t.ctx, how)
	if err != nil {
		return nil, nil, err
	}
	completed, err := p.CompleteSoft(s.Rounded.Soft)
	if err != nil {
		return nil, nil, err
	}
	all := []*convex.Complete{completed}
	for _, labels := range append([][][]int{s.Rounded.Clustered}, s.Rounded.Drawn...) {
		if completed, err = p.Complete(labels); err != nil {
			return nil, nil, err
		}
		all = append(all, completed)
	}
	var starts []*bayes.Network
	for _, c := range all {
		n, err := t.structure.WithTables(c.Tables)
		if err != nil {
			return nil, nil, err
		}
		starts = append(starts, n)
	}
	return s, starts, nil
}

// Marginal EM takes sprint iterations from each start, and goes on from the finalists, those
// with the best objective (Biernacki, Celeux and Govaert 2003).
const (
	sprint    = 10
	finalists = 2
)

// race returns the networks that marginal EM makes of the starts, those with the best
// objective first.
func (t *trial) race(starts []*bayes.Network) ([]*bayes.Network, error) {
	type runner struct {
		network   *bayes.Network
		objective float64
	}
	var all []runner
	for _, start := range starts {
		n, r, err := t.em(start, false, sprint)
		if err != nil {
			return nil, err
		}
		all = append(all, runner{n, r.Last()})
	}
	slices.SortStableFunc(all, func(a, b runner) int { return cmp.Compare(b.objective, a.objective) })
	var ends []*bayes.Network
	for i, x := range all {
		if i < finalists {
			n, r, err := t.em(x.network, false, *t.e.iterations)
			if err != nil {
				return nil, err
			}
			if t.result.best == nil || r.Last() > t.result.best.Last() {
				t.result.best = r
			}
			x.network = n
		}
		ends = append(ends, x.network)
	}
	return ends, nil
}

// selected returns the average of networks, weighted by exp(objective), the posterior
// density of their parameters but for a factor: it needs no labels. What is averaged are
// expected counts, hidden states being named alike, from which the M step makes a network.
func (t *trial) selected(networks []*bayes.Network) (*bayes.Network, error) {
	var all []*recovery
	best := math.Inf(-1)
	for _, n := range networks {
		r, err := t.expect(n)
		if err != nil {
			return nil, err
		}
		all, best = append(all, r), max(best, r.objective)
	}
	slices.SortStableFunc(all, func(a, b *recovery) int { return -int(math.Copysign(1, a.objective-b.objective)) })
	names, err := t.posteriors(all[0].network)
	if err != nil {
		return nil, err
	}
	sum, total := make([]float64, t.model.Params.Len()), 0.0
	for _, r := range all {
		weight := math.Exp(r.objective - best)
		if weight < negligible {
			continue
		}
		if r.network != all[0].network {
			n, err := t.rename(r.network, names)
			if err != nil {
				return nil, err
			}
			if r, err = t.expect(n); err != nil {
				return nil, err
			}
		}
		floats.AddScaled(sum, weight, r.counts)
		total += weight
	}
	floats.Scale(1/total, sum)
	theta := t.model.Params.Start()
	for _, g := range t.model.Params.Groups() {
		if err := g.Law().Maximize(g.In(theta), g.In(sum)); err != nil {
			return nil, err
		}
	}
	return t.at(theta)
}

// negligible is a weight, relative to the greatest, below which a network does not count.
const negligible = 1e-9

// expect returns the E step at n.
func (t *trial) expect(n *bayes.Network) (*recovery, error) {
	theta, err := t.model.At(n)
	if err != nil {
		return nil, err
	}
	r := &recovery{network: n, counts: make([]float64, len(theta))}
	e, err := t.likely.Expect(t.ctx, em.Query{Theta: theta, Temperature: 1, Workers: 1, Counts: r.counts})
	if err != nil {
		return nil, err
	}
	r.objective = e.LogLikelihood + t.model.Params.LogPrior(theta)
	return r, nil
}

// rename returns n with its hidden states named such that its posteriors agree with those
// given as much as they can, Σ rows P(x)·P′(x) summed over states x.
func (t *trial) rename(n *bayes.Network, theirs []*mat.Dense) (*bayes.Network, error) {
	ours, err := t.posteriors(n)
	if err != nil {
		return nil, err
	}
	for k, v := range t.hidden {
		var together mat.Dense
		together.Mul(theirs[k].T(), ours[k])
		together.Scale(-1, &together)
		var cost [][]float64
		for x := range together.RawMatrix().Rows {
			cost = append(cost, together.RawRowView(x))
		}
		of, _, err := assignment.Best(cost)
		if err != nil {
			return nil, err
		}
		n = n.Relabel(v, of)
	}
	return n, nil
}

// posteriors returns, per hidden variable, a distribution over its states for each distinct
// row, times the square root of how often the row occurs.
func (t *trial) posteriors(n *bayes.Network) ([]*mat.Dense, error) {
	all := make([]*mat.Dense, len(t.hidden))
	for k, v := range t.hidden {
		all[k] = mat.NewDense(len(t.distinct), len(t.structure.Variables()[v].States), nil)
	}
	for i, d := range t.distinct {
		p, err := n.Posteriors(d.row)
		if err != nil {
			return nil, err
		}
		for k, v := range t.hidden {
			floats.AddScaled(all[k].RawRowView(i), math.Sqrt(d.times), p.States(v))
		}
	}
	return all, nil
}
