package derivation

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Numbers holds a number for every entry, option and end. End is empty if there are no ends.
type Numbers struct{ Entry, Option, End []float64 }

// Uses holds the expected numbers of uses of the parts of a random derivation, and of occurrences
// of its nodes.
type Uses struct {
	Numbers
	Node []float64
}

// zeros returns a zero for every entry, option and end of d, and the slice that holds all three.
func (d *Distribution) zeros() (Numbers, []float64) {
	n, m := len(d.Entry), len(d.Entry)+len(d.Option)
	all := make([]float64, m+len(d.End))
	return Numbers{all[:n:n], all[n:m:m], all[m:]}, all
}

// Kinds are the kinds of parts of a derivation: entries, options and ends.
type Kinds [3]Kind

// Kind is a kind of parts: its name in errors and the number of parts.
type Kind struct {
	Name string
	N    int
}

// filled returns v with zeros in place of nil slices. The error wraps semiring.ErrShape if
// another slice has the wrong length.
func (k Kinds) filled(v Numbers) (Numbers, error) {
	for i, x := range []*[]float64{&v.Entry, &v.Option, &v.End} {
		if *x == nil {
			*x = make([]float64, k[i].N)
		}
		if n := len(*x); n != k[i].N {
			return v, fmt.Errorf("%w: numbers for %d %s, want %d", semiring.ErrShape, n, k[i].Name, k[i].N)
		}
	}
	return v, nil
}

// values are vectors of dim numbers, one for every entry, option and end.
type values struct {
	dim  int
	rows [3]semiring.Rows
}

// values returns vectors of dim numbers for the parts of each kind; empty rows stand for zeros.
// The error wraps semiring.ErrShape if rows do not match the structure.
func (s *Source) values(dim int, entry, option, end semiring.Rows) (values, error) {
	v := values{dim, [3]semiring.Rows{entry, option, end}}
	if dim < 1 {
		return v, fmt.Errorf("%s: %w: values of %d components, want one at least", s.Name, semiring.ErrShape, dim)
	}
	for i, kind := range s.Kinds {
		var err error
		if v.rows[i], err = check(v.rows[i], kind.N, dim); err != nil {
			return v, nested.Errorf("%s: values of %s: %w", s.Name, kind.Name, err)
		}
	}
	return v, nil
}

// check returns r with rows if r holds n vectors of dim components, and otherwise an error that
// wraps semiring.ErrShape.
func check(r semiring.Rows, n, dim int) (semiring.Rows, error) {
	if r.Row == nil && len(r.Index)+len(r.Value) == 0 {
		r.Row = make([]int32, n+1)
		return r, nil
	}
	if len(r.Row) != n+1 {
		return r, fmt.Errorf("%w: %d row offsets, want %d", semiring.ErrShape, len(r.Row), n+1)
	}
	if len(r.Index) != len(r.Value) || r.Row[0] != 0 || int(r.Row[n]) != len(r.Index) {
		return r, fmt.Errorf("%w: rows cover [%d, %d) of %d indices and %d values", semiring.ErrShape, r.Row[0], r.Row[n], len(r.Index), len(r.Value))
	}
	for i, end := range r.Row[1:] {
		if end < r.Row[i] {
			return r, fmt.Errorf("%w: row %d ends at %d before it starts at %d", semiring.ErrShape, i, end, r.Row[i])
		}
	}
	for k, i := range r.Index {
		if uint32(i) >= uint32(dim) {
			return r, fmt.Errorf("%w: index %d is %d, want one below %d", semiring.ErrShape, k, i, dim)
		}
	}
	return r, nil
}

// mean returns the sum over parts of uses times values.
func (v values) mean(uses Numbers) []float64 {
	mean := make([]float64, v.dim)
	for i, use := range [][]float64{uses.Entry, uses.Option, uses.End} {
		r := v.rows[i]
		for n, x := range use {
			for k := r.Row[n]; k < r.Row[n+1]; k++ {
				mean[r.Index[k]] += x * r.Value[k]
			}
		}
	}
	return mean
}

// columns are values by component. Column j has value[k] added at part[k] for k = first[j], …,
// first[j+1]−1, where the parts of all rows have consecutive numbers.
type columns struct {
	first, part []int
	value       []float64
}

// columnsOf returns the columns of v.
func columnsOf(v values) *columns {
	dim, c := v.dim, &columns{first: make([]int, v.dim+1)}
	for _, r := range v.rows {
		for _, i := range r.Index {
			c.first[i+1]++
		}
	}
	for j := range dim {
		c.first[j+1] += c.first[j]
	}
	c.part, c.value = make([]int, c.first[dim]), make([]float64, c.first[dim])
	next := append([]int(nil), c.first...)
	part := 0
	for _, r := range v.rows {
		for n := range len(r.Row) - 1 {
			for k := r.Row[n]; k < r.Row[n+1]; k++ {
				slot := &next[r.Index[k]]
				c.part[*slot], c.value[*slot] = part, r.Value[k]
				*slot++
			}
			part++
		}
	}
	return c
}

// scatter adds column j to x.
func (c *columns) scatter(x []float64, j int) {
	for k := c.first[j]; k < c.first[j+1]; k++ {
		x[c.part[k]] += c.value[k]
	}
}

// unscatter sets x to 0 at the parts of column j.
func (c *columns) unscatter(x []float64, j int) {
	for k := c.first[j]; k < c.first[j+1]; k++ {
		x[c.part[k]] = 0
	}
}

// dot returns the product of column j and x.
func (c *columns) dot(j int, x []float64) float64 {
	sum := 0.0
	for k := c.first[j]; k < c.first[j+1]; k++ {
		sum += c.value[k] * x[c.part[k]]
	}
	return sum
}
