package frames

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// Scratch is working storage for the methods of a Graph. Its zero value is ready for use; one
// goroutine uses it at a time, for any number of graphs and emissions.
type Scratch struct {
	pass pass
	flow flow
}

// PathSum returns Z, the sum over all paths, 0 if there is none. It takes O(frames × arcs) and
// memory for two rows of states.
//
// The error wraps semiring.ErrShape if e has another number of symbols, and
// semiring.ErrNotFinite if Z is too great for a semiring.ScaledFloat.
func (g *Graph) PathSum(e *Emissions, s *Scratch) (semiring.ScaledFloat, error) {
	if err := g.check(e); err != nil {
		return semiring.ScaledFloat{}, err
	}
	p := &s.pass
	p.start(g, e, false, false)
	if !p.backward() {
		return semiring.ScaledFloat{}, nil
	}
	total, _, err := p.total()
	return total, err
}

// total returns Z, after backward, and Z without the factors that all paths have in common.
func (p *pass) total() (total, inner semiring.ScaledFloat, err error) {
	add := semiring.ScaledFloat.Add
	if p.best {
		add = greater
	}
	lo, hi := p.g.reach.band(0, p.e.frames)
	b, s := p.row(0), p.basis(0)
	for q := lo; q < hi; q++ {
		if w := p.g.w.Initial[p.g.state[q]]; !w.IsZero() && b[q] != 0 {
			inner = add(inner, w.Mul(semiring.NewScaled(b[q]).Mul(powerOf2(s[q]))))
		}
	}
	total = inner.Mul(powerOf2(p.c))
	for _, top := range p.e.top {
		total = total.Mul(top)
	}
	if !total.IsFinite() || total.IsZero() && !inner.IsZero() {
		return semiring.ScaledFloat{}, inner, nested.Errorf("frames: %w: the sum over all paths is out of range", semiring.ErrNotFinite)
	}
	return total, inner, nil
}

// Counts returns Z, the sum over all paths. It adds weight times the expected uses of the parts
// of the graph to uses, and weight times γ_t(v), the probability that frame t is read as symbol
// v, to gamma: frames × symbols numbers, frame by frame, or nil. γ is ∂ ln Z/∂ ln E[t][v], and
// sums to 1 in each frame. If Z is 0, or there is an error, nothing is added. O(frames × arcs);
// memory is in proportion to frames × states, of more than 2²⁰ to √frames × states.
//
// Errors are as for PathSum.
func (g *Graph) Counts(e *Emissions, weight float64, uses Parts, gamma []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if err := g.check(e); err != nil {
		return semiring.ScaledFloat{}, err
	}
	if gamma != nil && len(gamma) != len(e.weight) {
		panic(fmt.Sprintf("frames: Counts: %d numbers for %d frames of %d symbols", len(gamma), e.frames, e.symbols))
	}
	p := &s.pass
	p.start(g, e, false, true)
	if !p.backward() {
		return semiring.ScaledFloat{}, nil
	}
	total, inner, err := p.total()
	if err != nil || inner.IsZero() {
		return total, err
	}
	f := &s.flow
	f.start(p, uses.Arc != nil)
	f.begin(inner, weight, uses.Initial)
	for i := range p.segments() {
		f.flush()
		p.enter(i)
		for t := p.lo; t < p.hi; t++ {
			if gamma == nil {
				f.step(t)
				continue
			}
			f.gamma = zeros(f.gamma, e.symbols)
			f.step(t)
			for v, x := range f.gamma {
				gamma[t*e.symbols+v] += weight * x
			}
		}
	}
	f.flush()
	if uses.Arc != nil || uses.Final != nil {
		f.distribute(weight, uses)
	}
	return total, nil
}

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
	end      []float64 // per position: probability of ending there
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

// turn makes the basis of row t the current one.
func (f *flow) turn(t int) {
	basis := int(f.basisOf[f.at(t)])
	if f.tilted != basis {
		f.flush()
		f.tiltTo(basis)
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
	f.turn(t)
	u := f.shift[f.at(t)]
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

// arrive goes on from the nodes first, …, last−1 of frame t to positions.
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

// slowly goes by the step of a slot to a node, from a position where x is a.
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

// distribute adds the uses of steps and ends to those of arcs and states.
func (f *flow) distribute(weight float64, uses Parts) {
	g := f.g
	var within [][]float64 // per knot: expected number of ways from each of its states to each
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

// inside adds the uses of the ε arcs inside knots, given how often a path goes from each of their
// states to each: an arc from i to j is on the part star(q, i)·w·star(j, r)/star(q, r) of the ways
// from q to r.
func (f *flow) inside(weight float64, within [][]float64, uses []float64) {
	g := f.g
	before := make([][]semiring.ScaledFloat, len(g.knots)) // per knot, i and j: Σ star(q, i)·star(j, r)·within/star(q, r)
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
