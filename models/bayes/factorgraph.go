package bayes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Factor is a non-negative function of discrete variables. Its Table has an entry for each
// combination of states of the variables, with the state of the last variable changing fastest
// (nil: 1 everywhere).
type Factor struct {
	Variables []int     `json:"variables"`
	Table     []float64 `json:"table,omitempty"`
}

// FactorGraph is an undirected model of discrete variables, a Markov random field: the probability
// of all their states is the product of its factors, divided by the sum Z over all states. It is
// immutable and safe for concurrent use. All queries except LogProb are answered without Z, by
// elimination as in a Network.
type FactorGraph struct {
	product
}

// NewFactorGraph returns the factor graph of the variables and factors. It copies its arguments. A
// variable without a factor is uniform. The error wraps ErrInvalid for names as in New, a variable
// without states, and a factor with an unknown or duplicate variable. It also wraps ErrInvalid for
// a table of the wrong length or with a negative, infinite or NaN entry. If the product is 0
// everywhere, the first query returns ErrImpossible.
func NewFactorGraph(variables []Variable, factors []Factor) (*FactorGraph, error) {
	return newFactorGraph(variables, factors, defaultMost)
}

func newFactorGraph(variables []Variable, factors []Factor, most int) (*FactorGraph, error) {
	g := &FactorGraph{product{most: most}}
	if err := g.setVariables(variables); err != nil {
		return nil, err
	}
	for _, v := range g.variables {
		if len(v.States) == 0 {
			return nil, nested.Errorf("bayes: %w: %s has no states, want a discrete variable in a factor graph", ErrInvalid, v.Name)
		}
	}
	for i, f := range factors {
		if err := g.add(f); err != nil {
			return nil, nested.Errorf("bayes: %w: factor %d: %w", ErrInvalid, i, err)
		}
	}
	return g, nil
}

// add appends a factor.
func (g *FactorGraph) add(f Factor) error {
	for k, v := range f.Variables {
		if v < 0 || v >= len(g.variables) {
			return fmt.Errorf("variable number %d, want one from 0 to %d", v, len(g.variables)-1)
		}
		if slices.Contains(f.Variables[:k], v) {
			return fmt.Errorf("%s comes twice", g.variables[v].Name)
		}
	}
	s, ok := g.scopeOf(f.Variables)
	if !ok {
		return fmt.Errorf("a table of more than %d entries", maxEntries)
	}
	table := slices.Clone(f.Table)
	if table == nil {
		table = slices.Repeat([]float64{1}, s.entries)
	}
	if len(table) != s.entries {
		return fmt.Errorf("a table of %d entries, want %d", len(table), s.entries)
	}
	g.scopes, g.tables = append(g.scopes, s), append(g.tables, table)
	for e, x := range table {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("entry %d (%s) is %g, want a finite number ≥ 0", e, g.entry(len(g.scopes)-1, e), x)
		}
	}
	return nil
}

// entry names an entry of a factor: "a=0, b=1".
func (g *FactorGraph) entry(f, e int) string {
	s := g.scopes[f]
	var names []string
	for k, v := range s.variables {
		names = append(names, g.variables[v].Name+"="+g.variables[v].States[e/s.stride[k]%g.size(v)])
	}
	return strings.Join(names, ", ")
}

// WithMaxEntries returns the factor graph with a limit on the entries of tables, as
// Network.WithMaxEntries does. FactorModel.FactorGraph keeps the limit.
func (g *FactorGraph) WithMaxEntries(limit int) *FactorGraph {
	checkMost(limit)
	return &FactorGraph{product{variables: g.variables, scopes: g.scopes, tables: g.tables, most: limit}}
}

// Factors returns a new slice of the factors. Their Variables and Tables must not be modified.
func (g *FactorGraph) Factors() []Factor {
	factors := make([]Factor, len(g.scopes))
	for i, s := range g.scopes {
		factors[i] = Factor{s.variables, g.tables[i]}
	}
	return factors
}

// Check returns an error that wraps ErrInvalid if r is not a valid row.
func (g *FactorGraph) Check(r Row) error { return g.checkCells(r) }

// eliminate returns the forest of the question, given the cells of r.
func (g *FactorGraph) eliminate(q *question, r Row) (*elimination, error) {
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	return g.elimination(p, r, func(f, index int) semiring.ScaledFloat { return semiring.NewScaled(g.tables[f][index]) })
}

// ask checks r and the variables, and returns the question about r.
func (g *FactorGraph) ask(r Row, of ...int) (*question, error) {
	if err := g.Check(r); err != nil {
		return nil, err
	}
	return g.all(r), g.checkDiscrete(of)
}

// LogPartition returns the ln of the product of the factors, summed over all states of the missing
// cells of r. For Unknown it is ln Z. It is −Inf if the sum is 0. Cost and errors are as for
// Network.LogProb.
func (g *FactorGraph) LogPartition(r Row) (float64, error) {
	q, err := g.ask(r)
	if err != nil {
		return 0, err
	}
	e, err := g.eliminate(q, r)
	if err != nil {
		return 0, err
	}
	total, err := e.sum()
	return total.Log(), err
}

// LogProb returns ln P of the known cells of r: LogPartition of r minus ln Z. It is −Inf for a row
// of probability 0. Errors are as for LogPartition; the error wraps ErrImpossible if Z is 0.
func (g *FactorGraph) LogProb(r Row) (float64, error) {
	part, err := g.LogPartition(r)
	if err != nil {
		return 0, err
	}
	whole, err := g.LogPartition(g.Unknown())
	if err != nil {
		return 0, err
	}
	if math.IsInf(whole, -1) {
		return 0, nested.Errorf("bayes: %w: so is every other, as the factors are 0 everywhere", ErrImpossible)
	}
	return clamp.LogProb(part-whole, len(r)), nil
}

// Posteriors returns the posteriors of all missing cells of r, each by itself. The field LogProb is
// the LogPartition of r. Errors are as for LogPartition; the error wraps ErrImpossible for a row of
// probability 0.
func (g *FactorGraph) Posteriors(r Row) (*Posterior, error) {
	q, err := g.ask(r)
	if err != nil {
		return nil, err
	}
	e, err := g.eliminate(q, r)
	if err != nil {
		return nil, err
	}
	tree, states, err := e.posteriors()
	if err != nil {
		return nil, err
	}
	return &Posterior{LogProb: tree.Total.Log(), of: &g.product, row: slices.Clone(r), states: states}, nil
}

// PosteriorsOf returns the posterior of the states of each of the variables, given r. Factors that
// are not connected to these variables by a chain of factors and missing variables are removed
// before elimination, unless they may be 0. Errors are as for Posteriors; the error wraps
// ErrInvalid for a duplicate variable.
func (g *FactorGraph) PosteriorsOf(r Row, of ...int) ([][]float64, error) {
	q, err := g.ask(r, of...)
	if err != nil {
		return nil, err
	}
	q.separate(r, of)
	e, err := g.eliminate(q, r)
	if err != nil {
		return nil, err
	}
	return e.posteriorsOf(of)
}

// Best returns r with its missing cells filled in by the jointly most probable states, and the ln
// of the product of the factors there. Errors are as for Posteriors.
func (g *FactorGraph) Best(r Row) (explanation Row, logWeight float64, err error) {
	if err := g.Check(r); err != nil {
		return nil, 0, err
	}
	return g.BestOf(r, g.hidden(r)...)
}

// BestOf returns r with the cells of the variables filled in by their jointly most probable states,
// summed over all other missing cells, which stay missing. logWeight is the ln of this sum of
// products. See Network.BestOf for its cost. Errors are as for PosteriorsOf.
func (g *FactorGraph) BestOf(r Row, of ...int) (explanation Row, logWeight float64, err error) {
	q, err := g.ask(r, of...)
	if err != nil {
		return nil, 0, err
	}
	q.maximize(of)
	e, err := g.eliminate(q, r)
	if err != nil {
		return nil, 0, err
	}
	explanation, weight, err := e.best(len(q.hidden))
	return explanation, weight.Log(), err
}

// Complete draws the missing cells of r from their joint posterior; for Unknown it samples from the
// model. Errors are as for Posteriors.
func (g *FactorGraph) Complete(r Row, src rand.Source) (Row, error) {
	nonnil.Check("bayes: Complete", "source of randomness", src)
	q, err := g.ask(r)
	if err != nil {
		return nil, err
	}
	e, err := g.eliminate(q, r)
	if err != nil {
		return nil, err
	}
	return e.sample(src)
}
