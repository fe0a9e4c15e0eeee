package nbest

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// ErrInvalid is wrapped by errors about invalid arguments.
var ErrInvalid = nested.ErrInvalid

// ErrUnknown is wrapped by the errors of a model for symbols that it does not know.
var ErrUnknown = errors.New("unknown symbol")

// Candidate is a string that answers a query, such as a target of a source, and the natural
// logarithm of its probability. The function that returns it defines the probability: joint with
// the query, as in Best of a joint model, or given the query, as in Posteriors.
type Candidate struct {
	Labels  []int32
	LogProb float64
}

// Prob returns exp LogProb. It is 0 if LogProb is less than about −745, although LogProb still
// ranks such candidates. For a Product it is the exponential of a score, which may be greater than
// 1.
func (c Candidate) Prob() float64 { return math.Exp(c.LogProb) }

// Text returns the labels as the characters whose code points they are.
func (c Candidate) Text() string { return string(c.Labels) }

// Predictor is a frozen model of string pairs. It is safe for concurrent use.
type Predictor interface {
	// Best returns up to n targets of the source x, the most probable first, each once, with ln
	// p(x, y), or ln p(y | x) in a conditional model. If x has no target, the list is empty and the
	// error nil. The error wraps ErrUnknown if the model does not know a symbol of x, or is the
	// error of ctx.
	Best(ctx context.Context, x []int32, n int) ([]Candidate, error)
	// LogProb returns the logarithm of the probability of a pair, exactly; −Inf for 0.
	LogProb(x, y []int32) (float64, error)
}

// A Rescorer is a Predictor that scores several targets of one source faster together than one by
// one. Product and Mixture use LogProbs if a Predictor has it.
type Rescorer interface {
	Predictor
	// LogProbs returns LogProb of each of the targets ys with the source x. It may sum in another
	// order than LogProb, so the last bits may differ.
	LogProbs(ctx context.Context, x []int32, ys [][]int32) ([]float64, error)
}

// Factor is a model of a product or mixture and its weight. In a product the weight is the exponent
// of its probabilities, any number but 0.
type Factor struct {
	Predictor Predictor
	Weight    float64
}

// Product is the log-linear product of models, itself a Predictor: a pair scores
// Σ weight · ln p over them, so that it must be plausible to each. Scores are not
// normalized.
type Product struct {
	// Candidates is the initial number of targets that Best requests from each factor (0: 10). More
	// candidates give more influence to a factor that ranks the proposals of others well.
	Candidates int

	factors []Factor
}

// NewProduct returns the product of the factors; Fit trains their weights. The product of
// one factor ranks its candidates by their exact probabilities. The error wraps ErrInvalid.
func NewProduct(factors ...Factor) (*Product, error) {
	if len(factors) == 0 {
		return nil, nested.Errorf("nbest: %w: a product of no models", ErrInvalid)
	}
	for i, f := range factors {
		nonnil.Check("nbest: NewProduct", fmt.Sprintf("predictor of factor %d", i), f.Predictor)
		if f.Weight == 0 || f.Weight-f.Weight != 0 {
			return nil, nested.Errorf("nbest: %w: factor %d has weight %g, want a number other than 0", ErrInvalid, i, f.Weight)
		}
	}
	return &Product{factors: slices.Clone(factors)}, nil
}

// proposals is the default initial number of candidates per factor. At most deepest times the
// number of targets wanted are requested from each factor.
const proposals, deepest = 10, 16

// Best returns up to n targets of x: the best of any factor, each scored exactly by all of them. A
// factor that does not know a symbol of x is ignored. If all factors lack a symbol, the error wraps
// ErrUnknown. Targets that another factor gives probability 0 are left out. If this leaves no
// target, because the factors have no target in common, Best returns the list of the first factor
// that has targets, scored by its own weight · ln p. Otherwise the list is empty and the error nil.
//
// The list for n begins with the list for any smaller n. With the default of 10 Candidates, its
// first 10 are the best among the 10 best of every factor, in order. The next 10 are the best
// targets that the 20 best of every factor add, in order, and so on; the number doubles each time.
// A target after a multiple of 10 may therefore score higher than one before it. The list is
// shorter than n if the factors have so few targets in common that n targets would require more
// than the 16·n best of each. The error wraps ErrInvalid if Candidates is negative.
func (p *Product) Best(ctx context.Context, x []int32, n int) ([]Candidate, error) {
	nonnil.Check("nbest: Best", "context", ctx)
	if p.Candidates < 0 {
		return nil, nested.Errorf("nbest: %w: %d candidates", ErrInvalid, p.Candidates)
	}
	var ranked, pool []Candidate
	seen := map[string]bool{}
	for depth := cmp.Or(p.Candidates, proposals); ; depth *= 2 {
		able, found, more, err := p.propose(ctx, x, depth)
		if err != nil {
			return nil, err
		}
		var fresh [][]int32
		for _, c := range found {
			if k := key(c.Labels); !seen[k] {
				seen[k] = true
				fresh = append(fresh, c.Labels)
			}
		}
		scores, err := able.LogProbs(ctx, x, fresh)
		if err != nil {
			return nil, err
		}
		for i, y := range fresh {
			if scores[i] > math.Inf(-1) {
				pool = append(pool, Candidate{y, scores[i]})
			}
		}
		sortCandidates(pool)
		take := len(pool)
		if more {
			take = min(take, depth-len(ranked))
		}
		ranked, pool = append(ranked, pool[:take]...), pool[take:]
		if !more || len(ranked) >= n || depth >= deepest*max(n, proposals) {
			if len(ranked) == 0 {
				return able.first(ctx, x, n)
			}
			return ranked[:min(max(n, 0), len(ranked))], nil
		}
	}
}

// first returns the n best targets of the first factor that has one.
func (p *Product) first(ctx context.Context, x []int32, n int) ([]Candidate, error) {
	for _, f := range p.factors {
		best, err := f.Predictor.Best(ctx, x, n)
		if err != nil {
			return nil, err
		}
		if len(best) > 0 {
			best = slices.Clone(best)
			for i := range best {
				best[i].LogProb *= f.Weight
			}
			sortCandidates(best)
			return best, nil
		}
	}
	return nil, nil
}

// propose returns the product of the factors that know x, the depth best targets of each, and
// whether one of them may have more.
func (p *Product) propose(ctx context.Context, x []int32, depth int) (able Product, all []Candidate, more bool, err error) {
	var unknown error
	for _, f := range p.factors {
		best, err := f.Predictor.Best(ctx, x, depth)
		if errors.Is(err, ErrUnknown) {
			unknown = err
			continue
		}
		if err != nil {
			return able, nil, false, err
		}
		able.factors = append(able.factors, f)
		all = append(all, best...)
		more = more || len(best) == depth
	}
	if len(able.factors) == 0 {
		return able, nil, false, unknown
	}
	return able, all, more, nil
}

// LogProb returns the score of a pair; −Inf if any factor gives it probability 0 or does
// not know a symbol.
func (p *Product) LogProb(x, y []int32) (float64, error) {
	all, err := p.LogProbs(context.Background(), x, [][]int32{y})
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

var _ Rescorer = (*Product)(nil)

// LogProbs returns the scores of x with each of ys.
func (p *Product) LogProbs(ctx context.Context, x []int32, ys [][]int32) ([]float64, error) {
	sums := make([]float64, len(ys))
	for _, f := range p.factors {
		all, err := logProbs(ctx, f.Predictor, x, ys)
		if err != nil {
			return nil, err
		}
		for i, logp := range all {
			sums[i] = weighted(sums[i], f.Weight, logp)
		}
	}
	return sums, nil
}

// weighted returns sum + weight·logp; −Inf if one of the probabilities is 0.
func weighted(sum, weight, logp float64) float64 {
	if math.IsInf(sum, -1) || math.IsInf(logp, -1) {
		return math.Inf(-1)
	}
	return sum + weight*logp
}

// sortCandidates puts the most probable first.
func sortCandidates(list []Candidate) {
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
}

// key returns a text that identifies the string s.
func key(s []int32) string {
	var b []byte
	for _, l := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(l))
	}
	return string(b)
}
