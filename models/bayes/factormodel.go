package bayes

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// FactorModel is a factor graph whose tables are estimated from data. Its parameters are a group
// for each factor, with a name such as "a, b". Each parameter is the ln of an entry of the table.
// An entry of 0 stays 0, and its parameter has no effect.
type FactorModel struct {
	// Params is the table of the parameters, Theta their values: at first the ln of the
	// entries of the factor graph.
	Params *em.Params
	Theta  []float64

	g      *FactorGraph
	groups []*em.Group
}

// NewFactorModel returns the model that starts as g. The priors limit the distance of the ln of
// entries from 0. Without a prior, the ln of an entry that does not occur in the rows decreases
// until training ends. The error wraps em.ErrParameter for a bad prior.
func NewFactorModel(g *FactorGraph, priors em.LogLinearOptions) (*FactorModel, error) {
	nonnil.Check("bayes: NewFactorModel", "factor graph", g)
	m := &FactorModel{Params: em.NewParams(), g: g}
	for i, table := range g.tables {
		law, err := em.NewLogLinear(len(table), nil, priors)
		if err != nil {
			return nil, nested.Errorf("bayes: %w", err)
		}
		name := g.factorName(i)
		if m.Params.Find(name) != nil {
			name = fmt.Sprintf("%s (factor %d)", name, i)
		}
		group := m.Params.Group(name, len(table), law)
		group.SetNames(func(e int) string { return g.entry(i, e) })
		start := make([]float64, len(table))
		for e, x := range table {
			if x > 0 {
				start[e] = math.Log(x)
			}
		}
		group.SetStart(start)
		m.groups = append(m.groups, group)
	}
	m.Theta = m.Params.Start()
	return m, nil
}

// factorName names a factor by its variables.
func (g *FactorGraph) factorName(f int) string {
	var names []string
	for _, v := range g.scopes[f].variables {
		names = append(names, g.variables[v].Name)
	}
	return strings.Join(names, ", ")
}

// Group returns the group of the parameters of factor i.
func (m *FactorModel) Group(i int) *em.Group { return m.groups[i] }

// FactorGraph returns the factor graph with the entries of Theta. The error wraps em.ErrParameter
// if Theta is invalid, or ErrInvalid if an entry is too large for a float64.
func (m *FactorModel) FactorGraph() (*FactorGraph, error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, err
	}
	factors := m.g.Factors()
	for i, f := range factors {
		table := make([]float64, len(f.Table))
		for e, w := range m.groups[i].In(m.Theta) {
			if f.Table[e] > 0 {
				table[e] = math.Exp(w)
			}
		}
		factors[i].Table = table
	}
	return newFactorGraph(m.g.variables, factors, m.g.most)
}

// weight returns an entry of a factor as a parameter.
func (m *FactorModel) weight(f, index int) expr.W {
	if m.g.tables[f][index] == 0 {
		return expr.Zero
	}
	return m.groups[f].Weight(index)
}

// likelihood returns Σ weight·ln of the sums of the questions.
func (m *FactorModel) likelihood(x examples, data Data) (em.Excluder, error) {
	return m.g.likelihood(m.Params, x, data, func(_, f, index int) expr.W { return m.weight(f, index) })
}

// Likelihood returns Σ weight·ln P(row), summed over missing cells, as a function of the
// parameters: the products of the rows minus ln Z. Its gradient is the expected count of each entry
// given the rows minus its expected count under the model: training makes these moments agree. For
// complete rows it is concave. An E step takes one elimination of all variables, and one for each
// different row.
//
// The error wraps em.ErrInvalid or ErrInvalid, naming the row, or ErrTreewidth.
func (m *FactorModel) Likelihood(data Data) (*em.Difference, error) {
	rows, err := merge(data, m.g.Check)
	if err != nil {
		return nil, err
	}
	plus, err := m.likelihood(rows.examples(m.g.all), data)
	if err != nil {
		return nil, err
	}
	minus, err := m.partition(rows)
	if err != nil {
		return nil, err
	}
	return &em.Difference{Plus: plus, Minus: minus}, nil
}

// PseudoLikelihood returns Σ weight·ln P(cell | all other cells of its row) over the cells of
// complete rows, as a function of the parameters (Besag 1975). It does not require Z and eliminates
// only one variable at a time, so it trains models that are too wide for Likelihood. It is concave.
// The error wraps em.ErrInvalid, or ErrInvalid and names the row, for example one with a missing
// cell.
func (m *FactorModel) PseudoLikelihood(data Data) (*em.Difference, error) {
	rows, err := merge(data, func(r Row) error {
		if err := m.g.Check(r); err != nil {
			return err
		}
		return m.g.checkKnown(r)
	})
	if err != nil {
		return nil, err
	}
	blanket := make([][]int, m.g.Len()) // the factors of each variable
	for f, s := range m.g.scopes {
		for _, v := range s.variables {
			blanket[v] = append(blanket[v], f)
		}
	}
	n := m.g.Len()
	x := examples{
		n:        n * len(rows.rows),
		row:      func(i int) Row { return rows.rows[i/n] },
		question: func(i int) *question { return &question{product: &m.g.product, functions: blanket[i%n]} },
		weight:   func(i int) float64 { return rows.weight[i/n] },
		name:     func(i int) string { return m.g.variables[i%n].Name + " of " + rows.name(i/n) },
	}
	plus, err := m.likelihood(x, data)
	if err != nil {
		return nil, err
	}
	x.row = func(i int) Row { return Hide(rows.rows[i/n:i/n+1], i%n)[0] }
	x.question = func(i int) *question {
		return &question{product: &m.g.product, functions: blanket[i%n], hidden: []int{i % n}}
	}
	minus, err := m.likelihood(x, data)
	if err != nil {
		return nil, err
	}
	return &em.Difference{Plus: plus, Minus: minus}, nil
}

// partition returns Σ weight·ln Z over the rows.
func (m *FactorModel) partition(rows *merged) (em.Excluder, error) {
	unknown := examples{
		n:        1,
		row:      func(int) Row { return m.g.Unknown() },
		question: func(int) *question { return m.g.all(m.g.Unknown()) },
		name:     func(int) string { return "the sum over all rows" },
	}
	one, err := m.likelihood(unknown, Data{})
	if err != nil {
		return nil, err
	}
	type total struct{ weight float64 } // of the rows of a shard
	return em.Sharded[*em.Expectations, total]{
		Package: "bayes",
		Params:  m.Params,
		Curved:  true,
		Fingerprint: func(w io.Writer) {
			one.Fingerprint(w)
			binary.Write(w, binary.LittleEndian, rows.weight)
		},
		Begin: func(q em.Query) (*em.Expectations, error) {
			return one.Expect(context.Background(), em.Query{Theta: q.Theta, Tangent: q.Tangent, Workers: 1})
		},
		Cut:    em.NewCut(len(rows.rows)),
		Weight: func(i int) float64 { return rows.weight[i] },
		Name:   rows.name,
		Sum: func(t *total, z *em.Expectations, _ int, weight float64, _ *em.Tally) (float64, error) {
			t.weight += weight
			return z.LogLikelihood, nil
		},
		Drain: func(t *total, z *em.Expectations, _ int, tally *em.Tally) error {
			floats.AddScaled(tally.Counts, t.weight, z.Counts)
			if z.Curvature != nil {
				floats.AddScaled(tally.Curvature, t.weight, z.Curvature)
			}
			t.weight = 0
			return nil
		},
	}.Excluder(), nil
}

// Fit trains the model by Likelihood and stores the result in Theta. By default it starts at Theta
// and uses L-BFGS. It returns the result of em.Fit; a canceled run keeps the values reached.
func (m *FactorModel) Fit(ctx context.Context, data Data, opts *em.Options) (*em.Result, error) {
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return m.fit(ctx, l, opts)
}

// FitPseudo is Fit by PseudoLikelihood.
func (m *FactorModel) FitPseudo(ctx context.Context, data Data, opts *em.Options) (*em.Result, error) {
	l, err := m.PseudoLikelihood(data)
	if err != nil {
		return nil, err
	}
	return m.fit(ctx, l, opts)
}

func (m *FactorModel) fit(ctx context.Context, l em.Likelihood, opts *em.Options) (*em.Result, error) {
	var o em.Options
	if opts != nil {
		o = *opts
	}
	if o.Method == nil {
		o.Method = em.LBFGS{}
	}
	return em.FitFrom(ctx, l, &m.Theta, &o)
}
