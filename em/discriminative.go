package em

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
)

// Difference is the objective Plus − Minus: the likelihood of a model that is
// normalized as a whole instead of by its parameters. For each example, Plus sums over the
// paths that explain it, and Minus over all paths that compete with them. Its counts are
// differences of expectations, and zero at a stationary point of a log-linear model.
//
// cascade.Problem.ConditionalLikelihood and cascade.Problem.NormalizedLikelihood return the
// two Differences for cascades of machines; Plus and Minus may also be other likelihoods. The
// two must have the same Params and the same shards of the same examples.
//
// At a temperature β the objective is (1/β) Plus(β) − Minus(1): the paths that explain
// an example have the weight (w/Z)^β, where Z is the sum of Minus at β = 1.
//
// The E step of a Difference in the mode Viterbi takes the best path in Plus and all
// paths in Minus. The objective is Σ ln max P(example, path | the event that Minus sums over), and
// EM with it is conditional EM, with hard assignments to a conditional model.
//
// Under EM the M step keeps the expected uses of Plus and climbs
// Σ uses·ln value − Minus + log prior in the Coordinates of the parameters. This is a
// lower bound of the objective up to a constant, so the result is generalized EM (Dempster,
// Laird and Rubin 1977; Riezler 1999), which never lowers the objective. As the M step uses
// coordinates, it returns an error that wraps ErrNoMode under a Dirichlet prior with α < 1. Methods
// that follow a gradient, LBFGS and SGD, use the counts directly. An E step holds the
// counts of Plus, of Minus and their difference.
type Difference struct {
	Plus, Minus Likelihood
	// Steps is the number of steps of L-BFGS in an M step (default 5). Each takes
	// one E step of Minus, rarely more.
	Steps int
}

// Params returns the parameters of both.
func (d *Difference) Params() *Params { return d.Plus.Params() }

// Shards returns the number of shards of each.
func (d *Difference) Shards() int { return d.Plus.Shards() }

// Fingerprint writes both and the number of steps.
func (d *Difference) Fingerprint(w io.Writer) {
	digest.To{Writer: w}.Ints(d.Steps)
	d.Plus.Fingerprint(w)
	d.Minus.Fingerprint(w)
}

// Heuristic reports whether Plus or Minus is heuristic.
func (d *Difference) Heuristic() bool { return heuristic(d.Plus) || heuristic(d.Minus) }

// Expect makes an E step of Plus and one of Minus and subtracts. Examples that Plus
// skips are left out of Minus, too; if Minus is no Excluder, the error wraps
// ErrUnderivable. It returns other errors of Plus and Minus, and an error that wraps ErrInvalid
// if the two do not match.
func (d *Difference) Expect(ctx context.Context, q Query) (*Expectations, error) {
	nonnil.Check("em: Difference", "Plus", d.Plus, "Minus", d.Minus)
	if d.Plus.Params() != d.Minus.Params() {
		return nil, nested.Errorf("em: %w: Minus of a difference has other Params than Plus", ErrInvalid)
	}
	if d.Plus.Shards() != d.Minus.Shards() {
		return nil, nested.Errorf("em: %w: a difference of likelihoods of %d shards and of %d, want as many", ErrInvalid, d.Plus.Shards(), d.Minus.Shards())
	}
	q, err := q.Complete(d)
	if err != nil {
		return nil, err
	}
	plus, err := d.Plus.Expect(ctx, q.Detached())
	if err != nil {
		return nil, err
	}
	minus, err := d.compete(ctx, q, plus.Skipped)
	if err != nil {
		return nil, err
	}
	if minus.Gap != 0 {
		return nil, nested.Errorf("em: normalization: %w to parts of sums: the difference of two lower bounds is not a lower bound", ErrMethod)
	}
	e := &Expectations{
		Gap: plus.Gap, Bounds: plus.Bounds,
		LogLikelihood:  plus.LogLikelihood - q.Temperature*minus.LogLikelihood,
		Counts:         make([]float64, len(plus.Counts)),
		Examples:       plus.Examples,
		Skipped:        plus.Skipped,
		Arcs:           plus.Arcs + minus.Arcs,
		WithoutLattice: plus.WithoutLattice + minus.WithoutLattice,
		plus:           plus,
		minus:          minus,
	}
	floats.SubTo(e.Counts, plus.Counts, minus.Counts)
	if q.Tangent != nil {
		e.Curvature = make([]float64, len(plus.Curvature))
		floats.SubTo(e.Curvature, plus.Curvature, minus.Curvature)
	}
	q.Deliver(e)
	return e, nil
}

// compete makes the E step of Minus, at β = 1 over all paths, without the examples that
// Plus skipped.
func (d *Difference) compete(ctx context.Context, q Query, skipped []Skipped) (*Expectations, error) {
	q = q.Detached()
	q.EStep, q.Temperature = Marginal, 1
	without, ok := d.Minus.(Excluder)
	var e *Expectations
	var err error
	switch {
	case ok:
		e, err = without.ExpectWithout(ctx, q, skipped)
	case len(skipped) == 0:
		e, err = d.Minus.Expect(ctx, q)
	default:
		err = nested.Errorf("em: %w: %v, which %s cannot leave out", ErrUnderivable, skipped[0], typename.Of(d.Minus))
	}
	if err == nil && len(e.Skipped) > 0 {
		err = nested.Errorf("em: %w among all that compete with %v", ErrUnderivable, e.Skipped[0])
	}
	if err != nil {
		return nil, nested.Errorf("em: normalization: %w", err)
	}
	return e, nil
}

// maximize climbs the bound Σ counts·ln value − Minus + log prior, with the counts of
// Plus at q.Theta and the temperature of q.
func (d *Difference) maximize(ctx context.Context, q Query, e *Expectations) ([]float64, error) {
	if e.plus == nil {
		return nil, nested.Errorf("em: M step of a difference: %w to counts of several E steps", ErrMethod)
	}
	steps := d.Steps
	steps = cmp.Or(steps, 5)
	p := d.Params()
	coordinates, err := p.Coordinates(q.Theta)
	if err == nil {
		err = cmp.Or(p.stray(), p.bounded(q.Theta, nil))
	}
	if err != nil || coordinates.Dim() == 0 {
		return slices.Clone(q.Theta), err
	}
	b := bound{d: d, ctx: ctx, query: q, coordinates: coordinates, plus: e.plus}
	b.query.Tangent = nil
	s := lbfgs.New(coordinates.Of(q.Theta), coordinates.L1(), 0)
	b.l1 = s.L1
	gradient := make([]float64, coordinates.Dim())
	value := b.at(gradient, s.Next(), q.Theta, e.minus)
	for {
		accepted, err := s.Tell(value, gradient)
		if err != nil && !errors.Is(err, lbfgs.ErrStalled) {
			return nil, err
		}
		if accepted {
			steps-- // the first accepted point is the starting point
		}
		if err != nil || steps < 0 || s.Norm() <= gradientRounding*max(1, math.Abs(s.Value)) {
			return coordinates.Theta(s.At), nil
		}
		if value, err = b.eval(gradient, s.Next()); err != nil {
			return nil, err
		}
	}
}

// gradientRounding bounds the rounding error of a gradient, relative to the objective.
const gradientRounding = 1e-13

// bound is minus the lower bound that maximize climbs, as a function for a minimizer.
type bound struct {
	d           *Difference
	ctx         context.Context
	query       Query
	coordinates *Coordinates
	l1          []float64
	plus        *Expectations
}

// eval returns the value at x and its gradient, or +Inf if Minus has no value.
func (b *bound) eval(gradient, x []float64) (float64, error) {
	b.query.Theta = b.coordinates.Theta(x)
	minus, err := b.d.compete(b.ctx, b.query, b.plus.Skipped)
	if outOfRange(err) {
		return math.Inf(1), nil
	}
	if err != nil {
		return 0, err
	}
	return b.at(gradient, x, b.query.Theta, minus), nil
}

func (b *bound) at(gradient, x, theta []float64, minus *Expectations) float64 {
	p := b.coordinates.params
	counts := make([]float64, p.n)
	floats.SubTo(counts, b.plus.Counts, minus.Counts)
	value := minus.LogLikelihood - p.score(theta, b.plus.Counts) - p.LogPrior(theta)
	return b.coordinates.falling(gradient, b.l1, x, theta, counts, -value)
}

// Risk is the objective −Σ weight·E[loss | example], minus the expected loss of a
// path drawn from the lattice of each example. Minimum-risk training maximizes it
// (Smith and Eisner 2006; Li and Eisner 2009).
//
// The loss of a path is the sum of the losses of its uses of parameters. To define a loss, put a
// parameter of the value 1, from a Fixed group, as a factor on the arcs that are errors. Use its
// k-th power for a loss of k, for any number k (expr.Space.RealPower). For a loss of labelings,
// the X of an example is the input, and Y contains all labelings, each with its loss: see
// cascade.Hamming. Parameters with another meaning, for instance deletions, may have a loss, too.
// In a machine to the power x (cascade.Power) each use counts x times. A use of the exponent
// itself counts as the ln of the weight that is raised to it.
//
// At a temperature paths are drawn by powers of their weights. If strings have several paths, the
// expected loss of strings at a temperature is the Risk of
// cascade.Problem.StringLikelihood. At the temperature 1 both are the same.
//
// Value and counts take one E step with a Hessian-vector product in the direction
// Loss: the derivative of an expected loss is its covariance with the uses of each
// parameter. There are no second derivatives, no best paths and no M step, so train
// with a method that follows a gradient.
type Risk struct {
	// Likelihood contains the lattices whose paths have losses.
	Likelihood Likelihood
	// Loss is the loss of one use of each parameter, of length Params.Len.
	Loss []float64
}

// Params returns the parameters.
func (r *Risk) Params() *Params { return r.Likelihood.Params() }

// Shards returns the number of shards.
func (r *Risk) Shards() int { return r.Likelihood.Shards() }

// Fingerprint writes the likelihood and the losses.
func (r *Risk) Fingerprint(w io.Writer) {
	digest.To{Writer: w}.Floats(r.Loss...)
	r.Likelihood.Fingerprint(w)
}

// Expect returns minus the risk as LogLikelihood, and as Counts its derivatives with respect to
// the ln of the values. At a temperature β paths of the likelihood are drawn in proportion to the
// power β of their weight, and derivatives are divided by β. It returns errors of the likelihood,
// an error that wraps ErrParameter for invalid losses, and ErrMethod.
func (r *Risk) Expect(ctx context.Context, q Query) (*Expectations, error) {
	switch {
	case len(r.Loss) != r.Params().Len():
		return nil, nested.Errorf("em: %w: losses of %d parameters, want %d", ErrParameter, len(r.Loss), r.Params().Len())
	case q.Tangent != nil:
		return nil, nested.Errorf("em: second derivatives: %w to an expected loss", ErrMethod)
	case q.EStep != Marginal:
		return nil, nested.Errorf("em: E step %v: %w to an expected loss", q.EStep, ErrMethod)
	}
	for i, x := range r.Loss {
		if x-x != 0 {
			return nil, nested.Errorf("em: %w: a use of %s costs %g, want a finite number", ErrParameter, r.Params().Name(int32(i)), x)
		}
	}
	q, err := q.Complete(r)
	if err != nil {
		return nil, err
	}
	paths := q.Detached()
	paths.Tangent = r.Loss
	e, err := r.Likelihood.Expect(ctx, paths)
	if err != nil {
		return nil, err
	}
	f := &Expectations{LogLikelihood: -floats.Dot(r.Loss, e.Counts), Counts: e.Curvature,
		Examples: e.Examples, Skipped: e.Skipped, Arcs: e.Arcs, WithoutLattice: e.WithoutLattice}
	if e.Gap != 0 {
		f.Gap = math.Inf(1) // the mean loss of a part does not bound the loss of the rest
	}
	floats.Scale(-1/q.Temperature, f.Counts)
	q.Deliver(f)
	return f, nil
}

func (r *Risk) maximize(context.Context, Query, *Expectations) ([]float64, error) {
	return nil, nested.Errorf("em: M step: %w to an expected loss", ErrMethod)
}
