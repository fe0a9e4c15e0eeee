package em

import (
	"context"
	"io"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Sharded says how a model makes an E step: numbers in, counts out. Its method Likelihood makes
// a Likelihood of it. What all such likelihoods have in common is done there: a query
// is completed, and refused if it asks for what is not offered; workers are hired and
// kept; the examples of each shard are summed over, one after the other; shards are visited at
// once and added up in their order, so that the result has the same bits for any number of
// workers; examples without a derivation are an error or are skipped.
//
// A model gives either Cut and Sum, with any of Weight, Name, Open and Drain, or Shards and
// Visit. The first form is for examples that have numbers. The second is for a shard that is summed
// over as a whole, and for examples that exist only while their shard is visited.
//
// A Pass is what an E step has in common for all shards, such as the weights at its θ.
// Several goroutines read it. A Worker is the storage of one goroutine, kept from one
// E step to the next.
type Sharded[Pass, Worker any] struct {
	// Package begins the messages of errors.
	Package string
	// Params is the table of θ.
	Params *Params
	// Fingerprint is the method of the Likelihood.
	Fingerprint func(w io.Writer)
	// Viterbi, Tempered and Curved say what is offered: E steps of the best paths,
	// temperatures other than 1, and second derivatives. A query for what is not
	// offered is an error that wraps semiring.ErrCapability.
	Viterbi, Tempered, Curved bool
	// Underivable says what to do with examples that have no derivation.
	Underivable Policy

	// Begin begins an E step. The query is complete, and asks for nothing but what
	// is offered. It may be nil if Pass is Query, which is then passed on.
	Begin func(q Query) (Pass, error)
	// Hire returns a new worker (nil: a zero Worker).
	Hire func() *Worker

	// Cut is how the examples are cut into shards.
	Cut Cut
	// Sum adds what is expected in example i to the counts: weight times the expected uses of
	// each number. It returns the ln of the sum over all derivations. If there is none, it
	// returns −Inf and counts nothing. It is called for the examples of a shard in ascending
	// order, without those of weight 0 and those to be left out. It may add to t.Arcs; all else
	// in t is up to the caller, who also adds package and example to an error.
	Sum func(w *Worker, p Pass, i int, weight float64, t *Tally) (ln float64, err error)
	// Weight returns the weight of example i, a finite number ≥ 0 (nil: 1).
	Weight func(i int) float64
	// Name returns the name of example i for reports (nil: there are only numbers). It is
	// called for examples that are skipped and for errors.
	Name func(i int) string
	// Open prepares a worker and t, which is empty, for a shard (nil: t has zeros for all
	// counts and, if the query has a Tangent, for their derivatives).
	Open func(ctx context.Context, w *Worker, p Pass, shard int, t *Tally) error
	// Drain moves to t what a worker has counted in a shard (nil: Sum counts in t). After an
	// error of Sum, or if ctx is done, it is called too, so that the worker counts the next
	// shard from 0; t is then dropped.
	Drain func(w *Worker, p Pass, shard int, t *Tally) error

	// Shards is the number of shards.
	Shards int
	// Visit enters in t, which is empty, the number of a shard's Examples, and what the shard
	// contributes as a whole. It returns the examples that are then summed over one by one
	// (nil: none), those of the first Summer first.
	Visit func(ctx context.Context, w *Worker, p Pass, shard int, t *Tally) ([]Summer, error)

	// Size returns the length of the vector in which counts are added up, where they are
	// not of parameters but, say, of expressions or of cells of a table. It is called
	// after Begin. Without it counts are of parameters, and there is no other vector
	// than the one that the E step returns.
	Size func() int
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

// Likelihood returns the likelihood of the shards, a Divisible. In the form with Sum it is an
// Excluder, too. It panics unless there is one of Sum and Visit.
func (s Sharded[Pass, Worker]) Likelihood() Likelihood { return newLikelihood(erased(&s)) }

// Excluder returns the likelihood of the shards, a Divisible. In the form with Visit, only examples
// of a Summer can be left out: there are no others. It panics as Likelihood does.
func (s Sharded[Pass, Worker]) Excluder() Excluder { return newExcluder(erased(&s)) }

// erased returns s without its types. It is all that a package with a Sharded compiles for
// them: the code that makes the E steps knows of no types.
func erased[Pass, Worker any](s *Sharded[Pass, Worker]) *sharding {
	nonnil.Check("em: Sharded", "Params", s.Params, "Fingerprint", s.Fingerprint)
	e := &sharding{
		name: s.Package, params: s.Params, shards: s.Shards, fingerprint: s.Fingerprint,
		viterbi: s.Viterbi, tempered: s.Tempered, curved: s.Curved, underivable: s.Underivable,
		size: s.Size, layout: s.Layout, cut: s.Cut, weight: s.Weight, example: s.Name,
		begin: func(q Query) (any, error) {
			p, err := s.Begin(q)
			return &p, err
		},
		hire: func() any { return new(Worker) },
	}
	if _, ok := any(new(Pass)).(*Query); ok && s.Begin == nil {
		e.begin = func(q Query) (any, error) { return &q, nil }
	} else {
		nonnil.Check("em: Sharded", "Begin", s.Begin)
	}
	if s.Hire != nil {
		e.hire = func() any { return s.Hire() }
	}
	if s.Sum != nil {
		e.sum = func(w, p any, i int, weight float64, t *Tally) (float64, error) {
			return s.Sum(w.(*Worker), *p.(*Pass), i, weight, t)
		}
	}
	if s.Open != nil {
		e.open = func(ctx context.Context, w, p any, shard int, t *Tally) error {
			return s.Open(ctx, w.(*Worker), *p.(*Pass), shard, t)
		}
	}
	if s.Drain != nil {
		e.drain = func(w, p any, shard int, t *Tally) error { return s.Drain(w.(*Worker), *p.(*Pass), shard, t) }
	}
	if s.Visit != nil {
		e.visit = func(ctx context.Context, w, p any, shard int, t *Tally) ([]Summer, error) {
			return s.Visit(ctx, w.(*Worker), *p.(*Pass), shard, t)
		}
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
