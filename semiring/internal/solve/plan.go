package solve

import (
	"errors"
	"math"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// maxFill is the largest number of entries that the elimination of a graph may have, in the plans
// that are kept, besides a few per arc. One component of 4096 states with an arc between any two
// has as many.
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
	upperAt  []int32 // upper.col as positions, where neighbours are close together
	// open says, by the position of a component's first state, that the budget
	// did not suffice for it: it has no entries. nil: it did everywhere.
	open []bool
}

// budget returns the number of multiplications that the elimination of a
// component of the given numbers of states and arcs may take.
type budget func(states, arcs int) int

const noBudget = math.MaxInt

// stages is the number of attempts at a component that can be iterated: each
// eliminates it within a budget or makes an effort at iteration.
const stages = 3

// budgets has the budget of each stage. The first is what iteration takes, in a few dozen
// passes over the arcs, or little; the second what thousands of passes take, which is
// the next effort. Where there is nothing but elimination, there is but the last.
var budgets = [stages]budget{
	func(states, arcs int) int { return 1<<19 + 8*(states+arcs) },
	func(states, arcs int) int { return 1<<19 + 2*manySweeps*(states+arcs) },
	func(states, arcs int) int { return noBudget },
}

// plans are the plans of one topology, made when first needed: an order of elimination
// within the budget of each stage.
type Plans [stages]struct {
	sync.Mutex
	plan *plan
	err  error
}

// at returns the plan of a stage. The error comes from interrupted, or wraps
// semiring.ErrLimit; only the last stage, in which no component is left open, has one of
// these.
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

// pattern is a sparse matrix without its values. Rows and columns are in order
// of elimination; col and in.other hold states.
type pattern struct {
	row, col []int32
	in       rows.Adjacency // by position of the column
}

// newPattern makes a pattern of rows of columns, all positions.
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

// newPlan makes a plan within a budget, of at most maxFill entries and a few per arc. The
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
	// The columns of lower were made one by one; its rows are their transpose,
	// which has every row in order of elimination.
	byRow := rows.Transposed(m.lower, m.lowerRow)
	pl.lower = newPattern(byRow.Row, byRow.Other, pl.order)
	return pl, nil
}
