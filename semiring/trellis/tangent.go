package trellis

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// HessianVector adds to change weight·Cov(N, V): N is the number of uses of every part on a
// random path, and V the sum of v over the parts that the path uses. This is the derivative by ε
// of weight·E[N], which Counts adds, if every part's weight is multiplied by e^(ε·v). So it is
// the product of v and the matrix of second derivatives of weight·ln total with respect to the
// logarithms of the parts' weights. Initial weights change with the nodes of the first layer, and
// final weights with the nodes of the last layer if no path stays there. An entry of v for a part
// of weight 0 must be finite and is otherwise ignored.
//
// It returns the path sum; if the sum is 0, change is unchanged. The error wraps
// semiring.ErrNotFinite if the path sum is infinite, not a number, or without an inverse; change
// is unchanged then, too. Weights must not be negative.
//
// It keeps α of all nodes and its derivative in s, and costs nine products per cell of every
// step, three times as many as Counts. Derivatives are accurate to about 1e-12, relative to the
// deviation of V. The mean of V is subtracted step by step, so a V with a mean much greater than
// its deviation loses few digits.
func (t *Trellis) HessianVector(v Parts, weight float64, change Parts, s *Scratch) (semiring.ScaledFloat, error) {
	s.grow(t)
	c := counting{Trellis: t, s: s, weight: weight, sum: Parts{Block: change.Block}, tangent: &s.tangent}
	c.start()
	c.tangent.take(&c, v, change)
	total, ok := c.byNumbers()
	var err error
	if !ok {
		total, err = c.derivativesByWeights(change)
	}
	c.tangent.v, c.tangent.change = Parts{}, Parts{}
	return total, err
}

// tangent is the derivative along v of one pass by float64 numbers. For each vector it also
// computes its slope, the derivative in the units of the vector, by the same products of
// matrices: the slope of x·A is the slope of x times A plus x times the slope of A. Complex
// numbers would need no formulas for slopes, but a product of complex matrices takes longer than
// three products of float64 matrices.
//
// To avoid cancellation v is centred first: from each block and layer it subtracts the first
// entry whose weight is not 0. A number subtracted from all cells of a block, or from all nodes
// of a layer, is also subtracted from stays. So the V of every path changes by the same amount,
// and covariances do not change. The mean of each layer's slopes of α is subtracted too, so that
// slopes do not grow with the number of layers.
type tangent struct {
	v, change      Parts
	cells          []float64   // per block: subtracted from v of its cells
	node, stay     []float64   // v, centred, per node and per step
	block          [][]float64 // per block and cell: v, centred, times number; see varies
	taken          []float64   // per layer: subtracted from the values of the arcs to it
	alpha, arrival []float64   // slopes, per node
	beta, z, y, x  []float64   // slopes, per node of a layer
	posterior      []float64   // slopes, per node
	stays          []float64   // slopes of posteriors, per step
	sums           [][]float64 // slopes of the sums of blocks, see counting.blockSums
	used           []bool      // per block
}

// take stores v, centred, and change.
func (t *tangent) take(c *counting, v, change Parts) {
	t.v, t.change = v, change
	t.cells, t.used = rows.Resized(t.cells, len(c.blocks)), rows.Resized(t.used, len(c.blocks))
	t.node, t.stay = rows.Resized(t.node, c.numNodes), rows.Resized(t.stay, len(c.steps))
	clear(t.cells)
	clear(t.used)
	for _, number := range c.steps {
		if b := c.blocks[number]; !t.used[number] && t.varies(number) {
			t.cells[number] = firstWhere(v.Block[number], func(k int) bool {
				return b.real && b.number[k] != 0 || !b.real && b.weight[k].Mant != 0
			})
		}
		t.used[number] = true
	}
	clear(t.node)
	copy(t.node, v.Node)
	clear(t.stay)
	copy(t.stay, v.Stay)
	lo, size := 0, len(c.initial)
	for layer := 0; ; layer++ {
		node, center := t.node[lo:lo+size], 0.0
		if v.Node != nil {
			center = firstWhere(node, func(i int) bool { return !c.excludes(layer, lo, i) })
			floats.AddConst(-center, node)
		}
		if layer > 0 {
			t.stay[layer-1] -= t.cells[c.steps[layer-1]] + center
		}
		if layer == len(c.steps) {
			return
		}
		lo, size = lo+size, c.block(layer).cols
	}
}

// firstWhere returns the first number of v for which holds returns true, or 0 if there is no such
// number. The result is rounded to 24 bits so that sums of two results are exact.
func firstWhere(v []float64, holds func(i int) bool) float64 {
	const low = 1<<29 - 1
	for i, x := range v {
		if holds(i) {
			return math.Float64frombits(math.Float64bits(x) &^ low)
		}
	}
	return 0
}

// excludes reports whether the weight of node i of a layer is 0; lo is the layer's first node.
func (t *Trellis) excludes(layer, lo, i int) bool {
	if t.numbers != nil {
		return t.numbers[lo+i] == 0
	}
	return t.nodes != nil && t.nodes[layer] != nil && t.nodes[layer][i].Mant == 0
}

// varies reports whether cells of a block have values.
func (t *tangent) varies(block int32) bool { return t.v.Block != nil && t.v.Block[block] != nil }

// ofCell returns the centred value of a cell of a block.
func (t *tangent) ofCell(block int32, cell int) float64 {
	if !t.varies(block) {
		return 0
	}
	return t.v.Block[block][cell] - t.cells[block]
}

// start allocates slopes and sets block.
func (t *tangent) start(c *counting) {
	n, steps := c.numNodes, len(c.steps)
	t.taken, t.stays = rows.Resized(t.taken, steps+1), rows.Resized(t.stays, steps)
	clear(t.stays)
	t.alpha, t.arrival, t.posterior = rows.Resized(t.alpha, n), rows.Resized(t.arrival, n), rows.Resized(t.posterior, n)
	for _, x := range []*[]float64{&t.beta, &t.z, &t.y, &t.x} {
		*x = rows.Resized(*x, c.widest)
	}
	for len(t.block) < len(c.blocks) {
		t.block, t.sums = append(t.block, nil), append(t.sums, nil)
	}
	for number, b := range c.blocks {
		if !t.used[number] {
			continue
		}
		t.sums[number] = rows.Resized(t.sums[number], len(b.number))
		clear(t.sums[number])
		if t.varies(int32(number)) {
			t.block[number] = rows.Resized(t.block[number], len(b.number))
			values, center, block := t.v.Block[number], t.cells[number], t.block[number]
			for k, w := range b.number {
				block[k] = w * (values[k] - center)
			}
		}
	}
}

// greatestSlope keeps products of slopes finite.
const greatestSlope = 0x1p400

// ahead sets the slopes of α and of arrival of a layer, whose nodes are lo, …, hi−1. f has
// computed both vectors and divided them by 2^shift. It returns false if a slope is too great.
func (t *tangent) ahead(c *counting, f *forwardBackward, layer, lo, hi, shift int) bool {
	n, unit, y := hi-lo, 1.0, t.y[:hi-lo]
	var before, slope []float64 // α of the layer before, and its slopes
	if layer == 0 {
		clear(y)
	} else {
		b, number := c.block(layer-1), c.steps[layer-1]
		before, slope = f.alpha[lo-b.rows:lo], t.alpha[lo-b.rows:lo]
		b.rowTimes(y, slope, b.number)
		if t.varies(number) {
			b.rowTimes(t.x[:n], before, t.block[number])
			addScaled(y, 1, t.x[:n])
		}
	}
	if shift != 0 {
		unit = math.Ldexp(1, -shift)
	}
	alpha, arrival, node, v := t.alpha[lo:hi], t.arrival[lo:hi], t.node[lo:hi], f.v[lo:hi]
	stay, sum, slopes := f.stay[layer]*unit, 0.0, 0.0
	for j, a := range f.arrival[lo:hi] {
		x := y[j]*v[j]*unit + a*node[j]
		arrival[j] = x
		if stay != 0 {
			x += stay * (slope[j] + t.stay[layer-1]*before[j])
		}
		alpha[j] = x
		sum, slopes = sum+f.alpha[lo+j], slopes+x
	}
	mean, top := slopes/sum, 0.0
	for j, a := range f.arrival[lo:hi] {
		arrival[j] -= mean * a
		alpha[j] -= mean * f.alpha[lo+j]
		top = max(top, math.Abs(alpha[j]))
	}
	t.taken[layer] = mean
	return top <= greatestSlope
}

// end sets the slopes of β of the last layer, so that the mean of V is 0. sum is the sum of the
// products of α and β of the layer.
func (t *tangent) end(c *counting, f *forwardBackward, sum float64) {
	n := c.lastSize()
	scaled(t.beta[:n], -floats.Dot(t.alpha[c.numNodes-n:], f.beta[:n])/sum, f.beta[:n])
}

// leave sets the slopes of the posteriors of the nodes of a layer, and of node weights times β.
func (t *tangent) leave(f *forwardBackward, layer, lo, hi int, unit float64) {
	p, z, slope, taken := t.posterior[lo:hi], t.z[:hi-lo], t.beta[:hi-lo], t.taken[layer]
	arrival, arrivalSlope, v, node := f.arrival[lo:hi], t.arrival[lo:hi], f.v[lo:hi], t.node[lo:hi]
	for i, b := range f.beta[:hi-lo] {
		p[i] = (arrivalSlope[i]*b + arrival[i]*slope[i]) * unit
		z[i] = v[i] * (slope[i] + b*(node[i]-taken))
	}
}

// back sets the slopes of β of the preceding layer, whose first node is lo, and adds the slopes
// of the posteriors of the step.
func (t *tangent) back(c *counting, f *forwardBackward, layer, lo int, unit float64) {
	b, number, stay := c.block(layer-1), c.steps[layer-1], f.stay[layer]
	alpha, slope := f.alpha[lo:lo+b.rows], t.alpha[lo:lo+b.rows]
	z, zSlope, y := f.z[:b.cols], t.z[:b.cols], t.y[:b.rows]
	if c.counts(number) {
		b.addOuter(c.blockSums(number), unit, alpha, z)
		b.addOuter(t.sums[number], unit, slope, z)
		b.addOuter(t.sums[number], unit, alpha, zSlope)
	}
	b.timesColumn(y, b.number, zSlope)
	if t.varies(number) {
		b.timesColumn(t.x[:b.rows], t.block[number], z)
		addScaled(y, 1, t.x[:b.rows])
	}
	if stay != 0 {
		share, value := 0.0, t.stay[layer-1]-t.taken[layer]
		for i, beta := range f.beta[:b.rows] {
			x := t.beta[i] + value*beta
			share += slope[i]*beta + alpha[i]*x
			y[i] += stay * x
		}
		t.stays[layer-1] = share * unit * stay
	}
	t.beta, t.y = t.y, t.beta
}

// scale divides the slopes of β of n nodes by 2^shift.
func (t *tangent) scale(n, shift int) { floats.Scale(math.Ldexp(1, -shift), t.beta[:n]) }

// finish adds weight times all slopes of posteriors.
func (t *tangent) finish(c *counting) {
	if t.change.Node != nil {
		floats.AddScaled(t.change.Node[:len(t.posterior)], c.weight, t.posterior)
	}
	if t.change.Stay != nil {
		floats.AddScaled(t.change.Stay[:len(t.stays)], c.weight, t.stays)
	}
	for number, used := range c.s.used {
		if !used {
			continue
		}
		n, varies := len(t.sums[number]), t.varies(int32(number))
		change, slopes, sums, block := t.change.Block[number][:n], t.sums[number], c.s.sums[number][:n], t.block[number]
		for k, w := range c.blocks[number].number[:n] {
			if w == 0 { // the sums are meaningless
				continue
			}
			x := w * slopes[k]
			if varies {
				x += block[k] * sums[k]
			}
			change[k] += c.weight * x
		}
	}
}
