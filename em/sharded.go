package em

import (
	"context"
	"io"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Sharded defines the E step of a model: numbers in, counts out. Its method Likelihood
// returns a Likelihood, which does all that such likelihoods have in common. It completes a
// query, and returns an error if the query requests an unsupported feature. It creates and
// keeps workers. It sums over the examples of each shard one after the other, visits shards
// concurrently and adds their results in order, so that the sum has the same bits for any number
// of workers. Examples without a derivation are an error or are skipped.
//
// A model sets either Cut and Sum, with any of Weight, Name, Open and Drain, or Shards and
// Visit. The first form is for examples that have indices. The second is for a shard that is summed
// over as a whole, and for examples that exist only while their shard is visited.
//
// A Pass holds the state of one E step that all shards share, such as the weights at its θ.
// Several goroutines read it. A Worker is the storage of one goroutine, kept from one
// E step to the next.
type Sharded[Pass, Worker any] struct {
	// Package is the prefix of error messages.
	Package string
	// Params is the table of θ.
	Params *Params
	// Fingerprint is the method of the Likelihood.
	Fingerprint func(w io.Writer)
	// Viterbi, Tempered and Curved declare the supported features: E steps of the best paths,
	// temperatures other than 1, and second derivatives. A query for an unsupported feature
	// is an error that wraps semiring.ErrCapability.
	Viterbi, Tempered, Curved bool
	// Underivable is the policy for examples that have no derivation.
	Underivable Policy

	// Begin begins an E step. The query is complete, and requests only supported
	// features. Begin may be nil if Pass is Query; the query is then the Pass.
	Begin func(q Query) (Pass, error)
	// NewWorker returns a new worker (nil: a zero Worker).
	NewWorker func() *Worker

	// Cut defines how the examples are divided into shards.
	Cut Cut
	// Sum adds the expected counts of example i to the tally: weight times the expected uses of
	// each parameter. It returns the ln of the sum over all derivations. If the example has no
	// derivation, it returns −Inf and adds no counts. It is called for the examples of a shard in
	// ascending order, except for examples of weight 0 and excluded examples. It may add to
	// t.Arcs; the caller fills in the rest of t, and adds package and example to an error.
	Sum func(w *Worker, p Pass, i int, weight float64, t *Tally) (ln float64, err error)
	// Weight returns the weight of example i, a finite number ≥ 0 (nil: 1).
	Weight func(i int) float64
	// Name returns the name of example i for reports (nil: examples have only indices). It is
	// called for skipped examples and for errors.
	Name func(i int) string
	// Open prepares a worker and t, which is empty, for a shard (nil: t has zeros for all
	// counts and, if the query has a Tangent, for their derivatives).
	Open func(ctx context.Context, w *Worker, p Pass, shard int, t *Tally) error
	// Drain moves the counts of a worker in a shard to t (nil: Sum counts in t). It is also
	// called after an error of Sum, or if ctx is done, so that the worker counts the next
	// shard from 0; t is then dropped.
	Drain func(w *Worker, p Pass, shard int, t *Tally) error

	// Shards is the number of shards.
	Shards int
	// Visit sets in t, which is empty, the number of a shard's Examples, and adds the
	// contribution of the shard as a whole. It returns Summers for the remaining examples
	// (nil: none), which are summed over in order.
	Visit func(ctx context.Context, w *Worker, p Pass, shard int, t *Tally) ([]Summer, error)

	// Size returns the length of the count vector if counts are not per parameter
	// but, say, per expression or per cell of a table. It is called
	// after Begin. If Size is nil, counts are per parameter and are added directly
	// to the vector that the E step returns.
	Size func() int
	// Backpropagate, set if and only if Size is, converts the sums over all shards, of
	// length Size, and adds the result to the counts of the parameters. The sums have been
	// multiplied by the Weight of the query and may be overwritten. A Change is nil
	// unless the query has a Tangent.
	Backpropagate func(p Pass, sums, counts expr.Dual) error
	// Layout describes the entries of the sums over all shards, if they depend on more than the
	// number of parameters; see Divisible. It is called after Begin.
	Layout func() string
	// Finish converts the sums over all shards to the result of the E step (nil: no
	// change). It leaves Counts and Curvature unchanged.
	Finish func(p Pass, e *Expectations) error
	// End ends an E step for which Begin returned no error, even if it failed
	// later (nil: no action).
	End func(p Pass)
}

// Likelihood returns the likelihood of the shards, a Divisible. In the form with Sum it is also an
// Excluder. It panics unless exactly one of Sum and Visit is set.
func (s Sharded[Pass, Worker]) Likelihood() Likelihood { return newLikelihood(erased(&s)) }

// Excluder returns the likelihood of the shards, a Divisible. In the form with Visit, all examples
// must belong to a Summer, as only these can be left out. It panics as Likelihood does.
func (s Sharded[Pass, Worker]) Excluder() Excluder { return newExcluder(erased(&s)) }

// erased returns s without its type parameters. Only this function is compiled in each package that
// uses Sharded; the code that makes the E steps is independent of the types.
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
	if s.NewWorker != nil {
		e.hire = func() any { return s.NewWorker() }
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
