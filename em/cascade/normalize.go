package cascade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// Normalize returns m with its stop weights divided by its path sum, so that ⟦m⟧ sums to 1 over
// all pairs: the global joint normalization. Over the expressions of a Params, the path sum is an
// expression too, the normalizer Z as a function of θ. So the result trains like any machine.
// Each use of a parameter in Z counts negatively, and only methods that follow a gradient apply.
// At a temperature β a path has the weight (w/Z)^β, for the Z at β = 1.
//
// The ring must have division. fst.Err wraps semiring.ErrCapability if it has not,
// semiring.ErrDiverges for a path sum that diverges, and em.ErrParameter for one without an
// inverse. For expressions, the latter two errors appear when they are evaluated.
//
// NormalizeStates normalizes at each state instead.
func Normalize[W any](m fst.Machine[W]) fst.Machine[W] {
	nonnil.Check("cascade: Normalize", "machine", m)
	return made("Normalize", m.Semiring(), m, fst.Expand[W], normalize[W])
}

func normalize[W any](f *fst.FST[W]) (*fst.FST[W], error) {
	ring := f.Semiring()
	divider, err := semiring.Require[semiring.Divider[W]](ring)
	if err != nil {
		return nil, err
	}
	m, whole := untempered(f)
	z, err := fst.PathSum(m, nil)
	if err != nil {
		return nil, err
	}
	z = whole(z)
	final := make([]W, f.NumStates())
	for s := range final {
		w := f.Final(int32(s))
		if !ring.IsZero(w) {
			var ok bool
			if w, ok = divider.RDiv(w, z); !ok {
				return nil, fmt.Errorf("%w: the path sum %v is not a divisor", em.ErrParameter, z)
			}
		}
		final[s] = w
	}
	return f.WithWeights(f.Graph().Weights(), f.Graph().Starts(), final)
}

// untempered returns f with weights for normalizers, and the function that makes a sum of its
// weights one factor: a temperature does not change the summands, and the sum is raised to the
// power β. Rings without temperatures need neither.
func untempered[W any](f *fst.FST[W]) (fst.Machine[W], func(W) W) {
	type tempering interface {
		Untempered(W) W
		Whole(W) W
	}
	ring, ok := semiring.As[tempering](f.Semiring())
	if !ok {
		return f, func(w W) W { return w }
	}
	return fst.Map(f, f.Semiring(), ring.Untempered), ring.Whole
}

// conditionalWork is the default limit of NormalizeConditional. functionWork is the default over
// expressions, which are compared as functions: reaching it takes two seconds and a tenth of a
// gigabyte.
const (
	conditionalWork = 1_000_000
	functionWork    = 150_000
)

// NormalizeConditional returns m with each of its inputs divided by the sum over all outputs,
// ⟦m⟧(x, y) / Σ_y ⟦m⟧(x, y): the global conditional normalization (Eisner 2002, §3). Σ_y of the
// result is 1 for every x that m reads, except that the result does not read an x whose sum is 0.
//
// Over the expressions of a Params the sums are functions of θ, so that the result trains like
// any machine, as any stage of a cascade. If its input is hidden between two stages, each
// possible string u is normalized by itself. Counts are then the expected uses for u, minus the
// expected uses of all outputs that compete for u, in expectation over u. As with Normalize, a
// temperature does not change the sums, some uses count negatively, and only methods that follow
// a gradient apply.
//
// The sums are the projection of m to its input, with one path for each x, whose weight can be
// inverted and composed with m. If the projection has several paths for some x (fst.Unambiguous),
// it is determinized. If there is no deterministic form, fst.Disambiguate can still reduce
// several paths to one if the rest of x distinguishes them. So weights on cycles are unrestricted
// if m reads each x in one way, for any outputs.
//
// No other method covers more machines. 1/Σ_y ⟦m⟧(x, y) is the weight of x in a finite machine
// over the reals only if a machine with a single path per x has the sums (Bell and Smertnig
// 2021). Let x lead to two states with cycles of the same labels and different weights, and the
// same strings from both to ends. Then Σ_y ⟦m⟧(x, y) is a sum such as aⁿ + bⁿ, and not a product
// along x. If the number of paths for each x is bounded and weights are positive, this is the
// only obstacle.
//
// fst.Err then wraps semiring.ErrLimit if the work exceeds o.Limit (default 1,000,000, and
// 150,000 over expressions), or fst.ErrTwins, which names the two states, if they are found.
// ErrLimit is also returned for a weight out of range in a ring that is semiring.Ranged. A finite
// set of inputs, fst.Compose of their acceptor and m, always has a normalization. If every x is
// observed whole, Problem.ConditionalLikelihood sums over its outputs alone. Expressions are
// compared as functions of θ (expr.Functions), so that the result does not depend on how m is
// written.
//
// The ring must be commutative, divide, and have keys (semiring.ErrCapability). Sums over the
// outputs of one x may be infinite. A divergent sum is an error (semiring.ErrDiverges). For
// expressions, this error, like division by 0, appears when they are evaluated.
//
// fst.RemoveEpsilon and fst.Determinize take most of the time; the result has a copy of a state
// of m for each state of the deterministic form that contains it.
//
// NormalizeInputs normalizes at each state and input instead.
//
// Source: Bell and Smertnig, "Noncommutative rational Pólya series" (2021).
func NormalizeConditional[W any](m fst.Machine[W], o *fst.Options) fst.Machine[W] {
	nonnil.Check("cascade: NormalizeConditional", "machine", m)
	return made("NormalizeConditional", m.Semiring(), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[W], error) {
		normalized, err := normalizeConditional(f, o)
		if errors.Is(err, semiring.ErrLimit) {
			err = nested.Errorf("%w; restrict the input to a finite set (fst.Compose), or use ConditionalLikelihood if it is observed", err)
		}
		return normalized, err
	})
}

// functional is the capability of a ring to compare its weights as functions.
type functional[W any] interface{ Functions() semiring.Semiring[W] }

func normalizeConditional[W any](f *fst.FST[W], o *fst.Options) (*fst.FST[W], error) {
	ring := f.Semiring()
	if err := semiring.RequireCommutative(ring); err != nil {
		return nil, err
	}
	divider, err := semiring.Require[semiring.Divider[W]](ring)
	if err != nil {
		return nil, err
	}
	var options fst.Options
	if o != nil {
		options = *o
	}
	work := conditionalWork
	if _, ok := semiring.As[functional[W]](ring); ok {
		work = functionWork
	}
	options.Limit = cmp.Or(options.Limit, work)
	plain, whole := untempered(f)
	sums, err := inputSums(plain, &options, sumOperations[W]{fst.ProjectIn[W], fst.RemoveEpsilon[W], fst.Expand[W], fst.Connect[W]})
	if err != nil {
		return nil, nested.Errorf("the sums over the outputs: %w", err)
	}
	products := newWatched(ring)
	inverse := fst.Map(sums, products, func(w W) W {
		v, ok := divider.RDiv(ring.One(), whole(w))
		if !ok && !ring.IsZero(w) && err == nil {
			err = fmt.Errorf("%w: a factor %v of the sums is not a divisor", em.ErrParameter, w)
		}
		if ok {
			products.watch(v, w, w)
		}
		return v
	})
	if err != nil {
		return nil, err
	}
	result, err := fst.Expand(fst.Compose(inverse, f.WithSemiring(products)), &fst.Options{Limit: options.Limit})
	if err == nil {
		err = products.err
	}
	if err != nil {
		return nil, err
	}
	return result.WithSemiring(ring), nil
}

// watched is a ring that records weights out of range. It belongs to one goroutine.
type watched[W any] struct {
	semiring.Semiring[W]
	ranged semiring.Ranged[W] // nil: unlimited range
	err    error              // for the first weight out of range
}

func newWatched[W any](ring semiring.Semiring[W]) *watched[W] {
	ranged, _ := semiring.As[semiring.Ranged[W]](ring)
	return &watched[W]{Semiring: ring, ranged: ranged}
}

// Laws returns the laws of the ring.
func (r *watched[W]) Laws() semiring.Laws { return semiring.LawsOf(r.Semiring) }

// Times returns a ⊗ b, and records it if it is out of range.
func (r *watched[W]) Times(a, b W) W {
	x := r.Semiring.Times(a, b)
	r.watch(x, a, b)
	return x
}

// watch records an error if x, computed from a and b, is out of range.
func (r *watched[W]) watch(x, a, b W) {
	if r.err == nil && r.ranged != nil && !r.ranged.InRange(x, a, b) {
		r.err = fmt.Errorf("%w: a weight of the quotient is %v, out of the range of %s: see semiring.Scaled", semiring.ErrLimit, x, typename.Of(r.Semiring))
	}
}

// sumOperations are operations of package fst for inputSums. For expressions, package machines
// has compiled them already.
type sumOperations[W any] struct {
	projectIn, removeEpsilon func(fst.Machine[W]) fst.Machine[W]
	expand, connect          func(fst.Machine[W], *fst.Options) (*fst.FST[W], error)
}

// inputSums returns the unambiguous acceptor in which x has the weight Σ_y ⟦f⟧(x, y).
func inputSums[W any](m fst.Machine[W], o *fst.Options, over sumOperations[W]) (*fst.FST[W], error) {
	inputs, err := over.expand(over.projectIn(m), nil)
	if err != nil {
		return nil, err
	}
	if functions, ok := semiring.As[functional[W]](m.Semiring()); ok {
		inputs = inputs.WithSemiring(functions.Functions())
	}
	limit := &fst.Options{Limit: o.Limit}
	if inputs, err = over.expand(over.removeEpsilon(inputs), limit); err != nil {
		return nil, err
	}
	// A machine with too many pairs of states for a decision may still have few subsets.
	if one, err := fst.Unambiguous(inputs, o); err == nil && one {
		return over.connect(inputs, nil)
	}
	sums, err := over.expand(fst.Determinize(inputs, o), limit)
	if !errors.Is(err, semiring.ErrLimit) {
		return sums, err
	}
	return fst.Disambiguate(inputs, o)
}

// ConditionalLikelihood returns Σ weight·ln P(Y | X) of the examples, where
//
//	P(Y | X) = Σ ⟦f⟧(x, y) over x in X, y in Y / Σ ⟦f⟧(x, y) over x in X and all y:
//
// the objective of discriminative training. X and Y may be incomplete. If every X is a string,
// this is also the likelihood under global conditional normalization, ⟦f⟧(x, y) / Σ_y ⟦f⟧(x, y),
// of a machine with any weights, a conditional random field for instance.
//
// Errors are as in Likelihood; an E step fails if the sum over all y diverges. Numerator and
// denominator each keep lattices up to Data.CacheBytes. A Problem with Edges does not distinguish
// given tapes (em.ErrInvalid). For it, take the Difference of the likelihoods of the data and of
// the same data without the predicted tapes.
func (p Problem) ConditionalLikelihood(data Data) (*em.Difference, error) {
	if len(p.Edges) > 0 {
		return nil, nested.Errorf("cascade: %w: a conditional likelihood of a tree without X and Y; take the Difference of two of its likelihoods", em.ErrInvalid)
	}
	plus, err := p.Likelihood(data)
	if err != nil {
		return nil, err
	}
	open := data
	open.Pruning, open.Examples = nil, nil
	open.Stream = data.changed(func(x Example) Example {
		x.Y, x.Branches = Side{}, make([]Side, len(x.Branches))
		return x
	})
	minus, err := p.Likelihood(open)
	if err != nil {
		return nil, err
	}
	return &em.Difference{Plus: plus, Minus: minus}, nil
}

// NormalizedLikelihood returns Σ weight·ln P(X, Y) of the examples under global joint
// normalization: P(X, Y) = Σ ⟦f⟧(x, y) over x in X and y in Y, divided by Z. Z is the sum over
// all x and y, or over all strings of all tapes of a tree. Any weights of f are allowed if Z is
// finite; f may have cycles. A cascade of acceptors is the intersection of its machines, and so a
// product of experts.
//
// Errors are as in Likelihood; an E step fails if Z diverges or is 0. Z takes one path sum for
// any number of examples.
func (p Problem) NormalizedLikelihood(data Data) (*em.Difference, error) {
	plus, err := newCascade(p, data)
	if err != nil {
		return nil, err
	}
	all := data
	all.Stream, all.Pruning, all.Underivable = nil, nil, em.Fail
	all.Examples = []Example{{Name: "all strings", Branches: make([]Side, len(p.Branches))}}
	total, err := newCascade(p, all)
	if err != nil {
		return nil, err
	}
	return &em.Difference{Plus: plus.likelihood(), Minus: &partition{total.likelihood(), plus}}, nil
}

// partition is Σ weight·ln Z over the examples of a cascade. Z is the sum of the only example of
// total.
type partition struct {
	total em.Likelihood
	of    *cascade
}

func (z *partition) Params() *em.Params { return z.total.Params() }

func (z *partition) Shards() int { return len(z.of.weights) }

func (z *partition) Fingerprint(w io.Writer) { z.total.Fingerprint(w) }

func (z *partition) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	return z.ExpectWithout(ctx, q, nil)
}

func (z *partition) ExpectWithout(ctx context.Context, q em.Query, without []em.Skipped) (*em.Expectations, error) {
	q, err := q.Complete(z)
	if err != nil {
		return nil, err
	}
	weight, examples := 0.0, -len(without)
	for i := q.Lo; i < q.Hi; i++ {
		lo, hi := z.of.corpus.cut.Shard(i)
		weight += z.of.weights[i]
		examples += hi - lo
	}
	for _, x := range without {
		weight -= x.Weight
	}
	whole := q.Detached()
	whole.Lo, whole.Hi = 0, 0
	e, err := z.total.Expect(ctx, whole)
	if err != nil {
		return nil, err
	}
	e.Examples = examples
	e.LogLikelihood *= weight
	floats.Scale(weight, e.Counts)
	floats.Scale(weight, e.Curvature)
	q.Deliver(e)
	return e, nil
}
