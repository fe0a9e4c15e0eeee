package decode

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring/graph"
)

// errNoText is returned if there is no text.
var errNoText = fmt.Errorf("%w: no text can be read in these frames", graph.ErrNoPath)

// Risk is a text with its expected number of errors.
type Risk struct {
	Text
	Errors float64
}

// MinimumRisk returns texts by their expected number of errors, the fewest first: insertions,
// deletions and substitutions of words, or of labels if the texts have no words. It assumes that
// one of the texts is correct, with probability proportional to its weight; see
// nbest.MinimumRisk. It takes O(n² · length²) for n texts. The error wraps nbest.ErrInvalid for a
// LogProb that is not finite.
func MinimumRisk(list []Text) ([]Risk, error) {
	number, words := map[string]int32{}, false
	for _, t := range list {
		words = words || len(t.Words) > 0
	}
	candidates := make([]nbest.Candidate, len(list))
	for i, t := range list {
		// The first symbol is the number of the text, by which to find it again.
		candidates[i] = nbest.Candidate{Labels: []int32{int32(i)}, LogProb: t.LogProb}
		if !words {
			candidates[i].Labels = append(candidates[i].Labels, t.Labels...)
			continue
		}
		for _, w := range t.Words {
			if _, ok := number[w.Name]; !ok {
				number[w.Name] = int32(len(number))
			}
			candidates[i].Labels = append(candidates[i].Labels, number[w.Name])
		}
	}
	risks, err := nbest.MinimumRisk(candidates, func(a, b []int32) (float64, error) {
		return nbest.EditDistance(a[1:], b[1:])
	})
	if err != nil {
		return nil, nested.Errorf("decode: %w", err)
	}
	sorted := make([]Risk, len(risks))
	for i, r := range risks {
		sorted[i] = Risk{list[r.Labels[0]], r.Loss}
	}
	return sorted, nil
}
