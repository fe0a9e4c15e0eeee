package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
)

// stream transcribes the words of -apply, one a line, and writes one line for each, in
// order: the word and its candidates. A line on standard error says which symbols of a word the
// models do not know, and why a word has no candidates.
func (e *experiment) stream(ctx context.Context, r *program.Run, t *transcriber) error {
	return r.Stream(ctx, program.Stream{
		Answer: func(ctx context.Context, line string) ([]string, error) {
			word := t.Word.Split(line)
			if strings.TrimSpace(line) == "" {
				return nil, errors.New("empty line")
			}
			found, unknown, err := t.transcribe(ctx, word, *e.best)
			if err == nil {
				err = unknown.Err()
			}
			if err == nil && len(found) == 0 {
				err = errNoTarget
			}
			return e.texts(t, found), err
		},
	})
}

// texts returns candidates as they are written: each, and its probability behind it if that is
// asked for.
func (e *experiment) texts(t *transcriber, found []candidate) []string {
	var all []string
	for _, c := range found[:min(len(found), *e.best)] {
		all = append(all, t.Target.Join(c.target))
		if *e.scores {
			all = append(all, strconv.FormatFloat(c.share, 'g', 4, 64))
		}
	}
	return all
}
