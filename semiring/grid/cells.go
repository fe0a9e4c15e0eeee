package grid

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// arcs goes over the arcs of a row, those with the same symbols, as numbers W. What they
// bring is added to a cell, the nodes of one i and j.
type arcs[W any] interface {
	// forward adds to cell, at the ends of the arcs of row r, what comes from before.
	forward(cell, before []W, r int32)
	// backward adds to cell, at the beginnings of these arcs, what comes from after.
	backward(cell, after []W, r int32)
}

// firstCells is kernel.first for any machine.
func firstCells[W any](k arcs[W], p *pair, initial, row []W) {
	clear(row)
	copy(row, initial)
	for j, r := range p.insert {
		k.forward(cellOf(p, row, j+1), cellOf(p, row, j), r)
	}
}

// aheadCells sets row to α of row i > 0, given that of the row before.
func aheadCells[W any](k arcs[W], p *pair, row, before []W, i int) {
	clear(row)
	remove := p.remove[i-1]
	k.forward(cellOf(p, row, 0), cellOf(p, before, 0), remove)
	for j, both := range p.both(i - 1) {
		cell := cellOf(p, row, j+1)
		k.forward(cell, cellOf(p, before, j+1), remove)
		k.forward(cell, cellOf(p, before, j), both)
		k.forward(cell, cellOf(p, row, j), p.insert[j])
	}
}

// lastCells is kernel.last for any machine.
func lastCells[W any](k arcs[W], p *pair, final, row []W) {
	clear(row)
	copy(cellOf(p, row, p.m), final)
	for j := p.m - 1; j >= 0; j-- {
		k.backward(cellOf(p, row, j), cellOf(p, row, j+1), p.insert[j])
	}
}

// backCells sets row to β of row i < n, given that of the row after.
func backCells[W any](k arcs[W], p *pair, row, after []W, i int) {
	clear(row)
	remove, both := p.remove[i], p.both(i)
	k.backward(cellOf(p, row, p.m), cellOf(p, after, p.m), remove)
	for j := p.m - 1; j >= 0; j-- {
		cell := cellOf(p, row, j)
		k.backward(cell, cellOf(p, after, j), remove)
		k.backward(cell, cellOf(p, after, j+1), both[j])
		k.backward(cell, cellOf(p, row, j+1), p.insert[j])
	}
}

// cellOf returns cell j of a row.
func cellOf[W any](p *pair, row []W, j int) []W { return row[j*p.states:][:p.states] }

// rowOf returns row i of those of the segment at hand.
func rowOf[W any](p *pair, rows []W, i int) []W { return rows[(i-p.lo)*p.width:][:p.width] }

// exact is the kernel that computes weight by weight, whatever they are: sums, or the
// greatest.
type exact struct {
	*pair
	arcs arcs[semiring.ScaledFloat]
}

func (e *exact) first(row []semiring.ScaledFloat) bool {
	firstCells(e.arcs, e.pair, e.initial, row)
	return true
}

func (e *exact) ahead(rows []semiring.ScaledFloat) bool {
	e.prepare()
	for i := e.lo + 1; i <= e.hi; i++ {
		aheadCells(e.arcs, e.pair, rowOf(e.pair, rows, i), rowOf(e.pair, rows, i-1), i)
	}
	return true
}

func (e *exact) last(row []semiring.ScaledFloat) bool {
	lastCells(e.arcs, e.pair, e.final, row)
	return true
}

func (e *exact) back(rows []semiring.ScaledFloat) bool {
	e.prepare()
	for i := e.hi - 1; i >= e.lo; i-- {
		backCells(e.arcs, e.pair, rowOf(e.pair, rows, i), rowOf(e.pair, rows, i+1), i)
	}
	return true
}

// adding are the arcs where sums are asked for.
type adding struct{ *Machine }

func (a adding) forward(cell, before []semiring.ScaledFloat, r int32) {
	for k := a.start[r]; k < a.start[r+1]; k++ {
		if x := before[a.from[k]]; x.Mant != 0 {
			sum := &cell[a.to[k]]
			*sum = sum.Add(x.Mul(a.weight[k]))
		}
	}
}

func (a adding) backward(cell, after []semiring.ScaledFloat, r int32) {
	for k := a.start[r]; k < a.start[r+1]; k++ {
		if x := after[a.to[k]]; x.Mant != 0 {
			sum := &cell[a.from[k]]
			*sum = sum.Add(a.weight[k].Mul(x))
		}
	}
}

// choosing are the arcs where the greatest weight is asked for, of the paths to the end.
type choosing struct{ *Machine }

func (c choosing) forward(_, _ []semiring.ScaledFloat, _ int32) {
	panic("grid: no best paths from the start")
}

func (c choosing) backward(cell, after []semiring.ScaledFloat, r int32) {
	for k := c.start[r]; k < c.start[r+1]; k++ {
		x, w, best := &after[c.to[k]], &c.weight[k], &cell[c.from[k]]
		m, e := x.Mant*w.Mant, x.Exp+w.Exp
		switch {
		case m == 0:
		case best.Mant == 0:
			*best = w.Mul(*x)
		case e == best.Exp && weights.MantLow <= m && m < weights.MantHigh:
			best.Mant = max(best.Mant, m)
		default:
			*best = semiring.Viterbi{}.Plus(*best, w.Mul(*x))
		}
	}
}
