package solve

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/erased"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// boxed sums over a ring for whose type of weights the algorithms are not compiled: they get
// weights inside components as values of type any. Between components nothing is boxed. Every
// package compiles this type again for each of its types of weights, so it is short.
type boxed[W any] struct {
	g     *Graph[W]
	box   erased.Box[W]
	p     *problem
	boxed func(x []any, c int, back, inside bool) error // see engine.sum
	x     []W                                           // the sums of the current call
	y     []any                                         // by state of the current component: x

	w, v   []W // scratch of dot
	result W   // of dot

	distance       func(a, b W) float64 // of send
	sums, residual []W                  // per state, of a relaxation: its sum and what it has to send
}

// rowOperations are the operations of a ring on rows of weights in boxes: one box per result.
type rowOperations struct {
	// dot sets dst to ⊕ₙ w[k[n]] ⊗ x[i[n]], a nil k standing for 0, 1, 2, ….
	dot func(dst *any, w []any, k []int32, x []any, i []int32)
	// add adds x ⊗ w[n] to row[at[n]], for all n. Nothing in row but Zero must be elsewhere, too.
	add   func(row []any, at []int32, x any, w []any)
	relax relaxer // nil if weights cannot be compared
}

// relaxer keeps the sums of a relaxation without boxes.
type relaxer interface {
	// take takes the sums of states from their boxes, to be sent. It marks those that are not
	// Zero as due, and returns how many are.
	take(states []int32, x []any, due []bool) int
	// send adds what s has to send, which becomes Zero, extended by an arc, to the sums of others
	// and to what they have to send, where the sum differs by it. It marks these as due, and
	// returns how many were not.
	send(s int32, d *direction, due []bool) int
	// put puts the sums of states into their boxes.
	put(states []int32, x []any)
}

// start makes b ready for its graph (see New).
func (b *boxed[W]) start(use func() []bool) (err error) {
	g, ring := b.g, b.g.Products.Ring
	noStar := func() error { _, err := semiring.RequireClosed(ring); return err }
	text := func(a any) string { return fmt.Sprint(erased.In[W](a)) }
	arc := func(e int32) any { return b.box.Put(g.Weight[e]) }
	b.y = make([]any, g.Topology.NumStates())
	by := rowOperations{dot: b.dot, add: b.add}
	if b.distance = DistanceOf(ring); b.distance != nil {
		by.relax = b
	}
	b.p, b.boxed, err = startBoxed(erased.Sums(ring, &b.box), by, g.Topology, g.Plans, arc, b.pull, g.Interrupted, noStar, text, use)
	return err
}

// pull is engine.outer.
func (b *boxed[W]) pull(dst *any, s int32, from *rows.Adjacency) {
	sum := erased.In[W](*dst)
	weights.Pull(b.g.Products, &sum, b.g.Weight, b.x, s, *from)
	*dst = b.box.Put(sum)
}

// dot is rowOperations.dot.
func (b *boxed[W]) dot(dst *any, w []any, k []int32, x []any, i []int32) {
	b.w, b.v = b.w[:0], b.v[:0]
	for n, in := range i {
		if k != nil {
			n = int(k[n])
		}
		b.w, b.v = append(b.w, erased.In[W](w[n])), append(b.v, erased.In[W](x[in]))
	}
	b.result = *new(W) // its storage is now in a box
	b.g.Products.Kernel.Dot(&b.result, b.w, nil, b.v, nil)
	*dst = b.box.Put(b.result)
}

// add is rowOperations.add.
func (b *boxed[W]) add(row []any, at []int32, x any, w []any) {
	ring, factor := b.g.Products.Ring, erased.In[W](x)
	for n, r := range at {
		b.box.Replace(&row[r], ring.Plus(erased.In[W](row[r]), ring.Times(factor, erased.In[W](w[n]))))
	}
}

// take is relaxer.take.
func (b *boxed[W]) take(states []int32, x []any, due []bool) (waiting int) {
	if b.sums == nil {
		b.sums, b.residual = make([]W, len(x)), make([]W, len(x))
	}
	for _, s := range states {
		w := erased.In[W](x[s])
		b.sums[s], b.residual[s] = w, w
		if due[s] = !b.g.Products.Ring.IsZero(w); due[s] {
			waiting++
		}
	}
	return waiting
}

// send is relaxer.send.
func (b *boxed[W]) send(s int32, d *direction, due []bool) (more int) {
	ring, sent := b.g.Products.Ring, b.residual[s]
	b.residual[s] = ring.Zero()
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		t := d.Other[n]
		w := b.g.Weight[d.ArcAt(n)]
		if !d.leads(s, t) || ring.IsZero(w) {
			continue
		}
		left, right := sent, w
		if d.before {
			left, right = w, sent
		}
		old, product := b.sums[t], ring.Times(left, right)
		sum := ring.Plus(old, product)
		if b.distance(sum, old) == 0 {
			continue
		}
		b.sums[t], b.residual[t] = sum, ring.Plus(b.residual[t], product)
		if !due[t] {
			due[t] = true
			more++
		}
	}
	return more
}

// put is relaxer.put.
func (b *boxed[W]) put(states []int32, x []any) {
	for _, s := range states {
		x[s] = b.box.Put(b.sums[s])
	}
}

// sum is engine.sum. While the sums of a cyclic component are in their box, x is Zero there.
func (b *boxed[W]) sum(x []W, c int, back, inside bool) error {
	states, from, loop := b.p.at(c, back)
	if !loop {
		for _, s := range states {
			weights.Pull(b.g.Products, &x[s], b.g.Weight, x, s, *from)
		}
		return nil
	}
	zero := b.g.Products.Ring.Zero()
	b.x = x
	for _, s := range states {
		b.y[s], x[s] = b.box.Put(x[s]), zero
	}
	err := b.boxed(b.y, c, back, inside)
	for _, s := range states {
		x[s], b.y[s] = erased.In[W](b.y[s]), nil
	}
	return err
}

// at returns the states of component c, whether it contains a cycle, and where sums come from. A
// state on no cycle must be in use.
//
//go:noinline
func (p *problem) at(c int, back bool) (states []int32, from *rows.Adjacency, loop bool) {
	lo, hi := p.components.Bounds(c)
	from, loop = &p.endsOf(back).from, p.components.Loop[c]
	if !loop && p.Skips(p.components.State(lo)) {
		hi = lo
	}
	return p.components.States[lo:hi], from, loop
}

// boxedEngine is an engine for weights in boxes.
type boxedEngine struct {
	engine[any]
	rows   rowOperations
	arc    func(e int32) any  // the weight of an arc
	mass   *weights.Mass[any] // nil unless it is a ring of probabilities that adds
	noStar func() error       // returns why the ring has no Star
	text   func(a any) string // returns a weight as text
}

// boxWeights puts the weights of arcs within cyclic components into boxes. Relaxation does without.
func (e *boxedEngine) boxWeights() {
	if e.weight != nil {
		return
	}
	t, loop := e.topology, e.components.Loop
	e.weight = make([]any, len(t.To))
	for s, c := range t.ComponentOf() {
		for n := t.Row[s]; loop[c] && n < t.Row[s+1]; n++ {
			e.weight[n] = e.arc(n)
		}
	}
}

// boxedKernel is the kernel of a ring of weights in boxes.
type boxedKernel struct {
	semiring.Kernel[any]
	rows *rowOperations
}

func (c boxedKernel) Dot(dst *any, w []any, k []int32, x []any, i []int32) {
	c.rows.dot(dst, w, k, x, i)
}

// startBoxed returns what solves a graph over an erased ring, and the method sum of its engine. arc
// returns the weight of an arc. It is compiled here alone.
//
//go:noinline
func startBoxed(ring semiring.Semiring[any], by rowOperations, t *rows.Topology, plans *Plans, arc func(e int32) any,
	pull func(dst *any, s int32, from *rows.Adjacency), interrupted, noStar func() error, text func(a any) string, use func() []bool,
) (*problem, func(x []any, c int, back, inside bool) error, error) {
	products := weights.NewProducts(ring)
	products.Kernel = boxedKernel{products.Kernel, &by}
	e := &boxedEngine{*newEngine(&Graph[any]{&products, t, plans, nil, interrupted}, use), by, arc, weights.MassOf(ring), noStar, text}
	e.outer = pull
	e.use.known()
	if order, ok := semiring.As[semiring.Ordered[any]](ring); ok {
		e.boxWeights()
		closeByLabels(&e.engine, order)
	} else if r := newRelaxation(e); r != nil {
		e.closure = r
	} else {
		pl, err := plans.full(t, interrupted)
		if err != nil {
			return nil, nil, err
		}
		e.closure = newRingElimination(e, pl)
	}
	return &e.problem, e.sum, nil
}
