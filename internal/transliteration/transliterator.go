package transliteration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/models/nbest"
)

// Transliterator answers texts of one column with texts of the other.
type Transliterator struct {
	Name      string // such as forward
	From, To  *Column
	Predictor nbest.Predictor
}

// Candidate is an answer and its score, in nats.
type Candidate struct {
	Text  string
	Score float64
}

// ErrNone is returned for a word without an answer.
var ErrNone = errors.New("no candidate")

// Best returns the n best candidates, at least one. An unknown symbol reduces the score but
// does not prevent an answer: unknown has its replacement. The error wraps ErrNone if all
// symbols of the word are unknown, or if the model finds no candidate; other errors are the
// predictor's.
func (t *Transliterator) Best(ctx context.Context, word string, n int) (all []Candidate, unknown script.Unknown, err error) {
	x, unknown := t.From.Labels(word)
	if len(x) == 0 {
		return nil, unknown, fmt.Errorf("%w: no symbol that is known", ErrNone)
	}
	// Candidates that do not spell a text are left out, so more may be needed.
	for depth := n; ; depth *= 2 {
		found, err := t.Predictor.Best(ctx, x, depth)
		if err != nil {
			return nil, unknown, err
		}
		all = all[:0]
		for _, c := range found {
			if text, ok := t.To.Text(c.Labels); ok && len(all) < n {
				all = append(all, Candidate{text, c.LogProb + unknown.LogPenalty(len(c.Labels))})
			}
		}
		if len(all) == n || len(found) < depth || depth >= deepest*n {
			break
		}
	}
	if len(all) == 0 {
		return nil, unknown, ErrNone
	}
	return all, unknown, nil
}

// deepest bounds the number of candidates to search, as a multiple of n.
const deepest = 16

// The directions.
const (
	Forward  = iota // from letters to katakana
	Backward        // from katakana to letters
)

// Directions are the names of the directions as values of a flag.
var Directions = [...]string{Forward: "forward", Backward: "backward"}

// Both is the value of the flag for both directions.
const Both = "both"

// Direction declares -direction, which names the directions of the answers, by default Both.
func Direction(p *program.Program, usage string) *string {
	d := p.Choice("direction", usage, Both, Directions[Forward], Directions[Backward])
	p.About(program.AboutAnswers, "direction")
	return d
}

// Asked returns the transliterators in the named direction, or an error if there are none.
func Asked(direction string, all ...*Transliterator) ([]*Transliterator, error) {
	asked := slices.DeleteFunc(slices.Clone(all), func(t *Transliterator) bool { return direction != Both && direction != t.Name })
	if len(asked) == 0 {
		return nil, fmt.Errorf("-direction %s: the model was trained without", direction)
	}
	return asked, nil
}

// Answer returns the n best candidates for a line, each followed by its score if n is more than
// 1. Among the transliterators in the named direction, the one that knows the most symbols of
// the line answers, the first in case of ties. The error describes a problem of the line, which
// may still have answers.
func Answer(ctx context.Context, direction, line string, n int, all ...*Transliterator) ([]string, error) {
	if strings.TrimSpace(line) == "" {
		return nil, errors.New("empty line")
	}
	all, err := Asked(direction, all...)
	if err != nil {
		return nil, err
	}
	var best *Transliterator
	least := 0
	for _, t := range all {
		if _, unknown := t.From.Labels(line); best == nil || len(unknown) < least {
			best, least = t, len(unknown)
		}
	}
	found, unknown, err := best.Best(ctx, line, n)
	if err != nil {
		return nil, errors.Join(unknown.Err(), err)
	}
	var columns []string
	for _, c := range found {
		columns = append(columns, c.Text)
		if n > 1 {
			columns = append(columns, fmt.Sprintf("%.4f", c.Score))
		}
	}
	return columns, unknown.Err()
}
