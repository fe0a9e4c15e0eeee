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

// Aligner returns the alignment of a sentence. Several goroutines call it concurrently.
type Aligner func(align.Sentence) (align.Alignment, error)

// Stats counts the lines that Align wrote.
type Stats struct {
	Lines   int
	Aligned int // lines without a problem; the others are empty
}

// Align writes the alignment of each line in Pharaoh format, one line for each, in order, computed
// by the given number of goroutines. The output is an empty line if the line has a problem or the
// aligner returns an error; report, unless it is nil, is called with the problem, in order. The
// error comes from reading, from writing or from ctx; the lines written before it are complete.
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
			b.Flush() // the first error is returned
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

// Map returns the results of do for each line, in the order of the lines. It calls do in the given
// number of goroutines, at least 1; the number of results that wait for earlier ones is bounded.
// The first error, of a line or of the reading, ends the sequence at its position, and so does a
// ctx that is done. All goroutines have finished when the sequence ends; a blocked read delays
// this.
func Map[R any](ctx context.Context, lines iter.Seq2[Line, error], workers int, do func(Line) (R, error)) iter.Seq2[R, error] {
	return inorder.Map(ctx, lines, workers, do)
}
