package frames

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// flow goes forward, after backward of its pass: a times b, of a position after frame t, is the
// probability that a path is there.
type flow struct {
	*pass
	uses     bool
	a, next  []float64 // per position, within margins
	gamma    []float64 // per symbol, of the current frame
	arrival  []float64 // per node: the sum of a times tilted weight
	wideSum  []semiring.ScaledFloat
	products []float64 // per slot: sums of a times z, or b, in the current basis
	steps    []float64 // per slot: expected uses
	before   []int64   // the basis of the last row of the preceding segment
}

// start prepares f for sums of a pass.
func (f *flow) start(p *pass, uses bool) {
	f.pass, f.uses = p, uses
	g := p.g
	f.a, f.next = zeros(f.a, g.states+2*g.margin), zeros(f.next, g.states+2*g.margin)
	f.arrival = zeros(f.arrival, len(g.nodeTo))
	f.wideSum = rows.Resized(f.wideSum, len(g.nodeTo))
	if uses {
		f.products, f.steps = zeros(f.products, g.slots), zeros(f.steps, g.slots)
	}
}

// begin computes a before the first frame.
func (f *flow) begin(inner semiring.ScaledFloat, weight float64, initial []float64) {
	g := f.g
	lo, hi := g.reach.band(0, f.e.frames)
	b, s := f.row(0), f.basis(0)
	a := f.a[g.margin:]
	for q := lo; q < hi; q++ {
		if w := g.w.Initial[g.state[q]]; !w.IsZero() && b[q] != 0 {
			a[q] = w.Mul(powerOf2(s[q])).Div(inner).Float64()
			if initial != nil {
				initial[g.state[q]] += weight * (a[q] * b[q])
			}
		}
	}
	f.epsilon(0)
}

// flush adds the uses in the current basis to all.
func (f *flow) flush() {
	if !f.uses {
		return
	}
	if f.tilted >= 0 {
		for slot, x := range f.products {
			if x != 0 {
				f.steps[slot] += x * f.tilt[slot]
			}
		}
	}
	clear(f.products)
}

// turn makes the basis of row t current.
func (f *flow) turn(t int) {
	basis := int(f.basisOf[f.at(t)])
	if f.tilted != basis {
		f.flush()
		f.tiltTo(basis)
	}
}

// enter makes segment i current, after segment i−1.
func (f *flow) enter(i int) {
	if i == 0 {
		f.pass.enter(i)
		return
	}
	f.before = append(f.before[:0], f.basis(f.hi)...)
	f.pass.enter(i)
	f.convert(f.lo, f.before, f.basis(f.lo))
}

// convert converts a after frame t from one basis to another.
func (f *flow) convert(t int, from, to []int64) {
	lo, hi := f.g.reach.band(t, f.e.frames)
	a := f.a[f.g.margin:]
	for q := lo; q < hi; q++ {
		if a[q] != 0 {
			a[q] = semiring.NewScaled(a[q]).Mul(powerOf2(to[q] - from[q])).Float64()
		}
	}
}

// epsilon adds to a after frame t the steps from there to later positions.
func (f *flow) epsilon(t int) {
	g := f.g
	if len(g.epsilonTo) == 0 {
		return
	}
	f.turn(t)
	lo, hi := g.reach.band(t, f.e.frames)
	a, b := f.a[g.margin:], f.row(t)
	w := f.tilt[g.firstEpsilon:]
	for q := lo; q < hi; q++ {
		x := a[q]
		if x == 0 {
			continue
		}
		for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
			to := int(g.epsilonTo[i])
			if to >= hi || b[to] == 0 {
				continue
			}
			a[to] += float64(x * w[i])
			if f.uses {
				f.products[g.firstEpsilon+int(i)] += float64(x * b[to])
			}
		}
	}
}

// step computes a after frame t from a before it.
func (f *flow) step(t int) {
	if f.exact[f.at(t)] {
		f.slowStep(t)
	} else {
		f.fastStep(t)
	}
	lo, hi := f.g.reach.band(t, f.e.frames)
	clear(f.a[f.g.margin+lo : f.g.margin+hi])
	f.a, f.next = f.next, f.a
	f.epsilon(t + 1)
}

func (f *flow) fastStep(t int) {
	g := f.g
	f.turn(t + 1)
	if basis := f.basisOf[f.at(t)]; int(basis) != f.tilted {
		f.convert(t, f.bases[basis], f.bases[f.tilted])
	}
	u := f.shift[f.at(t)] + f.w.common
	f.leave(t, u)
	lo, hi := g.reach.band(t, f.e.frames)
	first, last := f.zlo-g.margin, f.zhi-g.margin
	w, x := f.ws[:0], f.xs[:0]
	for d, offset := range g.offsets {
		at := g.margin + first - int(offset)
		w, x = append(w, f.tilt[d*g.stride+at:]), append(x, f.a[at:])
	}
	f.ws, f.xs = w, x
	assign(f.arrival[first:last], w, x)
	a := f.a[g.margin:]
	if len(g.looseNode) > 0 {
		tilt := f.tilt[g.firstLoose:]
		for q := lo; q < hi; q++ {
			if x := a[q]; x != 0 {
				for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
					f.arrival[g.looseNode[i]] += float64(x * tilt[i])
				}
			}
		}
	}
	if f.uses {
		f.addUses(lo, hi)
	}
	f.arrive(t, u, first, last)
}

// addUses adds the uses of steps to nodes from positions lo, …, hi−1.
func (f *flow) addUses(lo, hi int) {
	g := f.g
	a, z := f.a[g.margin:], f.z[g.margin:]
	for d, offset := range g.offsets {
		addProducts(f.products[d*g.stride+g.margin+lo:][:hi-lo], a[lo:], f.z[g.margin+lo+int(offset):])
	}
	if len(g.looseNode) == 0 {
		return
	}
	products := f.products[g.firstLoose:]
	for q := lo; q < hi; q++ {
		if x := a[q]; x != 0 {
			for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
				products[i] += float64(x * z[g.looseNode[i]])
			}
		}
	}
}

// arrive adds the nodes first, …, last−1 of frame t to their positions.
func (f *flow) arrive(t int, u int64, first, last int) {
	g := f.g
	unit := powerOf2(u).Float64()
	emission := f.e.weight[t*g.symbols:][:g.symbols]
	next := f.next[g.margin:]
	z, arrival, symbol := f.z[f.zlo:f.zhi], f.arrival[first:last], g.nodeSymbol[first:last]
	symbol, arrival = symbol[:len(z)], arrival[:len(z)]
	gamma := f.gamma
	if g.single && gamma != nil && len(z) > 0 {
		next = next[g.nodeTo[first]:][:len(z)]
		for i, z := range z {
			if z != 0 {
				v, x := symbol[i], arrival[i]
				next[i] = x * (emission[v] * unit)
				gamma[v] += float64(x * z)
			}
		}
		return
	}
	to := g.nodeTo[first:last]
	for i, z := range z {
		if z == 0 {
			continue
		}
		v, x := symbol[i], arrival[i]
		next[to[i]] += float64(x * (emission[v] * unit))
		if gamma != nil {
			gamma[v] += float64(x * z)
		}
	}
}

// slowStep is step by semiring.ScaledFloat.
func (f *flow) slowStep(t int) {
	g := f.g
	lo, hi := g.reach.band(t, f.e.frames)
	first, last := f.wideNodes(t)
	clear(f.wideSum[first:last])
	a, s := f.a[g.margin:], f.basis(t)
	unit := powerOf2(f.shift[f.at(t)])
	for q := lo; q < hi; q++ {
		if a[q] == 0 {
			continue
		}
		x := semiring.NewScaled(a[q]).Mul(powerOf2(-s[q])).Mul(unit)
		for d, offset := range g.offsets {
			f.slowly(x, d*g.stride+g.margin+q, q+int(offset), first, last)
		}
		for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
			f.slowly(x, g.firstLoose+int(i), int(g.looseNode[i]), first, last)
		}
	}
	next, s := f.next[g.margin:], f.basis(t+1)
	emission := f.e.weight[t*g.symbols:][:g.symbols]
	for node := first; node < last; node++ {
		x, z := f.wideSum[node], f.wideNode[node]
		if x.IsZero() || z.IsZero() {
			continue
		}
		v, to := int(g.nodeSymbol[node]), g.nodeTo[node]
		next[to] += x.Mul(f.e.relative(t, v, emission[v])).Mul(powerOf2(s[to])).Float64()
		if f.gamma != nil {
			f.gamma[v] += x.Mul(z).Float64()
		}
	}
}

// slowly takes the step of a slot to a node, from a position whose a is x.
func (f *flow) slowly(x semiring.ScaledFloat, slot, node, first, last int) {
	w := f.w.weight[slot]
	if w.IsZero() || node < first || node >= last || f.wideNode[node].IsZero() {
		return
	}
	x = x.Mul(w)
	f.wideSum[node] = f.wideSum[node].Add(x)
	if f.uses {
		f.steps[slot] += x.Mul(f.wideNode[node]).Float64()
	}
}

// distribute adds the uses of steps and ends to the uses of arcs and states.
func (f *flow) distribute(weight float64, uses Parts) {
	g := f.g
	var within [][]float64 // per knot: expected passages between each pair of its states
	for _, k := range g.knots {
		within = append(within, make([]float64, len(k)*len(k)))
	}
	way := func(p, q int32, x float64) {
		if k := g.knot[p]; k >= 0 {
			within[k][int(g.inKnot[p])*len(g.knots[k])+int(g.inKnot[q])] += x
		}
	}
	n := f.e.frames
	lo, hi := g.reach.band(n, n)
	a, b := f.a[g.margin:], f.row(n)
	for q := lo; q < hi; q++ {
		x := f.ending(n, q, a[q], b[q])
		if x == 0 {
			continue
		}
		p := int32(q)
		for _, r := range g.ends(p) {
			share := x
			if g.knot[p] >= 0 {
				share *= g.endWeight(p, r, false).Div(f.w.end[p]).Float64()
				way(p, r, share)
			}
			if uses.Final != nil {
				uses.Final[g.state[r]] += weight * share
			}
		}
	}
	if uses.Arc == nil {
		return
	}
	for slot, x := range f.steps {
		if x == 0 {
			continue
		}
		lo, hi, p := g.partRow[slot], g.partRow[slot+1], g.from(int32(slot))
		for i := lo; i < hi; i++ {
			share := x
			if hi-lo > 1 || g.knot[p] >= 0 {
				share *= g.partWeight(p, i, false).Div(f.w.weight[slot]).Float64()
			}
			k := g.parts[i]
			way(p, g.position[g.arcs[k].From], share)
			uses.Arc[k] += weight * share
		}
	}
	if len(g.knots) > 0 {
		f.inside(weight, within, uses.Arc)
	}
}

// ending returns the probability that a path ends at position q, or in its knot, where a·b is the
// probability of being there after all frames.
func (f *flow) ending(n, q int, a, b float64) float64 {
	if a == 0 || b == 0 || f.w.end[q].IsZero() {
		return 0
	}
	if len(f.g.epsilonTo) == 0 {
		return a * b
	}
	end := f.w.end[q].Mul(powerOf2(f.shift[f.at(n)] - f.basis(n)[q]))
	return semiring.NewScaled(a).Mul(end).Float64()
}

// inside adds the uses of the ε arcs inside knots, given the expected number of passages between
// each pair of their states: an arc from i to j is on the fraction star(q, i)·w·star(j,
// r)/star(q, r) of the passages from q to r.
func (f *flow) inside(weight float64, within [][]float64, uses []float64) {
	g := f.g
	// Per knot, i and j: the sum over q and r of within·star(q, i)·star(j, r)/star(q, r).
	before := make([][]semiring.ScaledFloat, len(g.knots))
	for k, members := range g.knots {
		n, star := len(members), g.stars[k].sums
		after := make([]semiring.ScaledFloat, n*n) // of q and j: Σ over r
		for q := range n {
			for r := range n {
				x := within[k][q*n+r]
				if x == 0 {
					continue
				}
				ratio := semiring.NewScaled(x).Div(star[q][r])
				for j := range n {
					after[q*n+j] = after[q*n+j].Add(ratio.Mul(star[j][r]))
				}
			}
		}
		before[k] = make([]semiring.ScaledFloat, n*n)
		for q := range n {
			for i := range n {
				for j := range n {
					before[k][i*n+j] = before[k][i*n+j].Add(star[q][i].Mul(after[q*n+j]))
				}
			}
		}
	}
	for k, a := range g.arcs {
		p, q := g.position[a.From], g.position[a.To]
		if a.Symbol == Epsilon && g.sameKnot(p, q) {
			of := g.knot[p]
			x := before[of][int(g.inKnot[p])*len(g.knots[of])+int(g.inKnot[q])]
			uses[k] += weight * x.Mul(g.w.Arc[k]).Float64()
		}
	}
}
