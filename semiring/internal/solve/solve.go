// Package solve sums over the paths inside strongly connected components.
//
// Package graph takes the components of a graph in topological order and leaves those that
// contain a cycle to a Solver. The ring decides how that sums: start picks one of the
// closures, and the caller never knows which.
//
// The algorithms are compiled once for all rings. They name weights by their places in
// tables (see places); the tables alone know what a weight is, and are all that an importer
// compiles anew for its rings.
package solve

import (
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Graph is a graph as a Solver sees it: without starts and final weights.
type Graph[W any] struct {
	Products    *weights.Products[W] // of the ring of its weights; not embedded, for its methods' sake
	Topology    *rows.Topology
	Plans       *Plans // of Topology
	Weight      []W    // per arc
	Interrupted func() error
}

// Solver computes forward and backward weights in the components of one graph, cyclic or
// not. It belongs to one goroutine.
type Solver[W any] struct {
	Untyped solver // all that does not depend on the type of weights
	tables  tables[W]
}

// New returns a solver of a graph, which has a cycle. It ignores all states but those that use
// returns; a nil use stands for all states. They must not cut a path in two: a path
// between states in use runs through states in use.
//
// The error wraps semiring.ErrLimit if a component fills up in elimination and the ring
// offers nothing else, or comes from Graph.Interrupted.
func New[W any](graph Graph[W], use func() []bool) (*Solver[W], error) {
	s := new(Solver[W])
	if err := s.Untyped.start(initTables(&s.tables, &graph), use); err != nil {
		return nil, err
	}
	return s, nil
}

// Forward replaces x in component c, where it holds start weights, by α. It must be α in
// the components before. The error wraps semiring.ErrDiverges, semiring.ErrInaccurate,
// semiring.ErrNotFinite, semiring.ErrLimit or semiring.ErrCapability, or comes from
// Graph.Interrupted.
func Forward[W any](s *Solver[W], x []W, c int) error {
	s.tables.of[sums] = x
	return s.Untyped.forward(c)
}

// Backward replaces x in component c, where it holds final weights, by β. It must be β in
// the components after. Errors are as for Forward.
func Backward[W any](s *Solver[W], x []W, c int) error {
	s.tables.of[sums] = x
	return s.Untyped.backward(c)
}

// ForwardInside replaces x in the cyclic component c, the sums over paths that enter it, by
// the sums over these and what follows inside. Errors are as for Forward.
func ForwardInside[W any](s *Solver[W], x []W, c int) error {
	s.tables.of[sums] = x
	return s.Untyped.forwardInside(c)
}

// BackwardInside is ForwardInside for paths that leave the component.
func BackwardInside[W any](s *Solver[W], x []W, c int) error {
	s.tables.of[sums] = x
	return s.Untyped.backwardInside(c)
}
