// Package assignment solves the assignment problem.
package assignment

import (
	"fmt"
	"math"
)

// Best returns the permutation with the least Σ cost[i][of[i]], and that sum, by the Hungarian
// algorithm with shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987) in O(n³)
// time. A cost of +Inf forbids a pair. It returns an error if the costs are not square, if one
// is NaN or −Inf, or if every assignment has an infinite cost.
func Best(cost [][]float64) (of []int, total float64, err error) {
	n := len(cost)
	for i, row := range cost {
		if len(row) != n {
			return nil, 0, fmt.Errorf("row %d has %d costs, want %d", i, len(row), n)
		}
		for j, c := range row {
			if math.IsNaN(c) || math.IsInf(c, -1) {
				return nil, 0, fmt.Errorf("cost %d, %d is %g", i, j, c)
			}
		}
	}
	a := &assignment{cost: cost, row: make([]int, n+1), rowPrice: make([]float64, n), price: make([]float64, n+1)}
	for j := range a.row {
		a.row[j] = -1
	}
	for i := range n {
		if !a.augment(i) {
			return nil, 0, fmt.Errorf("rows up to %d have no assignment of finite cost", i)
		}
	}
	of = make([]int, n)
	for j, i := range a.row[:n] {
		of[i] = j
		total += cost[i][j]
	}
	return of, total, nil
}

// assignment is a partial assignment with prices: rowPrice[i] + price[j] ≤ cost[i][j], with
// equality if row[j] = i.
type assignment struct {
	cost [][]float64
	// row of each column, −1 if it is free; the last column stands for the row to be added.
	row             []int
	rowPrice, price []float64
}

// augment assigns row i, along a shortest path of reduced costs to a free column. It returns
// false if all such paths are infinite.
func (a *assignment) augment(i int) bool {
	n := len(a.cost)
	a.row[n] = i
	least, from, done := make([]float64, n), make([]int, n), make([]bool, n+1)
	for j := range least {
		least[j] = math.Inf(1)
	}
	at := n
	for a.row[at] >= 0 {
		done[at] = true
		row, delta, next := a.row[at], math.Inf(1), -1
		for j := range n {
			if done[j] {
				continue
			}
			if c := a.cost[row][j] - a.rowPrice[row] - a.price[j]; c < least[j] {
				least[j], from[j] = c, at
			}
			if least[j] < delta {
				delta, next = least[j], j
			}
		}
		if next < 0 {
			return false
		}
		for j := range n + 1 {
			if done[j] {
				a.rowPrice[a.row[j]] += delta
				a.price[j] -= delta
			} else if j < n {
				least[j] -= delta
			}
		}
		at = next
	}
	for at != n {
		a.row[at] = a.row[from[at]]
		at = from[at]
	}
	return true
}
