package frames

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// pass computes β, the sum or the maximum over the paths to the end, of all positions after every
// frame, from the last frame to the first.
//
// Row t holds β after t frames, as numbers b(p) with β(p) = b(p)·2^(s(p) + c). The exponents s
// are a basis, which many rows share; c belongs to the row. In a basis the weight of a step from
// p to q is tilted: multiplied by 2^(s(q) − s(p)). So a row is computed from the next row by
// float64 numbers only, if these conditions hold:
//
//   - every number of a row is from lowest to highest, or 0;
//   - the emissions of a frame, relative to the greatest, are leastWeight or more, or 0; or else
//     no tilted weight of a step to a node is above 2⁴⁰⁰, and a term that is rounded off is below
//     2⁻²³⁰, that is 2⁻¹⁰²²·usual·2⁴⁰⁰, compared with numbers from lowest on;
//   - all weights of steps to nodes are divided by the same power of 2, which makes them at most 1;
//   - a row is multiplied by 2^u, which brings its greatest number close to usual: emission·b is
//     at least leastWeight·lowest·usual/highest, if not 0, and never rounded off;
//   - a tilted weight above largestTilt is replaced by that, which leads to a number that is too
//     high unless it is multiplied by 0; one below 2⁻¹⁰⁰⁰ is replaced by 0, because its product
//     does not change a number from lowest on;
//   - a number is 0 only if all its terms are.
//
// If a condition fails, the row is computed again, after all numbers of the next row have been
// scaled close to usual; the exponents used for this are the new basis. If a condition still
// fails, the row is computed by semiring.ScaledFloat and gets a new basis. Numbers of positions
// before the greatest β are scaled down by 2^room, because they usually grow, relative to others,
// from row to row backwards in time.
//
// So α needs no separate exponents: it is a(p)·2^−(s(p) + …), and a·b is a probability. Then a is
// at most 1/lowest, and sums of a times tilted weights are finite. If a is below 2⁻¹⁰²², and
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
	shift   []int64  // per row kept: u less this power, the exponent of the step from it
	top     []uint64 // per row kept: the bits of its greatest number
	exact   []bool   // per row kept: it was computed by ScaledFloat
	bases   [][]int64
	used    int // number of bases in use
	fresh   int // the last row that was given a basis of its own
	c       int64

	marks     []float64 // per segment: its last row
	markBases []int64   // and the basis of that
	steep     bool      // a tilted weight of a step to a node is above 2^steepBits
	tilted    int       // the basis of tilt, or −1
	tilt      []float64 // per slot: tilted weights
	z         []float64 // per node, within margins: emission · b
	wide      []semiring.ScaledFloat
	wideNode  []semiring.ScaledFloat
	ws, xs    [][]float64
	zlo, zhi  int // the nodes that z may not be 0 of
}

const (
	lowBits, usualBits, highBits = -100, 390, 490

	lowest, usual = 0x1p-100, 0x1p390 // and highest is 2⁴⁹⁰
	room, small   = 250, 0x1p140      // small is usual/2²⁵⁰
	tiltBits      = 890
	largestTilt   = 0x1p890
	steepBits     = 400
	mostNumbers   = 1 << 20 // of rows that are one segment
)

// largest is the number of numbers of rows that are one segment. Tests make it small.
var largest = mostNumbers

// start prepares p for sums, or maxima. If keep is false, only β before the first frame is
// needed.
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

// zeros returns a zeroed slice of length n, reusing s if possible.
func zeros(s []float64, n int) []float64 {
	s = rows.Resized(s, n)
	clear(s)
	return s
}

func (p *pass) segments() int { return (p.e.frames + p.segment - 1) / p.segment }

// at returns the index of row t among the kept rows.
func (p *pass) at(t int) int { return (t - p.lo) % p.only }

func (p *pass) row(t int) []float64 { return p.rows[p.at(t)*p.g.states:][:p.g.states] }

func (p *pass) basis(t int) []int64 { return p.bases[p.basisOf[p.at(t)]] }

// backward computes all rows. Afterwards the first segment is current. It returns false if there
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

// enter makes segment i current, after backward.
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
	p.used, p.tilted, p.fresh = 0, -1, -1
	top := uint64(0)
	lo, hi := p.g.reach.band(p.hi, p.e.frames)
	for _, b := range p.row(p.hi)[lo:hi] {
		top = max(top, math.Float64bits(b))
	}
	p.top[p.at(p.hi)] = top
	copy(p.newBasis(p.hi), p.markBases[i*n:][:n])
}

// newBasis returns a basis for row t and preceding rows.
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
	p.used, p.tilted, p.fresh, p.c = 0, -1, -1, 0
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
		p.exact[at] = !p.fast(t, lo, hi) && (p.fresh == t+1 || !p.rebase(t+1) || !p.fast(t, lo, hi))
		if p.exact[at] && !p.slow(t, lo, hi) {
			return false
		}
		if p.top[at] == 0 { // all numbers are
			return false
		}
		p.c -= p.shift[at]
	}
	return true
}
