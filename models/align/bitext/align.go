package bitext

import (
	"bufio"
	"context"
	"io"
	"iter"

	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/align"
)

// Aligner returns the alignment of a sentence. It is called by several goroutines at
// once.
type Aligner func(align.Sentence) (align.Alignment, error)

// Stats counts the lines that Align wrote.
type Stats struct {
	Lines   int
	Aligned int // without a problem; the others are empty
}

// Align writes the alignment of each line in Pharaoh format, one line for each, in
// order, computed by the given number of goroutines. A line that has a problem, or
// for which the aligner returns an error, is an empty line; report, unless it is
// nil, is called with the problem, in order. The error comes from reading, from
// writing or from ctx; what is written before it is complete lines.
func Align(ctx context.Context, w io.Writer, lines iter.Seq2[Line, error], aligner Aligner, workers int, report func(problem error)) (Stats, error) {
	type outcome struct {
		links   align.Alignment
		problem error
	}
	outcomes := Map(ctx, lines, workers, func(l Line) (outcome, error) {
		if l.Problem != nil {
			return outcome{problem: l.Problem}, nil
		}
		links, err := aligner(l.Sentence)
		if err != nil {
			return outcome{problem: nested.Errorf("line %d: %w", l.Number, err)}, nil
		}
		return outcome{links: links}, nil
	})
	var stats Stats
	b := bufio.NewWriter(w)
	var text []byte
	for o, err := range outcomes {
		if err != nil {
			b.Flush() // the first error counts
			return stats, err
		}
		stats.Lines++
		switch {
		case o.problem == nil:
			stats.Aligned++
		case report != nil:
			report(o.problem)
		}
		text, _ = o.links.AppendText(text[:0])
		if _, err := b.Write(append(text, '\n')); err != nil {
			return stats, err
		}
	}
	return stats, b.Flush()
}

// Map returns the results of do for each line, in the order of the lines. It calls
// do in the given number of goroutines, at least 1; results that are waiting for
// their turn are bounded in number. The first error, of a line or of the reading,
// ends the sequence at its place, and so does a ctx that is done. No goroutine is
// left when the sequence has ended; a read that blocks delays that.
func Map[R any](ctx context.Context, lines iter.Seq2[Line, error], workers int, do func(Line) (R, error)) iter.Seq2[R, error] {
	return inorder.Map(ctx, lines, workers, do)
}
