package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/erased"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// boxed sums over a ring whose weights the algorithms do not know: inside components it
// hands them over as values of type any, which costs an allocation each. Between
// components nothing is boxed. All that is here is compiled anew in every package for every
// type of weights.
type boxed[W any] struct {
	g      *Graph[W]
	engine *engine[any]
	x      []W   // the sums of the current call
	y      []any // by state of the current component: x
}

func newBoxed[W any](g *Graph[W], use func() []bool) (b *boxed[W], err error) {
	ring, c, t := g.Products.Ring, g.Topology.Components(), g.Topology
	weight := make([]any, len(g.Weight))
	for s, of := range g.Topology.ComponentOf() {
		for e := t.Row[s]; c.Loop[of] && e < t.Row[s+1]; e++ {
			weight[e] = g.Weight[e]
		}
	}
	b = &boxed[W]{g: g, y: make([]any, t.NumStates())}
	b.engine, err = newBoxedEngine(erased.Of(ring), t, g.Plans, weight, g.Interrupted, lacksOf(ring), use)
	if err == nil {
		b.engine.pull = b.pull
	}
	return b, err
}

// newBoxedEngine is newEngine for an erased ring, compiled here alone.
//
//go:noinline
func newBoxedEngine(ring semiring.Semiring[any], t *rows.Topology, plans *Plans, weight []any, interrupted func() error,
	lacks lacks, use func() []bool) (*engine[any], error) {
	products := weights.NewProducts(ring)
	return newEngine(&Graph[any]{&products, t, plans, weight, interrupted}, lacks, use)
}

// pull is engine.pull.
func (b *boxed[W]) pull(dst *any, s int32, from *rows.Adjacency) {
	sum := erased.Weight[W](*dst)
	weights.Pull(b.g.Products, &sum, b.g.Weight, b.x, s, *from)
	*dst = sum
}

func (b *boxed[W]) component(x []W, c int, back bool) error {
	e := b.engine
	if e.components.Loop[c] {
		return b.through(x, c, back, (*engine[any]).component)
	}
	state, _ := e.components.Bounds(c)
	if s := e.components.State(state); !e.Skips(s) {
		weights.Pull(b.g.Products, &x[s], b.g.Weight, x, s, e.endsOf(back).from)
	}
	return nil
}

func (b *boxed[W]) inside(x []W, c int, back bool) error {
	return b.through(x, c, back, (*engine[any]).inside)
}

// through calls sum with the sums of component c in a box. Meanwhile x is Zero there.
func (b *boxed[W]) through(x []W, c int, back bool, sum func(e *engine[any], x []any, c int, back bool) error) error {
	lo, hi := b.engine.components.Bounds(c)
	states, zero := b.engine.components.States[lo:hi], b.g.Products.Ring.Zero()
	b.x = x
	for _, s := range states {
		b.y[s], x[s] = x[s], zero
	}
	err := sum(b.engine, b.y, c, back)
	for _, s := range states {
		x[s], b.y[s] = erased.Weight[W](b.y[s]), nil
	}
	return err
}
