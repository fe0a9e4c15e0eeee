package grid

import "example.org/pathsum/semiring"

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

// ring is what sums over all paths and best paths differ in.
type ring interface {
	Plus(a, b semiring.ScaledFloat) semiring.ScaledFloat
}

var (
	adding   ring = semiring.Scaled{}
	choosing ring = semiring.Viterbi{}
)

// exact is the kernel that computes weight by weight, whatever they are.
type exact struct {
	*pair
	ring
}

func (e *exact) first(row []semiring.ScaledFloat) bool {
	firstCells(e, e.pair, e.initial, row)
	return true
}

func (e *exact) ahead(rows []semiring.ScaledFloat) bool {
	e.prepare()
	for i := e.lo + 1; i <= e.hi; i++ {
		aheadCells(e, e.pair, rowOf(e.pair, rows, i), rowOf(e.pair, rows, i-1), i)
	}
	return true
}

func (e *exact) last(row []semiring.ScaledFloat) bool {
	lastCells(e, e.pair, e.final, row)
	return true
}

func (e *exact) back(rows []semiring.ScaledFloat) bool {
	e.prepare()
	for i := e.hi - 1; i >= e.lo; i-- {
		backCells(e, e.pair, rowOf(e.pair, rows, i), rowOf(e.pair, rows, i+1), i)
	}
	return true
}

func (e *exact) forward(cell, before []semiring.ScaledFloat, r int32) {
	for k := e.start[r]; k < e.start[r+1]; k++ {
		if x := before[e.Machine.from[k]]; x.Mant != 0 {
			sum := &cell[e.to[k]]
			*sum = e.Plus(*sum, x.Mul(e.weight[k]))
		}
	}
}

func (e *exact) backward(cell, after []semiring.ScaledFloat, r int32) {
	for k := e.start[r]; k < e.start[r+1]; k++ {
		if x := after[e.to[k]]; x.Mant != 0 {
			sum := &cell[e.Machine.from[k]]
			*sum = e.Plus(*sum, e.weight[k].Mul(x))
		}
	}
}
