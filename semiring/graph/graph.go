package graph

import (
	"context"
	"math"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
)

// Arc is an arc into state To. The labels In and Out are for the caller; the algorithms of this
// package ignore them, and a Graph does not store them.
type Arc[W any] struct {
	In, Out, To int32
	Weight      W
}

// Start makes State initial with weight λ = Weight.
type Start[W any] struct {
	State  int32
	Weight W
}

// Graph is a frozen weighted graph: arcs in compressed rows by source state, and a ring for their
// weights. Everything that depends only on topology (transpose, topological order, components,
// the plan of an elimination) is computed on first use and shared by all graphs made with
// WithWeights and Map. A Graph is safe for concurrent use.
type Graph[W any] struct {
	ring     semiring.Semiring[W]
	topology *topology
	weight   []W
	starts   []Start[W]
	final    []W
	ctx      context.Context // of long sums; nil: they cannot be interrupted
	workers  int             // goroutines of a sum; 0: WithWorkers was not called
}

// topology is a graph without its weights, with caches of derived data.
type topology struct {
	rows.Topology
	plans     solve.Plans // of the elimination of cyclic components
	splitOnce sync.Once
	split     split
}

func newTopology(row, to []int32) *topology {
	return &topology{Topology: rows.Topology{Row: row, To: to}}
}

// order returns the states in topological order, or false if there is a cycle.
func (t *topology) order() ([]int32, bool) {
	c := t.Components()
	if c.Cyclic() {
		return nil, false
	}
	order := make([]int32, c.N)
	for p := range order {
		order[p] = c.State(p)
	}
	return order, true
}

// New returns the graph of len(final) states whose arcs out of state s are row[s], …, row[s+1]−1;
// arc e goes to state to[e] with weight[e]. The final weight of s is final[s], Zero if s is not
// final. If several starts name one state, their weights add up. New takes ownership of all
// slices. The error wraps semiring.ErrShape if their lengths or offsets do not match, and
// semiring.ErrLimit if they are too long for int32.
func New[W any](ring semiring.Semiring[W], row, to []int32, weight []W, starts []Start[W], final []W) (*Graph[W], error) {
	g := new(Graph[W])
	if err := g.Reset(ring, row, to, weight, starts, final); err != nil {
		return nil, err
	}
	return g, nil
}

// FromArcs returns a graph that is written down in code: arcs[s] are the arcs of state s, state 0
// is the start with weight One, and final maps final states to their weights. Its states are the
// states in arcs and in final, and the targets of arcs. Arcs are numbered in order of their
// source states.
//
//	g, err := graph.FromArcs(semiring.Real{}, map[int32]float64{1: 1},
//		[]graph.Arc[float64]{{To: 0, Weight: .75}, {To: 1, Weight: .25}})
//
// The error wraps semiring.ErrShape for a negative state, and semiring.ErrLimit for too many.
func FromArcs[W any](ring semiring.Semiring[W], final map[int32]W, arcs ...[]Arc[W]) (*Graph[W], error) {
	last := int32(max(0, min(len(arcs), math.MaxInt32)-1))
	for s := range final {
		if s < 0 {
			return nil, nested.Errorf("graph: %w: final state %d, want one from 0", semiring.ErrShape, s)
		}
		last = max(last, s)
	}
	row, to, weight := []int32{0}, []int32{}, []W{}
	for s, leaving := range arcs {
		for _, a := range leaving {
			if a.To < 0 {
				return nil, nested.Errorf("graph: %w: an arc of state %d goes to state %d, want one from 0", semiring.ErrShape, s, a.To)
			}
			last = max(last, a.To)
			to, weight = append(to, a.To), append(weight, a.Weight)
		}
		row = append(row, int32(len(to)))
	}
	if last == math.MaxInt32 || len(arcs) > math.MaxInt32 || len(to) > math.MaxInt32 {
		return nil, nested.Errorf("graph: %w: state %d, %d arcs", semiring.ErrLimit, last, len(to))
	}
	for len(row) < int(last)+2 {
		row = append(row, int32(len(to)))
	}
	ends := rows.Filled(int(last)+1, ring.Zero())
	for s, w := range final {
		ends[s] = w
	}
	return New(ring, row, to, weight, []Start[W]{{0, ring.One()}}, ends)
}

// Reset makes g the graph that New would return, without allocating: use it for short-lived
// graphs in arenas. Graphs that share the topology of g become invalid, and g must not be in use
// during the call. After an error g is invalid.
//
//go:noinline
func (g *Graph[W]) Reset(ring semiring.Semiring[W], row, to []int32, weight []W, starts []Start[W], final []W) error {
	if g.topology == nil {
		g.topology = new(topology)
	}
	if err := g.topology.reset(row, to, len(final)); err != nil {
		return err
	}
	g.ring = ring
	return setWeights(g, weight, starts, final)
}

// reset makes t the topology of a graph with the given number of states and arcs row and to.
func (t *topology) reset(row, to []int32, states int) error {
	if max(len(to), states) > math.MaxInt32 {
		return nested.Errorf("graph: %w: %d states, %d arcs", semiring.ErrLimit, states, len(to))
	}
	if len(row) != states+1 {
		return nested.Errorf("graph: %w: %d row offsets for %d states, want one more", semiring.ErrShape, len(row), states)
	}
	if row[0] != 0 || int(row[len(row)-1]) != len(to) {
		return nested.Errorf("graph: %w: rows cover arcs [%d, %d), want [0, %d)", semiring.ErrShape, row[0], row[len(row)-1], len(to))
	}
	for s, end := range row[1:] {
		if end < row[s] {
			return nested.Errorf("graph: %w: the row of state %d ends at %d before it starts at %d", semiring.ErrShape, s, end, row[s])
		}
	}
	for e, q := range to {
		if uint32(q) >= uint32(states) {
			return nested.Errorf("graph: %w: arc %d goes to state %d of %d", semiring.ErrShape, e, q, states)
		}
	}
	*t = topology{Topology: rows.Topology{Row: row, To: to}}
	return nil
}

// WithWeights returns a graph with the topology of g and other weights, which shares the caches
// of g. It takes ownership of the slices; the error wraps semiring.ErrShape if they do not match
// the topology.
func (g *Graph[W]) WithWeights(weight []W, starts []Start[W], final []W) (*Graph[W], error) {
	c := &Graph[W]{ring: g.ring, topology: g.topology, ctx: g.ctx, workers: g.workers}
	if err := setWeights(c, weight, starts, final); err != nil {
		return nil, err
	}
	return c, nil
}

// setWeights gives g weights. Like all unexported functions of a graph it is not a method: every
// package that mentions a Graph would compile methods.
func setWeights[W any](g *Graph[W], weight []W, starts []Start[W], final []W) error {
	if len(weight) != g.NumArcs() || len(final) != g.NumStates() {
		return misfit(&g.topology.Topology, len(weight), len(final))
	}
	for i, start := range starts {
		if uint32(start.State) >= uint32(len(final)) {
			return noState(i, start.State, len(final))
		}
	}
	g.starts, g.weight, g.final = starts, weight, final
	return nil
}

// misfit returns the error for numbers of weights that do not match a graph.
func misfit(t *rows.Topology, arcs, states int) error {
	return nested.Errorf("graph: %w: %d arc weights and %d final weights for %d arcs and %d states",
		semiring.ErrShape, arcs, states, len(t.To), t.NumStates())
}

// noState returns the error for start entry i, whose state is not one of the states of the graph.
func noState(i int, state int32, states int) error {
	return nested.Errorf("graph: %w: start %d names state %d of %d", semiring.ErrShape, i, state, states)
}

// WithSemiring returns g over another ring of the same weight type, sharing everything else. The
// weights stay the same and must have the same meaning there. It panics if ring is nil. O(1).
//
//go:noinline
func (g *Graph[W]) WithSemiring(ring semiring.Semiring[W]) *Graph[W] {
	if ring == nil {
		panic("graph: nil Semiring")
	}
	c := *g
	c.ring = ring
	return &c
}

// Map returns the image of g under h, a graph over ring with the topology of g, which shares the
// caches of g. If h is a homomorphism, it also maps path sums.
func Map[A, B any](g *Graph[A], ring semiring.Semiring[B], h func(A) B) *Graph[B] {
	m := &Graph[B]{
		ring:     ring,
		topology: g.topology,
		weight:   make([]B, len(g.weight)),
		starts:   make([]Start[B], len(g.starts)),
		final:    make([]B, len(g.final)),
		ctx:      g.ctx,
		workers:  g.workers,
	}
	for e, w := range g.weight {
		m.weight[e] = h(w)
	}
	for i, start := range g.starts {
		m.starts[i] = Start[B]{start.State, h(start.Weight)}
	}
	for s, w := range g.final {
		m.final[s] = h(w)
	}
	return m
}

// Ring returns the ring of the weights.
func (g *Graph[W]) Ring() semiring.Semiring[W] { return g.ring }

// NumStates returns the number of states.
func (g *Graph[W]) NumStates() int { return g.topology.NumStates() }

// NumArcs returns the number of arcs.
func (g *Graph[W]) NumArcs() int { return len(g.topology.To) }

// Row returns the row offsets, one more than states: the arcs out of state s are Row()[s], …,
// Row()[s+1]−1. The caller must not modify them.
func (g *Graph[W]) Row() []int32 { return g.topology.Row }

// To returns the target state of every arc. The caller must not modify the slice.
func (g *Graph[W]) To() []int32 { return g.topology.To }

// Weights returns the weight of every arc. The caller must not modify the slice.
func (g *Graph[W]) Weights() []W { return g.weight }

// Starts returns the start entries. The caller must not modify the slice.
func (g *Graph[W]) Starts() []Start[W] { return g.starts }

// Finals returns the final weight of every state. The caller must not modify the slice.
func (g *Graph[W]) Finals() []W { return g.final }

// Incoming returns the arcs by target state: the arcs into state t are arc[n] from state from[n]
// for n = row[t], …, row[t+1]−1, in increasing order of arcs. The slices are shared, and the
// caller must not modify them.
func (g *Graph[W]) Incoming() (row, from, arc []int32) { return g.topology.incoming() }

// incoming is Graph.Incoming. It is not inlined, so the method is a call for any weights.
//
//go:noinline
func (t *topology) incoming() (row, from, arc []int32) {
	in := t.In()
	return in.Row, in.Other, in.Arc
}

// TopologicalOrder returns the states in an order in which every arc goes from an earlier state
// to a later one, or false if there is a cycle. Arcs of any weight count.
func (g *Graph[W]) TopologicalOrder() ([]int32, bool) {
	return g.topology.order()
}

// Components returns the number of the strongly connected component of every state, and the
// number of components; arcs between components go from lower to higher numbers. Arcs of any
// weight count. The slice is shared, and the caller must not modify it.
func (g *Graph[W]) Components() (component []int32, n int) {
	return g.topology.componentOf()
}

// componentOf is Graph.Components.
func (t *topology) componentOf() (component []int32, n int) {
	return t.ComponentOf(), t.Components().Len()
}

// WithContext returns g with a context for its sums, sharing everything else. Once ctx is done,
// PathSum and all other computations from g end with an error that wraps the cause. Cycles of
// thousands of states, which may take seconds to eliminate or to iterate, are interrupted within
// milliseconds; passes over acyclic parts, some nanoseconds per arc, run to their end. Graphs
// made from g by WithWeights and Map have the same context. It panics if ctx is nil.
//
//go:noinline
func (g *Graph[W]) WithContext(ctx context.Context) *Graph[W] {
	if ctx == nil {
		panic("graph: nil Context")
	}
	c := *g
	c.ctx = ctx
	return &c
}

// interrupted returns an error once ctx is done. A nil ctx is never done.
func interrupted(ctx context.Context) error {
	if ctx == nil || ctx.Err() == nil {
		return nil
	}
	return nested.Errorf("graph: %w", context.Cause(ctx))
}

// startWeights returns, per state, the sum of its start weights.
func startWeights[W any](g *Graph[W]) []W {
	lambda := rows.Filled(g.NumStates(), g.ring.Zero())
	for _, start := range g.starts {
		lambda[start.State] = g.ring.Plus(lambda[start.State], start.Weight)
	}
	return lambda
}

// startIndex lists the start entries of every state s as a chain of numbers plus one: first[s],
// next[first[s]−1], … until 0.
type startIndex struct{ first, next []int32 }

func newStartIndex[W any](g *Graph[W]) startIndex {
	x := startIndex{make([]int32, g.NumStates()), make([]int32, len(g.starts))}
	for i := len(g.starts) - 1; i >= 0; i-- {
		s := g.starts[i].State
		x.next[i], x.first[s] = x.first[s], int32(i+1)
	}
	return x
}

// Accessible returns, for every state, whether a path from a start reaches it; arcs and starts of
// weight Zero are ignored. O(states + arcs).
func (g *Graph[W]) Accessible() []bool {
	return g.topology.accessible(starting(g), positive(g.ring, g.weight))
}

// accessible is Graph.Accessible for the given starts and arcs.
func (t *topology) accessible(starts []int32, arc func(int32) bool) []bool {
	return rows.Reachable(t.Out(), starts, arc)
}

// starting returns the states of the non-zero starts, with capacity for all states.
func starting[W any](g *Graph[W]) []int32 {
	states := make([]int32, 0, max(g.NumStates(), len(g.starts)))
	for _, start := range g.starts {
		if !g.ring.IsZero(start.Weight) {
			states = append(states, start.State)
		}
	}
	return states
}

// Coaccessible returns, for every state, whether a path from it ends in a final state; arcs and
// final weights of weight Zero are ignored. O(states + arcs).
func (g *Graph[W]) Coaccessible() []bool {
	return g.topology.coaccessible(positive(g.ring, g.final), positive(g.ring, g.weight))
}

// coaccessible is Graph.Coaccessible for the given final states and arcs.
func (t *topology) coaccessible(final, arc func(int32) bool) []bool {
	open := make([]int32, 0, t.NumStates())
	for s := range int32(t.NumStates()) {
		if final(s) {
			open = append(open, s)
		}
	}
	return rows.Reachable(t.In(), open, arc)
}

// positive returns a function that reports whether weight[i] is not Zero.
func positive[W any](ring semiring.Semiring[W], weight []W) func(i int32) bool {
	return func(i int32) bool { return !ring.IsZero(weight[i]) }
}

// useful returns the states on paths from a start to a final state.
func useful[W any](g *Graph[W]) []bool { return both(g.Accessible(), g.Coaccessible()) }

// both sets a[s] to a[s] && b[s] for all s, and returns it.
func both(a, b []bool) []bool {
	for s, ok := range b {
		a[s] = a[s] && ok
	}
	return a
}
