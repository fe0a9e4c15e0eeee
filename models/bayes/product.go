package bayes

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sort"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/forests"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// product is a product of non-negative functions of discrete variables: the families of a network,
// or the factors of a factor graph. Every sum over its variables is one elimination.
type product struct {
	variables []Variable
	scopes    []scope     // of the functions
	tables    [][]float64 // of the functions; nil for densities
	most      int         // the limit on the entries of the tables of an elimination
	plans     plans
}

// scope locates the entries of a function: the values x of its variables have the index Σ stride·x.
// The variables of a family are the parents and, if it is discrete, the child.
type scope struct {
	variables, stride []int
	entries           int
}

// certain returns the distribution of a variable whose state is known in r.
func (p *product) certain(v int, r Row) []float64 {
	q := make([]float64, p.size(v))
	q[int(r[v])] = 1
	return q
}

// size returns the number of states of v.
func (p *product) size(v int) int { return len(p.variables[v].States) }

// discrete reports whether variable v has states.
func (p *product) discrete(v int) bool { return len(p.variables[v].States) > 0 }

// scopeOf returns the scope of a function of these variables, the last changing fastest; false if
// it has more than maxEntries entries.
func (p *product) scopeOf(variables []int) (scope, bool) {
	s := scope{variables: slices.Clone(variables), entries: 1, stride: make([]int, len(variables))}
	for k, v := range slices.Backward(s.variables) {
		s.stride[k] = s.entries
		if s.entries *= p.size(v); s.entries > maxEntries {
			return s, false
		}
	}
	return s, true
}

// hidden returns the discrete variables that are missing in r.
func (p *product) hidden(r Row) []int {
	var hidden []int
	for v, x := range r {
		if x != x && p.discrete(v) {
			hidden = append(hidden, v)
		}
	}
	return hidden
}

// base returns, for each function, the index of the entry selected by the observed variables of r
// if all hidden variables have state 0.
func (p *product) base(r Row) []int {
	base := make([]int, len(p.scopes))
	for f, s := range p.scopes {
		base[f] = s.base(r)
	}
	return base
}

func (s scope) base(r Row) int {
	base := 0
	for k, v := range s.variables {
		if x := r[v]; x == x {
			base += s.stride[k] * int(x)
		}
	}
	return base
}

// weigh returns the weights of the edges of p: products of entries of functions, where entry(f,
// index) is an entry of function f. The index of an entry is base[f] plus the index of the factor.
func weigh[W any](p *plan, ring semiring.Semiring[W], base []int, entry func(function, index int) W) []W {
	weights := make([]W, len(p.use)-1)
	for e := range weights {
		w := ring.One()
		for _, f := range p.factors[p.use[e]:p.use[e+1]] {
			w = ring.Times(w, entry(int(f.function), base[f.function]+int(f.index)))
		}
		weights[e] = w
	}
	return weights
}

// elimination is a plan with its weights for the cells of a row.
type elimination struct {
	*plan
	of      *product
	row     Row
	weights []semiring.ScaledFloat
	forest  *forest.Forest[semiring.ScaledFloat]
}

// elimination returns the forest of all assignments to the variables that the plan eliminates.
func (p *product) elimination(plan *plan, r Row, entry func(function, index int) semiring.ScaledFloat) (*elimination, error) {
	weights := weigh(plan, semiring.Scaled{}, p.base(r), entry)
	f, err := plan.shape.WithWeights(weights, plan.shape.Roots())
	if err != nil {
		return nil, nested.Errorf("bayes: %w", err)
	}
	return &elimination{plan, p, r, weights, f}, nil
}

// posteriorsOf returns the posteriors of the states of the variables. Errors are as for posteriors.
func (e *elimination) posteriorsOf(of []int) ([][]float64, error) {
	_, states, err := e.posteriors()
	if err != nil {
		return nil, err
	}
	posteriors := make([][]float64, len(of))
	for i, v := range of {
		if posteriors[i] = states[v]; posteriors[i] == nil {
			posteriors[i] = e.of.certain(v, e.row)
		}
	}
	return posteriors, nil
}

// sum returns the sum over all assignments.
func (e *elimination) sum() (semiring.ScaledFloat, error) {
	total, err := forests.TreeSum(e.forest)
	if err != nil {
		return total, nested.Errorf("bayes: %w", err)
	}
	return total, nil
}

// posteriors returns the posteriors of the edges and, by variable, the posteriors of the states of
// the eliminated variables. The error wraps ErrImpossible for a row of probability 0.
func (e *elimination) posteriors() (*forest.Posterior[semiring.ScaledFloat], [][]float64, error) {
	tree, err := forests.Posteriors(e.forest)
	if err != nil {
		return nil, nil, nested.Errorf("bayes: %w", err)
	}
	if tree.Total.IsZero() {
		return nil, nil, nested.Errorf("bayes: %w", ErrImpossible)
	}
	states := make([][]float64, len(e.of.variables))
	for _, s := range e.steps {
		q := make([]float64, e.of.size(s.variable))
		for k := s.first; k < s.end; k++ {
			q[int(k-s.first)%len(q)] += tree.Edge[k]
		}
		if err := clamp.Probabilities(q); err != nil {
			return nil, nil, nested.Errorf("bayes: %w", err)
		}
		states[s.variable] = q
	}
	return tree, states, nil
}

// best returns the row with the jointly best states, summed over the variables of the first steps,
// which stay missing, and the sum at these states. The error wraps ErrImpossible for a row of
// probability 0.
func (e *elimination) best(summed int) (Row, semiring.ScaledFloat, error) {
	f, nodes, edges, err := e.rest(summed)
	if err != nil {
		return nil, semiring.ScaledFloat{}, nested.Errorf("bayes: %w", err)
	}
	tree, err := forests.BestTree(f)
	if err != nil {
		return nil, semiring.ScaledFloat{}, nested.Errorf("bayes: %w", err)
	}
	if tree.Weight.IsZero() {
		return nil, semiring.ScaledFloat{}, nested.Errorf("bayes: %w", ErrImpossible)
	}
	var chosen []int32
	for _, k := range tree.Edges {
		if k >= nodes {
			chosen = append(chosen, k-nodes+edges)
		}
	}
	return e.fill(chosen), tree.Weight, nil
}

// rest returns the forest of the steps after the first ones, in Viterbi. The sums of the first
// steps are nodes as before, with one edge each: these nodes and edges come first. rest returns
// their number, and the number of edges that they replace.
func (e *elimination) rest(summed int) (f *forest.Forest[semiring.ScaledFloat], nodes, edges int32, err error) {
	if summed == 0 {
		return forest.Map(e.forest, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }), 0, 0, nil
	}
	inside, err := forests.Inside(e.forest)
	if err != nil {
		return nil, 0, 0, err
	}
	edges = e.steps[summed-1].end
	for _, s := range e.steps[:summed] {
		nodes += (s.end - s.first) / int32(e.of.size(s.variable))
	}
	var edge, tail []int32
	for k := range nodes {
		edge, tail = append(edge, k), append(tail, 0)
	}
	for _, k := range e.edge[nodes:] {
		edge = append(edge, k-edges+nodes)
	}
	before := e.tail[edges]
	for _, k := range e.tail[edges:] {
		tail = append(tail, k-before)
	}
	weights := slices.Concat(inside[:nodes], e.weights[edges:])
	f, err = forest.New(semiring.Viterbi{}, edge, tail, e.tails[before:], weights, e.shape.Roots())
	return f, nodes, edges, err
}

// sample returns the row with the states of a random tree. The error wraps ErrImpossible for a row
// of probability 0.
func (e *elimination) sample(src rand.Source) (Row, error) {
	s, err := forests.NewSampler(e.forest)
	if errors.Is(err, forest.ErrNoTree) {
		return nil, nested.Errorf("bayes: %w", ErrImpossible)
	}
	if err != nil {
		return nil, nested.Errorf("bayes: %w", err)
	}
	return e.fill(s.Sample(src).Edges), nil
}

// fill returns the row with the states of the edges of a tree.
func (e *elimination) fill(edges []int32) Row {
	full := slices.Clone(e.row)
	for _, k := range edges {
		i := sort.Search(len(e.steps), func(i int) bool { return k < e.steps[i].end })
		if i < len(e.steps) {
			s := e.steps[i]
			full[s.variable] = float64(int(k-s.first) % e.of.size(s.variable))
		}
	}
	return full
}
