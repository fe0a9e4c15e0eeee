package solve

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// engine computes the sums of components over weights of one type.
type engine[W any] struct {
	problem
	products  *weights.Products[W]
	ring      semiring.Semiring[W]
	mass      *weights.Mass[W] // nil unless problem.adds
	weight    []W              // per arc
	zero, one W

	x       []W                                         // the sums of the current call
	pull    func(dst *W, s int32, from *rows.Adjacency) // adds to dst what state s gets of the sums
	closure closure                                     // for cyclic components
	dense   *denseSolver                                // is tried before; nil but in rings of numbers
	came    []W                                         // scratch of component
}

// closure sums the paths inside a cyclic component, the one at positions lo … hi−1 of
// the components. The sums x of the engine hold, per state, the sum over paths that reach it
// (forward) or leave it (backward) by arcs of other components, starts and final weights
// included. It is replaced by the sum over all paths.
type closure interface {
	forward(lo, hi int) error
	backward(lo, hi int) error
}

// newEngine returns an engine for a graph (see New).
func newEngine[W any](g *Graph[W], lacks lacks, use func() []bool) (*engine[W], error) {
	e := bareEngine(g, lacks, use)
	if e.mass = weights.MassOf(e.ring); e.mass != nil {
		e.adds, e.numeric, e.exact = true, e.mass.Weight != nil, e.mass.Exact
	}
	e.pull = func(dst *W, s int32, from *rows.Adjacency) { weights.Pull(e.products, dst, e.weight, e.x, s, *from) }
	if e.numeric {
		l := newLinear(&e.problem, newNumbered(e), func(pl *plan) factored { return newElimination(e, pl) })
		e.closure, e.dense = l, &l.dense
		return e, nil
	}
	e.use.known()
	if order, ok := semiring.As[semiring.Ordered[W]](e.ring); ok {
		l := newLabeling(e, order)
		e.closure, e.inner = l, l.arc
		return e, nil
	}
	if r := newRelaxation(e); r != nil {
		e.closure = r
		return e, nil
	}
	pl, err := e.plans.full(e.topology, e.interrupted)
	if err != nil {
		return nil, err
	}
	e.closure = newElimination(e, pl)
	return e, nil
}

// bareEngine returns an engine that does not yet know how to close a component.
func bareEngine[W any](g *Graph[W], lacks lacks, use func() []bool) *engine[W] {
	ring := g.Products.Ring
	return &engine[W]{
		problem:  newProblem(g.Topology, g.Plans, g.Interrupted, lacks, use),
		products: g.Products, ring: ring, weight: g.Weight, zero: ring.Zero(), one: ring.One(),
	}
}

func (e *engine[W]) inside(x []W, c int, back bool) error {
	e.x = x
	lo, hi := e.components.Bounds(c)
	return e.close(lo, hi, back)
}

func (e *engine[W]) close(lo, hi int, back bool) error {
	if back {
		return e.closure.backward(lo, hi)
	}
	return e.closure.forward(lo, hi)
}

// component computes the sums of component c from those of the components before it.
func (e *engine[W]) component(x []W, c int, back bool) error {
	e.x = x
	ends := e.endsOf(back)
	from := &ends.from
	lo, hi := e.components.Bounds(c)
	if !e.components.Loop[c] {
		e.single(e.components.State(lo), from)
		return nil
	}
	if e.dense != nil && e.dense.pull(lo, hi, *from) {
		return nil
	}
	// As long as sums are Zero inside, arcs inside contribute nothing.
	states := e.components.States[lo:hi]
	e.use.known()
	e.came = rows.Resized(e.came, hi-lo)
	came, any, used := e.came, false, false
	for p, s := range states {
		came[p], x[s] = x[s], e.zero
	}
	for p, s := range states {
		switch {
		case e.Skips(s):
			came[p] = e.zero
			continue
		case ends.crossed[s]:
			e.pull(&came[p], s, from)
		}
		used = true
		any = any || !e.ring.IsZero(came[p])
	}
	if !used {
		return nil
	}
	for p, s := range states {
		if x[s] = came[p]; !any && !e.Skips(s) {
			x[s] = e.one
		}
	}
	err := e.close(lo, hi, back)
	if !any {
		// All that came in was rounded to Zero or cancelled. The cycles are on paths
		// all the same, and must have a sum.
		for _, s := range states {
			x[s] = e.zero
		}
	}
	return err
}

// single is component for a state on no cycle.
func (e *engine[W]) single(s int32, from *rows.Adjacency) {
	if e.Skips(s) {
		return
	}
	e.pull(&e.x[s], s, from)
	// Infinite weights times Zero are no reason to make a state count.
	if e.use.find != nil && !e.mass.Of(e.x[s]).IsFinite() {
		if e.use.known(); e.Skips(s) {
			e.x[s] = e.zero
		}
	}
}

// diverges returns the error for the component at positions lo … hi−1 in which a cycle
// through state has no value, with what is known about why.
func diverges(state int32, lo, hi int, why string) error {
	cycles := fmt.Sprintf("the cycles through state %d", state)
	if hi-lo > 1 {
		cycles += fmt.Sprintf(", in a component of %d states,", hi-lo)
	}
	return fmt.Errorf("graph: %w: %s have no sum: %s", semiring.ErrDiverges, cycles, why)
}
