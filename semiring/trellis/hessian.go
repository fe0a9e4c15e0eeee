package trellis

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// HessianVector adds to change weight·Cov(N, V): N is the number of uses of every part
// on a random path, and V the sum of v over the parts that the path uses. That is the
// derivative of what Counts adds, weight·E[N], when every part's weight is multiplied by
// e^(ε·v). So it is the product of v and the matrix of second derivatives of weight·ln
// total by the logarithms of the parts' weights. Initial weights change with the nodes
// of the first layer, and final weights with the last layer's if no path stays there. An
// entry of v for a part of weight 0 has to be finite and does not matter.
//
// It returns the path sum; if that is 0 nothing is added. The error wraps
// semiring.ErrNotFinite if it is infinite or not a number, and then nothing is added
// either. Weights must not be negative.
//
// It keeps β of all nodes in s, and goes over the cells of every step three times. The
// mean of V is taken out step by step, so that a V with a mean much greater than its
// deviation loses few digits.
func (t *Trellis) HessianVector(v Parts, weight float64, change Parts, s *Scratch) (semiring.ScaledFloat, error) {
	s.node = t.Backward(s.node, s)
	first := s.layer[0][:len(t.initial)]
	t.begin(first)
	var total semiring.ScaledFloat
	semiring.Scaled{}.Dot(&total, first, nil, s.node[:len(first)], nil)
	if total.IsZero() {
		return total, nil
	}
	if !total.IsFinite() {
		return total, fmt.Errorf("trellis: %w: the path sum is %v", semiring.ErrNotFinite, total)
	}
	h := &s.hessian
	h.grow(t)
	p := tilting{Trellis: t, hessianScratch: h, s: s, v: v}
	p.lookAhead()
	p.push(total, weight, change)
	return total, nil
}

// hessianScratch is working storage of HessianVector.
type hessianScratch struct {
	ahead        []float64    // per node: the value expected of what follows it,
	shift        []float64    // less the sum of shift over the layers from its own on
	flow, behind [2][]float64 // per node of a layer and the next, see push
	value        []float64    // per node of the next layer: of arriving and what follows
	chance       []float64    // per cell of a row
	values       []float64    // per cell of a row that is not full: value of its column
}

// grow makes room for t.
func (h *hessianScratch) grow(t *Trellis) {
	h.ahead, h.shift = rows.Resized(h.ahead, t.numNodes), rows.Resized(h.shift, len(t.steps))
	if len(h.value) >= t.widest {
		return
	}
	all := make([]float64, 7*t.widest)
	for _, x := range []*[]float64{&h.flow[0], &h.flow[1], &h.behind[0], &h.behind[1], &h.value, &h.chance, &h.values} {
		*x, all = all[:t.widest], all[t.widest:]
	}
}

// tilting is one call of HessianVector. Let M be the value expected of what follows a
// node. A step adds to V its surprise: v of its cell and of the node that it leads to,
// and the growth of M. The surprises add up to V − E[V], and each has mean 0 whatever
// happened before it. So the covariance of V with the use of a cell is that with its own
// surprise and those before.
type tilting struct {
	*Trellis
	*hessianScratch
	s *Scratch
	v Parts

	// The step at hand, from the nodes lo, …, next−1 to those from next on.
	step, lo, next int
	b              *Block
	z              []semiring.ScaledFloat // node weights times β, of the layer after
	exp            int64                  // if real, z is s.x·2^(512·exp)
	real           bool
}

// take makes the step at hand that from a layer, whose first node is lo.
func (p *tilting) take(layer, lo int) {
	p.b = p.block(layer)
	p.step, p.lo, p.next = layer, lo, lo+p.b.rows
	p.z = p.s.layer[0][:p.b.cols]
	p.weighted(p.z, p.s.node[p.next:p.next+p.b.cols], layer+1)
	p.exp, p.real = toNumbers(p.s.x, p.z)
	p.real = p.real && p.b.real
	p.valueLayer(p.next, p.b.cols)
}

// valueLayer sets value for the n nodes of a layer from lo on.
func (p *tilting) valueLayer(lo, n int) {
	value := p.value[:n]
	copy(value, p.ahead[lo:lo+n])
	if p.v.Node != nil {
		for j, x := range p.v.Node[lo : lo+n] {
			value[j] += x
		}
	}
}

// chances returns the probabilities of the cells of row i, once a path is at that node,
// all divided by unit, and the value of each cell's column.
func (p *tilting) chances(i int) (chance []float64, unit float64, value []float64) {
	b, beta := p.b, p.s.node[p.lo+i]
	w, col := b.row(i)
	chance = p.chance[:len(w)]
	value = gather(p.values, p.value[:b.cols], col)
	if e := p.exp + b.exp - beta.Exp; p.real && -1 <= e && e <= 1 {
		lo, hi := b.span(i)
		x := gather(chance, p.s.x[:b.cols], col)
		for j, w := range b.number[lo:hi] {
			chance[j] = w * x[j]
		}
		return chance, [3]float64{weights.DigitLow, 1, weights.DigitUp}[e+1] / beta.Mant, value
	}
	semiring.Scaled{}.Marginals(chance, semiring.NewScaled(1).Div(beta), w, nil, p.z, col)
	return chance, 1, value
}

// gather returns x[col[0]], x[col[1]], …, in the storage of dst; x if col is nil.
func gather(dst, x []float64, col []int32) []float64 {
	if col == nil {
		return x
	}
	dst = dst[:len(col)]
	for n, j := range col {
		dst[n] = x[j]
	}
	return dst
}

// addTo adds factor·x[n] to y[col[n]]; col is nil for 0, 1, 2, ….
func addTo(y []float64, col []int32, factor float64, x []float64) {
	if col == nil {
		floats.AddScaled(y, factor, x)
		return
	}
	for n, j := range col {
		y[j] += factor * x[n]
	}
}

// chanceToStay returns the probability of staying once a path is at node i of its layer.
func (p *tilting) chanceToStay(i int) float64 {
	return p.stay[p.step].Mul(p.s.node[p.next+i]).Div(p.s.node[p.lo+i]).Float64()
}

// valueStay returns v for staying.
func (p *tilting) valueStay() float64 {
	if p.v.Stay == nil {
		return 0
	}
	return p.v.Stay[p.step]
}

// row returns the part of x that belongs to row i, nil if there is none.
func (p *tilting) row(x Parts, i int) []float64 {
	if x.Block == nil || x.Block[p.steps[p.step]] == nil {
		return nil
	}
	lo, hi := p.b.span(i)
	return x.Block[p.steps[p.step]][lo:hi]
}

// lookAhead sets ahead.
func (p *tilting) lookAhead() {
	lo := p.numNodes - p.lastSize()
	clear(p.ahead[lo:])
	for layer := len(p.steps) - 1; layer >= 0; layer-- {
		lo -= p.block(layer).rows
		p.take(layer, lo)
		for i := range p.b.rows {
			p.ahead[lo+i] = 0
			if p.s.node[lo+i].IsZero() {
				continue
			}
			chance, unit, value := p.chances(i)
			sum := floats.Dot(chance, value)
			if v := p.row(p.v, i); v != nil {
				sum += floats.Dot(chance, v)
			}
			sum *= unit
			if p.stays(layer) {
				sum += p.chanceToStay(i) * (p.valueStay() + p.ahead[p.next+i])
			}
			p.ahead[lo+i] = sum
		}
		p.center(layer)
	}
}

// center takes out of ahead what the nodes of a layer have in common, so that the
// differences between them keep their digits.
func (p *tilting) center(layer int) {
	beta, ahead := p.s.node[p.lo:p.next], p.ahead[p.lo:p.next]
	p.shift[layer] = 0
	if first := slices.IndexFunc(beta, func(b semiring.ScaledFloat) bool { return !b.IsZero() }); first >= 0 {
		p.shift[layer] = ahead[first]
	}
	for i := range ahead {
		ahead[i] -= p.shift[layer]
	}
}

// push adds the covariances to change, layer by layer. flow is the probability of each
// node, and behind is flow times the surprises expected before it.
func (p *tilting) push(total semiring.ScaledFloat, weight float64, change Parts) {
	n := len(p.initial)
	first, flow, behind := p.s.layer[0][:n], p.flow[0][:n], p.behind[0][:n]
	p.begin(first)
	p.valueLayer(0, n)
	semiring.Scaled{}.Marginals(flow, semiring.NewScaled(1).Div(total), first, nil, p.s.node[:n], nil)
	mean := 0.0
	for i, x := range flow {
		mean += x * p.value[i]
	}
	for i, x := range flow {
		behind[i] = x * (p.value[i] - mean)
	}
	addNodes(change, 0, weight, behind)
	lo := 0
	for layer := range p.steps {
		p.take(layer, lo)
		now := 1 - layer&1
		nextFlow, nextBehind := p.flow[now][:p.b.cols], p.behind[now][:p.b.cols]
		clear(nextFlow)
		clear(nextBehind)
		for i, visits := range flow {
			if visits != 0 {
				p.pushRow(i, visits, behind[i]/visits, weight, change, nextFlow, nextBehind)
			}
		}
		addNodes(change, p.next, weight, nextBehind)
		if p.stays(layer) {
			p.pushStays(flow, behind, weight, change, nextFlow, nextBehind)
		}
		lo, flow, behind = p.next, nextFlow, nextBehind
	}
}

// pushRow goes on from node i along its cells, after surprises of past on the way there.
func (p *tilting) pushRow(i int, visits, past, weight float64, change Parts, flow, behind []float64) {
	chance, unit, value := p.chances(i)
	_, col := p.b.row(i)
	visits *= unit
	addTo(flow, col, visits, chance)
	// What the cells get by surprises so far takes the place of their chances.
	past -= p.ahead[p.lo+i] + p.shift[p.step]
	if v := p.row(p.v, i); v == nil {
		for j, x := range value {
			chance[j] *= visits * (past + x)
		}
	} else {
		v = v[:len(chance)]
		for j, x := range value {
			chance[j] *= visits * (past + (v[j] + x))
		}
	}
	addTo(behind, col, 1, chance)
	if sum := p.row(change, i); sum != nil {
		floats.AddScaled(sum, weight, chance)
	}
}

// pushStays goes on from all nodes of the layer to themselves.
func (p *tilting) pushStays(flow, behind []float64, weight float64, change Parts, nextFlow, nextBehind []float64) {
	sum := 0.0
	for i, visits := range flow {
		if visits == 0 {
			continue
		}
		x := visits * p.chanceToStay(i)
		y := x * (behind[i]/visits + (p.valueStay() + (p.ahead[p.next+i] - (p.ahead[p.lo+i] + p.shift[p.step]))))
		sum += y
		nextFlow[i] += x
		nextBehind[i] += y
	}
	if change.Stay != nil {
		change.Stay[p.step] += weight * sum
	}
}

// addNodes adds weight times x to the nodes from lo on.
func addNodes(to Parts, lo int, weight float64, x []float64) {
	if to.Node == nil {
		return
	}
	node := to.Node[lo : lo+len(x)]
	for i, a := range x {
		node[i] += weight * a
	}
}
