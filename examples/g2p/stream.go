package main

import (
	"context"
	"errors"

	"example.org/pathsum/examples/internal/program"
)

// stream transcribes the words of -decode, one a line, and writes one line for each, in
// order: the word and its candidates. A word that is empty, too long or has a symbol that
// the models do not know has no candidates, and a line on standard error says so.
func (e *experiment) stream(ctx context.Context, r *program.Run, t *transcriber) error {
	return r.Stream(ctx, program.Stream{
		Input: *e.decode, Output: e.output, Workers: *e.workers,
		Answer: func(ctx context.Context, line string) ([]string, error) {
			word := t.word.split(line)
			if len(word) == 0 {
				return nil, errors.New("empty line")
			}
			found, err := t.transcribe(ctx, word, *e.candidates)
			if err == nil && len(found) == 0 {
				err = errors.New("no target")
			}
			return t.targets(found), err
		},
	})
}
