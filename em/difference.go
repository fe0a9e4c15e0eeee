package em

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/nonnil"
)

// Difference is the objective Plus − Minus: the likelihood of a model that is
// normalized as a whole, not by its parameters. Plus sums up, per example, the
// paths that explain it, and Minus all that compete with them. Its counts are
// differences of expectations, zero at a stationary point of a log-linear model.
//
// Problem.ConditionalLikelihood and Problem.NormalizedLikelihood make the two that
// cascades of machines have; a likelihood of another kind may take either place. The
// two must have the same Params and the same shards of the same examples.
//
// At a temperature β the objective is (1/β) Plus(β) − Minus(1): the paths that explain
// an example have the weight (w/Z)^β, for the Z that Minus finds at β = 1.
//
// The E step of a Difference in the mode Viterbi takes the best path in Plus and all
// paths in Minus: the objective is Σ ln max P(example, path | what Minus holds), and
// EM with it is conditional EM, hard assignments to a conditional model.
//
// Under EM the M step keeps the expected uses that Plus found and climbs
// Σ uses·ln value − Minus + log prior in the Coordinates of the parameters. That is a
// lower bound of the objective up to a constant, and this is generalized EM (Dempster,
// Laird and Rubin 1977; Riezler 1999), which never lowers the objective. Methods
// that follow a gradient, LBFGS and SGD, take the counts as they are. An E step holds the
// counts of Plus, of Minus and their difference.
type Difference struct {
	Plus, Minus Likelihood
	// Steps is the number of steps of L-BFGS in an M step (default 5). Each takes
	// an E step of Minus, seldom more.
	Steps int
}

// Params returns the parameters of both.
func (d *Difference) Params() *Params { return d.Plus.Params() }

// Shards returns the number of shards of each.
func (d *Difference) Shards() int { return d.Plus.Shards() }

// Fingerprint writes both and the number of steps.
func (d *Difference) Fingerprint(w io.Writer) {
	digest{w}.ints(d.Steps)
	d.Plus.Fingerprint(w)
	d.Minus.Fingerprint(w)
}

// Heuristic reports whether one of the two is.
func (d *Difference) Heuristic() bool { return heuristic(d.Plus) || heuristic(d.Minus) }

// Expect makes an E step of Plus and one of Minus and subtracts. Examples that Plus
// skips are left out of Minus, too; if it is no Excluder, the error wraps
// ErrUnderivable. Other errors come from the two, or wrap ErrInvalid if they do not
// fit each other.
func (d *Difference) Expect(ctx context.Context, q Query) (*Expectations, error) {
	nonnil.Check("em: Difference", "Plus", d.Plus, "Minus", d.Minus)
	if d.Plus.Params() != d.Minus.Params() || d.Plus.Shards() != d.Minus.Shards() {
		return nil, fmt.Errorf("em: %w: a difference of likelihoods with other parameters, or of %d shards and %d",
			ErrInvalid, d.Plus.Shards(), d.Minus.Shards())
	}
	q, err := q.Complete(d)
	if err != nil {
		return nil, err
	}
	plus, err := d.Plus.Expect(ctx, q.Apart())
	if err != nil {
		return nil, err
	}
	minus, err := d.compete(ctx, q, plus.Skipped)
	if err != nil {
		return nil, err
	}
	if minus.Gap != 0 {
		return nil, fmt.Errorf("em: normalization: %w to parts of sums: less of what is taken away is no lower bound", ErrMethod)
	}
	e := &Expectations{
		Gap: plus.Gap, Bounds: plus.Bounds,
		LogLikelihood: plus.LogLikelihood - q.Temperature*minus.LogLikelihood,
		Counts:        make([]float64, len(plus.Counts)),
		Examples:      plus.Examples,
		Skipped:       plus.Skipped,
		Arcs:          plus.Arcs + minus.Arcs,
		Latticeless:   plus.Latticeless + minus.Latticeless,
		plus:          plus,
		minus:         minus,
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
	q = q.Apart()
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
		err = fmt.Errorf("em: %w: %v, which %T cannot leave out", ErrUnderivable, skipped[0], d.Minus)
	}
	if err == nil && len(e.Skipped) > 0 {
		err = fmt.Errorf("em: %w among all that compete with %v", ErrUnderivable, e.Skipped[0])
	}
	if err != nil {
		return nil, fmt.Errorf("em: normalization: %w", err)
	}
	return e, nil
}

// maximize climbs the bound Σ counts·ln value − Minus + log prior, with the counts of
// Plus at q.Theta and its temperature.
func (d *Difference) maximize(ctx context.Context, q Query, e *Expectations) ([]float64, error) {
	if e.plus == nil {
		return nil, fmt.Errorf("em: M step of a difference: %w to counts of several E steps", ErrMethod)
	}
	steps := d.Steps
	steps = cmp.Or(steps, 5)
	p := d.Params()
	coordinates, err := p.Coordinates(q.Theta)
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
			steps-- // the first is where the others start
		}
		if err != nil || steps < 0 || s.Norm() <= gradientRounding*max(1, math.Abs(s.Value)) {
			return coordinates.Theta(s.At), nil
		}
		if value, err = b.eval(gradient, s.Next()); err != nil {
			return nil, err
		}
	}
}

// gradientRounding is what rounding leaves of a gradient, relative to the objective.
const gradientRounding = 1e-13

// bound is what maximize climbs, as a function to be minimized.
type bound struct {
	d           *Difference
	ctx         context.Context
	query       Query
	coordinates *Coordinates
	l1          []float64
	plus        *Expectations
}

// eval returns the value at x and its gradient, +Inf where Minus has no value.
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
	b.coordinates.Gradient(gradient, theta, counts)
	floats.Scale(-1, gradient)
	value := minus.LogLikelihood - p.score(theta, b.plus.Counts) - p.LogPrior(theta)
	for i, w := range b.l1 { // which the minimizer adds itself
		value -= w * math.Abs(x[i])
	}
	return value
}

// ConditionalLikelihood returns Σ weight·ln P(Y | X) of the examples, where
//
//	P(Y | X) = Σ ⟦f⟧(x, y) over x in X, y in Y / Σ ⟦f⟧(x, y) over x in X and all y:
//
// the objective of discriminative training. X and Y may be incomplete. Where every X
// is a string it is also the likelihood under global conditional normalization,
// ⟦f⟧(x, y) / Σ_y ⟦f⟧(x, y), of a machine with any weights, a conditional random field
// for instance.
//
// Errors are as in Likelihood; an E step fails if the sum over all y diverges. Each
// of the two sides keeps lattices up to Data.CacheBytes. A Problem with Edges does not say
// what is given (ErrInvalid): take the Difference of its likelihoods, of the data and of
// the same data without what is to be predicted.
func (p Problem) ConditionalLikelihood(data Data) (*Difference, error) {
	if len(p.Edges) > 0 {
		return nil, fmt.Errorf("em: %w: a conditional likelihood of a tree without X and Y; take the Difference of two of its likelihoods", ErrInvalid)
	}
	plus, err := p.Likelihood(data)
	if err != nil {
		return nil, err
	}
	anything := func(x Example, err error) (Example, error) {
		x.Y, x.Branches = Side{}, make([]Side, len(x.Branches))
		return x, err
	}
	open := data
	open.Within = nil
	if t := data.Text; t != nil {
		open.Text = &Text{t.Files, func(l Line) (Example, error) { return anything(t.Example(l)) }}
	} else {
		open.Examples, open.Stream = nil, func(yield func(Example, error) bool) {
			for x, err := range data.all() {
				if !yield(anything(x, err)) {
					return
				}
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
// normalization: P(X, Y) = Σ ⟦f⟧(x, y) over x in X and y in Y, divided by Z. Z is the sum
// over all x and y, or over all strings of all tapes of a tree. The weights of f can be
// anything as long as Z is finite; f may have cycles. A cascade of acceptors is the
// intersection of its machines, and so a product of experts.
//
// Errors are as in Likelihood; an E step fails if Z diverges or is 0. Z is one
// path sum however many examples there are.
func (p Problem) NormalizedLikelihood(data Data) (*Difference, error) {
	plus, err := p.cascade(data)
	if err != nil {
		return nil, err
	}
	all := data
	all.Stream, all.Text, all.Within, all.Underivable = nil, nil, nil, Fail
	all.Examples = []Example{{Name: "all strings", Branches: make([]Side, len(p.Branches))}}
	total, err := p.cascade(all)
	if err != nil {
		return nil, err
	}
	return &Difference{Plus: plus.likelihood(), Minus: &partition{total.likelihood(), plus}}, nil
}

// partition is Σ weight·ln Z over the examples of a cascade, where Z belongs to the only
// example of total.
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
	whole := q.Apart()
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
