package transliteration

import (
	"context"
	"errors"

	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// Question is a word and what should come of it.
type Question struct{ Word, Reference string }

// Questions returns what test pairs ask in a direction.
func Questions[T any](pairs []T, direction string, sides func(T) (latin, kana string)) []Question {
	all := make([]Question, len(pairs))
	for i, p := range pairs {
		latin, kana := sides(p)
		all[i] = Question{latin, kana}
		if direction == Directions[Backward] {
			all[i] = Question{kana, latin}
		}
	}
	return all
}

// Judge asks for up to n candidates for each question, by so many goroutines. It calls each for
// every question in order, as soon as it is answered; problem says why there is no answer.
func (t *Transliterator) Judge(ctx context.Context, all []Question, n, workers int, each func(i int, candidates []string, problem error) error) (*Judgement, error) {
	type answer struct {
		candidates []string
		problem    error
	}
	words := func(yield func(string, error) bool) {
		for _, q := range all {
			if !yield(q.Word, nil) {
				return
			}
		}
	}
	j := new(Judgement)
	for a, err := range inorder.Map(ctx, words, workers, func(word string) (a answer, err error) {
		found, _, err := t.Best(ctx, word, n)
		for _, c := range found {
			a.candidates = append(a.candidates, c.Text)
		}
		if errors.Is(err, ErrNone) || errors.Is(err, nbest.ErrUnknown) || errors.Is(err, semiring.ErrLimit) {
			a.problem, err = err, nil // of the word, and not of the program
		}
		return a, err
	}) {
		if err != nil {
			return nil, err
		}
		i := len(j.ranks)
		if err := j.Add(all[i].Reference, a.candidates); err != nil {
			return nil, err
		}
		if err := each(i, a.candidates, a.problem); err != nil {
			return nil, err
		}
	}
	return j, nil
}
