package nbest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Reranker is a Predictor in two passes: one model finds targets, and a score that is too expensive
// to search with ranks them. It is safe for concurrent use if First and Score are.
type Reranker struct {
	// First finds the targets.
	First Predictor
	// Depth is the least number of targets requested from First (0: 10).
	Depth int
	// Score returns the score, in nats, of a pair whose LogProb by First is logProb. Pairs with
	// score −Inf are left out.
	Score func(x, y []int32, logProb float64) (float64, error)
}

// Best returns up to n targets of x, the best max(n, Depth) of First by their scores. If n exceeds
// Depth, a greater n may change the first target. The error wraps ErrInvalid for a negative Depth;
// otherwise it is as for First.Best, or comes from Score.
func (r *Reranker) Best(ctx context.Context, x []int32, n int) ([]Candidate, error) {
	nonnil.Check("nbest: Best", "context", ctx)
	nonnil.Check("nbest: Reranker", "First", r.First, "Score", r.Score)
	if r.Depth < 0 {
		return nil, nested.Errorf("nbest: %w: a depth of %d", ErrInvalid, r.Depth)
	}
	found, err := r.First.Best(ctx, x, max(n, cmp.Or(r.Depth, proposals)))
	if err != nil {
		return nil, err
	}
	var all []Candidate
	for _, c := range found {
		score, err := r.Score(x, c.Labels, c.LogProb)
		if err != nil {
			return nil, err
		}
		if score > math.Inf(-1) {
			all = append(all, Candidate{c.Labels, score})
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return all[:min(max(n, 0), len(all))], nil
}

// LogProb returns the score of a pair. The error is as for First.LogProb, or comes from Score.
func (r *Reranker) LogProb(x, y []int32) (float64, error) {
	p, err := r.First.LogProb(x, y)
	if err != nil {
		return 0, err
	}
	return r.Score(x, y, p)
}
