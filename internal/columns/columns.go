// Package columns reads semiring.Rows, values of the parts of a machine, by component.
package columns

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring"
)

// Check returns what keeps r from being n vectors of dim components, an error that
// wraps shape, and otherwise r with rows.
func Check(r semiring.Rows, n, dim int, shape error) (semiring.Rows, error) {
	if r.Row == nil && len(r.Index)+len(r.Value) == 0 {
		r.Row = make([]int32, n+1)
		return r, nil
	}
	if len(r.Row) != n+1 {
		return r, fmt.Errorf("%w: %d row offsets, want %d", shape, len(r.Row), n+1)
	}
	if len(r.Index) != len(r.Value) || r.Row[0] != 0 || int(r.Row[n]) != len(r.Index) {
		return r, fmt.Errorf("%w: rows cover [%d, %d) of %d indices and %d values", shape, r.Row[0], r.Row[n], len(r.Index), len(r.Value))
	}
	for i, end := range r.Row[1:] {
		if end < r.Row[i] {
			return r, fmt.Errorf("%w: row %d ends at %d before it starts at %d", shape, i, end, r.Row[i])
		}
	}
	for k, i := range r.Index {
		if uint32(i) >= uint32(dim) {
			return r, fmt.Errorf("%w: index %d is %d, want one below %d", shape, k, i, dim)
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
