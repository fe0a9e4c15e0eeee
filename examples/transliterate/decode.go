package main

import (
	"context"

	"example.org/pathsum/internal/inorder"
)

// decoding is the candidates of all test pairs in one direction, as strings, best
// first, and how good they are.
type decoding struct {
	candidates [][]string
	accuracy   Accuracy
}

// answer is the candidates for a pair, or why there are none.
type answer struct {
	candidates []string
	problem    error
}

// decode answers the queries of all pairs with the parameters theta, and calls each for
// every answer, in order, as soon as it is there.
func (dir direction) decode(ctx context.Context, theta []float64, pairs []pair, workers int, each func(p pair, a answer) error) (*decoding, error) {
	predictor, err := dir.predictor(theta)
	if err != nil {
		return nil, err
	}
	all := func(yield func(pair, error) bool) {
		for _, p := range pairs {
			if !yield(p, nil) {
				return
			}
		}
	}
	answers := inorder.Map(ctx, all, workers, func(p pair) (answer, error) {
		found, err := dir.answer(ctx, predictor, dir.word(p))
		if isProblem(err) {
			return answer{problem: err}, nil
		}
		return answer{candidates: found}, err
	})
	out := new(decoding)
	var references []string
	for a, err := range answers {
		if err != nil {
			return nil, err
		}
		p := pairs[len(references)]
		references = append(references, dir.reference(p))
		out.candidates = append(out.candidates, a.candidates)
		if err := each(p, a); err != nil {
			return nil, err
		}
	}
	out.accuracy, err = score(references, out.candidates)
	return out, err
}
