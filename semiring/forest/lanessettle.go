package forest

import (
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// load sets the values of leaf v, and returns −1, or the lane of a number that is
// infinite, not a number, or negative.
func (s *LanesScratch) load(v int32, x []float64) (bad int) {
	z := s.value(v)
	for i, a := range x[:len(z)] {
		z[i] = a + 0 // −0 is 0
	}
	low, high := bounds(z)
	if high <= math.MaxFloat64 {
		s.settle(v, 0, 0, low, high)
		return -1
	}
	return slices.IndexFunc(z, func(a float64) bool { return !(a >= 0 && a <= math.MaxFloat64) })
}

// bounds returns the least of the numbers other than 0, and the greatest; high is
// infinite or not a number if a number is, or negative. They are ordered as integers,
// without branches, as zeros come and go at random.
func bounds(z []float64) (low, high float64) {
	least, most := uint64(math.MaxUint64), uint64(0)
	for _, a := range z {
		bits := math.Float64bits(a)
		least, most = min(least, bits-1), max(most, bits)
	}
	switch {
	case most == 0:
		return 1, 0
	case most >= 1<<63:
		return 0, math.NaN()
	}
	return math.Float64frombits(least + 1), math.Float64frombits(most)
}

// settle moves the values of node v, which have exponent, shape and bounds as given,
// into range.
func (s *LanesScratch) settle(v int32, exp int64, shape int32, low, high float64) {
	n, shift := &s.nodes[v], 1.0
	n.exp, n.termExp, n.shape, n.termShape = s.inRange(exp), exp, shape, shape
	switch {
	case high > greatest:
		shift, n.exp = 0x1p-512, exp+1
	case low < smallest:
		shift, n.exp = 0x1p512, exp-1
	}
	n.low, n.high = low*shift, high*shift
	if high > 0 && !(n.low >= smallest && n.high <= greatest) {
		e := s.buffer[:s.lanes]
		for i, x := range s.offset(shape) {
			e[i] = exp + x
		}
		s.settleLanes(v, e)
		n.termExp, n.termShape = exp, shape
		return
	}
	if shift != 1 {
		for i, z := 0, s.value(v); i < len(z); i++ {
			z[i] *= shift
		}
	}
}

// settleLanes is settle for values with the exponents e. It prefers a shape that there
// is: that of the last node that needed one, which often is alike.
func (s *LanesScratch) settleLanes(v int32, e []int64) {
	z := s.value(v)
	even, some := true, int64(0)
	first := true
	for i, a := range z {
		if a == 0 {
			continue
		}
		x := scaled(a, e[i])
		z[i], e[i] = x.Mant, x.Exp
		if first {
			some, first = e[i], false
		}
		even = even && e[i] == some
	}
	n := &s.nodes[v]
	*n = laneNode{exp: some, termShape: -1, low: 0x1p-256, high: 0x1p256}
	switch last := int32(s.shapes - 1); {
	case first:
		n.low, n.high = 1, 0
	case even:
	case s.fits(z, e, last):
		n.exp, n.shape = 0, last
		for i, x := range s.offset(last) {
			z[i] = shifted(z[i], e[i]-x)
		}
		n.low, n.high = bounds(z)
	default:
		n.exp, n.shape = 0, s.newShape()
		copy(s.offset(n.shape), e)
	}
}

// fits reports whether the normalized values z with exponents e are in range with the
// offsets of a shape, too.
func (s *LanesScratch) fits(z []float64, e []int64, shape int32) bool {
	for i, x := range s.offset(shape) {
		if a := z[i]; a != 0 && e[i] != x {
			switch e[i] - x {
			case -1:
				a *= 0x1p-512
			case 1:
				a *= 0x1p512
			default:
				return false
			}
			if a < smallest || a > greatest {
				return false
			}
		}
	}
	return true
}

// scaled returns m·2^(512·exp).
func scaled(m float64, exp int64) semiring.ScaledFloat {
	return semiring.NewScaled(m).Mul(semiring.ScaledFloat{Mant: 1, Exp: exp})
}
