package models

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/grammar"
)

// Grammar is the name of the kind of grammar.Model. The saved form is the output of its Save. A
// line is a sentence, its tags separated by spaces.
const Grammar = "pathsum grammar"

func init() {
	beam.Register(Grammar, func(saved io.Reader) (beam.Model, error) {
		m, err := grammar.Load(saved)
		if err != nil {
			return nil, err
		}
		return induced{m}, nil
	})
}

type induced struct{ model *grammar.Model }

// Shard returns the likelihood of the lines.
func (m induced) Shard(_ context.Context, lines iter.Seq2[cascade.Line, error]) (em.Divisible, error) {
	var sentences [][]string
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		sentences = append(sentences, strings.Fields(l.Text))
	}
	l, err := m.model.Shard(sentences)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", em.ErrInvalid, err)
	}
	return l.(em.Divisible), nil
}
