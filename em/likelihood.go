package em

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Likelihood is the log likelihood of data as a function of θ: Σ over the
// examples of the ln of a path sum. Training accesses a model and its data only through
// this interface. The data are divided into shards. A cascade.Problem has a Likelihood and
// cascade.Derivations implement it; packages of models provide others (see Sharded), for
// instance over trellises, and package em/beam runs one on a cluster of machines.
type Likelihood interface {
	// Params returns the table of θ.
	Params() *Params
	// Shards returns the number of shards. It depends on the data alone.
	Shards() int
	// Expect makes an E step over the shards of the query. It allocates a
	// vector of counts only if q.Counts is nil. For the same query
	// it returns the same bits for any q.Workers. Only one call may run at a time.
	Expect(ctx context.Context, q Query) (*Expectations, error)
	// Fingerprint writes everything that the likelihood depends on, except θ. It identifies
	// the checkpoints of a different likelihood.
	Fingerprint(w io.Writer)
}

// LogLikelihood returns the log likelihood of data at theta, in nats, for instance of held-out
// data. It makes an E step and does not include the log prior.
//
// It returns the errors of Expect. If examples have probability 0, the error wraps ErrUnderivable
// and names the first, unlike the value −Inf. Under the policy Skip they are left out.
func LogLikelihood(ctx context.Context, l Likelihood, theta []float64) (float64, error) {
	nonnil.Check("em: LogLikelihood", "context", ctx, "likelihood", l)
	e, err := l.Expect(ctx, Query{Theta: theta})
	if err != nil {
		return 0, err
	}
	return e.LogLikelihood, nil
}

// Query specifies an E step.
type Query struct {
	// Theta is the θ of the E step, valid by Params.Check.
	Theta []float64
	// EStep selects the paths over which expectations are taken.
	EStep EStep
	// Temperature β raises the probability of every path to the power β: finite,
	// > 0; the zero value of the field means 1. The divisor that normalizes a weight to a
	// probability is a sum raised to the power β, not a sum of powers.
	Temperature float64
	// Tangent, if not nil, requests a second derivative: a change of the ln of
	// every parameter's value, of length Params.Len.
	Tangent []float64
	// Choose lets an E step over parts of sums (cascade.Data.Pruning) choose the parts
	// again, by their weights at Theta. Without it only an example that has no part yet gets
	// one.
	Choose bool
	// Bounds requests the Bounds of single examples.
	Bounds bool
	// Lo and Hi are the first shard and the first after the last; Hi = 0 means
	// all shards.
	Lo, Hi int
	// Workers is the number of goroutines (0: GOMAXPROCS). It does not change a
	// bit of the result.
	Workers int
	// Counts and Curvature, if not nil, are vectors of length Params.Len to which the E
	// step adds its own. It returns these very vectors, so that several E steps can
	// share them. After an error their contents are undefined.
	Counts, Curvature []float64
	// Weight multiplies the counts and the curvature of this E step, not its
	// log likelihood: finite; the zero value of the field means 1.
	Weight float64
}

// Detached returns q for an E step with its own vectors, which Deliver then adds to the vectors
// of q. A Likelihood that transforms the counts of another one uses it. It takes
// memory for one more vector.
func (q Query) Detached() Query {
	q.Counts, q.Curvature, q.Weight = nil, nil, 0
	return q
}

// Deliver multiplies the counts and the curvature of e by q.Weight and adds them to the vectors of
// q, if any. e must hold the only references to its vectors.
func (q Query) Deliver(e *Expectations) {
	e.Counts = q.deliver(q.Counts, e.Counts)
	e.Curvature = q.deliver(q.Curvature, e.Curvature)
}

func (q Query) deliver(to, v []float64) []float64 {
	weight := cmp.Or(q.Weight, 1)
	switch {
	case v == nil || to == nil && weight == 1:
		return v
	case to == nil:
		floats.Scale(weight, v)
		return v
	}
	floats.AddScaled(to, weight, v)
	return to
}

// Complete returns q with the defaults for l in place. Implementations of
// Likelihood call it first. The error, wrapping ErrParameter, reports an invalid θ, a
// vector of the wrong length, or a Weight that is not finite.
func (q Query) Complete(l Likelihood) (Query, error) {
	p := l.Params()
	if err := p.Check(q.Theta); err != nil {
		return q, err
	}
	if q.Tangent != nil && len(q.Tangent) != p.n {
		return q, nested.Errorf("em: %w: a tangent of %d numbers for %d parameters", ErrParameter, len(q.Tangent), p.n)
	}
	for _, v := range [][]float64{q.Counts, q.Curvature} {
		if v != nil && len(v) != p.n {
			return q, nested.Errorf("em: %w: a vector of %d numbers for the counts of %d parameters", ErrParameter, len(v), p.n)
		}
	}
	if q.Weight-q.Weight != 0 {
		return q, nested.Errorf("em: %w: the weight of an E step is %g, want a finite number", ErrParameter, q.Weight)
	}
	q.Weight = cmp.Or(q.Weight, 1)
	q.Temperature = cmp.Or(q.Temperature, 1)
	q.Hi = cmp.Or(q.Hi, l.Shards())
	return q, nil
}

// EStep selects the paths of an E step.
type EStep int

const (
	// Marginal: over all paths, by their posterior probability. The objective is
	// Σ ln P(example).
	Marginal EStep = iota
	// Viterbi: only the best path of each example. The objective is
	// Σ ln max P(example, path). Paths that share every arc of a lattice, because an
	// operation such as ε-removal has added their weights, count as one.
	Viterbi
)

// String returns the name of the E step.
func (e EStep) String() string {
	switch e {
	case Marginal:
		return "marginal"
	case Viterbi:
		return "Viterbi"
	}
	return fmt.Sprintf("EStep(%d)", int(e))
}

// Expectations is the result of an E step.
type Expectations struct {
	// LogLikelihood is Σ weight·ln P(example), in nats, over the examples that
	// have a derivation. With Viterbi, P is the probability of the best path; at a
	// temperature β it is Σ pᵝ over the paths.
	LogLikelihood float64
	// Gap bounds the difference between Σ weight·ln P(example) and LogLikelihood, if the latter
	// is of parts of the sums (cascade.Data.Pruning). It is 0 if sums are whole. If parts are
	// chosen it is finite, unless no bound is known for an example. Otherwise it is +Inf.
	Gap float64
	// Bounds contains the bounds of the examples that contribute to Gap, if the query requests
	// them.
	Bounds []Bound
	// Counts holds for each parameter the expected number of its uses, summed
	// over the examples times their weights: ∂ LogLikelihood / ∂ ln θ at β = 1,
	// where ln θ means the ln of the parameter's value (see Params.Values).
	// If a parameter is not a factor of the weights, its count is the expected sufficient
	// statistic that its group's law documents. If the query has
	// Counts, they are returned with the counts of this E step, times Weight, added.
	Counts []float64
	// Curvature is the derivative of Counts along the query's Tangent, if any:
	// the Hessian of LogLikelihood with respect to the ln of the values (at β = 1)
	// times Tangent. The query's Curvature and Weight apply as for Counts.
	Curvature []float64
	// Examples is the number of examples, and Skipped contains the examples without a
	// derivation.
	Examples int
	Skipped  []Skipped
	// Remarks report possible mistakes in the model: see Result.
	Remarks []string
	// Arcs is the number of arcs visited, or of cells without a lattice.
	Arcs int64
	// WithoutLattice is the number of examples whose derivations were summed over without a
	// lattice: see cascade.Data.Strategy.
	WithoutLattice int

	plus, minus *Expectations // the parts of a Difference
}

// Bound contains bounds of the ln of an example's sum, for an E step over a part of
// the sum (cascade.Data.Pruning).
type Bound struct {
	// Part and Index identify the example, as in Skipped, and Name is its name.
	Part  string
	Index int
	Name  string
	// Weight is the weight of the example.
	Weight float64
	// Lower ≤ ln P(example) ≤ Upper, in nats. Lower, times the weight, is the example's share
	// of LogLikelihood. Upper is +Inf if no bound is known. It has been
	// raised by 1e-9, which is much more than the rounding error.
	Lower, Upper float64
}

// Skipped names an example that has no derivation.
type Skipped struct {
	// Part identifies the part of a Sum that contains the example: names, separated by slashes
	// for sums in sums; "" without a Sum.
	Part string
	// Index is the index of the example, from 0, in the data of the part.
	Index int
	Name  string
	// Weight is the weight of the example.
	Weight float64
	// Structural is true if the machines relate the example's strings at no θ;
	// otherwise the strings have probability 0 at the current θ.
	Structural bool
	// Reason explains why the machines do not relate the strings, if a single label of a
	// string shows it; otherwise it is "". For the first example of a shard it also describes
	// how far the strings can be read and written.
	Reason string
}

// String identifies the example, and adds the reason why it has no derivation, if known.
func (s Skipped) String() string {
	text := fmt.Sprintf("example %d", s.Index)
	if s.Part != "" {
		text += " of part " + s.Part
	}
	if s.Name != "" {
		text += " (" + s.Name + ")"
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

// Policy defines how examples of probability 0 are treated.
type Policy int

const (
	// Fail ends training with an error, wrapping ErrUnderivable, that counts
	// the examples and names the first.
	Fail Policy = iota
	// Skip goes on without them; Result.Skipped names each.
	Skip
)

// String returns the name of the policy.
func (p Policy) String() string {
	return named.One(p, "Policy", "fail", "skip")
}

// ErrUnderivable reports an input to which a model gives probability 0.
//
// All models treat such an input in the same way. LogProb, the logarithm of its
// probability, is −Inf, without an error. A call for one answer, such as
// Best, or for a distribution, such as Posteriors, returns an error that wraps ErrUnderivable. A
// call for a list of the n best answers returns an empty list and no error. Training data are
// treated by their Policy. A symbol that a model does not know may have an error of its own.
//
// Otherwise ln P is at most 0, except for densities and for weights that do not sum to 1,
// and a posterior probability is at most 1: excess due to rounding is removed.
var ErrUnderivable = errors.New("no derivation")

// CheckWeights returns an error unless the weights of all n examples are finite and ≥ 0 and
// at least one is positive. The error wraps ErrInvalid and names
// the example.
func CheckWeights(n int, example func(i int) Skipped) error {
	seen := false
	for i := range n {
		x := example(i)
		if err := x.checkWeight(); err != nil {
			return err
		}
		seen = seen || x.Weight > 0
	}
	switch {
	case n <= 0:
		return nested.Errorf("em: %w: no examples", ErrInvalid)
	case !seen:
		return nested.Errorf("em: %w: no examples of a weight > 0", ErrInvalid)
	}
	return nil
}

func (s Skipped) checkWeight() error {
	if !(s.Weight >= 0) || math.IsInf(s.Weight, 1) {
		return nested.Errorf("em: %w: %v has weight %g, want a finite number ≥ 0", ErrInvalid, s, s.Weight)
	}
	return nil
}

// Excluder is a Likelihood that can leave out examples, such as those that another one skips.
type Excluder interface {
	Likelihood
	// ExpectWithout makes an E step without some examples, given in ascending order
	// of Index in each Part. The Skipped of the result does not contain them.
	ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error)
}

// Heuristic is a Likelihood whose Counts may be computed from the posteriors by some rule
// instead of being the derivatives of its LogLikelihood. An M
// step may lower the objective of such a likelihood, and Fit accepts this; it
// converges when the objective changes by no more than the tolerance. The methods EM,
// Anneal and Stepwise apply; other methods return an error that wraps ErrMethod.
type Heuristic interface {
	Likelihood
	// Heuristic reports whether Counts are not the derivatives of LogLikelihood.
	Heuristic() bool
}

// heuristic reports whether the counts of l are not derivatives.
func heuristic(l Likelihood) bool {
	h, ok := l.(Heuristic)
	return ok && h.Heuristic()
}

// outOfRange reports whether err is due to an invalid θ, or to a path sum without a
// finite value.
func outOfRange(err error) bool { return isAny(err, outside) }

// outside contains the errors of a θ at which the objective has no value.
var outside = []error{ErrParameter, semiring.ErrDiverges, semiring.ErrInaccurate, semiring.ErrNotFinite, expr.ErrParam, expr.ErrDivision}

func isAny(err error, of []error) bool {
	for _, target := range of {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// ErrMethod is returned for a method that does not apply to the
// current likelihood.
var ErrMethod = errors.New("method does not apply")
