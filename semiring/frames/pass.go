package frames

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// pass computes β, the sum or the maximum over the ways to the end, of all positions after every
// frame, from the last frame to the first.
//
// Row t holds β after t frames, as numbers b(p) with β(p) = b(p)·2^(s(p) + c). The exponents s are
// a basis, which many rows have in common; c is that of the row. In a basis the weight of a step
// from p to q is tilted: multiplied by 2^(s(q) − s(p)). So a row is computed from the next by
// float64 numbers alone, as long as these prove to be right:
//
//   - every number of a row is from lowest to highest, or 0;
//   - the emissions of a frame, relative to the greatest, are leastWeight or more, or 0;
//   - a row is multiplied by 2^u, which brings its greatest number close to usual: emission·b is
//     at least leastWeight·lowest·usual/highest, if not 0, and never rounded off;
//   - a tilted weight above largestTilt is replaced by that, which leads to a number that is too
//     high unless it is multiplied by 0; one below 2⁻¹⁰⁰⁰ is replaced by 0, and its product is
//     nothing beside a number from lowest on;
//   - a number is 0 only if all its terms are.
//
// A row for which this does not hold is computed again by semiring.ScaledFloat. All of its numbers
// are brought close to usual, and the exponents that this takes are the new basis. Numbers of the
// positions before the greatest β are made smaller by 2^room, because they usually grow, relative
// to others, as rows go back in time.
//
// So α needs no exponents of its own: it is a(p)·2^−(s(p) + …), and a·b is a probability. Then a
// is at most 1/lowest, and sums of a times tilted weights are finite. If a is below 2⁻¹⁰²², and
// rounded off, then a·b is below 2⁻⁵³².
type pass struct {
	g    *Graph
	e    *Emissions
	w    *weighing
	best bool

	segment int // number of frames of a segment; all rows of the current one are kept
	lo, hi  int // the current segment has the rows lo, …, hi
	only    int // number of rows that are kept
	rows    []float64
	basisOf []int32  // per row kept
	shift   []int64  // per row kept: exponent u of the step from it
	top     []uint64 // per row kept: the bits of its greatest number
	exact   []bool   // per row kept: it was computed by ScaledFloat
	bases   [][]int64
	used    int // number of bases in use
	c       int64

	marks      []float64 // per segment: its last row
	markBases  []int64   // and the basis of that
	tilted     int       // the basis of tilt, −1 if none
	tilt       []float64 // per slot: tilted weights
	z          []float64 // per node, within margins: emission · b
	wide       []semiring.ScaledFloat
	wideNode   []semiring.ScaledFloat
	ws, xs     [][]float64
	zlo, zhi   int // the nodes that z may not be 0 of
	marginSize int
}

const (
	lowBits, usualBits, highBits = -100, 390, 490

	lowest, usual = 0x1p-100, 0x1p390 // and highest is 2⁴⁹⁰
	room, small   = 250, 0x1p140      // small is usual/2²⁵⁰
	tiltBits      = 890
	largestTilt   = 0x1p890
	mostNumbers   = 1 << 20 // of rows that are one segment
)

// largest is the number of numbers of rows that are one segment. Tests make it small.
var largest = mostNumbers

// start prepares p for sums, or maxima. If rows are not kept only β after no frame is wanted.
func (p *pass) start(g *Graph, e *Emissions, best, keep bool) {
	p.g, p.e, p.best, p.w = g, e, best, g.sums
	if best {
		p.w = g.maxima
	}
	n := e.frames
	p.segment = n
	switch {
	case !keep:
		p.only = 2
	case (n+1)*g.states > largest:
		p.segment = int(math.Ceil(math.Sqrt(float64(n))))
		fallthrough
	default:
		p.only = p.segment + 1
	}
	p.rows = rows.Resized(p.rows, p.only*g.states)
	p.basisOf, p.shift, p.exact = rows.Resized(p.basisOf, p.only), rows.Resized(p.shift, p.only), rows.Resized(p.exact, p.only)
	p.top = rows.Resized(p.top, p.only)
	if p.segments() > 1 {
		p.marks = rows.Resized(p.marks, p.segments()*g.states)
		p.markBases = rows.Resized(p.markBases, p.segments()*g.states)
	}
	p.tilt = rows.Resized(p.tilt, g.slots)
	p.z = zeros(p.z, len(g.nodeTo)+2*g.margin)
	p.wide, p.wideNode = rows.Resized(p.wide, g.states), rows.Resized(p.wideNode, len(g.nodeTo))
	p.zlo, p.zhi = 0, 0
	p.tilted, p.used = -1, 0
}

// zeros returns n zeros, in the storage of s if it is large enough.
func zeros(s []float64, n int) []float64 {
	s = rows.Resized(s, n)
	clear(s)
	return s
}

func (p *pass) segments() int { return (p.e.frames + p.segment - 1) / p.segment }

// at returns the place of row t among those kept.
func (p *pass) at(t int) int { return (t - p.lo) % p.only }

func (p *pass) row(t int) []float64 { return p.rows[p.at(t)*p.g.states:][:p.g.states] }

func (p *pass) basis(t int) []int64 { return p.bases[p.basisOf[p.at(t)]] }

// backward computes all rows. The first segment is the current one then. It returns false if there
// is no path.
func (p *pass) backward() bool {
	last := p.segments() - 1
	for i := last; i >= 0; i-- {
		if i < last {
			n := p.g.states
			copy(p.marks[i*n:][:n], p.row(p.lo))
			copy(p.markBases[i*n:][:n], p.basis(p.lo))
		}
		p.bound(i)
		if i == last {
			if !p.finish() {
				return false
			}
		} else {
			p.load(i)
		}
		if !p.back() {
			return false
		}
	}
	return true
}

// enter makes segment i the current one, after backward.
func (p *pass) enter(i int) {
	if p.lo == i*p.segment {
		return
	}
	p.bound(i)
	if p.hi == p.e.frames {
		p.finish()
	} else {
		p.load(i)
	}
	p.back()
}

func (p *pass) bound(i int) {
	p.lo = i * p.segment
	p.hi = min(p.lo+p.segment, p.e.frames)
}

// load makes the mark of segment i its last row.
func (p *pass) load(i int) {
	n := p.g.states
	copy(p.row(p.hi), p.marks[i*n:][:n])
	p.used, p.tilted = 0, -1
	top := uint64(0)
	lo, hi := p.g.reach.band(p.hi, p.e.frames)
	for _, b := range p.row(p.hi)[lo:hi] {
		top = max(top, math.Float64bits(b))
	}
	p.top[p.at(p.hi)] = top
	copy(p.newBasis(p.hi), p.markBases[i*n:][:n])
}

// newBasis returns a basis for row t and those before.
func (p *pass) newBasis(t int) []int64 {
	k := p.used
	if p.only == 2 && k > 1 {
		k &= 1
	}
	if k == len(p.bases) {
		p.bases = append(p.bases, nil)
	}
	p.bases[k] = rows.Resized(p.bases[k], p.g.states)
	p.basisOf[p.at(t)] = int32(k)
	p.used++
	if p.tilted == k {
		p.tilted = -1
	}
	return p.bases[k]
}

// finish computes row n, after all frames.
func (p *pass) finish() bool {
	p.used, p.tilted, p.c = 0, -1, 0
	n := p.e.frames
	lo, hi := p.g.reach.band(n, n)
	if lo == hi {
		return false
	}
	copy(p.wide[lo:hi], p.w.end[lo:hi])
	if !p.settle(n, lo, hi) {
		return false
	}
	p.c = -p.shift[p.at(n)]
	return true
}

// back computes the rows of the current segment before its last one.
func (p *pass) back() bool {
	for t := p.hi - 1; t >= p.lo; t-- {
		lo, hi := p.g.reach.band(t, p.e.frames)
		if lo == hi {
			return false
		}
		at := p.at(t)
		if p.exact[at] = p.e.deep[t] || !p.fast(t, lo, hi); p.exact[at] && !p.slow(t, lo, hi) {
			return false
		}
		p.c -= p.shift[at]
	}
	return true
}

// fast computes row t, positions lo, …, hi−1, by numbers. It returns false if they are not right.
func (p *pass) fast(t, lo, hi int) bool {
	g, next, at := p.g, p.at(t+1), p.at(t)
	basis := int(p.basisOf[next])
	p.basisOf[at] = int32(basis)
	p.tiltTo(basis)
	top := p.top[next]
	p.shift[at] = usualBits + 1022 - int64(top>>52)
	p.leave(t, p.shift[at])
	y := p.row(t)[lo:hi]
	w, x := p.ws[:0], p.xs[:0]
	for d, offset := range g.offsets {
		w = append(w, p.tilt[d*g.stride+g.margin+lo:])
		x = append(x, p.z[g.margin+lo+int(offset):])
	}
	p.ws, p.xs = w, x
	if p.best {
		assignMax(y, w, x)
	} else {
		assign(y, w, x)
	}
	if len(g.looseNode) > 0 {
		p.addLoose(y, lo, hi)
	}
	if len(g.epsilonTo) > 0 {
		p.addEpsilon(p.row(t), lo, hi)
	}
	const span = (highBits - lowBits) << 52
	top = 0
	for i, b := range y {
		bits := math.Float64bits(b)
		if bits-math.Float64bits(lowest) > span && (b != 0 || p.lost(lo+i, y, lo)) {
			return false
		}
		top = max(top, bits)
	}
	p.top[at] = top
	return true
}

// tiltTo computes the weights of steps in a basis.
func (p *pass) tiltTo(basis int) {
	if p.tilted == basis {
		return
	}
	p.tilted = basis
	g, s := p.g, p.bases[basis]
	for d, offset := range g.offsets {
		first := d*g.stride + g.margin
		tilt := p.tilt[d*g.stride:][:g.stride]
		clear(tilt[:g.margin])
		clear(tilt[g.margin+g.states:])
		tilt = tilt[g.margin:]
		for from := range g.states {
			tilt[from] = 0
			if x := p.w.number[first+from]; x != 0 {
				tilt[from] = tilted(x, p.w.power[first+from]+s[g.nodeTo[from+int(offset)]]-s[from])
			}
		}
	}
	for from := range g.states {
		for i := g.looseRow[from]; i < g.looseRow[from+1]; i++ {
			slot := g.firstLoose + int(i)
			p.tilt[slot] = tilted(p.w.number[slot], p.w.power[slot]+s[g.nodeTo[g.looseNode[i]]]-s[from])
		}
		for i := g.epsilonRow[from]; i < g.epsilonRow[from+1]; i++ {
			slot := g.firstEpsilon + int(i)
			p.tilt[slot] = tilted(p.w.number[slot], p.w.power[slot]+s[g.epsilonTo[i]]-s[from])
		}
	}
}

// tilted returns x·2^n, at most largestTilt, and 0 below 2⁻¹⁰⁰⁰.
func tilted(x float64, n int64) float64 {
	switch {
	case n < -1000 || x == 0:
		return 0
	case n > tiltBits:
		return largestTilt
	}
	return x * math.Float64frombits(uint64(1023+n)<<52)
}

// leave sets z to 2^u times emission times b, of the nodes that frame t leads to.
func (p *pass) leave(t int, u int64) {
	g, b := p.g, p.row(t+1)
	lo, hi := g.reach.band(t+1, p.e.frames)
	unit := math.Float64frombits(uint64(1023+u) << 52)
	z := p.nodes(lo, hi)
	first := int(g.nodeRow[lo])
	symbol := g.nodeSymbol[first:][:len(z)]
	emission := p.e.weight[t*g.symbols:][:g.symbols]
	if g.single && len(z) > 0 {
		b = b[g.nodeTo[first]:][:len(z)]
		for i := range z {
			z[i] = emission[symbol[i]] * (unit * b[i])
		}
		return
	}
	to := g.nodeTo[first:][:len(z)]
	for i := range z {
		z[i] = emission[symbol[i]] * (unit * b[to[i]])
	}
}

// nodes returns z of the nodes of positions lo, …, hi−1. It is 0 of all others then.
func (p *pass) nodes(lo, hi int) []float64 {
	m := p.g.margin
	zlo, zhi := m+int(p.g.nodeRow[lo]), m+int(p.g.nodeRow[hi])
	if p.zlo < zlo {
		clear(p.z[p.zlo:min(zlo, p.zhi)])
	}
	if p.zhi > zhi {
		clear(p.z[max(zhi, p.zlo):p.zhi])
	}
	p.zlo, p.zhi = zlo, zhi
	return p.z[zlo:zhi]
}

// addLoose adds to y, of positions lo, …, hi−1, the steps to nodes that are in no diagonal.
func (p *pass) addLoose(y []float64, lo, hi int) {
	g := p.g
	w, node, z := p.tilt[g.firstLoose:g.firstEpsilon], g.looseNode, p.z[g.margin:]
	at := g.looseRow[lo]
	for i, end := range g.looseRow[lo+1 : hi+1] {
		sum := y[i]
		if p.best {
			for ; at < end; at++ {
				sum = max(sum, w[at]*z[node[at]])
			}
		} else {
			for ; at < end; at++ {
				sum += float64(w[at] * z[node[at]])
			}
		}
		y[i] = sum
	}
}

// addEpsilon adds to a row, positions lo, …, hi−1, the steps to later positions of the row.
func (p *pass) addEpsilon(row []float64, lo, hi int) {
	g, w := p.g, p.tilt[p.g.firstEpsilon:]
	for q := hi - 1; q >= lo; q-- {
		for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
			if to := int(g.epsilonTo[i]); to < hi && p.best {
				row[q] = max(row[q], w[i]*row[to])
			} else if to < hi {
				row[q] += float64(w[i] * row[to])
			}
		}
	}
}

// lost reports whether the number of position q, which is 0, has a term that is not. y has the
// numbers from position lo on.
func (p *pass) lost(q int, y []float64, lo int) bool {
	g, z := p.g, p.z[p.g.margin:]
	for d, offset := range g.offsets {
		slot := d*g.stride + g.margin + q
		if p.w.number[slot] != 0 && z[q+int(offset)] != 0 {
			return true
		}
	}
	for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
		if p.w.number[g.firstLoose+int(i)] != 0 && z[g.looseNode[i]] != 0 {
			return true
		}
	}
	for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
		if to := int(g.epsilonTo[i]) - lo; to < len(y) && p.w.number[g.firstEpsilon+int(i)] != 0 && y[to] != 0 {
			return true
		}
	}
	return false
}

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

// settle adds to p.wide, positions lo, …, hi−1, the steps among them, and makes it row t, with a
// basis of its own. It returns false if all are 0.
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
	p.top[p.at(t)] = math.Float64bits(usual)
	p.shift[p.at(t)] = -most
	row, basis := p.row(t), p.newBasis(t)
	known := 0 // positions from the end on whose exponents are set
	for q := hi - 1; q >= lo; q-- {
		row[q], basis[q] = parted(p.wide[q])
		basis[q] -= most + usualBits
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
	return true
}

// slope returns how much the exponents of the first few positions grow per position, 0 if they do
// not. Positions before them, that are reached later, are expected to go on so.
func (p *pass) slope(row []float64, basis []int64) int64 {
	n := min(16, len(row)-1)
	if n < 1 {
		return 0
	}
	return max(0, (basis[n]-basis[0])/int64(n))
}
