package nbest

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nonnil"
)

// ErrInvalid is wrapped by errors about arguments that make no sense.
var ErrInvalid = errors.New("invalid argument")

// Factor is a model in a product, and the exponent of its probabilities.
type Factor struct {
	Model  Model
	Weight float64
}

// Product is the log-linear product of models, itself a Model: a pair scores
// Σ weight · ln p over them, so that it must be plausible to each. Scores are not
// normalized.
type Product struct {
	factors []Factor
}

// NewProduct returns the product of the factors, whose weights are positive. That of one
// factor ranks its candidates by their exact probabilities. The error wraps ErrInvalid.
func NewProduct(factors ...Factor) (*Product, error) {
	if len(factors) == 0 {
		return nil, fmt.Errorf("nbest: %w: a product of no models", ErrInvalid)
	}
	for i, f := range factors {
		nonnil.Check("nbest: NewProduct", fmt.Sprintf("model of factor %d", i), f.Model)
		if !(f.Weight > 0 && f.Weight <= math.MaxFloat64) {
			return nil, fmt.Errorf("nbest: %w: factor %d has weight %g, want a positive number", ErrInvalid, i, f.Weight)
		}
	}
	return &Product{slices.Clone(factors)}, nil
}

// Best returns up to n targets of x, the best first: those among the n best of any factor,
// each scored exactly by all of them. A factor that does not know a symbol of x has no
// say; if none does, the error is theirs. Targets that another factor gives probability 0
// are left out.
func (p *Product) Best(ctx context.Context, x []int32, n int) ([]Candidate, error) {
	nonnil.Check("nbest: Best", "context", ctx)
	able, all, err := p.propose(ctx, x, n)
	if err != nil {
		return nil, err
	}
	scored := all[:0]
	for _, c := range all {
		if c.LogProb, err = able.LogProb(x, c.Y); err != nil {
			return nil, err
		}
		if c.LogProb > math.Inf(-1) {
			scored = append(scored, c)
		}
	}
	sortCandidates(scored)
	return scored[:min(max(n, 0), len(scored))], nil
}

// propose returns the product of the factors that know x, and all that they find.
func (p *Product) propose(ctx context.Context, x []int32, n int) (able Product, all []Candidate, err error) {
	seen := map[string]bool{}
	var unknown error
	for _, f := range p.factors {
		best, err := f.Model.Best(ctx, x, n)
		if errors.Is(err, ErrUnknown) {
			unknown = err
			continue
		}
		if err != nil {
			return able, nil, err
		}
		able.factors = append(able.factors, f)
		for _, c := range best {
			if k := key(c.Y); !seen[k] {
				seen[k] = true
				all = append(all, c)
			}
		}
	}
	if len(able.factors) == 0 {
		return able, nil, unknown
	}
	return able, all, nil
}

// LogProb returns the score of a pair; −Inf if any factor gives it probability 0 or does
// not know a symbol.
func (p *Product) LogProb(x, y []int32) (float64, error) {
	sum := 0.0
	for _, f := range p.factors {
		logp, err := f.Model.LogProb(x, y)
		if errors.Is(err, ErrUnknown) {
			return math.Inf(-1), nil
		}
		if err != nil {
			return 0, err
		}
		sum += f.Weight * logp
	}
	return sum, nil
}

// sortCandidates puts the most probable first.
func sortCandidates(list []Candidate) {
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
}

// key returns a text that no other string has.
func key(s []int32) string {
	var b []byte
	for _, l := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(l))
	}
	return string(b)
}
