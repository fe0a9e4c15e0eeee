package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/models/align"
)

// links are those of a line of the text, or why there are none.
type links struct {
	line    int
	chosen  align.Alignment
	problem error
}

// write writes the links of the lines of the text, whose number is given, a line for each.
// The lines that could not be learned from have none.
func (x *experiment) write(ctx context.Context, w io.Writer, r *program.Run, m *align.Model, corpus *align.Corpus, lines int, threshold float64) error {
	of := combinations[*x.combine]
	choose := func(n int) (links, error) {
		l := links{line: corpus.Line(n)}
		forward, backward, err := m.PosteriorsOf(corpus, n)
		if err != nil {
			l.problem = fmt.Errorf("line %d: %w", l.line, err)
		} else {
			l.chosen = of(posteriors{forward, backward}).Align(threshold)
		}
		return l, nil
	}
	problems := problems{run: r}
	defer problems.end()
	b := bufio.NewWriter(w)
	var text []byte
	written := 0
	for l, err := range inorder.Map(ctx, numbers(corpus), *x.workers, choose) {
		if err != nil {
			return errors.Join(err, b.Flush())
		}
		if l.problem != nil {
			problems.add(l.problem)
		}
		text, _ = l.chosen.AppendText(append(text[:0], strings.Repeat("\n", l.line-1-written)...))
		written = l.line
		if _, err := b.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	b.WriteString(strings.Repeat("\n", lines-written))
	return b.Flush() // with the error of any write
}

// numbers yields the numbers of the sentences that have a line.
func numbers(c *align.Corpus) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for n := range c.Len() {
			if c.Line(n) > 0 && !yield(n, nil) {
				return
			}
		}
	}
}
