package bayes

import (
	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// Likelihood returns the likelihood of data as a function of the model's parameters, for
// em.Fit and whatever else takes one: Σ weight·ln P(row), where missing cells are summed
// over; with em.Viterbi, P is of the best states in place of missing ones. Equal rows
// are merged. Rows with the same cells missing share one elimination, so a row takes a few
// bytes per family.
//
// The error wraps em.ErrInvalid or ErrInvalid, naming the row, or ErrWide.
func (m *Model) Likelihood(data Data) (em.Likelihood, error) {
	rows, err := merge(data, m.n.Check)
	if err != nil {
		return nil, err
	}
	return m.likelihood(rows, data)
}

// ConditionalLikelihood returns Σ weight·ln P(row | its cells of the variables given), the
// objective of discriminative training: the likelihood less the likelihood of these cells alone.
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

// forests returns the likelihood of rows over p, entry(row, family, index) being the entry
// of a family in a row.
func (m *Model) forests(p *em.Params, rows *merged, data Data, entry func(row, family, index int) expr.W) (em.Excluder, error) {
	templates := make(map[*plan]*template)
	of := make([]*template, len(rows.rows))
	for i, r := range rows.rows {
		plan, err := m.n.all(r).plan()
		if err != nil {
			return nil, err
		}
		if templates[plan] == nil {
			if templates[plan], err = m.newTemplate(plan); err != nil {
				return nil, err
			}
		}
		of[i] = templates[plan]
	}
	return cascade.Derivations{
		Examples:    len(rows.rows),
		Forest:      func(i int) (*forest.Forest[expr.W], error) { return of[i].forest, nil },
		Weight:      func(i int) float64 { return rows.weight[i] },
		Name:        rows.name,
		Underivable: data.Underivable,
		CacheBytes:  data.CacheBytes,
		Arguments: func(i int, dst []expr.W) ([]expr.W, error) {
			base := m.n.base(rows.rows[i])
			for _, f := range of[i].factors {
				dst = append(dst, entry(i, int(f.function), base[f.function]+int(f.index)))
			}
			return dst, nil
		},
	}.Likelihood(p)
}

// template is the forest of the rows in which the same cells are missing. Its weights are
// products of arguments, which are entries of families.
type template struct {
	forest  *forest.Forest[expr.W]
	factors []factor
}

func (m *Model) newTemplate(p *plan) (*template, error) {
	t := &template{}
	number := make(map[factor]int32)
	for _, f := range p.factors {
		if _, ok := number[f]; !ok {
			number[f] = int32(len(t.factors))
			t.factors = append(t.factors, f)
		}
	}
	space := cascade.NewTemplate(len(t.factors))
	ring := semiring.Semiring[expr.W](space)
	weights := weigh(p, ring, make([]int, len(m.n.families)), func(f, index int) expr.W {
		return space.Param(number[factor{int32(f), int32(index)}])
	})
	root := p.shape.Roots()[0].Node
	var err error
	t.forest, err = forest.New(ring, p.edge, p.tail, p.tails, weights, []forest.Root[expr.W]{{Node: root, Weight: expr.One}})
	return t, err
}
