package bayes

import (
	"cmp"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// Likelihood returns the likelihood of data as a function of the model's parameters, for em.Fit and
// other methods: Σ weight·ln P(row), summed over missing cells. With em.Viterbi, P is maximized
// over them instead. Equal rows are merged. Rows with the same cells missing share one elimination,
// so a row takes a few bytes per family.
//
// The error wraps em.ErrInvalid or ErrInvalid, naming the row, or ErrTreewidth.
func (m *Model) Likelihood(data Data) (em.Likelihood, error) {
	rows, err := merge(data, m.n.Check)
	if err != nil {
		return nil, err
	}
	return m.likelihood(rows, data)
}

// ConditionalLikelihood returns Σ weight·ln P(row | its cells of the variables given), the
// objective of discriminative training: the likelihood minus the likelihood of these cells alone.
// With em.Viterbi training is conditional EM. Errors are as for Likelihood.
func (m *Model) ConditionalLikelihood(data Data, given ...int) (*em.Difference, error) {
	rows, err := merge(data, m.n.Check)
	if err != nil {
		return nil, err
	}
	plus, err := m.likelihood(rows, data)
	if err != nil {
		return nil, err
	}
	known := *rows
	known.rows = nil
	for _, r := range rows.rows {
		k := m.n.Unknown()
		for _, v := range given {
			if v < 0 || v >= len(k) {
				return nil, nested.Errorf("bayes: %w: variable %d of %d is given", em.ErrInvalid, v, len(k))
			}
			k[v] = r[v]
		}
		if err := m.n.Check(k); err != nil {
			return nil, err
		}
		known.rows = append(known.rows, k)
	}
	minus, err := m.likelihood(&known, data)
	if err != nil {
		return nil, err
	}
	return &em.Difference{Plus: plus, Minus: minus}, nil
}

// likelihood returns the likelihood of rows.
func (m *Model) likelihood(rows *merged, data Data) (em.Likelihood, error) {
	if m.continuous() {
		return m.mixed(rows, data)
	}
	return m.forests(m.Params, rows, data, func(_, f, index int) expr.W { return m.discrete(m.groups, f, index) })
}

// continuous reports whether the network has continuous variables.
func (m *Model) continuous() bool {
	for v := range m.n.variables {
		if !m.n.Discrete(v) {
			return true
		}
	}
	return false
}

// discrete returns an entry of a discrete family as a parameter.
func (m *Model) discrete(groups [][]*em.Group, f, index int) expr.W {
	k := m.n.size(m.n.families[f].Children[0])
	return groups[f][index/k].Weight(index % k)
}

// forests returns the likelihood of rows over p, where entry(row, family, index) is the entry of a
// family in a row.
func (m *Model) forests(p *em.Params, rows *merged, data Data, entry func(row, family, index int) expr.W) (em.Excluder, error) {
	return m.n.likelihood(p, rows.examples(m.n.all), data, entry)
}

// examples contains rows and the question of each.
type examples struct {
	n        int
	row      func(i int) Row
	question func(i int) *question
	weight   func(i int) float64
	name     func(i int) string
}

// examples returns the rows as examples, with one question each.
func (m *merged) examples(ask func(r Row) *question) examples {
	return examples{
		n:        len(m.rows),
		row:      func(i int) Row { return m.rows[i] },
		question: func(i int) *question { return ask(m.rows[i]) },
		weight:   func(i int) float64 { return m.weight[i] },
		name:     m.name,
	}
}

// likelihood returns Σ weight·ln of the sum of each example's question, as a function of p, where
// entry(i, function, index) is the entry of a function in example i.
func (p *product) likelihood(params *em.Params, x examples, data Data, entry func(i, function, index int) expr.W) (em.Excluder, error) {
	templates := make(map[*plan]*template)
	of := make([]*template, x.n)
	for i := range x.n {
		plan, err := x.question(i).plan()
		if err != nil {
			return nil, err
		}
		if templates[plan] == nil {
			if templates[plan], err = p.newTemplate(plan); err != nil {
				return nil, err
			}
		}
		of[i] = templates[plan]
	}
	return cascade.Derivations{
		Examples:    x.n,
		Forest:      func(i int) (*forest.Forest[expr.W], error) { return of[i].forest, nil },
		Weight:      x.weight,
		Name:        x.name,
		Underivable: data.Underivable,
		CacheBytes:  data.CacheBytes,
		Arguments: func(i int, dst []expr.W) ([]expr.W, error) {
			r := x.row(i)
			base, last := 0, int32(-1)
			for _, f := range of[i].factors {
				if f.function != last {
					base, last = p.scopes[f.function].base(r), f.function
				}
				dst = append(dst, entry(i, int(f.function), base+int(f.index)))
			}
			return dst, nil
		},
	}.Likelihood(params)
}

// template is the forest of the rows in which the same cells are missing. Its weights are products
// of arguments, the entries of functions.
type template struct {
	forest  *forest.Forest[expr.W]
	factors []factor // by function
}

func (p *product) newTemplate(of *plan) (*template, error) {
	t := &template{}
	t.factors = slices.Clone(of.factors)
	slices.SortFunc(t.factors, func(a, b factor) int {
		return cmp.Or(cmp.Compare(a.function, b.function), cmp.Compare(a.index, b.index))
	})
	t.factors = slices.Compact(t.factors)
	number := make(map[factor]int32, len(t.factors))
	for i, f := range t.factors {
		number[f] = int32(i)
	}
	space := cascade.NewTemplate(len(t.factors))
	ring := semiring.Semiring[expr.W](space)
	weights := weigh(of, ring, make([]int, len(p.scopes)), func(f, index int) expr.W {
		return space.Param(number[factor{int32(f), int32(index)}])
	})
	root := of.shape.Roots()[0].Node
	var err error
	t.forest, err = forest.New(ring, of.edge, of.tail, of.tails, weights, []forest.Root[expr.W]{{Node: root, Weight: expr.One}})
	return t, err
}
