package main

import (
	"context"
	"errors"

	"example.org/pathsum/examples/internal/transliteration"
	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// The directions, and their names.
const (
	forward = iota // from letters to katakana
	backward
)

var directionNames = [...]string{forward: "forward", backward: "backward"}

// sides returns what a transliterator is asked and what it should answer.
func sides(t *transliteration.Transliterator, p pair) (word, reference string) {
	if t.Name == directionNames[forward] {
		return p.latin, p.kana
	}
	return p.kana, p.latin
}

// beam is how many candidates a test pair gets.
const beam = 10

// decoding is how good the candidates of all test pairs are in one direction, and the first
// ones.
type decoding struct {
	transliteration.Judgement
	first []string
}

// answer is the candidates for a pair, or why there are none.
type answer struct {
	candidates []string
	problem    error
}

// isProblem reports whether an error is about a word and not about the program.
func isProblem(err error) bool {
	return errors.Is(err, transliteration.ErrNone) || errors.Is(err, nbest.ErrUnknown) || errors.Is(err, semiring.ErrLimit)
}

// decode answers all pairs with up to n candidates, and calls each for every answer, in order,
// as soon as it is there.
func decode(ctx context.Context, t *transliteration.Transliterator, pairs []pair, n, workers int, each func(p pair, a answer) error) (*decoding, error) {
	all := func(yield func(pair, error) bool) {
		for _, p := range pairs {
			if !yield(p, nil) {
				return
			}
		}
	}
	answers := inorder.Map(ctx, all, workers, func(p pair) (a answer, err error) {
		word, _ := sides(t, p)
		found, _, err := t.Best(ctx, word, n)
		for _, c := range found {
			a.candidates = append(a.candidates, c.Text)
		}
		if isProblem(err) {
			a.problem, err = err, nil
		}
		return a, err
	})
	out := new(decoding)
	for a, err := range answers {
		if err != nil {
			return nil, err
		}
		p := pairs[len(out.first)]
		_, reference := sides(t, p)
		first := ""
		if len(a.candidates) > 0 {
			first = a.candidates[0]
		}
		out.first = append(out.first, first)
		if err := out.Add(reference, a.candidates); err != nil {
			return nil, err
		}
		if err := each(p, a); err != nil {
			return nil, err
		}
	}
	return out, nil
}
