package bayes

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// ErrImpossible is wrapped by the error for questions about a row of probability 0.
// It wraps em.ErrUnderivable.
var ErrImpossible error = impossible{}

type impossible struct{}

func (impossible) Error() string { return "row of probability 0" }

func (impossible) Unwrap() error { return em.ErrUnderivable }

// LogProb returns ln P(what r holds): missing cells are summed, or integrated,
// over. It is −Inf for a row of probability 0. Where values are continuous it is the ln
// of a density.
//
// Elimination takes time in proportion to its tables (see Cost in the package comment). The error
// wraps ErrInvalid or ErrWide, or semiring.ErrNotFinite if a slope and a value are too large to
// multiply.
func (n *Network) LogProb(r Row) (float64, error) {
	f, _, err := n.forest(r)
	if err != nil {
		return 0, err
	}
	total, err := machines.ScaledForests.TreeSum(f)
	if err != nil {
		return 0, nested.Errorf("bayes: %w", err)
	}
	return clamp.LogProb(total.Log(), len(r)), nil
}

// LogLoss returns the mean of −ln P over rows without missing cells, in nats; +Inf if
// one of them has probability 0. The error, wrapping ErrInvalid, names the row.
func (n *Network) LogLoss(rows []Row) (float64, error) {
	if len(rows) == 0 {
		return 0, nested.Errorf("bayes: %w: there is none", ErrInvalid)
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
			return 0, nested.Errorf("bayes: row %d: %w", i, err)
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
// pass. Errors: as for LogProb, and ErrImpossible.
func (n *Network) Posteriors(r Row) (*Posterior, error) {
	f, plan, err := n.forest(r)
	if err != nil {
		return nil, err
	}
	tree, err := machines.ScaledForests.Posteriors(f)
	if err != nil {
		return nil, nested.Errorf("bayes: %w", err)
	}
	if tree.Total.IsZero() {
		return nil, nested.Errorf("bayes: %w", ErrImpossible)
	}
	p := &Posterior{LogProb: clamp.LogProb(tree.Total.Log(), len(r)), n: n, row: slices.Clone(r),
		states: make([][]float64, len(n.variables)), family: make([][]float64, len(n.families))}
	for _, s := range plan.steps {
		q := make([]float64, n.size(s.variable))
		for e := s.first; e < s.end; e++ {
			q[int(e-s.first)%len(q)] += tree.Edge[e]
		}
		if err := clamp.Probabilities(q); err != nil {
			return nil, nested.Errorf("bayes: %w", err)
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

// P returns the posterior probability of a state of a discrete variable, both by name: 1 or 0 if
// the variable was observed. It panics if there is no such variable or state.
func (p *Posterior) P(variable, state string) float64 {
	v := p.n.Variable(variable)
	if v < 0 {
		panic(fmt.Sprintf("bayes: P: no variable is called %q, want one of %s", variable, text.List(p.n.variableNames())))
	}
	q := p.States(v)
	x, err := p.n.variables[v].Parse(state)
	if err != nil {
		panic(fmt.Sprintf("bayes: P: %s has no state %q, want one of %s", variable, state, text.List(p.n.variables[v].States)))
	}
	return q[int(x)]
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
			return 0, 0, nested.Errorf("bayes: %w: moments of %s, whose regressor %s is missing", ErrInvalid, p.n.variables[v].Name, p.n.variables[u].Name)
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
	tree, err := machines.ScaledForests.BestTree(forest.Map(f, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }))
	if err != nil {
		return nil, 0, nested.Errorf("bayes: %w", err)
	}
	if tree.Weight.IsZero() {
		return nil, 0, nested.Errorf("bayes: %w", ErrImpossible)
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
	return full, clamp.LogProb(tree.Weight.Log(), len(r)), nil
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

// Sample draws a row from the network, parents first.
func (n *Network) Sample(src rand.Source) Row {
	nonnil.Check("bayes: Sample", "source of randomness", src)
	rng := rand.New(src)
	r := make(Row, len(n.variables))
	for _, i := range n.order {
		n.draw(r, i, rng)
	}
	return r
}

// draw fills the children of family i in r, given its parents.
func (n *Network) draw(r Row, i int, rng *rand.Rand) {
	f, s := n.families[i], n.scopes[i]
	index := 0
	for k, v := range f.Parents {
		index += s.stride[k] * int(r[v])
	}
	if f.Table != nil {
		v := f.Children[0]
		r[v] = float64(choose(f.Table[index:index+n.size(v)], rng))
		return
	}
	x := n.density[i][index].Sample(rng)
	mean := f.Normals[index].mean(r.at(f.Regressors))
	for k, v := range f.Children {
		r[v] = x[k] + mean[k] - f.Normals[index].Mean[k]
	}
}

// choose draws an outcome with the given probabilities; never one of probability 0.
func choose(p []float64, rng *rand.Rand) int {
	u, last := rng.Float64(), 0
	for x, q := range p {
		if q > 0 {
			if last = x; u < q {
				return x
			}
			u -= q
		}
	}
	return last
}

// Complete draws the missing cells of r from their joint posterior. Errors: as for
// Posteriors.
func (n *Network) Complete(r Row, src rand.Source) (Row, error) {
	nonnil.Check("bayes: Complete", "source of randomness", src)
	rng := rand.New(src)
	f, plan, err := n.forest(r)
	if err != nil {
		return nil, err
	}
	s, err := machines.ScaledForests.NewSampler(f)
	if errors.Is(err, forest.ErrNoTree) {
		return nil, nested.Errorf("bayes: %w", ErrImpossible)
	}
	if err != nil {
		return nil, nested.Errorf("bayes: %w", err)
	}
	full := n.fill(r, plan, s.Sample(src).Edges)
	for _, i := range n.order {
		if n.missing(n.families[i], full) {
			n.draw(full, i, rng)
		}
	}
	return full, nil
}

// base returns, for each family, the index of the entry that the observed variables of
// r choose where hidden ones have state 0.
func (n *Network) base(r Row) []int {
	base := make([]int, len(n.scopes))
	for f, s := range n.scopes {
		for k, v := range s.variables {
			if x := r[v]; x == x {
				base[f] += s.stride[k] * int(x)
			}
		}
	}
	return base
}

// weigh returns the weights of the edges of p: products of entries of families, entry(f,
// index) being one of family f. The index of an entry is base[f] plus the index of the factor.
func weigh[W any](p *plan, ring semiring.Semiring[W], base []int, entry func(family, index int) W) []W {
	weights := make([]W, len(p.use)-1)
	for e := range weights {
		w := ring.One()
		for _, f := range p.factors[p.use[e]:p.use[e+1]] {
			w = ring.Times(w, entry(int(f.family), base[f.family]+int(f.index)))
		}
		weights[e] = w
	}
	return weights
}

// observed returns the values of continuous children and of their regressors in r, or
// false if the children are missing.
func (f Family) observed(r Row) (x, u []float64, ok bool) {
	if math.IsNaN(r[f.Children[0]]) {
		return nil, nil, false
	}
	return r.at(f.Children), r.at(f.Regressors), true
}

// missing reports whether the family is one of continuous children that are missing in r.
func (n *Network) missing(f Family, r Row) bool {
	return !n.Discrete(f.Children[0]) && math.IsNaN(r[f.Children[0]])
}

// at returns the cells of some variables.
func (r Row) at(variables []int) []float64 {
	var x []float64
	for _, v := range variables {
		x = append(x, r[v])
	}
	return x
}

// forest returns the forest of all assignments to the missing discrete cells of r, whose
// tree sum is the probability (density) of r.
func (n *Network) forest(r Row) (*forest.Forest[semiring.ScaledFloat], *plan, error) {
	if err := n.Check(r); err != nil {
		return nil, nil, err
	}
	p, err := n.plan(r)
	if err != nil {
		return nil, nil, err
	}
	overflow := -1 // the family of a density that is no number
	entry := func(f, index int) semiring.ScaledFloat {
		if t := n.families[f].Table; t != nil {
			return semiring.NewScaled(t[index])
		}
		x, u, ok := n.families[f].observed(r)
		if !ok {
			return semiring.NewScaled(1)
		}
		log := n.density[f][index].Log(n.families[f].Normals[index].residual(x, u))
		if math.IsNaN(log) {
			overflow = f
		}
		return semiring.ScaledFromLog(log)
	}
	weights := weigh(p, semiring.Scaled{}, n.base(r), entry)
	if overflow >= 0 {
		return nil, nil, nested.Errorf("bayes: %w: the density of %s: its slopes and values are too large to multiply",
			semiring.ErrNotFinite, n.variables[n.families[overflow].Children[0]].Name)
	}
	f, err := p.shape.WithWeights(weights, p.shape.Roots())
	if err != nil {
		return nil, nil, nested.Errorf("bayes: %w", err)
	}
	return f, p, nil
}
