package ngram

import (
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
)

// prunable is the tolerance of Validate before pruning, larger than the rounding error of a text's
// digits.
const prunable = 1e-2

// Pruned returns the model without the least important n-grams (Stolcke 1998, "Entropy-based
// pruning of backoff language models"). An n-gram of two or more symbols is removed if its removal
// alone would raise the perplexity of strings from the model by a factor of less than 1 +
// threshold. Contexts of the remaining n-grams are kept. Probabilities are kept, and back-off
// weights are recomputed.
//
// The error wraps ErrInvalid for a threshold that is negative or NaN, and for a model that fails
// Validate with a tolerance of 0.01, such as the scores of StupidBackoff. O(n-grams × n log V)
// time.
func (m *Model) Pruned(threshold float64) (*Model, error) {
	if !(threshold >= 0) {
		return nil, nested.Errorf("ngram: %w: threshold %g, want ≥ 0", ErrInvalid, threshold)
	}
	if err := m.Validate(prunable); err != nil {
		return nil, nested.Errorf("ngram: pruned: %w", err)
	}
	keep, of := make([]bool, len(m.symbol)), m.contextProbs()
	pruned := &Model{
		order: m.order, vocabulary: m.vocabulary, unseen: m.unseen, level: m.level,
		first: slices.Clone(m.first), symbol: slices.Clone(m.symbol), logp: slices.Clone(m.logp), backoff: slices.Clone(m.backoff),
	}
	for k := int32(len(m.backoff)) - 1; k >= 0; k-- {
		lo, hi := m.first[k], m.first[k+1]
		unseen := m.unseenAfter(k)
		left := math.Exp(m.backoff[k]) * unseen
		for i := lo; i < hi; i++ {
			keep[i] = k == 0 && m.symbol[i] != begin || m.hasSuccessor(i, keep) ||
				!(math.Expm1(of[k]*m.loss(k, i, unseen)) < threshold)
			if !keep[i] {
				left += math.Exp(m.logp[i])
			}
		}
		if lo < hi && k > 0 {
			pruned.backoff[k] = 0
			if m.hasSuccessor(k, keep) {
				pruned.backoff[k] = math.Log(left) // the logarithm of unseen is subtracted below
			}
		}
	}
	pruned.retain(keep)
	for k := range int32(len(pruned.backoff)) {
		// −Inf, for a probability of 0, stays.
		if k > 0 && pruned.first[k] < pruned.first[k+1] && !math.IsInf(pruned.backoff[k], -1) {
			pruned.backoff[k] -= math.Log(pruned.unseenAfter(k))
		}
	}
	if err := pruned.check(); err != nil {
		return nil, nested.Errorf("ngram: pruned: %w: %w", ErrInvalid, err)
	}
	return pruned, nil
}

// hasSuccessor reports whether an n-gram consisting of i and a symbol is kept.
func (m *Model) hasSuccessor(i int32, keep []bool) bool {
	return int(i) < len(m.backoff) && slices.Contains(keep[m.first[i]:m.first[i+1]], true)
}

// contextProbs returns, for each n-gram that may be a context, the probability of its sequence of
// symbols; the beginning has probability 1.
func (m *Model) contextProbs() []float64 {
	p := make([]float64, len(m.backoff))
	p[0] = 1
	for k := range p {
		for i := m.first[k]; i < m.first[k+1] && int(i) < len(p); i++ {
			p[i] = p[k] * math.Exp(m.logp[i])
			if m.symbol[i] == begin {
				p[i] = 1
			}
		}
	}
	return p
}

// unseenAfter returns the total probability, in the shorter context, of the symbols not seen after
// context k > 0. For k = 0 it returns 0, which is not used.
func (m *Model) unseenAfter(k int32) float64 {
	if k == 0 {
		return 0
	}
	seen := m.symbol[m.first[k]:m.first[k+1]]
	if 2*len(seen) <= int(m.vocabulary) {
		sum := 0.0
		for _, w := range seen {
			sum += m.probAfter(m.back[k], w)
		}
		return 1 - sum
	}
	// If little is left, the rounding error of a difference would dominate.
	sum := 0.0
	for w := range m.vocabulary + 1 {
		if len(seen) > 0 && seen[0] == w {
			seen = seen[1:]
		} else {
			sum += m.probAfter(m.back[k], w)
		}
	}
	return sum
}

func (m *Model) probAfter(context, symbol int32) float64 {
	_, logp := m.Step(context, symbol)
	return math.Exp(logp)
}

// loss returns the relative entropy of the distribution after context k to the distribution
// without n-gram i, given the probability of unseen symbols in the shorter context.
func (m *Model) loss(k, i int32, unseen float64) float64 {
	p, shorter := math.Exp(m.logp[i]), m.probAfter(m.back[k], m.symbol[i])
	left := math.Exp(m.backoff[k]) * unseen
	logBackoff := math.Log((left + p) / (unseen + shorter))
	loss := 0.0
	if p > 0 {
		loss = p * (m.logp[i] - math.Log(shorter) - logBackoff)
	}
	if left > 0 {
		loss += left * (m.backoff[k] - logBackoff)
	}
	return max(loss, 0) // negative only by rounding
}
