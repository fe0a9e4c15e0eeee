package solve

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// engine computes the sums of components over weights of one type.
type engine[W any] struct {
	problem
	products  *weights.Products[W]
	ring      semiring.Semiring[W]
	weight    []W // per arc
	zero, one W

	x    []W // the sums of the current call
	came []W // scratch of component
}

// newEngine returns an engine for a graph, without a closure.
func newEngine[W any](g *Graph[W], use func() []bool) *engine[W] {
	ring := g.Products.Ring
	return &engine[W]{
		problem:  newProblem(g.Topology, g.Plans, g.Interrupted, use),
		products: g.Products, ring: ring, weight: g.Weight, zero: ring.Zero(), one: ring.One(),
	}
}

// sum replaces x in component c by the sums over all paths, backward or forward. x contains the
// start or final weights there or, if inside is set, all terms from outside a cyclic component.
func (e *engine[W]) sum(x []W, c int, back, inside bool) error {
	e.x = x
	lo, hi := e.components.Bounds(c)
	switch {
	case inside:
		return e.close(lo, hi, back)
	case e.components.Loop[c]:
		return e.component(lo, hi, back)
	}
	e.single(e.components.State(lo), &e.endsOf(back).from)
	return nil
}

// component computes the sums of a cyclic component from the sums of earlier components.
func (e *engine[W]) component(lo, hi int, back bool) error {
	ends := e.endsOf(back)
	from := &ends.from
	if e.dense != nil && e.dense.pull(lo, hi, *from) {
		return nil
	}
	// While sums are Zero inside, arcs inside contribute Zero.
	states := e.components.States[lo:hi]
	e.use.known()
	e.came = rows.Resized(e.came, hi-lo)
	x, came, any, used := e.x, e.came, false, false
	for p, s := range states {
		came[p], x[s] = x[s], e.zero
	}
	for p, s := range states {
		switch {
		case e.Skips(s):
			came[p] = e.zero
			continue
		case ends.crossed[s]:
			weights.Pull(e.products, &came[p], e.weight, x, s, *from)
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
		// All terms from outside were rounded to Zero or cancelled. The cycles are still on
		// paths, and must have a sum.
		for _, s := range states {
			x[s] = e.zero
		}
	}
	return err
}

// single is component for a state that is on no cycle.
func (e *engine[W]) single(s int32, from *rows.Adjacency) {
	if e.Skips(s) {
		return
	}
	weights.Pull(e.products, &e.x[s], e.weight, e.x, s, *from)
	// A sum that is not finite, such as infinity times Zero, does not count outside use.
	if e.use.find != nil && !e.numbers.sum(s).IsFinite() {
		if e.use.known(); e.Skips(s) {
			e.x[s] = e.zero
		}
	}
}

// diverges returns the error for the component at positions lo … hi−1 in which a cycle through
// state has no value; why is the reason.
func diverges(state int32, lo, hi int, why string) error {
	cycles := fmt.Sprintf("the cycles through state %d", state)
	if hi-lo > 1 {
		cycles += fmt.Sprintf(", in a component of %d states,", hi-lo)
	}
	return nested.Errorf("graph: %w: %s have no finite sum: %s", semiring.ErrDiverges, cycles, why)
}
