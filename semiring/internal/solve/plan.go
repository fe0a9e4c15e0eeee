package solve

import (
	"errors"
	"math"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// maxFill is the largest number of entries, besides a few per arc, in the cached plans for the
// elimination of a graph. A component of 4096 states with an arc between any two has this number.
const maxFill = 1 << 24

// plan is a plan for eliminating the states of cyclic components. It depends only on topology.
// Eliminating a state k replaces the paths i → k → j through it by arcs i → j; the order of
// elimination keeps their number small. Position p of the order is a row of two sparse matrices:
//
//	lower: the arcs from p to states eliminated before p,
//	upper: the arcs from p to states of its component eliminated after p,
//
// both at the time when that state, or p, is eliminated.
type plan struct {
	order    []int32 // states in order of elimination, component by component
	position []int32 // the inverse of order
	lower    pattern
	upper    pattern
	upperAt  []int32 // upper.col as positions, which are close together for neighbours
	// open marks, by the position of a component's first state, components that exceed the budget
	// and have no entries. nil: all components are within the budget.
	open []bool
}

// budget returns the number of multiplications that the elimination of a
// component of the given numbers of states and arcs may take.
type budget func(states, arcs int) int

const noBudget = math.MaxInt

// stages is the number of attempts at a component that can be iterated: each eliminates it within
// a budget or makes an effort at iteration.
const stages = 3

// budgets has the budget of each stage. The first is about the cost of iteration, a few dozen
// passes over the arcs, or a small constant. The second is the cost of thousands of passes, the
// effort of the next stage. If elimination is the only method, only the last budget is used.
var budgets = [stages]budget{
	func(states, arcs int) int { return 1<<19 + 8*(states+arcs) },
	func(states, arcs int) int { return 1<<19 + 2*manySweeps*(states+arcs) },
	func(states, arcs int) int { return noBudget },
}

// Plans are the plans of one topology, computed on first use: an order of elimination within the
// budget of each stage.
type Plans [stages]struct {
	sync.Mutex
	plan *plan
	err  error
}

// at returns the plan of a stage. The error comes from interrupted or, only in the last stage, in
// which no component may be open, wraps semiring.ErrLimit.
func (ps *Plans) at(stage int, t *rows.Topology, interrupted func() error) (*plan, error) {
	p := &ps[stage]
	p.Lock()
	defer p.Unlock()
	if p.plan != nil || p.err != nil {
		return p.plan, p.err
	}
	if stage > 0 {
		first, err := ps.at(0, t, interrupted)
		if err != nil {
			return nil, err
		}
		if first.open == nil {
			p.plan = first
			return first, nil
		}
	}
	made, err := newPlan(t, budgets[stage], maxFill, interrupted)
	if err == nil || errors.Is(err, semiring.ErrLimit) {
		p.plan, p.err = made, err
	}
	return made, err
}

// full returns an order of elimination without open components. The error comes from
// interrupted or wraps semiring.ErrLimit.
func (ps *Plans) full(t *rows.Topology, interrupted func() error) (*plan, error) {
	return ps.at(stages-1, t, interrupted)
}

// pattern is a sparse matrix without its values. Rows and columns are in order of elimination;
// col and in.other contain states.
type pattern struct {
	row, col []int32
	in       rows.Adjacency // by position of the column
}

// newPattern makes a pattern of rows of columns, which are all positions.
func newPattern(row, col, order []int32) pattern {
	in := rows.Transposed(row, col)
	states := make([]int32, len(col))
	for n, p := range col {
		states[n] = order[p]
	}
	for n, p := range in.Other {
		in.Other[n] = order[p]
	}
	return pattern{row, states, in}
}

// newPlan makes a plan within a budget, with at most maxFill entries plus a few per arc. The
// error comes from interrupted or wraps semiring.ErrLimit.
func newPlan(t *rows.Topology, b budget, maxFill int, interrupted func() error) (*plan, error) {
	c := t.Components()
	n := c.N
	pl := &plan{order: make([]int32, n), position: make([]int32, n)}
	m := &markowitz{upper: []int32{0}, lower: []int32{0}, maxFill: maxFill + 4*len(t.To), pace: workload{interrupted: interrupted}}
	for i := range c.Len() {
		lo, hi := c.Bounds(i)
		block := pl.order[lo:hi]
		for p := range block {
			block[p] = c.State(lo + p)
			pl.position[block[p]] = int32(lo + p)
		}
		if c.Loop[i] && hi-lo > 1 {
			limit := b(hi-lo, m.load(t.Row, t.To, pl, lo, hi))
			done := [...]int{len(m.upper), len(m.upperCol), len(m.lower), len(m.lowerRow)}
			fits, err := m.run(block, limit)
			switch {
			case err != nil:
				return nil, err
			case fits:
				for p, s := range block {
					pl.position[s] = int32(lo + p)
				}
			case limit < noBudget:
				if pl.open == nil {
					pl.open = make([]bool, n)
				}
				pl.open[lo] = true
				m.upper, m.upperCol = m.upper[:done[0]], m.upperCol[:done[1]]
				m.lower, m.lowerRow = m.lower[:done[2]], m.lowerRow[:done[3]]
				for p := range block {
					block[p] = c.State(lo + p)
					m.closeRow()
				}
			default:
				return nil, nested.Errorf("graph: %w: the component of state %d, %d states, fills up in elimination (more than %d entries)",
					semiring.ErrLimit, c.State(lo), hi-lo, m.maxFill)
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
	pl.upperAt = m.upperCol
	pl.upper = newPattern(m.upper, m.upperCol, pl.order)
	// The columns of lower were made one by one. Their transpose has every row in order of
	// elimination.
	byRow := rows.Transposed(m.lower, m.lowerRow)
	pl.lower = newPattern(byRow.Row, byRow.Other, pl.order)
	return pl, nil
}
