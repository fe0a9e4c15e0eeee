package convex

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring/graph"
)

// Relation is a relaxed equivalence relation between the rows of the data: At(i, j) in [0, 1] is
// the degree to which rows i and j have the same value of a hidden variable. Rows that agree in all
// relevant values are merged, and M is stored for merged rows only.
type Relation struct {
	// Variable is the index of the hidden variable.
	Variable int
	// Row holds, per row of the data, the number of its merged row.
	Row []int
	// Weight holds the weight of each merged row.
	Weight []float64
	// M is the relation of merged rows.
	M *mat.SymDense
}

// At returns the entry for rows i and j of the data.
func (r *Relation) At(i, j int) float64 {
	return r.M.At(r.Row[i], r.Row[j])
}

// Closure returns the least equivalence relation that contains r: its reflexive, symmetric and
// transitive closure. It is computed by graph.AllPairs, as the sum over paths between all pairs of
// elements in the Boolean semiring. The error wraps ErrInvalid if r is not square, or comes from
// AllPairs.
func Closure(r [][]bool) ([][]bool, error) {
	var arcs [][2]int
	for i, row := range r {
		if len(row) != len(r) {
			return nil, invalid("row %d of a relation of %d elements has %d", i, len(r), len(row))
		}
		for j, related := range row {
			if related {
				arcs = append(arcs, [2]int{i, j}, [2]int{j, i})
			}
		}
	}
	closed, err := graph.AllPairs(newGraph(len(r), arcs))
	if err != nil {
		return nil, nested.Errorf("convex: closure: %w", err)
	}
	return closed[:len(r)], nil // a graph has at least one state
}

// Labels returns the class of each element of an equivalence relation. Classes are numbered in the
// order of their least elements. The error wraps ErrInvalid if r is not an equivalence relation;
// Closure repairs it.
func Labels(r [][]bool) ([]int, error) {
	closed, err := Closure(r)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(r, closed, slices.Equal[[]bool]) {
		return nil, invalid("the relation is not an equivalence relation")
	}
	labels := make([]int, len(r))
	n := 0
	for i, row := range r {
		if first := slices.Index(row, true); first < i {
			labels[i] = labels[first]
		} else {
			labels[i] = n
			n++
		}
	}
	return labels, nil
}

// Relation returns the equivalence relation of labels, a value per row of the data, of the hidden
// variable. The error wraps ErrInvalid if rows that are merged, or have the same known value, have
// different labels, or if rows with different known values have the same label.
func (p *Problem) Relation(variable int, labels []int) (*Relation, error) {
	b, r := p.find(variable)
	if b == nil {
		return nil, invalid("variable %d is not hidden", variable)
	}
	if len(labels) != len(p.weights) {
		return nil, invalid("%d labels of %s for %d rows", len(labels), p.name(variable), len(p.weights))
	}
	t := len(b.n)
	first := make([]int, t)
	for k, rows := range b.rows {
		first[k] = rows[0]
		for _, row := range rows {
			if labels[row] != labels[rows[0]] {
				return nil, invalid("labels of %s differ in rows %d and %d, which are merged", p.name(variable), rows[0], row)
			}
		}
	}
	for k, i := range first {
		for l, j := range first[:k] {
			lo, _, known := b.relations[r].interval(k, l)
			if known && (lo > 0) != (labels[i] == labels[j]) {
				return nil, invalid("labels %d and %d of %s in rows %d and %d, where %d and %d were seen", labels[j], labels[i], p.name(variable), j, i, p.variables[variable].Values[j], p.variables[variable].Values[i])
			}
		}
	}
	m := mat.NewSymDense(t, nil)
	for i := range t {
		for j := i; j < t; j++ {
			if labels[first[i]] == labels[first[j]] {
				m.SetSym(i, j, 1)
			}
		}
	}
	return &Relation{Variable: variable, Row: slices.Clone(b.row), Weight: slices.Clone(b.n), M: m}, nil
}

// find returns the part with the hidden variable and the number of its relation there.
func (p *Problem) find(variable int) (*part, int) {
	for _, b := range p.parts {
		if r := b.of(variable); r >= 0 {
			return b, r
		}
	}
	return nil, none
}

// Value returns bounds of the relaxed objective, including Constant, at relations of merged rows,
// one per hidden variable in the order of Hidden; in C they differ by rounding. gradient contains
// the symmetric derivative by M of each relation. A product of relations, also of a hidden variable
// and its hidden parents, is placed in the middle of its allowed interval, and has no gradient. The
// error wraps ErrInvalid for relations that are not the problem's or not positive semidefinite.
func (p *Problem) Value(relations []*Relation) (lower, upper float64, gradient []*mat.SymDense, err error) {
	lower, upper = p.constant, p.constant
	gradient = make([]*mat.SymDense, len(p.hidden))
	for _, b := range p.parts {
		b := b.fresh()
		at, err := p.place(b, relations)
		if err != nil {
			return 0, 0, nil, err
		}
		l, u := b.evaluate(at)
		lower, upper = lower+l, upper+u
		t := len(b.n)
		by := make([][]float64, len(at))
		for k := range by {
			by[k] = make([]float64, t*t)
		}
		b.slopes(at, by)
		for k, d := range by {
			if v := b.relations[k].variable; v != none {
				for i := range d {
					d[i] *= b.s[i/t] * b.s[i%t]
				}
				gradient[slices.Index(p.hidden, v)] = mat.NewSymDense(t, d)
			}
		}
	}
	return lower, upper, gradient, nil
}

// place returns the points of b at relations of merged rows, one per hidden variable. A product is
// in the middle of its interval.
func (p *Problem) place(b *part, relations []*Relation) ([]*point, error) {
	if len(relations) != len(p.hidden) {
		return nil, invalid("%d relations, %d variables are hidden", len(relations), len(p.hidden))
	}
	at := make([]*point, len(b.relations))
	for k, r := range b.relations {
		if r.variable == none {
			continue
		}
		var err error
		if at[k], err = b.pointOf(relations[slices.Index(p.hidden, r.variable)], r.variable); err != nil {
			return nil, err
		}
	}
	for _, a := range b.ands {
		m := make([]float64, len(b.n)*len(b.n))
		for i, va := range at[a.a].m {
			vb, one := at[a.b].m[i], b.s[i/len(b.n)]*b.s[i%len(b.n)]
			m[i] = a.at(va, (max(0, va+vb-one)+min(va, vb))/2)
		}
		at[a.m] = b.nearest(a.m, m, exact)
	}
	return at, nil
}

// pointOf returns the relation as a point of the part.
func (p *part) pointOf(x *Relation, variable int) (*point, error) {
	t := len(p.n)
	if x == nil || x.Variable != variable || len(x.Weight) != t || x.M == nil {
		return nil, invalid("a relation does not fit the %d merged rows of variable %d", t, variable)
	}
	m := make([]float64, t*t)
	for at := range m {
		m[at] = p.s[at/t] * p.s[at%t] * x.M.At(at/t, at%t)
		if m[at]-m[at] != 0 {
			return nil, invalid("a relation of variable %d holds %g", variable, m[at])
		}
	}
	if values, _ := spectrum(t, m, false); values[0] < -1e-9*max(1, values[t-1]) {
		return nil, invalid("a relation of variable %d has the eigenvalue %g", variable, values[0])
	}
	return p.nearest(p.of(variable), m, exact), nil
}
