package graph

import "fmt"

// maxFill is the largest number of entries that the elimination of a graph may
// have, that of one component with 4096 states and an arc between any two.
const maxFill = 1 << 24

// plan says how to eliminate the states of cyclic components. It depends on
// topology alone. Eliminating a state k replaces the paths i → k → j through it
// by arcs i → j; the order of elimination keeps their number small. Position p
// of the order is a row of two sparse matrices:
//
//	lower: the arcs from p to states eliminated before p,
//	upper: the arcs from p to states of its component eliminated after p,
//
// both as they are when that state, or p, is eliminated.
type plan struct {
	order    []int32 // states in order of elimination, component by component
	position []int32 // the inverse of order
	lower    pattern
	upper    pattern
}

// pattern is a sparse matrix without its values. Rows and columns are in order
// of elimination; col and in.from hold states.
type pattern struct {
	row, col []int32
	in       *transpose // by position of the column
}

// newPattern makes a pattern of rows of columns, all positions.
func newPattern(row, col, order []int32) pattern {
	in := transposed(row, col)
	states := make([]int32, len(col))
	for n, p := range col {
		states[n] = order[p]
	}
	for n, p := range in.from {
		in.from[n] = order[p]
	}
	return pattern{row, states, in}
}

func newPlan(row, to []int32, c *components) (*plan, error) {
	n := c.n
	pl := &plan{order: make([]int32, n), position: make([]int32, n)}
	m := &markowitz{upper: []int32{0}, lower: []int32{0}}
	for i := range c.len() {
		lo, hi := c.bounds(i)
		block := pl.order[lo:hi]
		for p := range block {
			block[p] = c.state(lo + p)
			pl.position[block[p]] = int32(lo + p)
		}
		if c.loop[i] && hi-lo > 1 {
			m.load(row, to, pl, lo, hi)
			if !m.run(block) {
				return nil, fmt.Errorf("graph: %w: the component of state %d, %d states, fills up in elimination (more than %d entries)",
					ErrLimit, c.state(lo), hi-lo, maxFill)
			}
			for p, s := range block {
				pl.position[s] = int32(lo + p)
			}
		} else {
			m.closeRow()
		}
	}
	// The columns are still states.
	for n, s := range m.upperCol {
		m.upperCol[n] = pl.position[s]
	}
	for n, s := range m.lowerRow {
		m.lowerRow[n] = pl.position[s]
	}
	pl.upper = newPattern(m.upper, m.upperCol, pl.order)
	// The columns of lower were made one by one; its rows are their transpose,
	// which has every row in order of elimination.
	byRow := transposed(m.lower, m.lowerRow)
	pl.lower = newPattern(byRow.row, byRow.from, pl.order)
	return pl, nil
}
