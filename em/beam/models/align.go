package models

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
)

// Align is the name of the kind of align.Model in a stage of its training. The saved form is
// the stage as a line of JSON, followed by the output of align.Model.Save. A line is a sentence
// and its translation, see Pair.
const Align = "pathsum align"

func init() {
	beam.Register(Align, func(saved io.Reader) (beam.Model, error) {
		r := bufio.NewReader(saved)
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		m := new(aligner)
		if err := json.Unmarshal(line, &m.stage); err != nil {
			return nil, err
		}
		m.model, err = align.Load(r)
		return m, err
	})
}

type aligner struct {
	stage align.Stage
	model *align.Model
}

// Shard returns the likelihood of the lines.
func (m *aligner) Shard(_ context.Context, lines iter.Seq2[cascade.Line, error]) (em.Divisible, error) {
	var sentences []align.Sentence
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		s, err := Pair(l)
		if err != nil {
			return nil, err
		}
		sentences = append(sentences, s)
	}
	l, err := m.model.Shard(sentences, m.stage)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", em.ErrInvalid, err)
	}
	return l, nil
}

// Pair returns the sentence pair in a line, e ||| f, or e and f with a tab in between; a further
// tab and the text after it are ignored. The error wraps em.ErrInvalid.
func Pair(l cascade.Line) (align.Sentence, error) {
	if e, rest, ok := strings.Cut(l.Text, "\t"); ok {
		f, _, _ := strings.Cut(rest, "\t")
		return align.Sentence{Source: strings.Fields(e), Target: strings.Fields(f)}, nil
	}
	words := strings.Fields(l.Text)
	at := slices.Index(words, bitext.Separator)
	if at < 0 || slices.Contains(words[at+1:], bitext.Separator) {
		return align.Sentence{}, fmt.Errorf("%w: %s:%d: want one %s or a tab", em.ErrInvalid, l.File, l.Number, bitext.Separator)
	}
	return align.Sentence{Source: words[:at], Target: words[at+1:]}, nil
}

// Distribute returns an align.FitOptions.Distribute that trains each stage of m by a job, and a
// function that closes the last job, to be called after Fit. Distribute sets Model, Saved and Head
// of the job. Its Shards must contain the sentences of the corpus of m, in order. If they are cut
// by the corpus's Cut, training has the bits of a run in one process.
func Distribute(ctx context.Context, m *align.Model, job beam.Job) (via func(align.Stage, em.Divisible) (em.Likelihood, error), end func()) {
	var last *beam.Likelihood
	end = func() {
		if last != nil {
			last.Close()
			last = nil
		}
	}
	return func(s align.Stage, head em.Divisible) (em.Likelihood, error) {
		end()
		var saved bytes.Buffer
		if err := json.NewEncoder(&saved).Encode(s); err != nil {
			return nil, err
		}
		if err := m.Save(&saved); err != nil {
			return nil, err
		}
		job.Model, job.Saved, job.Head = Align, saved.Bytes(), head
		l, err := beam.New(ctx, job)
		if err != nil {
			return nil, err
		}
		last = l
		return l, nil
	}, end
}
