package graph

import (
	"context"
	"fmt"
)

// WithContext returns g with a context for its sums, sharing all else: PathSum and
// whatever else is computed from g ends with an error that wraps the cause once ctx is
// done. Cycles of thousands of states, which may take seconds to eliminate or to
// iterate, are interrupted within milliseconds; passes over acyclic parts, some
// nanoseconds per arc, run to their end. Graphs made from g by WithWeights and Map have
// the same context. It panics if ctx is nil.
func (g *Graph[W]) WithContext(ctx context.Context) *Graph[W] {
	if ctx == nil {
		panic("graph: nil Context")
	}
	c := *g
	c.ctx = ctx
	return &c
}

// interrupted returns an error once the context of g is done.
func (g *Graph[W]) interrupted() error {
	if g.ctx == nil || g.ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("graph: %w", context.Cause(g.ctx))
}
