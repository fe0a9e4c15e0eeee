package forest

import "example.org/pathsum/semiring"

// LanesScratch is working storage for the methods of Lanes. Its zero value is ready
// for use; one goroutine uses it at a time.
//
// It holds what is known of a block of lanes. The sum of the derivations of node v in a
// lane is
//
//	value(v)[lane] · 2^(512·(exp[v] + offsets[shape[v]][lane]))
//
// where values that are not 0 are within [low[v], high[v]], and these within
// [smallest, greatest]. Offsets are how the exponents of the lanes differ. Nodes share
// them: sums of nodes with the same offsets have these, too, and their values are
// added without a look at exponents. Shape 0 has no offsets.
type LanesScratch struct {
	stride, lanes int       // numbers kept per node, and how many of them are in use
	values        []float64 // per node and lane
	units         []float64 // per slot and lane, see Lanes.push
	slot          []int32   // per node
	nodes         []laneNode
	offsets       [][]int64   // by shape
	shapes        int         // how many there are
	sums          [8]shapeSum // some recent sums of offsets
	numSums       int         // made so far
	buffer        []int64     // exponents of a node by lane
	byLane        [][]float64 // see Lanes.CountsByLane; nil: not asked for
	first         int         // lane of the block
	count         []float64   // sums over lanes where nobody asks for them
	beyond        bool        // an exponent is out of range: sums mean nothing
}

// laneNode is what the lanes of a node have in common.
type laneNode struct {
	exp, termExp     int64
	shape, termShape int32 // of the node, and of the terms of its sum: −1 if they differ
	low, high        float64
	reach            float64 // an upper bound for units
	pushed           bool    // whether there are units
}

// shapeSum says that the offsets of shape sum are those of left and right, added.
type shapeSum struct{ left, right, sum int32 }

// A product of two values and the mantissa of a weight, [2^-256, 2^256), is an ordinary
// float64, and so is the sum of many.
const (
	smallest = 0x1p-370
	greatest = 0x1p370
)

// farthest is the greatest exponent of a ScaledFloat. Sums of a few do not overflow.
const farthest = 1 << 53

// inRange returns exponent e, after noting whether it is one of a ScaledFloat.
func (s *LanesScratch) inRange(e int64) int64 {
	s.beyond = s.beyond || e < -farthest || e > farthest
	return e
}

// begin prepares for a block of lanes, of which the scratch keeps as many as stride.
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

// newShape returns a shape whose offsets are yet to be set.
func (s *LanesScratch) newShape() int32 {
	if s.shapes == len(s.offsets) {
		s.offsets = append(s.offsets, make([]int64, len(s.buffer)))
	}
	s.shapes++
	return int32(s.shapes - 1)
}

// sumOf returns a shape with the sums of the offsets of two others.
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
