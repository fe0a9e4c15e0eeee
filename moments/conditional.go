package moments

import (
	"context"
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// ConditionalCovariance returns the estimated covariance of θ̂ of a conditional model p_θ(y | x),
// where theta is the result of Fit. Its diagonal has the squares of the standard errors. It is the
// sandwich (Huber 1967; White 1982)
//
//	H⁻¹·(Σ_i r_i·r_iᵀ)·H⁻¹   with   H = Σ_i ∇²A_i(θ) + ridge·I   and   r_i = total_i − ∇A_i(θ),
//
// over independent parts i of the data, such as examples, or groups of examples that depend on each
// other. Each part has a log-partition function A_i and observed statistics total_i, the sum of β
// over the part. The residuals r_i include the noise of β, so its distribution need not be known.
// The model need not be correct; then θ̂ varies about the best θ. The estimate is poor unless there
// are many more parts than parameters.
//
// The likelihoods must be valid for Fit, have second derivatives, and have the same parameters in
// number and order. Parameters of em.Fixed laws have covariances of 0. Pass the ridge of the fit,
// whose default is 1. Add 1/σ² for a Gaussian prior of the law. A ridge biases θ̂ towards 0; the
// covariance does not include this bias. Each part takes an E step per parameter.
//
// The error wraps ErrUnidentifiable, with the name of the parameter, if H has no inverse. It wraps
// ErrInvalid for invalid arguments, with the index of the part, and for an empty sequence of parts.
// Other errors come from an E step.
func ConditionalCovariance(ctx context.Context, theta []float64, ridge float64, parts iter.Seq2[em.Likelihood, []float64]) (*mat.SymDense, error) {
	nonnil.Check("moments: ConditionalCovariance", "context", ctx, "parts", parts)
	if !(ridge >= 0) {
		return nil, invalid("ridge %g, want a finite number ≥ 0", ridge)
	}
	s := &sandwich{ridge: ridge}
	n := 0
	for l, total := range parts {
		if err := s.add(ctx, l, theta, total); err != nil {
			return nil, nested.Errorf("moments: part %d: %w", n, err)
		}
		n++
	}
	if n == 0 {
		return nil, invalid("a covariance from no data")
	}
	return s.covariance()
}

// sandwich holds the sums over the parts, restricted to the strengths.
type sandwich struct {
	ridge     float64
	params    *em.Params // of the first part
	strengths []int
	bread     *mat.Dense    // Σ ∇²A
	filling   *mat.SymDense // Σ r·rᵀ
}

// add adds a part.
func (s *sandwich) add(ctx context.Context, l em.Likelihood, theta, total []float64) error {
	nonnil.Check("moments: ConditionalCovariance", "likelihood", l)
	o := &objective{Likelihood: l, total: total}
	if err := o.check(Options{Ridge: s.ridge}); err != nil {
		return err
	}
	var strengths []int
	for _, x := range o.strengths {
		for i := x.lo; i < x.hi; i++ {
			strengths = append(strengths, i)
		}
	}
	d := len(strengths)
	switch {
	case d == 0 || len(theta) != len(total):
		return invalid("%d weights, %d statistics and %d strengths", len(theta), len(total), d)
	case s.params == nil:
		s.params, s.strengths, s.bread, s.filling = l.Params(), strengths, mat.NewDense(d, d, nil), mat.NewSymDense(d, nil)
	case s.params.Len() != len(total) || len(s.strengths) != d:
		return invalid("%d parameters, %d of them strengths, and %d and %d before", len(total), d, s.params.Len(), len(s.strengths))
	}
	tangent, rest := make([]float64, len(theta)), make([]float64, d)
	for row, i := range strengths {
		tangent[i] = 1
		e, err := l.Expect(ctx, em.Query{Theta: theta, Tangent: tangent})
		if err != nil {
			return err
		}
		tangent[i] = 0
		for column, j := range strengths {
			s.bread.Set(row, column, s.bread.At(row, column)+e.Curvature[j])
			rest[column] = total[j] - e.Counts[j]
		}
	}
	s.filling.SymRankOne(s.filling, 1, mat.NewVecDense(d, rest))
	return nil
}

// covariance returns the sandwich, with rows and columns of 0 for constants.
func (s *sandwich) covariance() (*mat.SymDense, error) {
	d := len(s.strengths)
	h := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			h.SetSym(i, j, s.bread.At(i, j)/2+s.bread.At(j, i)/2)
		}
		h.SetSym(i, i, h.At(i, i)+s.ridge)
	}
	var eigen mat.EigenSym
	if norm := mat.Norm(h, 2); norm-norm != 0 || !eigen.Factorize(h, true) {
		return nil, invalid("second derivatives of norm %g", norm)
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	if least, most := values[0], values[d-1]; !(least > singularTolerance*most) {
		direction := mat.Col(nil, 0, &vectors)
		for i, x := range direction {
			direction[i] = math.Abs(x)
		}
		name := s.params.Name(int32(s.strengths[floats.MaxIdx(direction)]))
		return nil, nested.Errorf("moments: %w: %s, along which the information is %.3g", ErrUnidentifiable, name, least)
	}
	inverse := mat.NewSymDense(d, nil)
	for k, v := range values {
		inverse.SymRankOne(inverse, 1/v, vectors.ColView(k))
	}
	var product mat.Dense
	product.Mul(inverse, s.filling)
	product.Mul(&product, inverse)
	c := mat.NewSymDense(s.params.Len(), nil)
	for i, p := range s.strengths {
		for j, q := range s.strengths[:i+1] {
			c.SetSym(p, q, product.At(i, j)/2+product.At(j, i)/2)
		}
	}
	return c, nil
}
