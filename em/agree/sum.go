package agree

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
)

// Independent returns Σ_m ln Z_m(b_m), the objective of training each submodel on its own, as one
// likelihood: terms[m] belongs to submodel m over its own Z_m.
//
// All terms must have the same Params and the same examples in the same shards; otherwise the
// error wraps em.ErrInvalid. An example that one term skips is left out of all terms, which then
// must implement em.Excluder. If the terms skip different examples, the E step is made twice. If
// all terms are made by Likelihood with the same policy, they are visited together, example by
// example, in a single E step. Their counts are added up in one vector.
func Independent(terms ...em.Likelihood) (em.Likelihood, error) {
	return newSum(terms, 1, 1)
}

// DomainApproximate returns (1/M) Σ_m ln Z_m(b), the objective of domain-approximate product EM.
// terms[m] sums over Z_m the product of b, the shared potentials of all submodels, and the
// private potentials of submodel m. Shared parameters get the average of the terms' counts.
// Private parameters get 1/M of the counts of their own term. So a prior has more influence on
// them.
//
// It is at most ln Σ over the union of the Z_m (Liang, Klein and Jordan 2007,
// Proposition 1). Errors are as in Independent.
func DomainApproximate(terms ...em.Likelihood) (em.Likelihood, error) {
	return newSum(terms, 1/float64(len(terms)), 1)
}

// ParameterApproximate returns (1/M) Σ_m ln Z∩(M·b_m), the objective of parameter-approximate
// product EM with each submodel's own statistics. terms[m] is the likelihood of submodel m alone,
// but over the structures that all submodels allow. The temperature takes the M-th power of the
// weights. Each path must be a separate structure, because the power of a sum over several paths
// is not the sum of their powers.
//
// It is at least the objective of exact product EM (Liang, Klein and Jordan 2007,
// Proposition 2). Errors are as in Independent.
func ParameterApproximate(terms ...em.Likelihood) (em.Likelihood, error) {
	return newSum(terms, 1/float64(len(terms)), float64(len(terms)))
}

// sum is weight · Σ over the terms of ln Σ p^temperature.
type sum struct {
	terms               []em.Likelihood
	weight, temperature float64
}

func newSum(terms []em.Likelihood, weight, temperature float64) (em.Likelihood, error) {
	if len(terms) == 0 {
		return nil, nested.Errorf("agree: %w: no submodels", em.ErrInvalid)
	}
	for m, l := range terms {
		nonnil.Check("agree", fmt.Sprintf("likelihood of submodel %d", m), l)
	}
	for m, l := range terms[1:] {
		if l.Params() != terms[0].Params() {
			return nil, nested.Errorf("agree: %w: submodels 0 and %d have different em.Params, want one for all", em.ErrInvalid, m+1)
		}
		if l.Shards() != terms[0].Shards() {
			return nil, nested.Errorf("agree: %w: submodel %d has %d shards, submodel 0 has %d", em.ErrInvalid, m+1, l.Shards(), terms[0].Shards())
		}
	}
	if l := together(terms, weight, temperature); l != nil {
		return l, nil
	}
	return &sum{terms: terms, weight: weight, temperature: temperature}, nil
}

// together returns the sum of terms that are single submodels (see Likelihood), computed in one
// pass over the examples. It returns nil for other terms. The counts of all terms are added up in
// one vector. An example that one submodel skips is left out of all in the same pass.
func together(terms []em.Likelihood, weight, temperature float64) em.Likelihood {
	var submodels []Submodel
	var policy em.Policy
	for m, l := range terms {
		c, ok := l.(combination)
		if !ok || c.name != "own" || m > 0 && c.policy != policy {
			return nil
		}
		policy, submodels = c.policy, append(submodels, c.submodels[0])
	}
	l, err := newCombination(policy, submodels, rule{name: "sum", temperature: temperature, share: weight, scale: weight * temperature})
	if err != nil { // such as different weights of the same example
		return nil
	}
	return l
}

// Params returns the parameters of all terms.
func (s *sum) Params() *em.Params { return s.terms[0].Params() }

// Shards returns the number of shards of each term.
func (s *sum) Shards() int { return s.terms[0].Shards() }

// Heuristic reports whether any term is a heuristic.
func (s *sum) Heuristic() bool {
	return slices.ContainsFunc(s.terms, func(l em.Likelihood) bool {
		h, ok := l.(em.Heuristic)
		return ok && h.Heuristic()
	})
}

// Fingerprint writes the terms and the rule that combines them.
func (s *sum) Fingerprint(w io.Writer) {
	fmt.Fprintf(w, "agree %d %g %g\n", len(s.terms), s.weight, s.temperature)
	for _, l := range s.terms {
		l.Fingerprint(w)
	}
}

// Expect makes an E step of each term, one after the other.
func (s *sum) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	return s.ExpectWithout(ctx, q, nil)
}

// ExpectWithout makes the E steps without some examples.
func (s *sum) ExpectWithout(ctx context.Context, q em.Query, without []em.Skipped) (*em.Expectations, error) {
	q, err := q.Complete(s)
	if err != nil {
		return nil, err
	}
	// All terms add to one vector. A second pass clears it first, so it must start as zeros.
	terms := q
	terms.Temperature *= s.temperature
	// The derivative of weight·ln Σ p^temperature with respect to ln p.
	terms.Weight *= s.weight * s.temperature
	terms.Counts = empty(q.Counts, s.Params().Len())
	if q.Tangent != nil {
		terms.Curvature = empty(q.Curvature, s.Params().Len())
	}
	found, err := s.each(ctx, terms, without)
	if err != nil {
		return nil, err
	}
	skipped, same := union(found)
	if !same {
		clear(terms.Counts)
		clear(terms.Curvature)
		if found, err = s.each(ctx, terms, merge(without, skipped)); err != nil {
			return nil, err
		}
	}
	total := &em.Expectations{Examples: found[0].Examples, Skipped: skipped,
		Counts: join(q.Counts, terms.Counts), Curvature: join(q.Curvature, terms.Curvature)}
	for m, e := range found {
		for _, remark := range e.Remarks {
			total.Remarks = append(total.Remarks, fmt.Sprintf("submodel %d: %s", m, remark))
		}
		total.LogLikelihood += s.weight * e.LogLikelihood
		total.Gap += s.weight * e.Gap
		total.Arcs += e.Arcs
		total.WithoutLattice += e.WithoutLattice
	}
	return total, nil
}

// empty returns v if it is all zeros, and otherwise a new vector of n zeros.
func empty(v []float64, n int) []float64 {
	if v == nil || slices.ContainsFunc(v, func(x float64) bool { return x != 0 }) {
		return make([]float64, n)
	}
	return v
}

// join returns the counts for a query that passed the vector to, or nil. part may be this vector
// itself; otherwise join adds it to to.
func join(to, part []float64) []float64 {
	if len(to) == 0 || part == nil || &to[0] == &part[0] {
		return part
	}
	floats.Add(to, part)
	return to
}

// each makes the E steps of the terms.
func (s *sum) each(ctx context.Context, q em.Query, without []em.Skipped) ([]*em.Expectations, error) {
	found := make([]*em.Expectations, len(s.terms))
	for m, l := range s.terms {
		var err error
		switch excluder, ok := l.(em.Excluder); {
		case len(without) == 0:
			found[m], err = l.Expect(ctx, q)
		case ok:
			found[m], err = excluder.ExpectWithout(ctx, q, without)
		default:
			err = fmt.Errorf("%w: %v, which %s cannot leave out", em.ErrUnderivable, without[0], typename.Of(l))
		}
		if err != nil {
			return nil, nested.Errorf("agree: submodel %d: %w", m, err)
		}
		if n := found[m].Examples; n != found[0].Examples {
			return nil, nested.Errorf("agree: %w: submodel %d has %d examples, submodel 0 has %d", em.ErrInvalid, m, n, found[0].Examples)
		}
	}
	return found, nil
}

// union returns the examples that any E step skipped, and whether all skipped the same ones.
func union(found []*em.Expectations) (skipped []em.Skipped, same bool) {
	for _, e := range found {
		skipped = merge(skipped, e.Skipped)
	}
	same = true
	for _, e := range found {
		same = same && len(e.Skipped) == len(skipped)
	}
	return skipped, same
}

// merge returns the union of two lists of examples, in ascending order within each part.
func merge(a, b []em.Skipped) []em.Skipped {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y em.Skipped) int { return cmp.Or(cmp.Compare(x.Part, y.Part), cmp.Compare(x.Index, y.Index)) })
	return slices.CompactFunc(all, func(x, y em.Skipped) bool { return x.Part == y.Part && x.Index == y.Index })
}
