package cascade

import (
	"cmp"
	"errors"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// StringLikelihood returns the Likelihood of data with strings y in place of paths: each example
// has one path for every y, whose weight is the sum over all paths that write y. The value equals
// Likelihood's, except that
//
//   - at a temperature β it is Σ over y of P(x, y)^β, instead of a sum of powers of paths
//   - a Viterbi E step takes the most probable y, instead of the most probable path
//   - em.Risk at a temperature draws strings, instead of paths, in proportion to P(x, y)^β
//
// Counts are expected uses over the paths of y, on average over y. So all methods apply. For a
// loss, the arcs of Y have a parameter of value 1 to the power of the loss, as in Hamming, and Y
// has one path for each string. The weights of Y are factors and are not added up.
//
// The strings of an example are computed from its lattice, within the strings of Y, by
// determinization over probabilities as expressions, as NormalizeConditional treats inputs. They
// are finite if Y is, and may take exponentially more space than the lattice. StringLikelihood
// computes all of them, so the data should fit in memory.
//
// The error is the error of Likelihood, or wraps em.ErrInvalid for a Problem with Edges,
// Data.Pruning, or a Y with two paths for one string. It wraps semiring.ErrLimit if an example
// takes more work than o.Limit, 150,000 by default. It wraps fst.ErrTwins if cycles of its
// lattice, which Y does not bound, have no deterministic form.
func (p Problem) StringLikelihood(data Data, o *fst.Options) (em.Excluder, error) {
	if len(p.Edges) > 0 || data.Pruning != nil {
		return nil, nested.Errorf("cascade: %w: StringLikelihood of a tree without X and Y, or Within parts of lattices", em.ErrInvalid)
	}
	c, err := newCascade(p, data)
	if err != nil {
		return nil, err
	}
	var options fst.Options
	if o != nil {
		options = *o
	}
	options.Limit = cmp.Or(options.Limit, functionWork)
	var seen []em.Skipped // without a reason
	var graphs []*graph.Graph[expr.W]
	for x, err := range data.all() {
		if err != nil {
			return nil, err
		}
		named := em.Skipped{Index: len(seen), Name: x.Name, Weight: x.Weight.Float64()}
		var g *graph.Graph[expr.W]
		if named.Weight > 0 {
			f, err := c.outputs(&x, &options)
			if err != nil {
				return nil, nested.Errorf("cascade: the strings of %v: %w", named, err)
			}
			g = f.Graph()
		}
		seen, graphs = append(seen, named), append(graphs, g)
	}
	return Derivations{
		Examples:    len(seen),
		Graph:       func(i int) (*graph.Graph[expr.W], error) { return graphs[i], nil },
		Weight:      func(i int) float64 { return seen[i].Weight },
		Name:        func(i int) string { return seen[i].Name },
		Underivable: data.Underivable, CacheBytes: data.CacheBytes, ShardSize: data.ShardSize,
	}.Likelihood(p.Params)
}

// outputs returns the acceptor of the strings of Y given x and the model, each with one path.
func (c *cascade) outputs(x *Example, o *fst.Options) (*fst.FST[expr.W], error) {
	space := c.problem.Params.Space()
	var weights *fst.FST[expr.W] // of Y
	strings := x.Y
	if !strings.Unknown() {
		var err error
		weights, err = machines.Exprs.Expand(machines.Exprs.RemoveEpsilon(acceptorOf(c.problem.Params, strings)), nil)
		if err != nil {
			return nil, err
		}
		one, err := fst.Unambiguous(weights, o)
		if err != nil {
			return nil, err
		}
		if !one {
			return nil, fmt.Errorf("%w: Y has two paths for one string, want one, as fst.Determinize makes", em.ErrInvalid)
		}
		strings = Set(mapped(weights, ringOf(c.problem.Params), func(w expr.W) expr.W {
			if space.IsZero(w) {
				return expr.Zero
			}
			return expr.One
		}))
	}
	y := *x
	y.Y = strings
	b := c.composer() // its own storage, which the result keeps
	b.begin(space)
	all, err := b.tapes.Given(b.known(&y), 1, c.data.LatticeLimit)
	if err != nil {
		return nil, b.tapes.Explain(err)
	}
	f, err := machines.Exprs.Expand(all[0], nil) // Y is a tape of every part
	if err != nil {
		return nil, err
	}
	plain, whole := untempered(f)
	exprs := machines.Exprs
	sums, err := inputSums(plain, o, sumOperations[expr.W]{exprs.ProjectIn, exprs.RemoveEpsilon, exprs.Expand, exprs.Connect})
	if err != nil {
		if errors.Is(err, semiring.ErrLimit) {
			err = nested.Errorf("%w; let Y be a finite set of strings", err)
		}
		return nil, err
	}
	sums = mapped(sums, ringOf(c.problem.Params), whole)
	if weights == nil {
		return sums, nil
	}
	return machines.Exprs.Expand(machines.Exprs.Intersect(sums, weights), nil)
}
