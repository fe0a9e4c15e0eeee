package graph

import (
	"errors"

	"example.org/pathsum/semiring"
)

// ErrOrder is wrapped by the error for an arc that a search cannot follow in
// order: one better than One for Search, one that leads to no later layer for Beam.
var ErrOrder = errors.New("arc out of order")

// Implicit is a graph whose states and arcs are made as they are asked for; there
// may be infinitely many. Machines of package fst are implicit graphs as they are,
// lazy compositions among them.
//
// States are non-negative numbers that the graph hands out through AppendStarts and
// AppendArcs; no other numbers are asked about, and they need not be dense. The same
// question always has the same answer, in the same order. A search asks from one
// goroutine. A graph that may fail has a method Err() error as well, which gives the
// first error, and no arcs and Zero where it was: functions that take the graph return
// that error.
type Implicit[W any] interface {
	// Semiring returns the ring of the weights.
	Semiring() semiring.Semiring[W]
	// AppendStarts appends the start states to dst. Several entries may name one
	// state; they add up.
	AppendStarts(dst []Start[W]) []Start[W]
	// Final returns the final weight of state s, Zero if s is not final.
	Final(s int32) W
	// AppendArcs appends the arcs that leave state s to dst.
	AppendArcs(dst []Arc[W], s int32) []Arc[W]
}

// defaultMaxStates is the number of states that a search expands by default.
const defaultMaxStates = 10_000_000

// failure returns the first error of m.
func failure[W any](m Implicit[W]) error {
	if x, ok := m.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// Found is a path through an implicit graph.
type Found[W any] struct {
	Start  int32    // its first state
	Arcs   []Arc[W] // its arcs, in order
	Weight W        // λ ⊗ arc weights ⊗ ρ, multiplied in this order
}

// Expansion is a finite part of an implicit graph, frozen.
type Expansion[W any] struct {
	Graph   *Graph[W]
	State   []int32 // per state of Graph: its number in the implicit graph
	In, Out []int32 // per arc of Graph: its labels
	Dropped int     // states that were met and left out; 0: m is all there
}

// Path returns a path of Graph as one of the implicit graph.
func (p *Expansion[W]) Path(path Path[W]) Found[W] {
	f := Found[W]{Start: p.State[path.Start], Weight: path.Weight}
	if len(path.Arcs) > 0 {
		f.Arcs = make([]Arc[W], len(path.Arcs))
	}
	for i, e := range path.Arcs {
		f.Arcs[i] = Arc[W]{In: p.In[e], Out: p.Out[e], To: p.State[p.Graph.To()[e]], Weight: p.Graph.weight[e]}
	}
	return f
}
