package bayes

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// mixed is the likelihood of rows with continuous values. In its forests, the density of each row's
// values under each distribution is a separate parameter. The count of such a parameter is the
// posterior of the distribution in the row, which determines the counts of a normal law.
type mixed struct {
	m        *Model
	rows     *merged
	forests  em.Excluder // over a table of the discrete groups followed by the densities
	discrete int         // the number of parameters of discrete groups
	cells    []cell      // by density
	row      []int       // the densities of row i are cells[row[i]:row[i+1]]
}

// cell contains the values in a row of the children of a family and of their regressors, and one of
// their distributions.
type cell struct {
	group *em.Group
	x, u  []float64
}

// mixed returns the likelihood of rows.
func (m *Model) mixed(rows *merged, data Data) (*mixed, error) {
	l := &mixed{m: m, rows: rows, row: []int{0}}
	inner := em.NewParams()
	groups := make([][]*em.Group, len(m.groups))
	for i, f := range m.n.families {
		for _, g := range m.groups[i] {
			if m.n.Discrete(f.Children[0]) {
				groups[i] = append(groups[i], inner.Group(g.String(), g.Len(), g.Law()))
			}
		}
	}
	l.discrete = inner.Len()
	first := make([]map[int]int, len(rows.rows)) // per row, by family: its first density
	for i, r := range rows.rows {
		first[i] = make(map[int]int)
		for j, f := range m.n.families {
			x, u, ok := f.observed(r)
			if m.n.Discrete(f.Children[0]) || !ok {
				continue
			}
			first[i][j] = len(l.cells)
			for _, g := range m.groups[j] {
				l.cells = append(l.cells, cell{g, x, u})
			}
		}
		l.row = append(l.row, len(l.cells))
	}
	densities := inner.Group("", len(l.cells), logs{})
	var err error
	l.forests, err = m.forests(inner, rows, data, func(row, f, index int) expr.W {
		if m.n.Discrete(m.n.families[f].Children[0]) {
			return m.discrete(groups, f, index)
		}
		if at, ok := first[row][f]; ok {
			return densities.Weight(at + index)
		}
		return expr.One
	})
	return l, err
}

// Params returns the model's parameters.
func (l *mixed) Params() *em.Params { return l.m.Params }

// Shards returns the number of shards.
func (l *mixed) Shards() int { return l.forests.Shards() }

// Fingerprint writes the forests and the values.
func (l *mixed) Fingerprint(w io.Writer) {
	l.forests.Fingerprint(w)
	for _, c := range l.cells {
		fmt.Fprintln(w, c.group.First(), c.x, c.u)
	}
}

// Expect performs an E step; see em.Likelihood.
func (l *mixed) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	return l.ExpectWithout(ctx, q, nil)
}

// ExpectWithout performs an E step without some rows; see em.Excluder.
func (l *mixed) ExpectWithout(ctx context.Context, q em.Query, without []em.Skipped) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	cut := em.NewCut(len(l.rows.rows))
	first, _ := cut.Shard(q.Lo)
	end, _ := cut.Shard(q.Hi)
	lo, hi := l.row[first], l.row[end]
	inner := q.Detached()
	inner.Theta = make([]float64, l.discrete+len(l.cells))
	copy(inner.Theta, q.Theta[:l.discrete])
	if err := l.logDensities(inner.Theta[l.discrete:], q.Theta, lo, hi); err != nil {
		return nil, err
	}
	if q.Tangent != nil {
		inner.Tangent = make([]float64, len(inner.Theta))
		copy(inner.Tangent, q.Tangent[:l.discrete])
		statistics := make([]float64, len(q.Theta))
		for k := lo; k < hi; k++ {
			g := l.cells[k].group
			clear(g.In(statistics))
			l.count(statistics, k, 1)
			inner.Tangent[l.discrete+k] = floats.Dot(g.In(statistics), g.In(q.Tangent))
		}
	}
	e, err := l.forests.ExpectWithout(ctx, inner, without)
	if err != nil {
		return nil, err
	}
	e.Counts = l.outer(e.Counts, lo, hi)
	if e.Curvature != nil {
		e.Curvature = l.outer(e.Curvature, lo, hi)
	}
	q.Deliver(e)
	return e, nil
}

// logDensities sets the ln of the densities lo … hi − 1 at theta.
func (l *mixed) logDensities(dst, theta []float64, lo, hi int) error {
	type distribution struct {
		Normal
		*em.Density
	}
	known := make(map[*em.Group]distribution)
	for k := lo; k < hi; k++ {
		c := l.cells[k]
		d, ok := known[c.group]
		if !ok {
			var err error
			if d.Normal, _, err = normal(c.group, theta); err != nil {
				return err
			}
			if d.Density, err = d.Normal.density(); err != nil {
				return nested.Errorf("bayes: %w: %s: %w", ErrInvalid, c.group.Name(0), err)
			}
			known[c.group] = d
		}
		dst[k] = d.Log(d.residual(c.x, c.u))
	}
	return nil
}

// count adds to counts the statistics of the values of density k with probability p.
func (l *mixed) count(counts []float64, k int, p float64) {
	c := l.cells[k]
	switch law := c.group.Law().(type) {
	case em.Gaussian:
		law.AddCounts(c.group.In(counts), c.x, p)
	case regression:
		law.joint.AddCounts(c.group.In(counts), slices.Concat(c.u, c.x), p)
	}
}

// outer returns the counts of the model's parameters, given the counts of the inner table.
func (l *mixed) outer(inner []float64, lo, hi int) []float64 {
	counts := make([]float64, l.m.Params.Len())
	copy(counts, inner[:l.discrete])
	for k := lo; k < hi; k++ {
		if p := inner[l.discrete+k]; p != 0 {
			l.count(counts, k, p)
		}
	}
	return counts
}

// logs is the law of the ln of factors of weights, which are not estimated.
type logs struct{}

// Start sets factors of 1.
func (logs) Start(theta []float64) { clear(theta) }

// Random sets factors of 1.
func (logs) Random(theta []float64, _ rand.Source) { clear(theta) }

// Check returns an error if a number is NaN.
func (logs) Check(theta []float64) error {
	for i, x := range theta {
		if math.IsNaN(x) {
			return fmt.Errorf("number %d is NaN", i)
		}
	}
	return nil
}

// LogPrior is 0.
func (logs) LogPrior([]float64) float64 { return 0 }

// Maximize does not change theta.
func (logs) Maximize(_, _ []float64) error { return nil }

// Values sets the factors.
func (logs) Values(values []semiring.ScaledFloat, theta []float64) {
	for i, x := range theta {
		values[i] = semiring.ScaledFromLog(x)
	}
}
