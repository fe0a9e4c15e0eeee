package grid

import (
	"math"

	"example.org/pathsum/semiring/internal/rows"
)

// plain sums over short strings by a machine with a table, without rescaling rows. It counts
// while it computes β, and keeps one row of β.
//
// α, β and the posteriors of the arcs of the grid have the bits that forwardBackward computes, up
// to powers of 2. Only the order is reversed in which posteriors are added to a count, which
// changes a count by at most 2⁻⁵² of itself per posterior.
//
// All α and β are at most 2¹⁰⁰, see plainLength, and the total is at least leastPlain. A product
// below 2⁻¹⁰²² is rounded off or lost. That is a loss of at most 2^(−1074+100+300) in a posterior
// per arc, and there are fewer than 2⁴⁰ arcs. It makes no difference to any posterior greater
// than 2⁻⁵⁰⁰.
type plain struct {
	alpha    []float64 // all rows
	beta     []float64 // the current row
	insert   []float64 // per j: the weight of the arc that writes only
	inserted []float64 // per j: uses of this arc, divided by its weight
	unused   []float64 // per arc: counts, if the caller needs none
}

const (
	leastPlain = 0x1p-300
	plainRange = 100 // binary digits
)

// plainLength returns the length of the longest x for which all α and β are at most
// 2^plainRange, −1 if there is none. The arguments are the greatest weights of arcs that remove,
// insert and do both, and of starts and ends.
func plainLength(remove, insert, both, end float64) int {
	grow := growth(remove, insert, both)
	left := plainRange - math.Log2(max(1, end/(1-insert)))
	if !(left >= 0 && grow <= math.MaxFloat64) {
		return -1
	}
	return int(left / max(math.Log2(grow), 0x1p-20))
}

// row returns row i of α.
func (s *plain) row(p *pair, i int) []float64 { return s.alpha[i*p.width:][:p.width] }

// alphas computes α of p and returns the total. It returns false if x is too long or the total
// too small.
func (s *plain) alphas(p *pair) (total float64, ok bool) {
	if p.n > p.longestPlain || p.segments() > 1 {
		return 0, false
	}
	s.alpha, s.insert = rows.Resized(s.alpha, (p.n+1)*p.width), rows.Resized(s.insert, p.m)
	insertions(p, s.insert, p.numbers.table)
	row := s.row(p, 0)
	firstOneState(row, p.numbers.initial[0], s.insert)
	for i, x := range p.xs {
		before := row
		row = s.row(p, i+1)
		if !(aheadOneState(row, before, s.insert, ofSymbol(p, p.numbers.table, x), p.ys) >= leastPlain) {
			return 0, false
		}
	}
	total = row[p.m] * p.numbers.final[0]
	return total, total >= leastPlain
}

// counts adds to sum weight times the posteriors of all parts, and returns the total. If alphas
// returns false, it returns false and leaves sum unchanged.
func (s *plain) counts(p *pair, weight float64, sum Parts) (total float64, ok bool) {
	if !(weight <= heaviest) {
		return 0, false
	}
	if total, ok = s.alphas(p); !ok {
		return 0, false
	}
	if sum.Arc == nil { // the other counts have the same bits, whatever is asked for
		s.unused = rows.Resized(s.unused, p.NumArcs())
		clear(s.unused)
		sum.Arc = s.unused
	}
	unit, final := 1/total*weight, p.numbers.final[0]
	s.beta, s.inserted = rows.Resized(s.beta, p.width), rows.Resized(s.inserted, p.m)
	clear(s.inserted)
	alpha := s.row(p, p.n)
	add(sum.Final, 0, alpha[p.m]*unit*final)
	z := final
	s.beta[p.m] = z
	for j := p.m - 1; j >= 0; j-- {
		s.inserted[j] = alpha[j] * unit * z
		z *= s.insert[j]
		s.beta[j] = z
	}
	for i := p.n - 1; i >= 0; i-- {
		x := p.xs[i]
		s.back(p, s.row(p, i), ofSymbol(p, p.numbers.table, x), ofSymbol(p, p.single.arc, x), unit, sum.Arc)
	}
	add(sum.Initial, 0, s.alpha[0]*unit*s.beta[0])
	addInserted(p, sum.Arc, s.inserted, s.insert)
	return total, true
}

// back replaces β of a row by β of the row before, whose α is given. It adds the posteriors of
// the arcs that leave that row's nodes to sum and to s.inserted. The arcs that read the symbol
// between the rows have the weights w and the numbers arc, by the symbol written.
func (s *plain) back(p *pair, alpha, w []float64, arc []int32, unit float64, sum []float64) {
	m := p.m
	remove, across := w[0], s.beta[m]
	z := across * remove
	removed := alpha[m] * unit * across
	s.beta[m] = z
	ys, insert, inserted, beta := p.ys[:m], s.insert[:m], s.inserted[:m], s.beta[:m]
	alpha, arc = alpha[:m], arc[:len(w)]
	for j := m - 1; j >= 0; j-- {
		y, below, visits := ys[j], beta[j], alpha[j]*unit
		both := w[y] * across
		sum[arc[y]] += visits * both
		removed += visits * below
		inserted[j] += visits * z
		z = below*remove + both + z*insert[j]
		beta[j], across = z, below
	}
	sum[arc[0]] += removed * remove
}
