package graph

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// Pairs computes rows of AllPairs one at a time, in time proportional to the part of the graph
// that its state reaches. Use it for graphs of many states that each reach few others, such as
// the ε-arcs of a machine. A Pairs must not be used by several goroutines at once.
type Pairs[W any] struct {
	solver    *solver[W]
	component []int32 // of every state
	zero, one W
	x         []W // Zero between calls
	seen      []bool
	open      []frame
	order     []int32 // components reached; a component comes after those that it leads to
	states    []int32
	sums      []W
	in        rows.Adjacency
	weight    []W         // of the arcs in the order of in, for a Sweeper
	run       []int32     // states whose sums are computed one after the other
	wide      pairsScaled // of the graph in Scaled, once Real has lost sums
}

// pairsScaled is a *Pairs[semiring.ScaledFloat]. With a field of that type, every package that
// has a Pairs of other weights would compile its methods.
type pairsScaled interface {
	From(s int32) (states []int32, sums []semiring.ScaledFloat, err error)
}

// newPairsScaled is NewPairs in Scaled. It is compiled only here.
//
//go:noinline
func newPairsScaled(g *Graph[semiring.ScaledFloat]) (pairsScaled, error) {
	p, err := NewPairs(g)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// frame is the position of a depth-first traversal of components: at an arc of the state at
// position p, in a component that ends before hi.
type frame struct{ p, hi, arc int32 }

// NewPairs returns the Pairs of g. It takes O(states + arcs). The error wraps
// semiring.ErrCapability if ⊗ does not distribute over ⊕ from the right, or if g has a cycle that
// the ring cannot sum (see PathSum). It wraps semiring.ErrLimit if a component fills up in
// elimination.
func NewPairs[W any](g *Graph[W]) (*Pairs[W], error) {
	if err := semiring.RequireSide(g.ring, semiring.RightSide); err != nil {
		return nil, nested.Errorf("graph: sums of pairs: %w", err)
	}
	s, err := newSolver(g, nil)
	if err != nil {
		return nil, err
	}
	p := &Pairs[W]{
		solver:    s,
		component: g.topology.ComponentOf(),
		zero:      g.ring.Zero(),
		one:       g.ring.One(),
		x:         rows.Filled(g.NumStates(), g.ring.Zero()),
		seen:      make([]bool, s.components.Len()),
		run:       []int32{},
		in:        g.topology.In(),
	}
	if s.products.Sweeper != nil {
		p.weight = make([]W, len(g.weight))
		for n, e := range p.in.Arc {
			p.weight[n] = g.weight[e]
		}
	}
	return p, nil
}

// From returns the states that are reachable by arcs from state s, s first, and for each of them
// ⊕ over the arc weights of all paths from s to it; for s itself that includes the empty path.
// Arcs of weight Zero count as arcs. Both slices are valid until the next call.
//
// It takes one step per state reached and per incoming and outgoing arc of it, plus the solution
// of the cyclic components reached; each component is eliminated once for all calls. Errors are
// as for PathSum. From panics if there is no state s.
func (p *Pairs[W]) From(s int32) (states []int32, sums []W, err error) {
	p.order = p.order[:0]
	p.reach(p.component[s])
	p.x[s] = p.one
	err = p.solve(1)
	if wide := widened(p.solver.g, weights.Lost(err, p.sums...)); wide != nil {
		if p.wide == nil {
			if p.wide, err = newPairsScaled(wide); err != nil {
				return nil, nil, err
			}
		}
		states, inScaled, err := p.wide.From(s)
		sums, err := narrowed[W](inScaled, err)
		return states, sums, err
	}
	if err != nil {
		return nil, nil, err
	}
	for i, q := range p.states {
		if q == s {
			p.states[0], p.states[i] = q, p.states[0]
			p.sums[0], p.sums[i] = p.sums[i], p.sums[0]
			break
		}
	}
	return p.states, p.sums, nil
}

// spread returns the states that are reachable by arcs from the given states, and for each of
// them ⊕ over all paths to it of the given weight of the first state ⊗ arc weights. Weights must
// be finite.
func (p *Pairs[W]) spread(from []int32, weight []W) (states []int32, sums []W, err error) {
	p.order = p.order[:0]
	for i, s := range from {
		if !p.seen[p.component[s]] {
			p.reach(p.component[s])
		}
		p.x[s] = weight[i]
	}
	if err := p.solve(0); err != nil {
		return nil, nil, err
	}
	return p.states, p.sums, nil
}

// solve computes states and sums from the reached components in order and the weights x at which
// paths start. If sources is 1, x is One in a single component; if sources is 0, x is arbitrary.
// The last sources components of order have no arcs from other reached components.
func (p *Pairs[W]) solve(sources int) (err error) {
	c := p.solver.components
	p.states, p.sums, p.run = p.states[:0], p.sums[:0], p.run[:0]
	for n := len(p.order) - 1; n >= 0 && err == nil; n-- {
		of, first := int(p.order[n]), len(p.order)-n <= sources
		switch {
		case loop(p.solver, of):
			p.pull(sources)
			if first {
				err = solve.ForwardInside(p.solver.cyclic, p.x, of)
			} else {
				err = solve.Forward(p.solver.cyclic, p.x, of)
			}
		case !first:
			lo, _ := c.Bounds(of)
			p.run = append(p.run, c.State(lo))
		}
	}
	if err == nil {
		p.pull(sources)
	}
	for n := len(p.order) - 1; n >= 0; n-- {
		lo, hi := c.Bounds(int(p.order[n]))
		for at := lo; at < hi; at++ {
			q := c.State(at)
			p.states, p.sums = append(p.states, q), append(p.sums, p.x[q])
			p.x[q] = p.zero
		}
		p.seen[p.order[n]] = false
	}
	return err
}

// pull computes x in the states of run, which are on no cycles, and empties run.
func (p *Pairs[W]) pull(sources int) {
	s := p.solver
	if sources > 0 && s.products.Sweeper != nil { // x is Zero there
		s.products.Sweeper.Sweep(p.x, p.run, p.in.Row, p.weight, p.in.Other)
	} else {
		for _, state := range p.run {
			weights.Pull(&s.products, &p.x[state], s.g.weight, p.x, state, p.in)
		}
	}
	p.run = p.run[:0]
}

// reach appends to order component c and the components that c leads to, unless already there,
// each after those that it leads to.
func (p *Pairs[W]) reach(c int32) {
	g, of := p.solver.g, p.solver.components
	row, to := g.Row(), g.To()
	p.enter(c)
descend:
	for len(p.open) > 0 {
		f := &p.open[len(p.open)-1]
		s := of.State(int(f.p))
		for {
			for ; f.arc < row[s+1]; f.arc++ {
				if d := p.component[to[f.arc]]; !p.seen[d] {
					p.enter(d)
					continue descend
				}
			}
			if f.p++; f.p == f.hi {
				break
			}
			s = of.State(int(f.p))
			f.arc = row[s]
		}
		p.order = append(p.order, p.component[s])
		p.open = p.open[:len(p.open)-1]
	}
}

// enter begins the traversal of component c.
func (p *Pairs[W]) enter(c int32) {
	p.seen[c] = true
	lo, hi := p.solver.components.Bounds(int(c))
	p.open = append(p.open, frame{int32(lo), int32(hi), p.solver.g.Row()[p.solver.components.State(lo)]})
}

// maxPairs is the largest number of pairs of states that AllPairs accepts: 8192 states.
const maxPairs = 1 << 26

// AllPairs returns d with d[p][q] = ⊕ over the arc weights of all paths from state p to state q,
// the closure D* of the matrix of arc weights: d[p][p] includes the empty path, and d[p][q] is
// Zero if no path leads from p to q. Start and final weights do not matter.
//
// It solves the algebraic path problem of Lehmann, "Algebraic structures for transitive closure"
// (1977), in any ring, commutative or not, for which the graph has a PathSum. Every cycle must
// have a sum. The errors are as for PathSum, and semiring.ErrLimit for more than 2²⁶ pairs.
// Cyclic components are factored once and then solved from each state (Backhouse and Carré 1975):
// O(n³) time on a dense graph of n states, and n times the cost of Forward without its
// elimination on a sparse one. It uses O(n²) memory.
func AllPairs[W any](g *Graph[W]) ([][]W, error) {
	d, err := allPairs(g)
	lost := weights.Lost[W](err)
	for _, row := range d {
		lost = lost || weights.Lost(err, row...)
	}
	wide := widened(g, lost)
	if wide == nil {
		return d, err
	}
	inScaled, err := allPairsScaled(wide)
	if err != nil {
		return nil, err
	}
	d = make([][]W, len(inScaled))
	for p, row := range inScaled {
		if d[p], err = narrowed[W](row, nil); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// allPairsScaled is allPairs in Scaled. It is compiled only here.
//
//go:noinline
func allPairsScaled(g *Graph[semiring.ScaledFloat]) ([][]semiring.ScaledFloat, error) {
	return allPairs(g)
}

// allPairs is AllPairs in the ring of g.
func allPairs[W any](g *Graph[W]) ([][]W, error) {
	n := g.NumStates()
	if n*n > maxPairs {
		return nil, nested.Errorf("graph: %w: %d states have more than %d pairs", semiring.ErrLimit, n, maxPairs)
	}
	if err := semiring.RequireSide(g.ring, semiring.RightSide); err != nil {
		return nil, nested.Errorf("graph: all pairs: %w", err)
	}
	s, err := newSolver(g, nil)
	if err != nil {
		return nil, err
	}
	d := make([][]W, n)
	for c := range s.components.Len() {
		lo, hi := s.components.Bounds(c)
		for p := lo; p < hi; p++ {
			state := s.components.State(p)
			if err := interrupted(g.ctx); err != nil {
				return nil, err
			}
			if d[state], err = from(s, state, c); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// from returns, per state, the sum over all paths to it from state p of component c.
func from[W any](s *solver[W], p int32, c int) ([]W, error) {
	ring := s.g.ring
	x := rows.Filled(s.g.NumStates(), ring.Zero())
	x[p] = ring.One()
	if loop(s, c) {
		if err := solve.ForwardInside(s.cyclic, x, c); err != nil {
			return nil, err
		}
	}
	return x, onward(s, x, c+1)
}
