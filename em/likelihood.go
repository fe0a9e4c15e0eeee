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
// examples of the ln of a path sum. It is all that training knows of a model and
// its data, which are cut into shards. A cascade.Problem has one and cascade.Derivations have one;
// packages of models bring others (see Sharded), over trellises for instance, and package
// em/beam puts a cluster of machines behind one.
type Likelihood interface {
	// Params returns the table of θ.
	Params() *Params
	// Shards returns the number of shards. It depends on the data alone.
	Shards() int
	// Expect makes an E step over the shards that the query asks for, with a
	// vector of counts of its own only if the query brings none. For the same query
	// it returns the same bits whatever q.Workers is. One call at a time.
	Expect(ctx context.Context, q Query) (*Expectations, error)
	// Fingerprint writes what the likelihood is a function of, so that a
	// checkpoint of another one is recognized.
	Fingerprint(w io.Writer)
}

// LogLikelihood returns the log likelihood of data at theta, in nats: of data that were held out,
// say. It makes an E step; the log prior is no part of it.
//
// The error is that of Expect. Where examples have probability 0 it wraps ErrUnderivable and
// names the first, as a number, −Inf, would not; under the policy Skip they are left out.
func LogLikelihood(ctx context.Context, l Likelihood, theta []float64) (float64, error) {
	nonnil.Check("em: LogLikelihood", "context", ctx, "likelihood", l)
	e, err := l.Expect(ctx, Query{Theta: theta})
	if err != nil {
		return 0, err
	}
	return e.LogLikelihood, nil
}

// Query says what an E step is to return.
type Query struct {
	// Theta is the θ of the E step, legal by Params.Check.
	Theta []float64
	// EStep says what the expectations are of.
	EStep EStep
	// Temperature β raises the probability of every path to the power β: finite,
	// > 0; the zero value of the field means 1. What a weight is divided by to be a
	// probability is no sum of powers, but a sum raised to the power β.
	Temperature float64
	// Tangent, if not nil, asks for a second derivative: a change of the ln of
	// every parameter's value, of length Params.Len.
	Tangent []float64
	// Choose lets an E step that takes parts of sums (cascade.Data.Within) choose the parts
	// anew, by what they are worth at Theta. Without it only an example that has none gets
	// one.
	Choose bool
	// Bounds asks for the Bounds of single examples.
	Bounds bool
	// Lo and Hi are the first shard and the first after the last; Hi = 0 means
	// all shards.
	Lo, Hi int
	// Workers is the number of goroutines (0: GOMAXPROCS). It does not change a
	// bit of the result.
	Workers int
	// Counts and Curvature, if not nil, are vectors of length Params.Len to which the E
	// step adds its own. It returns these very vectors, so that several E steps can
	// share them. After an error they may hold anything.
	Counts, Curvature []float64
	// Weight multiplies the counts and the curvature of this E step, not its
	// log likelihood: finite; the zero value of the field means 1.
	Weight float64
}

// Apart returns q for an E step with vectors of its own, which Deliver then adds to those
// of q: for a Likelihood that makes something else of another one's counts. That takes
// memory for one more vector.
func (q Query) Apart() Query {
	q.Counts, q.Curvature, q.Weight = nil, nil, 0
	return q
}

// Deliver makes of the counts and the curvature of e, which nothing else holds, what q asks
// for: times q.Weight, and added to the vectors of q, if any.
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

// Complete returns q with the defaults for l in place: what an implementation of
// Likelihood begins with. The error, wrapping ErrParameter, says that θ is illegal, a
// vector has the wrong length, or the Weight is no finite number.
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

// EStep is the kind of expectations that an iteration takes.
type EStep int

const (
	// Marginal: over all paths, by their posterior probability. The objective is
	// Σ ln P(example).
	Marginal EStep = iota
	// Viterbi: the best path of each example alone. The objective is
	// Σ ln max P(example, path). Paths that share every arc of a lattice, their
	// weights having been added by an operation such as ε-removal, count as one.
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

// Expectations is what an E step returns.
type Expectations struct {
	// LogLikelihood is Σ weight·ln P(example), in nats, over the examples that
	// have a derivation; with Viterbi, P is the probability of the best path; with a
	// temperature it is Σ pᵝ over the paths.
	LogLikelihood float64
	// Gap is how much higher Σ weight·ln P(example) may be than LogLikelihood, where that
	// is of parts of the sums (cascade.Data.Within). It is 0 where sums are whole and finite where
	// parts are chosen, unless no bound is known for an example. Elsewhere it is +Inf.
	Gap float64
	// Bounds are those of the examples of which Gap is made, if the query asks for them.
	Bounds []Bound
	// Counts holds for each parameter the expected number of its uses, summed
	// over the examples times their weights: ∂ LogLikelihood / ∂ ln θ at β = 1,
	// where ln θ means the ln of the parameter's value (see Params.Values).
	// Where a parameter is no factor of the weights, its count is what its
	// group's law says it is: an expected sufficient statistic. If the query brought
	// Counts it is these, with what they held, and a Weight multiplies what was added.
	Counts []float64
	// Curvature, where a Tangent was asked for, is the derivative of Counts
	// along it: the Hessian of LogLikelihood by the ln of the values (at β = 1)
	// times Tangent. The query's Curvature and Weight are heeded likewise.
	Curvature []float64
	// Examples is the number of examples, Skipped are those without a
	// derivation.
	Examples int
	Skipped  []Skipped
	// Remarks say what may be a mistake in the model, or is meant: see Result.
	Remarks []string
	// Arcs is the number of arcs visited, and of cells where there is no lattice.
	Arcs int64
	// Latticeless is the number of examples whose derivations were summed over without a
	// lattice: see cascade.Data.Way.
	Latticeless int

	plus, minus *Expectations // of a Difference: its parts
}

// Bound says between what the ln of an example's sum lies, where an E step takes a part of
// the sum (cascade.Data.Within).
type Bound struct {
	// Part and Index say which example it is, as in Skipped, and Name is what it is called.
	Part  string
	Index int
	Name  string
	// Weight is the example's.
	Weight float64
	// Lower ≤ ln P(example) ≤ Upper, in nats. Lower is what the LogLikelihood has of the
	// example, but for its weight. Upper is +Inf where nothing is known. It has been
	// raised by 1e-9, which is much more than rounding takes.
	Lower, Upper float64
}

// Skipped names an example that has no derivation.
type Skipped struct {
	// Part says which part of a Sum the example is in: names, with slashes in between for
	// sums in sums; "" where there is no Sum.
	Part string
	// Index is its number, from 0, in the data of the part.
	Index int
	Name  string
	// Weight is the example's.
	Weight float64
	// Structural is true if the machines do not relate any of the example's
	// strings, whatever θ is; otherwise the current θ gives them probability 0.
	Structural bool
	// Reason says why the machines do not, if a single label of a string shows it. Of the first
	// example of a shard it says how far the strings can be read and written, too. "" if not.
	Reason string
}

// String says which example it is, and why it has no derivation if that is known.
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

// Policy is what to do with an example that has probability 0.
type Policy int

const (
	// Fail ends training with an error, wrapping ErrUnderivable, that counts
	// the examples and names the first.
	Fail Policy = iota
	// Skip goes on without them; Result.Skipped names each.
	Skip
)

// String returns what it is called.
func (p Policy) String() string {
	return named.One(p, "Policy", "fail", "skip")
}

// ErrUnderivable reports an input to which a model gives probability 0.
//
// All models answer questions about such an input in the same way. The logarithm of its
// probability, as LogProb returns it, is −Inf, without an error. A call for one answer, such as
// Best, or for a distribution, such as Posteriors, returns an error that wraps ErrUnderivable. A
// call for a list of the n best answers returns an empty list and no error. Data of training are
// treated by their Policy. A symbol that a model does not know may have an error of its own.
//
// Otherwise ln P is at most 0, unless it is that of a density or of weights that do not sum to 1,
// and a posterior probability at most 1: what rounding adds is taken off.
var ErrUnderivable = errors.New("no derivation")

// CheckWeights returns what is wrong with the weights of n examples, nil for nothing: each
// is a finite number ≥ 0, and one is not 0. If all have weight 0 nothing
// counts. The error wraps ErrInvalid and names
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

// Excluder is a Likelihood that can leave out examples: those that another one skips.
type Excluder interface {
	Likelihood
	// ExpectWithout makes an E step without some examples, given in ascending order
	// of Index in each Part. They are not among those Skipped that it returns.
	ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error)
}

// Heuristic is a Likelihood that can be one in name only: its Counts are then not the
// derivatives of its LogLikelihood but what some rule makes of the posteriors. An M
// step may lower the objective of such a likelihood, and Fit does not object; it
// converges where the objective changes by no more than the tolerance. The methods EM,
// Anneal and Stepwise apply, others are an error that wraps ErrMethod.
type Heuristic interface {
	Likelihood
	// Heuristic reports whether that is so.
	Heuristic() bool
}

// heuristic reports whether the counts of l are no derivatives.
func heuristic(l Likelihood) bool {
	h, ok := l.(Heuristic)
	return ok && h.Heuristic()
}

// outOfRange reports whether err says that a θ is not legal, or that a path sum has no
// finite value there.
func outOfRange(err error) bool { return isAny(err, outside) }

// outside are the errors of a θ at which the objective has no value.
var outside = []error{ErrParameter, semiring.ErrDiverges, semiring.ErrInaccurate, semiring.ErrNotFinite, expr.ErrParam, expr.ErrDivision}

func isAny(err error, of []error) bool {
	for _, target := range of {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// ErrMethod is wrapped by the error for a method that cannot be used with the
// likelihood at hand.
var ErrMethod = errors.New("method does not apply")
