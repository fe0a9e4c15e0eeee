package em

import (
	"context"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// ConditionalLikelihood returns Σ weight·ln P(Y | X) of the examples, where
//
//	P(Y | X) = Σ ⟦f⟧(x, y) over x in X, y in Y / Σ ⟦f⟧(x, y) over x in X and all y:
//
// the objective of discriminative training. X and Y may be incomplete. Where every X
// is a string it is also the likelihood under global conditional normalization,
// ⟦f⟧(x, y) / Σ_y ⟦f⟧(x, y), of a machine with any weights, a conditional random field
// for instance.
//
// Errors are those of Likelihood, and of Expect if the sum over all y diverges. Each
// of the two sides keeps lattices up to Data.CacheBytes.
func (p Problem) ConditionalLikelihood(data Data) (*Difference, error) {
	plus, err := p.Likelihood(data)
	if err != nil {
		return nil, err
	}
	open := data
	open.Examples, open.Stream = nil, func(yield func(Example, error) bool) {
		for x, err := range data.all() {
			x.Y, x.Branches = Side{}, make([]Side, len(x.Branches))
			if !yield(x, err) {
				return
			}
		}
	}
	minus, err := p.Likelihood(open)
	if err != nil {
		return nil, err
	}
	return &Difference{Plus: plus, Minus: minus}, nil
}

// NormalizedLikelihood returns Σ weight·ln P(X, Y) of the examples under global joint
// normalization: P(X, Y) = Σ ⟦f⟧(x, y) over x in X and y in Y, divided by Z, which is
// the sum over all x and y. The weights of f can be anything as long as Z is finite; f
// may have cycles. A cascade of acceptors is the intersection of its machines, and so
// a product of experts.
//
// Errors are those of Likelihood; that of Expect says if Z diverges or is 0. Z is one
// path sum however many examples there are.
func (p Problem) NormalizedLikelihood(data Data) (*Difference, error) {
	plus, err := p.cascade(data)
	if err != nil {
		return nil, err
	}
	all := data
	all.Stream, all.Underivable = nil, Fail
	all.Examples = []Example{{Name: "all strings", Branches: make([]Side, len(p.Branches))}}
	total, err := p.cascade(all)
	if err != nil {
		return nil, err
	}
	total.whole = true
	return &Difference{Plus: plus.likelihood(), Minus: &partition{total.likelihood(), plus}}, nil
}

// partition is Σ weight·ln Z over the examples of a cascade, where ln Z is that of the
// only example of total.
type partition struct {
	total Likelihood
	of    *cascade
}

func (z *partition) Params() *Params { return z.total.Params() }

func (z *partition) Shards() int { return len(z.of.weights) }

func (z *partition) Fingerprint(w io.Writer) { z.total.Fingerprint(w) }

func (z *partition) Expect(ctx context.Context, q Query) (*Expectations, error) {
	return z.ExpectWithout(ctx, q, nil)
}

func (z *partition) ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	set(&q.Hi, z.Shards())
	weight, examples := 0.0, -len(without)
	for i := q.Lo; i < q.Hi; i++ {
		lo, hi := z.of.corpus.cut.Shard(i)
		weight += z.of.weights[i]
		examples += hi - lo
	}
	for _, x := range without {
		weight -= x.Weight
	}
	q.Lo, q.Hi = 0, 0
	e, err := z.total.Expect(ctx, q)
	if err != nil {
		return nil, err
	}
	e.Examples = examples
	e.LogLikelihood *= weight
	floats.Scale(weight, e.Counts)
	floats.Scale(weight, e.Curvature)
	return e, nil
}

// contains reports whether example i is in a list in ascending order.
func contains(list []Skipped, i int) bool {
	_, ok := slices.BinarySearchFunc(list, i, func(s Skipped, i int) int { return s.Index - i })
	return ok
}
