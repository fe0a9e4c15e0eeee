package frames

import (
	"math"

	"example.org/pathsum/semiring"
)

// slow computes row t, positions lo, …, hi−1, by semiring.ScaledFloat.
func (p *pass) slow(t, lo, hi int) bool {
	g, add := p.g, semiring.ScaledFloat.Add
	if p.best {
		add = greater
	}
	first, last := p.wideNodes(t)
	for q := lo; q < hi; q++ {
		sum := semiring.ScaledFloat{}
		for d, offset := range g.offsets {
			w := p.w.weight[d*g.stride+g.margin+q]
			if node := q + int(offset); w.Mant != 0 && first <= node && node < last {
				sum = add(sum, w.Mul(p.wideNode[node]))
			}
		}
		for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
			if node := int(g.looseNode[i]); first <= node && node < last {
				sum = add(sum, p.w.weight[g.firstLoose+int(i)].Mul(p.wideNode[node]))
			}
		}
		p.wide[q] = sum
	}
	return p.settle(t, lo, hi)
}

// wideNodes computes emission times β of the nodes first, …, last−1 that frame t leads to.
func (p *pass) wideNodes(t int) (first, last int) {
	g, b, s := p.g, p.row(t+1), p.basis(t+1)
	lo, hi := g.reach.band(t+1, p.e.frames)
	for q := lo; q < hi; q++ {
		p.wide[q] = semiring.NewScaled(b[q]).Mul(powerOf2(s[q]))
	}
	first, last = int(g.nodeRow[lo]), int(g.nodeRow[hi])
	emission := p.e.weight[t*g.symbols:][:g.symbols]
	for node := first; node < last; node++ {
		x := p.wide[g.nodeTo[node]]
		if v := int(g.nodeSymbol[node]); x.Mant != 0 {
			x = x.Mul(p.e.relative(t, v, emission[v]))
		}
		p.wideNode[node] = x
	}
	return first, last
}

// settle adds the steps among positions lo, …, hi−1 to p.wide and stores it as row t, with a new
// basis. It returns false if all numbers are 0.
func (p *pass) settle(t, lo, hi int) bool {
	g, add := p.g, semiring.ScaledFloat.Add
	if p.best {
		add = greater
	}
	top, peak := semiring.ScaledFloat{}, lo
	for q := hi - 1; q >= lo; q-- {
		for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
			if to := int(g.epsilonTo[i]); to < hi {
				p.wide[q] = add(p.wide[q], p.w.weight[g.firstEpsilon+int(i)].Mul(p.wide[to]))
			}
		}
		if p.wide[q].Cmp(top) > 0 {
			top, peak = p.wide[q], q
		}
	}
	if top.IsZero() {
		return false
	}
	_, most := parted(top)
	p.shift[p.at(t)] = -most
	row, basis := p.row(t), p.newBasis(t)
	for q := lo; q < hi; q++ {
		row[q], basis[q] = parted(p.wide[q])
		basis[q] -= most
	}
	p.base(t, lo, hi, peak, row, basis)
	return true
}

// rebase gives row t a new basis.
func (p *pass) rebase(t int) bool {
	lo, hi := p.g.reach.band(t, p.e.frames)
	row, s := p.row(t), p.basis(t)
	peak, most, least := lo, int64(math.MinInt64), 0.0 // of the greatest number
	basis := p.newBasis(t)
	for q := lo; q < hi; q++ {
		if row[q] == 0 {
			basis[q] = 0
			continue
		}
		x, e := math.Frexp(row[q])
		if row[q], basis[q] = x, s[q]+int64(e); basis[q] > most || basis[q] == most && x > least {
			peak, most, least = q, basis[q], x
		}
	}
	p.base(t, lo, hi, peak, row, basis)
	return true
}

// base brings the numbers of positions lo, …, hi−1 of a row, in [½, 1) or 0, close to usual, and
// adapts the basis. It chooses the exponents of all other positions.
func (p *pass) base(t, lo, hi, peak int, row []float64, basis []int64) {
	g := p.g
	p.fresh = t
	p.top[p.at(t)] = math.Float64bits(usual)
	known := 0 // positions, counted from the end, whose exponents are set
	for q := hi - 1; q >= lo; q-- {
		basis[q] -= usualBits
		if q < peak {
			row[q] *= small
			basis[q] += room
		} else {
			row[q] *= usual
		}
		switch {
		case row[q] == 0 && known > 0:
			basis[q] = basis[q+1]
		case row[q] != 0 && known == 0:
			for r := q + 1; r < g.states; r++ {
				basis[r] = basis[q]
			}
			known = g.states - q
		}
		if known > 0 {
			known = g.states - q
		}
	}
	slope := p.slope(row[lo:hi], basis[lo:hi])
	for q := lo - 1; q >= 0; q-- {
		basis[q] = basis[q+1] - slope
	}
}

// slope returns the growth of the exponents of the first few positions per position, 0 if they do
// not grow. Earlier positions, which are reached later, are expected to continue this growth.
func (p *pass) slope(row []float64, basis []int64) int64 {
	n := min(16, len(row)-1)
	if n < 1 {
		return 0
	}
	return max(0, (basis[n]-basis[0])/int64(n))
}
