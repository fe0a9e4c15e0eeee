package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/erased"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// boxed sums over a ring whose weights the algorithms do not know: inside components it
// hands them over as values of type any, which costs an allocation each. Between
// components nothing is boxed. It is compiled anew in every package for every type of weights.
type boxed[W any] struct {
	g     *Graph[W]
	p     *problem
	boxed func(x []any, c int, back, inside bool) error // see engine.sum
	x     []W                                           // the sums of the current call
	y     []any                                         // by state of the current component: x
}

// start makes b ready for its graph (see New).
func (b *boxed[W]) start(use func() []bool) (err error) {
	g, ring := b.g, b.g.Products.Ring
	noStar := func() error { _, err := semiring.RequireClosed(ring); return err }
	arc := func(e int32) any { return g.Weight[e] }
	b.y = make([]any, g.Topology.NumStates())
	b.p, b.boxed, err = startBoxed(erased.Sums(ring), g.Topology, g.Plans, arc, b.pull, g.Interrupted, noStar, use)
	return err
}

// pull is engine.pull.
func (b *boxed[W]) pull(dst *any, s int32, from *rows.Adjacency) {
	sum := erased.Weight[W](*dst)
	weights.Pull(b.g.Products, &sum, b.g.Weight, b.x, s, *from)
	*dst = sum
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
		b.y[s], x[s] = x[s], zero
	}
	err := b.boxed(b.y, c, back, inside)
	for _, s := range states {
		x[s], b.y[s] = erased.Weight[W](b.y[s]), nil
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
	mass   *weights.Mass[any] // nil unless it is a ring of probabilities that adds
	noStar func() error       // returns why the ring has no Star
}

// startBoxed returns what solves a graph over an erased ring, and the method sum of its engine. arc
// returns the weight of an arc. It is compiled here alone.
//
//go:noinline
func startBoxed(ring semiring.Semiring[any], t *rows.Topology, plans *Plans, arc func(e int32) any,
	pull func(dst *any, s int32, from *rows.Adjacency), interrupted, noStar func() error, use func() []bool,
) (*problem, func(x []any, c int, back, inside bool) error, error) {
	weight, loop := make([]any, len(t.To)), t.Components().Loop
	for s, c := range t.ComponentOf() {
		for e := t.Row[s]; loop[c] && e < t.Row[s+1]; e++ {
			weight[e] = arc(e)
		}
	}
	products := weights.NewProducts(ring)
	e := &boxedEngine{*newEngine(&Graph[any]{&products, t, plans, weight, interrupted}, use), weights.MassOf(ring), noStar}
	e.pull = pull
	e.use.known()
	if order, ok := semiring.As[semiring.Ordered[any]](ring); ok {
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
