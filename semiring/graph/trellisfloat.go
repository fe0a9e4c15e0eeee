package graph

import "math"

// trellisFloats is working storage of Counts where float64 numbers will do: the vectors
// of a layer have a power of 2 in common, and their numbers are within 2³⁰⁰ of each
// other, so that products of three are within range and as exact as in the ring. Where
// numbers do not allow that, Counts goes the general way.
type trellisFloats struct {
	v, alpha, arrival, node []float64 // per node; node has posteriors
	stay                    []float64 // per step
	vScale, scale           []int     // per layer: of v and of the stays before it; of α
	beta, z                 []float64 // per node of a layer
}

const (
	greatestRatio = 0x1p300
	// A vector whose largest number is within these bounds is not scaled.
	smallTop, largeTop = 0x1p-64, 0x1p64
	// Cells of a block within these bounds leave room for the other factors.
	leastCell, greatestCell = 0x1p-150, 0x1p150
)

// narrow reports whether the real numbers of a block, times 2^(512·exp), can be
// factors in a product of three.
func narrow(exp int64, cells []float64) bool {
	for _, w := range cells {
		if a := math.Abs(w); a != 0 && (a < leastCell || a > greatestCell) {
			return false
		}
	}
	return exp == 0
}

// floats is Counts by float64 numbers. It returns false, having added nothing, if they
// do not do, and if there is no path.
func (c *counting[W]) floats(node []float64) (total W, ok bool) {
	f := &c.s.floats
	if c.float == nil || !c.load(f) || !c.floatAlphas(f) {
		return total, false
	}
	last := f.alpha[c.numNodes-c.lastSize() : c.numNodes]
	scale, ok := c.floatEnd(f, len(last))
	if !ok {
		return total, false
	}
	sum := 0.0
	for i, a := range last {
		sum += a * f.beta[i]
	}
	if sum == 0 {
		return total, false
	}
	all := f.scale[len(c.steps)] + scale // the total is sum·2^all
	c.s.y[0] = math.Ldexp(sum, all&511)
	c.float.FromBlock(c.s.layer[3][:1], c.s.y[:1], int64(all>>9), nil)
	total = c.s.layer[3][0]
	if all < -900 || all > 900 { // the ring may not hold the total or its inverse
		if _, err := inverse(c.ring, c.prober, total); err != nil {
			return total, false
		}
	}
	if !c.floatBetas(f, scale, 1/sum, all) {
		return total, false
	}
	c.finish()
	if node != nil {
		for i, p := range f.node {
			node[i] += c.weight * p
		}
	}
	return total, true
}

// load writes node weights and stays as numbers.
func (c *counting[W]) load(f *trellisFloats) bool {
	n, layers := c.numNodes, c.NumLayers()
	f.v, f.alpha, f.arrival, f.node = resized(f.v, n), resized(f.alpha, n), resized(f.arrival, n), resized(f.node, n)
	f.vScale, f.scale, f.stay = resized(f.vScale, layers), resized(f.scale, layers), resized(f.stay, layers)
	f.beta, f.z = resized(f.beta, c.widest), resized(f.z, c.widest)
	at, size := 0, len(c.initial)
	for layer := range layers {
		if layer > 0 {
			b := c.Trellis.block(layer - 1)
			if !b.real || !b.narrow {
				return false
			}
			size = b.cols
		}
		v, exp, ok := f.v[at:at+size], int64(0), true
		if w := c.nodeWeights(layer); w != nil {
			exp, ok = c.float.ToBlock(v, w)
		} else {
			for i := range v {
				v[i] = 1
			}
		}
		f.stay[layer] = 0
		if layer > 0 && c.stays(layer-1) {
			e, fits := c.float.ToBlock(f.stay[layer:layer+1], c.stay[layer-1:layer])
			ok = ok && fits && e == exp
		}
		if !ok || exp > 1<<20 || exp < -1<<20 {
			return false
		}
		f.vScale[layer] = int(512 * exp)
		at += size
	}
	return true
}

// floatAlphas computes α, and what of it arrives, of all nodes.
func (c *counting[W]) floatAlphas(f *trellisFloats) bool {
	lo, hi := 0, len(c.initial)
	exp, ok := c.float.ToBlock(c.s.y[:hi], c.initial)
	if !ok || exp > 1<<20 || exp < -1<<20 {
		return false
	}
	f.scale[0] = int(512 * exp)
	var before []float64
	for layer := 0; ; layer++ {
		alpha, arrival, v, y := f.alpha[lo:hi], f.arrival[lo:hi], f.v[lo:hi], c.s.y[:hi-lo]
		for i, w := range v {
			arrival[i] = y[i] * w
		}
		copy(alpha, arrival)
		if stay := f.stay[layer]; stay != 0 {
			for i, a := range before {
				alpha[i] += stay * a
			}
		}
		f.scale[layer] += f.vScale[layer]
		shift, ok := level(alpha, arrival)
		if !ok {
			return false
		}
		f.scale[layer] += shift
		if layer == len(c.steps) {
			return true
		}
		b := c.Trellis.block(layer)
		b.rowTimes(c.s.y[:b.cols], alpha)
		f.scale[layer+1] = f.scale[layer]
		lo, hi, before = hi, hi+b.cols, alpha
	}
}

// floatEnd sets f.beta to β of the last layer, of n nodes, divided by 2^scale.
func (c *counting[W]) floatEnd(f *trellisFloats, n int) (scale int, ok bool) {
	beta := f.beta[:n]
	if c.final == nil {
		for i := range beta {
			beta[i] = 1
		}
		return 0, true
	}
	exp, ok := c.float.ToBlock(beta, c.final)
	if !ok || exp > 1<<20 || exp < -1<<20 {
		return 0, false
	}
	shift, ok := level(beta, nil)
	return int(512*exp) + shift, ok
}

// floatBetas finds posteriors, from the last layer to the first; f.beta is β there,
// divided by 2^scale, and 1 / total is inverse·2^−all.
func (c *counting[W]) floatBetas(f *trellisFloats, scale int, inverse float64, all int) bool {
	hi := c.numNodes
	lo := hi - c.lastSize()
	for layer := len(c.steps); ; layer-- {
		beta := f.beta[:hi-lo]
		unit, ok := times2(inverse, f.scale[layer]+scale-all)
		if !ok {
			return false
		}
		p, arrival := f.node[lo:hi], f.arrival[lo:hi]
		for i, b := range beta {
			p[i] = arrival[i] * unit * b
		}
		if layer == 0 {
			return true
		}
		z := f.z[:hi-lo]
		for i, w := range f.v[lo:hi] {
			z[i] = w * beta[i]
		}
		scale += f.vScale[layer]
		b := c.Trellis.block(layer - 1)
		lo, hi = lo-b.rows, lo
		alpha, x := f.alpha[lo:hi], c.s.p[:b.rows]
		if unit, ok = times2(inverse, f.scale[layer-1]+scale-all); !ok {
			return false
		}
		for i, a := range alpha {
			x[i] = a * unit
		}
		if number := c.steps[layer-1]; c.counts(number) != nil {
			b.addOuter(c.sums(number, b.NumCells()), x, z)
		}
		y := c.s.y[:b.rows]
		b.timesColumn(y, z)
		if stay := f.stay[layer]; stay != 0 {
			share := 0.0
			for i, a := range beta {
				share += x[i] * a
				y[i] += stay * a
			}
			c.s.stays[layer-1] = share * stay
		}
		copy(f.beta[:b.rows], y)
		shift, ok := level(f.beta[:b.rows], nil)
		if !ok {
			return false
		}
		scale += shift
	}
}

// times2 returns x·2^k, false if that leaves little room.
func times2(x float64, k int) (float64, bool) {
	if k < -600 || k > 500 {
		return 0, false
	}
	return x * math.Float64frombits(uint64(1023+k)<<52), true
}

// level divides x and, unless it is nil, y by 2^shift, such that the largest number of x
// is neither large nor small. It returns false if numbers of x that are not 0 are too
// far apart, or there are none.
func level(x, y []float64) (shift int, ok bool) {
	// The bits of absolute values are in the order of the numbers; 0 less 1 is the
	// greatest of all.
	var most, least uint64 = 0, math.MaxUint64
	for _, a := range x {
		bits := math.Float64bits(a) &^ (1 << 63)
		most, least = max(most, bits), min(least, bits-1)
	}
	top, low := math.Float64frombits(most), math.Float64frombits(least+1)
	if !(top > 0 && low >= top/greatestRatio) || math.IsInf(top, 1) {
		return 0, false
	}
	if smallTop <= top && top <= largeTop {
		return 0, true
	}
	_, shift = math.Frexp(top)
	unit := math.Ldexp(1, -shift)
	for i := range x {
		x[i] *= unit
	}
	for i := range y {
		y[i] *= unit
	}
	return shift, true
}
