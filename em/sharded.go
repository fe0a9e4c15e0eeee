package em

import (
	"context"
	"io"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Sharded says how a model makes an E step shard by shard; its method Likelihood makes
// a Likelihood of it. What all such likelihoods have in common is done there: a query
// is completed, and refused if it asks for what is not offered; workers are hired and
// kept; shards are visited at once and added up in their order, so that the result
// has the same bits for any number of workers; examples without a derivation are an
// error or are skipped.
//
// A Pass is what an E step has in common for all shards, such as the weights at its θ.
// Several goroutines read it. A Worker is the storage of one goroutine, kept from one
// E step to the next.
type Sharded[Pass, Worker any] struct {
	// Package begins the messages of errors.
	Package string
	// Params is the table of θ.
	Params *Params
	// Shards is the number of shards; see Cut.
	Shards int
	// Fingerprint is the method of the Likelihood.
	Fingerprint func(w io.Writer)
	// Viterbi, Tempered and Curved say what is offered: E steps of the best paths,
	// temperatures other than 1, and second derivatives. A query for what is not
	// offered is an error that wraps semiring.ErrCapability.
	Viterbi, Tempered, Curved bool
	// Underivable says what to do with examples that a Tally skips.
	Underivable Policy

	// Size returns the length of the vector in which counts are added up, where they are
	// not of parameters but, say, of expressions or of cells of a table. It is called
	// after Begin. Without it counts are of parameters, and there is no other vector
	// than the one that the E step returns.
	Size func() int
	// Begin begins an E step. The query is complete, and asks for nothing but what
	// is offered. The examples in without, in ascending order of Index, are to be
	// left out; there are none unless the likelihood is an Excluder.
	Begin func(q Query, without []Skipped) (Pass, error)
	// Hire returns a new worker.
	Hire func() *Worker
	// Visit fills t, which is empty, with what a shard contributes.
	Visit func(ctx context.Context, w *Worker, p Pass, shard int, t *Tally) error
	// Backpropagate, there if and only if Size is, adds to the counts of the parameters
	// what the sums over all shards, of length Size, amount to. The sums have been
	// multiplied by the Weight of the query and may be overwritten. A Change is nil
	// unless the query has a Tangent.
	Backpropagate func(p Pass, sums, counts expr.Dual) error
	// Layout says what the sums over all shards are of, where that depends on more than the
	// number of parameters; see Divisible. It is called after Begin.
	Layout func() string
	// Finish turns the sums over all shards into what the E step returns (nil: no
	// change). It leaves Counts and Curvature alone.
	Finish func(p Pass, e *Expectations) error
	// End ends an E step that Begin has begun without an error, even if it failed
	// since (nil: nothing happens).
	End func(p Pass)
}

// Likelihood returns the likelihood of the shards, a Divisible.
func (s Sharded[Pass, Worker]) Likelihood() Likelihood { return newLikelihood(erased(&s)) }

// Excluder returns the likelihood of the shards, a Divisible, where Begin heeds the examples
// to be left out.
func (s Sharded[Pass, Worker]) Excluder() Excluder { return newExcluder(erased(&s)) }

// erased returns s without its types. It is all that a package with a Sharded compiles for
// them: the code that makes the E steps knows of no types.
func erased[Pass, Worker any](s *Sharded[Pass, Worker]) *sharding {
	nonnil.Check("em: Sharded", "Params", s.Params, "Fingerprint", s.Fingerprint, "Begin", s.Begin, "Hire", s.Hire, "Visit", s.Visit)
	e := &sharding{
		name: s.Package, params: s.Params, shards: s.Shards, fingerprint: s.Fingerprint,
		viterbi: s.Viterbi, tempered: s.Tempered, curved: s.Curved, underivable: s.Underivable,
		size: s.Size, layout: s.Layout,
		begin: func(q Query, without []Skipped) (any, error) {
			p, err := s.Begin(q, without)
			return &p, err
		},
		hire: func() any { return s.Hire() },
		visit: func(ctx context.Context, w, p any, shard int, t *Tally) error {
			return s.Visit(ctx, w.(*Worker), *p.(*Pass), shard, t)
		},
	}
	if s.Backpropagate != nil {
		e.backpropagate = func(p any, sums, counts expr.Dual) error { return s.Backpropagate(*p.(*Pass), sums, counts) }
	}
	if s.Finish != nil {
		e.finish = func(p any, x *Expectations) error { return s.Finish(*p.(*Pass), x) }
	}
	if s.End != nil {
		e.end = func(p any) { s.End(*p.(*Pass)) }
	}
	return e
}
