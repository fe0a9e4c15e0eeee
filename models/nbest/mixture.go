package nbest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Mixture is the weighted sum of models of string pairs, itself a Predictor:
// p(x, y) = Σ weight · p. One of the models made the pair, and nobody says which. A Product asks
// that a pair be plausible to all of its models, a mixture that it be so to one.
type Mixture struct{ factors []Factor }

// NewMixture returns the mixture of models with these weights, numbers > 0; they sum to 1 if it
// is to be a distribution. The error wraps ErrInvalid.
func NewMixture(factors ...Factor) (*Mixture, error) {
	if len(factors) == 0 {
		return nil, nested.Errorf("nbest: %w: a mixture of no models", ErrInvalid)
	}
	for i, f := range factors {
		nonnil.Check("nbest: NewMixture", fmt.Sprintf("predictor of factor %d", i), f.Predictor)
		if !(f.Weight > 0) || math.IsInf(f.Weight, 1) {
			return nil, nested.Errorf("nbest: %w: factor %d has weight %g, want a number > 0", ErrInvalid, i, f.Weight)
		}
	}
	return &Mixture{slices.Clone(factors)}, nil
}

var _ Rescorer = (*Mixture)(nil)

// Best returns up to n targets of x: of the n best of each model the best n, each scored exactly
// by all. A model that does not know a symbol of x has no say; if none knows it, the error wraps
// ErrUnknown. The list is empty, without an error, if no model has a target.
func (m *Mixture) Best(ctx context.Context, x []int32, n int) ([]Candidate, error) {
	nonnil.Check("nbest: Best", "context", ctx)
	var unknown error
	able := 0
	seen := map[string]bool{}
	var ys [][]int32
	for _, f := range m.factors {
		found, err := f.Predictor.Best(ctx, x, n)
		if errors.Is(err, ErrUnknown) {
			unknown = err
			continue
		}
		if err != nil {
			return nil, err
		}
		able++
		for _, c := range found {
			if k := key(c.Labels); !seen[k] {
				seen[k] = true
				ys = append(ys, c.Labels)
			}
		}
	}
	if able == 0 {
		return nil, unknown
	}
	scores, err := m.LogProbs(ctx, x, ys)
	if err != nil {
		return nil, err
	}
	list := make([]Candidate, len(ys))
	for i, y := range ys {
		list[i] = Candidate{y, scores[i]}
	}
	sortCandidates(list)
	return list[:min(max(n, 0), len(list))], nil
}

// LogProb returns ln Σ weight · p of a pair; −Inf if every model gives it probability 0 or does
// not know a symbol.
func (m *Mixture) LogProb(x, y []int32) (float64, error) {
	all, err := m.LogProbs(context.Background(), x, [][]int32{y})
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// LogProbs returns LogProb of x with each of ys.
func (m *Mixture) LogProbs(ctx context.Context, x []int32, ys [][]int32) ([]float64, error) {
	sums := slices.Repeat([]float64{math.Inf(-1)}, len(ys))
	for _, f := range m.factors {
		all, err := logProbs(ctx, f.Predictor, x, ys)
		if err != nil {
			return nil, err
		}
		for i, logp := range all {
			sums[i] = float64(semiring.Log{}.Plus(semiring.LogProb(sums[i]), semiring.LogProb(logp+math.Log(f.Weight))))
		}
	}
	for i, y := range ys {
		sums[i] = clamp.LogProb(sums[i], len(x)+len(y))
	}
	return sums, nil
}

// logProbs returns LogProb of the source x with each of ys, together where the model can. It is
// −Inf where the model does not know a symbol.
func logProbs(ctx context.Context, p Predictor, x []int32, ys [][]int32) ([]float64, error) {
	if r, ok := p.(Rescorer); ok {
		all, err := r.LogProbs(ctx, x, ys)
		if errors.Is(err, ErrUnknown) {
			return slices.Repeat([]float64{math.Inf(-1)}, len(ys)), nil
		}
		return all, err
	}
	all := make([]float64, len(ys))
	for i, y := range ys {
		logp, err := p.LogProb(x, y)
		if errors.Is(err, ErrUnknown) {
			logp, err = math.Inf(-1), nil
		}
		if err != nil {
			return nil, err
		}
		all[i] = logp
	}
	return all, nil
}
