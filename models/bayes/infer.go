package bayes

import (
	"errors"
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// ErrImpossible is wrapped by the error for questions about a row of probability 0.
var ErrImpossible = errors.New("row of probability 0")

// LogProb returns ln P(what r holds): missing cells are summed, or integrated,
// over. It is −Inf for a row of probability 0. Where values are continuous it is the ln
// of a density.
//
// Elimination takes time in proportion to its tables (see the package's cost). The error
// wraps ErrInvalid or ErrWide.
func (n *Network) LogProb(r Row) (float64, error) {
	f, _, err := n.forest(r)
	if err != nil {
		return 0, err
	}
	total, err := forest.TreeSum(f)
	if err != nil {
		return 0, fmt.Errorf("bayes: %w", err)
	}
	return total.Log(), nil
}

// LogLoss returns the mean of −ln P over rows without missing cells, in nats; +Inf if
// one of them has probability 0. The error, wrapping ErrInvalid, names the row.
func (n *Network) LogLoss(rows []Row) (float64, error) {
	if len(rows) == 0 {
		return 0, fmt.Errorf("bayes: %w: there is none", ErrInvalid)
	}
	sum := 0.
	for i, r := range rows {
		err := n.checkComplete(r)
		if err == nil {
			var l float64
			if l, err = n.LogProb(r); err == nil {
				sum -= l
			}
		}
		if err != nil {
			return 0, fmt.Errorf("row %d: %w", i, err)
		}
	}
	return sum / float64(len(rows)), nil
}

// Posterior is what a row says about its missing cells.
type Posterior struct {
	// LogProb is ln P(row).
	LogProb float64

	n      *Network
	row    Row
	states [][]float64 // per variable, where it is discrete and missing
	family [][]float64 // per continuous family that is missing: of its configurations
}

// Posteriors returns the posteriors of all missing cells of r, each by itself; it takes one
// pass. Errors: those of LogProb, and ErrImpossible.
func (n *Network) Posteriors(r Row) (*Posterior, error) {
	f, plan, err := n.forest(r)
	if err != nil {
		return nil, err
	}
	tree, err := forest.Posteriors(f)
	if err != nil {
		return nil, fmt.Errorf("bayes: %w", err)
	}
	if tree.Total.IsZero() {
		return nil, fmt.Errorf("bayes: %w", ErrImpossible)
	}
	p := &Posterior{LogProb: tree.Total.Log(), n: n, row: slices.Clone(r),
		states: make([][]float64, len(n.variables)), family: make([][]float64, len(n.families))}
	for _, s := range plan.steps {
		q := make([]float64, n.size(s.variable))
		for e := s.first; e < s.end; e++ {
			q[int(e-s.first)%len(q)] += tree.Edge[e]
		}
		p.states[s.variable] = q
	}
	continuous := false
	for i, f := range n.families {
		if n.missing(f, r) {
			p.family[i], continuous = make([]float64, len(f.Normals)), true
		}
	}
	if !continuous {
		return p, nil
	}
	base := n.base(r)
	for e := range plan.use[:len(plan.use)-1] {
		for _, f := range plan.factors[plan.use[e]:plan.use[e+1]] {
			if q := p.family[f.family]; q != nil {
				q[base[f.family]+int(f.index)] += tree.Edge[e]
			}
		}
	}
	return p, nil
}

// States returns the posterior of the states of the discrete variable v: all of it in
// one if it was observed. It panics if v is continuous.
func (p *Posterior) States(v int) []float64 {
	if !p.n.Discrete(v) {
		panic("bayes: States of a continuous variable")
	}
	if q := p.states[v]; q != nil {
		return append([]float64(nil), q...)
	}
	q := make([]float64, p.n.size(v))
	q[int(p.row[v])] = 1
	return q
}

// Moments returns the mean and the variance of the continuous variable v, a mixture of
// normal distributions: its value and 0 if it was observed. The error, wrapping ErrInvalid, says
// that a regressor of v is missing, too. It panics if v is discrete.
func (p *Posterior) Moments(v int) (mean, variance float64, err error) {
	if p.n.Discrete(v) {
		panic("bayes: Moments of a discrete variable")
	}
	if x := p.row[v]; x == x {
		return x, 0, nil
	}
	f := p.n.Family(v)
	for _, u := range f.Regressors {
		if x := p.row[u]; x != x {
			return 0, 0, fmt.Errorf("bayes: %w: moments of %s, whose regressor %s is missing", ErrInvalid, p.n.variables[v].Name, p.n.variables[u].Name)
		}
	}
	i := slices.Index(f.Children, v)
	u := p.row.at(f.Regressors)
	for c, q := range p.family[p.n.of[v]] {
		mean += q * f.Normals[c].mean(u)[i]
	}
	for c, q := range p.family[p.n.of[v]] {
		d := f.Normals[c].mean(u)[i] - mean
		variance += q * (f.Normals[c].Covariance[i*len(f.Children)+i] + d*d)
	}
	return mean, variance, nil
}

// Best returns r with its missing cells filled in by the most probable
// explanation: the discrete ones by the states that are most probable together, with
// missing continuous values integrated out, and those by their means given these
// states. logP is the ln of the joint probability (density) of the states and what r
// holds. Errors: as for Posteriors.
func (n *Network) Best(r Row) (explanation Row, logP float64, err error) {
	f, plan, err := n.forest(r)
	if err != nil {
		return nil, 0, err
	}
	tree, err := forest.BestTree(forest.Map(f, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }))
	if err != nil {
		return nil, 0, fmt.Errorf("bayes: %w", err)
	}
	if tree.Weight.IsZero() {
		return nil, 0, fmt.Errorf("bayes: %w", ErrImpossible)
	}
	full := n.fill(r, plan, tree.Edges)
	base := n.base(full)
	for _, i := range n.order {
		f := n.families[i]
		if n.missing(f, r) {
			for k, x := range f.Normals[base[i]].mean(full.at(f.Regressors)) {
				full[f.Children[k]] = x
			}
		}
	}
	return full, tree.Weight.Log(), nil
}

// fill returns r with the states that the edges of a tree stand for.
func (n *Network) fill(r Row, p *plan, edges []int32) Row {
	full := slices.Clone(r)
	at := 0 // steps come in the order of edges
	step := make([]int32, len(p.use)-1)
	for e := range step {
		for at < len(p.steps) && int32(e) >= p.steps[at].end {
			at++
		}
		step[e] = int32(at)
	}
	for _, e := range edges {
		if i := int(step[e]); i < len(p.steps) {
			s := p.steps[i]
			full[s.variable] = float64(int(e-s.first) % n.size(s.variable))
		}
	}
	return full
}
