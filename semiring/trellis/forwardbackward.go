package trellis

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// forwardBackward is working storage of Counts by float64 numbers. The numbers of a vector share
// a power of 2 that keeps the greatest of them between smallTop and largeTop. A product less than
// 2⁻¹⁰²² is rounded off or lost. That makes no difference to any posterior greater than 2⁻⁵⁰⁰:
//
// A loss in α grows by a node weight, at most 2⁶⁴, and by the factor that rescales the vector, at
// most 2²⁰⁰. A loss in β grows by a cell and by the factor, which is less for greater cells. Both
// then are at most 2⁻⁷⁵⁸, and posteriors are α·β·unit, with unit at most 2²²⁰. If numbers exceed
// these bounds, Counts computes weight by weight.
type forwardBackward struct {
	plain                   bool      // no node weights, stays or slopes: v and arrival are unused
	only                    int       // the only start node in layer 0, -1 if there are several
	v, alpha, arrival, node []float64 // per node; node has posteriors
	own                     []float64 // storage of v
	stay                    []float64 // per layer: the stay of the step to it
	vScale, scale           []int     // per layer: exponent of v and of the stays before it; of α
	beta, z                 []float64 // per node of a layer
}

const (
	smallTop, largeTop = 0x1p-32, 0x1p32
	leastTop           = 0x1p-200 // of a vector that can be rescaled
	greatestFactor     = 0x1p64   // greatest node weight and stay, and cell if leastTop is enough
	greatestUnit       = 0x1p220
)

// byNumbers is Counts, or HessianVector, by float64 numbers. If numbers cannot represent the
// sums, or there is no path, it returns false and leaves the sums unchanged.
func (c *counting) byNumbers() (total semiring.ScaledFloat, ok bool) {
	f := &c.s.floats
	if !c.load(f) {
		return total, false
	}
	if c.tangent != nil {
		c.tangent.start(c)
	}
	if !c.floatAlphas(f) {
		return total, false
	}
	last := f.alpha[c.numNodes-c.lastSize() : c.numNodes]
	scale, ok := c.floatEnd(f, len(last))
	if !ok {
		return total, false
	}
	sum := floats.Dot(last, f.beta[:len(last)])
	if sum == 0 {
		return total, false
	}
	if c.tangent != nil {
		c.tangent.end(c, f, sum)
	}
	all := f.scale[len(c.steps)] + scale // the total is sum·2^all
	total = semiring.NewScaled(math.Ldexp(sum, all&511))
	total.Exp += int64(all >> 9)
	if !c.floatBetas(f, scale, 1/sum, all) {
		return total, false
	}
	if c.tangent != nil {
		c.tangent.finish(c)
		return total, true
	}
	c.finish()
	if node := c.sum.Node; node != nil {
		node = node[:len(f.node)]
		for i, p := range f.node {
			node[i] += c.weight * p
		}
	}
	return total, true
}

// load converts node weights and stays to numbers. It returns false if they do not fit.
func (c *counting) load(f *forwardBackward) bool {
	n, layers := c.numNodes, len(c.steps)+1
	f.plain = c.nodes == nil && c.numbers == nil && c.stay == nil && c.tangent == nil
	f.alpha, f.node = rows.Resized(f.alpha, n), rows.Resized(f.node, n)
	f.vScale, f.scale, f.stay = rows.Resized(f.vScale, layers), rows.Resized(f.scale, layers), rows.Resized(f.stay, layers)
	f.beta, f.z = rows.Resized(f.beta, c.widest), rows.Resized(f.z, c.widest)
	for _, number := range c.steps {
		if !c.blocks[number].narrow {
			return false
		}
	}
	clear(f.stay)
	if f.plain {
		clear(f.vScale)
		return true
	}
	f.arrival = rows.Resized(f.arrival, n)
	stayExp := int64(0)
	if c.stay != nil {
		var ok bool
		if stayExp, ok = toNumbers(f.stay[1:], c.stay); !ok || !(greatest(f.stay) <= greatestFactor) {
			return false
		}
		for step := range c.steps {
			if e := c.block(step).exp; e != 0 && f.stay[1+step] != 0 {
				return false // the block has a power of 2 of its own
			}
		}
	}
	if c.numbers != nil {
		f.v = c.numbers // floatAlphas checks their range
		clear(f.vScale)
		return stayExp == 0
	}
	f.own = rows.Resized(f.own, n)
	f.v = f.own
	at, size := 0, len(c.initial)
	for layer := range layers {
		if layer > 0 {
			size = c.block(layer - 1).cols
		}
		v := f.v[at : at+size]
		at += size
		if !c.loadLayer(f, layer, v) || f.stay[layer] != 0 && f.vScale[layer] != int(512*stayExp) {
			return false
		}
	}
	return true
}

// loadLayer converts the node weights of a layer to numbers.
func (c *counting) loadLayer(f *forwardBackward, layer int, v []float64) bool {
	w := c.nodeWeights(layer)
	if w == nil {
		for i := range v {
			v[i] = 1
		}
		f.vScale[layer] = 0
		return true
	}
	exp, ok := toNumbers(v, w)
	if !ok || !inRange(exp) {
		return false
	}
	f.vScale[layer] = int(512 * exp)
	if t := greatest(v); t > greatestFactor {
		f.vScale[layer] += weights.Center(t, v, nil)
	}
	return true
}

// inRange reports whether a scale may have the factor 2^(512·exp).
func inRange(exp int64) bool { return -1<<20 <= exp && exp <= 1<<20 }

// floatAlphas computes α of all nodes, and arrival, the part of α without stays.
func (c *counting) floatAlphas(f *forwardBackward) bool {
	lo, hi := 0, len(c.initial)
	exp, ok := toNumbers(c.s.y[:hi], c.initial)
	if !ok || !inRange(exp) {
		return false
	}
	f.scale[0] = int(512 * exp)
	f.only = onlyNonzero(c.s.y[:hi])
	var before []float64
	for layer := 0; ; layer++ {
		alpha, y := f.alpha[lo:hi], c.s.y[:hi-lo]
		var arrival []float64
		var top, factor float64
		if f.plain {
			copy(alpha, y)
			top = greatest(alpha)
		} else {
			arrival = f.arrival[lo:hi]
			if stay := f.stay[layer]; stay != 0 {
				top, factor = arriveOrStay(alpha, arrival, y, f.v[lo:hi], stay, before)
			} else {
				top, factor = arrive(alpha, arrival, y, f.v[lo:hi])
			}
			if !(factor <= greatestFactor) {
				return false
			}
		}
		f.scale[layer] += f.vScale[layer]
		shift := 0
		switch {
		case smallTop <= top && top <= largeTop:
		case leastTop <= top && !math.IsInf(top, 1):
			shift = weights.Center(top, alpha, arrival)
			f.scale[layer] += shift
		default:
			return false
		}
		if c.tangent != nil && !c.tangent.ahead(c, f, layer, lo, hi, shift) {
			return false
		}
		if layer == len(c.steps) {
			return true
		}
		b := c.block(layer)
		if y = c.s.y[:b.cols]; layer == 0 && f.only >= 0 {
			b.rowTimesOnly(y, alpha, f.only)
		} else {
			b.rowTimes(y, alpha, b.number)
		}
		f.scale[layer+1] = f.scale[layer] + int(512*b.exp)
		lo, hi, before = hi, hi+b.cols, alpha
	}
}

// onlyNonzero returns the index of the only number of x that is not 0, −1 unless exactly one is.
func onlyNonzero(x []float64) int {
	only := -1
	for i, a := range x {
		if a != 0 {
			if only >= 0 {
				return -1
			}
			only = i
		}
	}
	return only
}

// floatEnd sets f.beta to β of the last layer, of n nodes, divided by 2^scale.
func (c *counting) floatEnd(f *forwardBackward, n int) (scale int, ok bool) {
	beta := f.beta[:n]
	if c.final == nil {
		for i := range beta {
			beta[i] = 1
		}
		return 0, true
	}
	exp, ok := toNumbers(beta, c.final)
	t := greatest(beta)
	if !ok || !inRange(exp) || t == 0 {
		return 0, false
	}
	return int(512*exp) + weights.Center(t, beta, nil), true
}

// floatBetas computes posteriors from the last layer to the first. f.beta is β of the last layer,
// divided by 2^scale, and 1/total is inverse·2^−all.
func (c *counting) floatBetas(f *forwardBackward, scale int, inverse float64, all int) bool {
	hi := c.numNodes
	lo := hi - c.lastSize()
	for layer := len(c.steps); ; layer-- {
		beta, z := f.beta[:hi-lo], f.z[:hi-lo]
		unit, ok := weights.Times2(inverse, f.scale[layer]+scale-all, greatestUnit)
		if !ok {
			return false
		}
		if f.plain {
			z = beta
			if c.sum.Node != nil {
				posteriors(f.node[lo:hi], f.alpha[lo:hi], unit, beta)
			}
		} else {
			leave(f.node[lo:hi], z, f.arrival[lo:hi], unit, f.v[lo:hi], beta)
		}
		if c.tangent != nil {
			c.tangent.leave(f, layer, lo, hi, unit)
		}
		if layer == 0 {
			return true
		}
		b := c.block(layer - 1)
		scale += f.vScale[layer] + int(512*b.exp)
		lo, hi = lo-b.rows, lo
		alpha := f.alpha[lo:hi]
		if unit, ok = weights.Times2(inverse, f.scale[layer-1]+scale-all, greatestUnit); !ok {
			return false
		}
		y := c.s.y[:b.rows]
		switch number := c.steps[layer-1]; {
		case c.tangent != nil:
			b.timesColumn(y, b.number, z)
			c.tangent.back(c, f, layer, lo, unit)
		case !c.counts(number):
			b.timesColumn(y, b.number, z)
		default:
			if sums := c.blockSums(number); layer == 1 && f.only >= 0 {
				b.addBackOnly(y, sums, unit*c.unit(), alpha, z, f.only)
			} else {
				b.addBack(y, sums, unit*c.unit(), alpha, z)
			}
			c.left = layer - 1
		}
		var top float64
		if stay := f.stay[layer]; stay != 0 {
			var share float64
			top, share = backOrStay(beta, y, stay, alpha)
			c.s.stays[layer-1] = share * unit * stay
		} else {
			beta = f.beta[:b.rows]
			top = back(beta, y)
		}
		switch {
		case smallTop <= top && top <= largeTop:
		case leastTop*b.excess <= top && !math.IsInf(top, 1):
			shift := weights.Center(top, beta, nil)
			scale += shift
			if c.tangent != nil {
				c.tangent.scale(b.rows, shift)
			}
		default:
			return false
		}
	}
}
