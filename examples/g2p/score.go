package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"example.org/pathsum/internal/pairset"
	"example.org/pathsum/internal/program"
)

// tested has the transcriptions of the words in a test.
type tested struct {
	pairset.Score
	words   [][]string // the distinct ones, in order
	targets [][][]string
	lists   [][]candidate
	unknown atomic.Int64 // words with a symbol that the models do not know
	each    float64      // milliseconds per word
}

// test transcribes the words of pairs. The progress shows what as its title.
func (m *model) test(ctx context.Context, r *program.Run, what string, pairs []pair) (*tested, error) {
	x := new(tested)
	x.words, x.targets = answers(m.Columns, pairs)
	x.lists = make([][]candidate, len(x.words))
	found := make([][][]string, len(x.words))
	began := time.Now()
	err := r.Each(ctx, what, len(x.words), func(i int) error {
		list, unknown, err := m.transcribe(ctx, x.words[i], max(pairset.Scored, r.Answers()))
		if x.lists[i] = list; len(unknown) > 0 {
			x.unknown.Add(1)
		}
		for _, c := range list {
			found[i] = append(found[i], c.target)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	x.each = time.Since(began).Seconds() * 1e3 / float64(max(1, len(x.words)))
	x.Score, err = pairset.NewScore(found, x.targets)
	return x, err
}

// report prints the figures of a test.
func (x *tested) report(r *program.Run) {
	fmt.Fprintf(r.Out, "\n%d words, %d of them with a symbol that no training word has; %.3f ms each\n", x.Words, x.unknown.Load(), x.each)
	x.Report(r)
	r.Set("unknown_words", x.unknown.Load())
	r.Set("decode_ms", x.each)
}
