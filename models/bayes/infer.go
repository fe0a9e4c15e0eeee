package bayes

import (
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// ErrImpossible is wrapped by the error for queries about a row of probability 0. It wraps
// em.ErrUnderivable.
var ErrImpossible error = impossible{}

type impossible struct{}

func (impossible) Error() string { return "row of probability 0" }

func (impossible) Unwrap() error { return em.ErrUnderivable }

// LogProb returns ln P of the known cells of r, summed or integrated over the missing cells. It is
// −Inf for a row of probability 0. If values are continuous it is the ln of a density.
//
// Missing variables without known descendants sum to 1 and are removed. The time is proportional to
// the tables of the elimination (see Cost in the package comment). The error wraps ErrInvalid or
// ErrTreewidth, or semiring.ErrNotFinite if a slope and a value are too large to multiply.
func (n *Network) LogProb(r Row) (float64, error) {
	if err := n.Check(r); err != nil {
		return 0, err
	}
	e, err := n.eliminate(n.about(r), r)
	if err != nil {
		return 0, err
	}
	total, err := e.sum()
	if err != nil {
		return 0, err
	}
	return clamp.LogProb(total.Log(), len(r)), nil
}

// LogLoss returns the mean of −ln P over rows without missing cells, in nats; +Inf if one of them
// has probability 0. The error wraps ErrInvalid and names the row.
func (n *Network) LogLoss(rows []Row) (float64, error) {
	if len(rows) == 0 {
		return 0, nested.Errorf("bayes: %w: it does not exist", ErrInvalid)
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

// Best returns r with its missing cells filled in by the most probable explanation. Discrete cells
// get the jointly most probable states, with missing continuous values integrated out; continuous
// cells get their means given these states. logP is the ln of the joint probability (density) of
// the states and the known cells. Errors are as for Posteriors.
func (n *Network) Best(r Row) (explanation Row, logP float64, err error) {
	if err := n.Check(r); err != nil {
		return nil, 0, err
	}
	e, err := n.eliminate(n.all(r), r)
	if err != nil {
		return nil, 0, err
	}
	full, weight, err := e.best(0)
	if err != nil {
		return nil, 0, err
	}
	base := n.base(full)
	for _, i := range n.order {
		f := n.families[i]
		if n.missing(f, r) {
			for k, x := range f.Normals[base[i]].mean(full.at(f.Regressors)) {
				full[f.Children[k]] = x
			}
		}
	}
	return full, clamp.LogProb(weight.Log(), len(r)), nil
}

// BestOf returns r with the cells of the discrete variables filled in by their jointly most
// probable states, summed over all other missing cells: marginal maximum a posteriori. The other
// cells stay missing. logP is the ln of the joint probability (density) of the states and the known
// cells. For all missing discrete variables it is Best without the means.
//
// The sums come first and the maxima last, an order that may need much larger tables than Best or
// Posteriors. Errors are as for Posteriors; the error wraps ErrInvalid for a continuous or
// duplicate variable.
func (n *Network) BestOf(r Row, of ...int) (explanation Row, logP float64, err error) {
	if err := n.Check(r); err != nil {
		return nil, 0, err
	}
	if err := n.checkDiscrete(of); err != nil {
		return nil, 0, err
	}
	q := n.about(r, of...)
	q.maximize(of)
	e, err := n.eliminate(q, r)
	if err != nil {
		return nil, 0, err
	}
	explanation, weight, err := e.best(len(q.hidden))
	if err != nil {
		return nil, 0, err
	}
	return explanation, clamp.LogProb(weight.Log(), len(r)), nil
}

// maximize moves the hidden ones among these variables to the end of the elimination.
func (q *question) maximize(of []int) {
	for _, v := range q.hidden {
		if slices.Contains(of, v) {
			q.last = append(q.last, v)
		}
	}
	q.hidden = slices.DeleteFunc(q.hidden, func(v int) bool { return slices.Contains(of, v) })
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

// choose draws an outcome with the given probabilities. It never returns an outcome of probability
// 0.
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

// Complete draws the missing cells of r from their joint posterior: the ancestors of known cells by
// elimination, the others from their families, parents first. Errors are as for Posteriors.
func (n *Network) Complete(r Row, src rand.Source) (Row, error) {
	nonnil.Check("bayes: Complete", "source of randomness", src)
	if err := n.Check(r); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	e, err := n.eliminate(n.about(r), r)
	if err != nil {
		return nil, err
	}
	full, err := e.sample(src)
	if err != nil {
		return nil, err
	}
	for _, i := range n.order { // continuous variables, and variables without known descendants
		if v := n.families[i].Children[0]; full[v] != full[v] {
			n.draw(full, i, rng)
		}
	}
	return full, nil
}

// observed returns the values of continuous children and of their regressors in r, or false if the
// children are missing.
func (f Family) observed(r Row) (x, u []float64, ok bool) {
	if math.IsNaN(r[f.Children[0]]) {
		return nil, nil, false
	}
	return r.at(f.Children), r.at(f.Regressors), true
}

// missing reports whether the children of the family are continuous and missing in r.
func (n *Network) missing(f Family, r Row) bool {
	return !n.Discrete(f.Children[0]) && math.IsNaN(r[f.Children[0]])
}

// eliminate returns the forest of all assignments to the variables that the question eliminates,
// given the cells of r, which have been checked.
func (n *Network) eliminate(q *question, r Row) (*elimination, error) {
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	overflow := -1 // the family of a density that is not finite
	e, err := n.elimination(p, r, func(f, index int) semiring.ScaledFloat {
		if t := n.tables[f]; t != nil {
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
	})
	if err == nil && overflow >= 0 {
		err = nested.Errorf("bayes: %w: the density of %s: its slopes and values are too large to multiply",
			semiring.ErrNotFinite, n.variables[n.families[overflow].Children[0]].Name)
	}
	return e, err
}
