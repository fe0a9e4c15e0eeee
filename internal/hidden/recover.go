package hidden

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

// Expected is the result of the E step at a network.
type Expected struct {
	Objective float64 // ln P of the rows as observed, and the log prior
	network   *bayes.Network
	counts    []float64
}

// Convex trains by convex EM: it returns the average of the networks from the relaxation and of
// the results of EM from them, and sets Best.
func (t *Trial) Convex() (*bayes.Network, error) {
	_, starts, err := t.Recover(Starting)
	if err != nil {
		return nil, err
	}
	ends, err := t.Race(starts)
	if err != nil {
		return nil, err
	}
	return t.selected(slices.Concat(starts, ends))
}

// Solving has the settings for solving and rounding the relaxation if parameters are taken
// directly from it, Starting if they only start EM. Starting has the fewest iterations after
// which EM ends at networks as likely, on training rows, as from the optimum.
var (
	Solving  = convex.Fitting{Solver: convex.Splitting{Gap: Gap, Iterations: 1000}}
	Starting = convex.Fitting{
		Solver:   convex.Splitting{Gap: .3, Iterations: 3},
		Rounding: convex.Rounding{Restarts: 5, Draws: 10},
	}
)

// Gap is the relative gap of the bounds at which the relaxation ends.
const Gap = .03

// Recover solves the relaxation and returns networks recovered from it: by the simplex map, by
// k-means and by the best few random roundings.
func (t *Trial) Recover(how convex.Fitting) (*convex.Solution, []*bayes.Network, error) {
	p, err := t.Structure.Relax(t.Data, t.Settings.Beta)
	if err != nil {
		return nil, nil, err
	}
	how.Rounding.Rand = t.Rand
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
		n, err := t.Structure.WithTables(c.Tables)
		if err != nil {
			return nil, nil, err
		}
		starts = append(starts, n)
	}
	return s, starts, nil
}

// Marginal EM takes sprint iterations from each start, and continues from the finalists, the
// networks with the best objective (Biernacki, Celeux and Govaert 2003).
const (
	sprint    = 10
	finalists = 2
)

// Race returns the results of marginal EM from the starts, ordered by objective, best first.
func (t *Trial) Race(starts []*bayes.Network) ([]*bayes.Network, error) {
	type runner struct {
		network   *bayes.Network
		objective float64
	}
	var all []runner
	for _, start := range starts {
		n, r, err := t.EM(start, false, sprint)
		if err != nil {
			return nil, err
		}
		all = append(all, runner{n, r.Last()})
	}
	slices.SortStableFunc(all, func(a, b runner) int { return cmp.Compare(b.objective, a.objective) })
	var ends []*bayes.Network
	for i, x := range all {
		if i < finalists {
			n, r, err := t.EM(x.network, false, t.Settings.Iterations)
			if err != nil {
				return nil, err
			}
			if t.Best == nil || r.Last() > t.Best.Last() {
				t.Best = r
			}
			x.network = n
		}
		ends = append(ends, x.network)
	}
	return ends, nil
}

// selected returns the average of networks, weighted by exp(objective), the posterior density
// of their parameters up to a factor: it needs no labels. It averages expected counts, with
// matched names of hidden states, and the M step makes a network from them.
func (t *Trial) selected(networks []*bayes.Network) (*bayes.Network, error) {
	var all []*Expected
	best := math.Inf(-1)
	for _, n := range networks {
		r, err := t.Expect(n)
		if err != nil {
			return nil, err
		}
		all, best = append(all, r), max(best, r.Objective)
	}
	slices.SortStableFunc(all, func(a, b *Expected) int { return -int(math.Copysign(1, a.Objective-b.Objective)) })
	names, err := t.posteriors(all[0].network)
	if err != nil {
		return nil, err
	}
	sum, total := make([]float64, t.Model.Params.Len()), 0.0
	for _, r := range all {
		weight := math.Exp(r.Objective - best)
		if weight < negligible {
			continue
		}
		if r.network != all[0].network {
			n, err := t.rename(r.network, names)
			if err != nil {
				return nil, err
			}
			if r, err = t.Expect(n); err != nil {
				return nil, err
			}
		}
		floats.AddScaled(sum, weight, r.counts)
		total += weight
	}
	floats.Scale(1/total, sum)
	theta := t.Model.Params.Start()
	for _, g := range t.Model.Params.Groups() {
		if err := g.Law().Maximize(g.In(theta), g.In(sum)); err != nil {
			return nil, err
		}
	}
	return t.at(theta)
}

// negligible is a weight, relative to the greatest, below which a network is ignored.
const negligible = 1e-9

// Expect returns the E step at n.
func (t *Trial) Expect(n *bayes.Network) (*Expected, error) {
	theta, err := t.Model.At(n)
	if err != nil {
		return nil, err
	}
	r := &Expected{network: n, counts: make([]float64, len(theta))}
	e, err := t.likely.Expect(t.ctx, em.Query{Theta: theta, Temperature: 1, Workers: 1, Counts: r.counts})
	if err != nil {
		return nil, err
	}
	r.Objective = e.LogLikelihood + t.Model.Params.LogPrior(theta)
	return r, nil
}

// rename returns n with its hidden states renamed to maximize the agreement of its posteriors
// with theirs: Σ rows P(x)·P′(x) summed over states x.
func (t *Trial) rename(n *bayes.Network, theirs []*mat.Dense) (*bayes.Network, error) {
	ours, err := t.posteriors(n)
	if err != nil {
		return nil, err
	}
	for k, v := range t.Hidden {
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
// row, times the square root of the number of its occurrences.
func (t *Trial) posteriors(n *bayes.Network) ([]*mat.Dense, error) {
	all := make([]*mat.Dense, len(t.Hidden))
	for k, v := range t.Hidden {
		all[k] = mat.NewDense(len(t.distinct), len(t.Structure.Variables()[v].States), nil)
	}
	for i, d := range t.distinct {
		p, err := n.Posteriors(d.row)
		if err != nil {
			return nil, err
		}
		for k, v := range t.Hidden {
			floats.AddScaled(all[k].RawRowView(i), math.Sqrt(d.times), p.States(v))
		}
	}
	return all, nil
}
