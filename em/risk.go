package em

import (
	"context"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Risk is the objective −Σ weight·E[loss | example], minus the expected loss of a
// path drawn from the lattice of each example. Minimum-risk training maximizes it
// (Smith and Eisner 2006; Li and Eisner 2009).
//
// A path's loss is the sum over its uses of parameters. So put a parameter of the
// value 1, from a Fixed group, as a factor on the arcs that are errors: its k-th power for
// a loss of k, any number (expr.Space.RealPower). For a loss of labelings an example is the input X
// and as Y not the right labeling but all of them, each with its loss: see Hamming.
// Parameters that mean something anyway, deletions say, may cost something too.
//
// Value and counts take one E step with a Hessian-vector product in the direction
// Loss: the derivative of an expected loss is its covariance with the uses of each
// parameter. There are no second derivatives, no best paths and no M step, so train
// with a method that follows a gradient.
type Risk struct {
	// Likelihood has the lattices in which losses are.
	Likelihood Likelihood
	// Loss is what a use of each parameter costs, of length Params.Len.
	Loss []float64
}

// Params returns the parameters.
func (r *Risk) Params() *Params { return r.Likelihood.Params() }

// Shards returns the number of shards.
func (r *Risk) Shards() int { return r.Likelihood.Shards() }

// Fingerprint writes the likelihood and the losses.
func (r *Risk) Fingerprint(w io.Writer) {
	digest{w}.floats(r.Loss...)
	r.Likelihood.Fingerprint(w)
}

// Expect returns minus the risk as LogLikelihood, and as Counts its derivatives by the ln
// of the values. At a temperature β paths are drawn in proportion to the power β of their
// weight, and derivatives are divided by β. Errors come from the likelihood, or wrap
// ErrParameter for losses that do not fit, and ErrMethod.
func (r *Risk) Expect(ctx context.Context, q Query) (*Expectations, error) {
	switch {
	case len(r.Loss) != r.Params().Len():
		return nil, fmt.Errorf("em: %w: losses of %d parameters, want %d", ErrParameter, len(r.Loss), r.Params().Len())
	case q.Tangent != nil:
		return nil, fmt.Errorf("em: second derivatives: %w to an expected loss", ErrMethod)
	case q.EStep != Marginal:
		return nil, fmt.Errorf("em: E step %v: %w to an expected loss", q.EStep, ErrMethod)
	}
	q, err := q.Complete(r)
	if err != nil {
		return nil, err
	}
	paths := q.Apart()
	paths.Tangent = r.Loss
	e, err := r.Likelihood.Expect(ctx, paths)
	if err != nil {
		return nil, err
	}
	f := &Expectations{LogLikelihood: -floats.Dot(r.Loss, e.Counts), Counts: e.Curvature,
		Examples: e.Examples, Skipped: e.Skipped, Arcs: e.Arcs, Latticeless: e.Latticeless}
	if e.Gap != 0 {
		f.Gap = math.Inf(1) // the mean loss of a part says nothing of the others
	}
	floats.Scale(-1/q.Temperature, f.Counts)
	q.Deliver(f)
	return f, nil
}

func (r *Risk) maximize(context.Context, Query, *Expectations) ([]float64, error) {
	return nil, fmt.Errorf("em: M step: %w to an expected loss", ErrMethod)
}

// Hamming returns the acceptor of all strings over alphabet that are as long as
// reference, in which each label that differs from reference has the weight loss, a
// parameter of value 1 of p's Space: as an example's Y, the Hamming loss of a labeling.
func Hamming(p *Params, loss expr.W, reference, alphabet []int32) (*fst.FST[expr.W], error) {
	nonnil.Check("em: Hamming", "parameters", p)
	k := p.space
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	for _, right := range reference {
		next := m.AddState()
		for _, label := range alphabet {
			w := loss
			if label == right {
				w = k.One()
			}
			m.AddArc(s, fst.Arc[expr.W]{In: label, Out: label, Weight: w, To: next})
		}
		s = next
	}
	m.SetFinal(s, k.One())
	f, err := m.Freeze()
	if err != nil {
		return nil, fmt.Errorf("em: Hamming: %w", err)
	}
	return f, nil
}
