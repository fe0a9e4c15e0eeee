package batch

import (
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// LanesScratch is working storage for the methods of Lanes. Its zero value is ready
// for use; one goroutine uses it at a time.
//
// It holds the state of a block of lanes. The sum of the derivations of node v in a lane is
//
//	value(v)[lane] · 2^(512·(exp[v] + offsets[shape[v]][lane]))
//
// where values ≠ 0 are within [low[v], high[v]], a part of [smallest, greatest]. Offsets are the
// differences between the exponents of the lanes. Nodes share offsets: the sum of nodes with
// equal offsets has the same offsets, and their values are added without checking exponents.
// Shape 0 has offsets 0.
type LanesScratch struct {
	stride, lanes int       // numbers allocated per node, and in use
	values        []float64 // per node and lane
	units         []float64 // per slot and lane, see Lanes.push
	slot          []int32   // per node
	nodes         []laneNode
	offsets       [][]int64   // by shape
	shapes        int         // number of shapes in use
	sums          [8]shapeSum // some recent sums of offsets
	numSums       int         // computed so far
	buffer        []int64     // exponents of a node by lane
	byLane        [][]float64 // see Lanes.CountsByLane; nil if not requested
	first         int         // first lane of the block
	count         []float64   // sums over lanes that the caller does not need
	beyond        bool        // an exponent is out of range: sums are invalid
}

// laneNode holds the data that the lanes of a node share.
type laneNode struct {
	exp, termExp     int64
	shape, termShape int32 // of the node, and of the terms of its sum, −1 if terms differ
	low, high        float64
	reach            float64 // an upper bound for units
	pushed           bool    // whether the node has units
}

// shapeSum records that the offsets of shape sum are the sums of the offsets of left and right.
type shapeSum struct{ left, right, sum int32 }

// A product of two values and the mantissa of a weight, [2^-256, 2^256), is a normal float64, and
// so is the sum of many such products.
const (
	smallest = 0x1p-370
	greatest = 0x1p370
)

// inRange returns exponent e. It sets beyond if a ScaledFloat cannot have the exponent.
func (s *LanesScratch) inRange(e int64) int64 {
	s.beyond = s.beyond || e < -farthest || e > farthest
	return e
}

// begin prepares for a block of lanes. The scratch is sized for stride lanes.
func (s *LanesScratch) begin(l *Lanes, stride, lanes int) {
	nodes := l.batch.NumNodes()
	if len(s.values) < nodes*stride {
		s.values = make([]float64, nodes*stride)
	}
	if len(s.units) < l.slots*stride {
		s.units = make([]float64, l.slots*stride)
	}
	s.slot = l.slot
	if cap(s.nodes) < nodes {
		s.nodes = make([]laneNode, nodes)
	}
	if len(s.buffer) < stride {
		s.buffer, s.offsets = make([]int64, stride), [][]int64{make([]int64, stride)}
	}
	s.nodes = s.nodes[:nodes]
	s.stride, s.lanes, s.shapes, s.numSums, s.beyond = stride, lanes, 1, 0, false
	one := s.value(0)
	for i := range one {
		one[i] = 1
	}
	s.nodes[0] = laneNode{low: 1, high: 1}
}

// value returns the values of node v.
func (s *LanesScratch) value(v int32) []float64 { return s.values[int(v)*s.stride:][:s.lanes] }

// unit returns the units of node v.
func (s *LanesScratch) unit(v int32) []float64 {
	return s.units[int(s.slot[v])*s.stride:][:s.lanes]
}

// offset returns the offsets of a shape.
func (s *LanesScratch) offset(shape int32) []int64 { return s.offsets[shape][:s.lanes] }

// newShape returns a shape whose offsets the caller must set.
func (s *LanesScratch) newShape() int32 {
	if s.shapes == len(s.offsets) {
		s.offsets = append(s.offsets, make([]int64, len(s.buffer)))
	}
	s.shapes++
	return int32(s.shapes - 1)
}

// sumOf returns a shape with the sums of the offsets of two shapes.
func (s *LanesScratch) sumOf(left, right int32) int32 {
	if left == 0 || right == 0 {
		return left + right
	}
	for _, x := range s.sums[:min(s.numSums, len(s.sums))] {
		if x.left == left && x.right == right {
			return x.sum
		}
	}
	sum := s.newShape()
	z, y := s.offset(sum), s.offset(right)
	for i, x := range s.offset(left) {
		z[i] = s.inRange(x + y[i])
	}
	s.sums[s.numSums%len(s.sums)] = shapeSum{left, right, sum}
	s.numSums++
	return sum
}

// totals sets total to the sums of node v.
func (s *LanesScratch) totals(total []semiring.ScaledFloat, v int32) {
	n := &s.nodes[v]
	e := s.offset(n.shape)
	for i, a := range s.value(v) {
		total[i] = scaled(a, n.exp+e[i])
	}
}

// load sets the values of leaf v, and returns −1 or, if a number is infinite, NaN or negative,
// its lane.
func (s *LanesScratch) load(v int32, x []float64) (bad int) {
	z := s.value(v)
	for i, a := range x[:len(z)] {
		z[i] = a + 0 // turns −0 into 0
	}
	low, high := bounds(z)
	if high <= math.MaxFloat64 {
		s.settle(v, 0, 0, low, high)
		return -1
	}
	return slices.IndexFunc(z, func(a float64) bool { return !(a >= 0 && a <= math.MaxFloat64) })
}

// bounds returns the least number ≠ 0 and the greatest number. If a number is infinite, NaN or
// negative, high is infinite, NaN or negative. Numbers are compared as integers, without
// branches, because zeros are unpredictable.
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

// settle moves the values of node v, with the given exponent, shape and bounds, into range.
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

// settleLanes is settle for values with the exponents e. It prefers the shape that was made last,
// which often fits.
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
