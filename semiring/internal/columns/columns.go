// Package columns reads semiring.Rows, values of the parts of a machine, by component.
package columns

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Kinds are the kinds of parts that a machine has, such as starts and arcs.
type Kinds []Kind

// Kind is a kind of parts: what errors call them, and how many there are.
type Kind struct {
	Name string
	N    int
}

// Zeros returns zeros for the parts of each kind, and the same as one slice.
func (k Kinds) Zeros() (each [][]float64, all []float64) {
	n := 0
	for _, kind := range k {
		n += kind.N
	}
	all = make([]float64, n)
	lo := 0
	for _, kind := range k {
		each = append(each, all[lo:lo+kind.N:lo+kind.N])
		lo += kind.N
	}
	return each, all
}

// Fill puts zeros in place of the slices that are nil; v has one for each kind. The error
// wraps semiring.ErrShape if another slice does not fit.
func (k Kinds) Fill(v ...*[]float64) error {
	for i, kind := range k {
		if *v[i] == nil {
			*v[i] = make([]float64, kind.N)
		}
		if n := len(*v[i]); n != kind.N {
			return fmt.Errorf("%w: numbers for %d %s, want %d", semiring.ErrShape, n, kind.Name, kind.N)
		}
	}
	return nil
}

// Check returns rows, vectors of dim components for the parts of each kind. Those that
// are empty get rows. The error wraps semiring.ErrShape if they do not fit.
func (k Kinds) Check(dim int, rows ...semiring.Rows) ([]semiring.Rows, error) {
	if dim < 1 {
		return nil, fmt.Errorf("%w: values of %d components, want one at least", semiring.ErrShape, dim)
	}
	for i, kind := range k {
		var err error
		if rows[i], err = check(rows[i], kind.N, dim); err != nil {
			return nil, nested.Errorf("values of %s: %w", kind.Name, err)
		}
	}
	return rows, nil
}

// check returns what keeps r from being n vectors of dim components, an error that wraps
// semiring.ErrShape, and otherwise r with rows.
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

// Mean returns the sum over parts of uses times values: uses[i] belong to rows[i].
func Mean(rows []semiring.Rows, dim int, uses ...[]float64) []float64 {
	mean := make([]float64, dim)
	for i, use := range uses {
		r := rows[i]
		for n, x := range use {
			for k := r.Row[n]; k < r.Row[n+1]; k++ {
				mean[r.Index[k]] += x * r.Value[k]
			}
		}
	}
	return mean
}

// Covariance returns mean and covariance matrix of the dim components of a value whose
// parts are worth rows. For a value of one component, value[part] of each part, respond
// returns mean and variance and sets uses to its covariances with the uses of the parts;
// parts of all rows are numbered through. value must be 0.
func Covariance(rows []semiring.Rows, dim int, value, uses []float64, respond func() (mean, variance float64, err error)) ([]float64, *mat.SymDense, error) {
	c := of(rows, dim)
	mean, covariance := make([]float64, dim), mat.NewSymDense(dim, nil)
	for j := range mean {
		c.scatter(value, j)
		m, variance, err := respond()
		if err != nil {
			return nil, nil, err
		}
		c.unscatter(value, j)
		mean[j] = m
		for i := range j {
			covariance.SetSym(i, j, c.dot(i, uses))
		}
		covariance.SetSym(j, j, variance)
	}
	return mean, covariance, nil
}

// columns are values by component: column j has value[k] added at part[k],
// the parts of all rows numbered through, for k = first[j], …, first[j+1]−1.
type columns struct {
	first, part []int
	value       []float64
}

// of returns the columns of rows that Check let pass.
func of(rows []semiring.Rows, dim int) *columns {
	c := &columns{first: make([]int, dim+1)}
	for _, r := range rows {
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
	for _, r := range rows {
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

// unscatter sets x to 0 where column j is not.
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
