package main

import (
	"context"
	"slices"
	"time"

	"example.org/pathsum/internal/inorder"
)

// transcribed is what was found for words.
type transcribed struct {
	lists   [][]candidate
	unknown int     // words with a symbol that the models do not know
	each    float64 // milliseconds a word
}

// targets returns the candidates without their probabilities.
func (x *transcribed) targets() [][][]string {
	all := make([][][]string, len(x.lists))
	for i, list := range x.lists {
		for _, c := range list {
			all[i] = append(all[i], c.target)
		}
	}
	return all
}

// transcribeAll transcribes words.
func (e *experiment) transcribeAll(ctx context.Context, t *transcriber, words [][]string) (*transcribed, error) {
	type result struct {
		list    []candidate
		unknown bool
	}
	began, all := time.Now(), new(transcribed)
	each := func(yield func([]string, error) bool) {
		for w := range slices.Values(words) {
			if !yield(w, nil) {
				return
			}
		}
	}
	for x, err := range inorder.Map(ctx, each, *e.workers, func(word []string) (result, error) {
		found, unknown, err := t.transcribe(ctx, word, max(scored, *e.best))
		return result{found, len(unknown) > 0}, err
	}) {
		if err != nil {
			return nil, err
		}
		if x.unknown {
			all.unknown++
		}
		all.lists = append(all.lists, x.list)
	}
	all.each = time.Since(began).Seconds() * 1e3 / float64(max(1, len(words)))
	return all, nil
}

// evaluate scores the words of items.
func (e *experiment) evaluate(ctx context.Context, t *transcriber, items []item) (Score, error) {
	words, targets := words(items)
	found, err := e.transcribeAll(ctx, t, words)
	if err != nil {
		return Score{}, err
	}
	return score(words, targets, found.targets())
}
