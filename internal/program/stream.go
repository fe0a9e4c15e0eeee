package program

import (
	"context"
	"fmt"
	"io"
	"iter"

	"example.org/pathsum/internal/inorder"
	"example.org/pathsum/internal/tsv"
)

// Stream is what a program that has learnt its model does with further lines: it answers
// each with one line of output, in order and as soon as it is known.
type Stream struct {
	Input   string    // the name of a file, - for Stdin
	Stdin   io.Reader // what - stands for
	Output  string    // the name of a file; "" for standard output
	Workers int       // goroutines that answer, at least 1
	// Answer returns the record that answers a line. An error is a problem of this line
	// alone: it is reported with the line's number, and the record, perhaps the line
	// without an answer, is written all the same, so that output and input stay parallel.
	Answer func(ctx context.Context, line string) (record string, err error)
}

// outcome is the record of a line and what the matter was.
type outcome struct {
	record  string
	problem error
}

// Stream answers all lines and sets the keys lines and problems, how many there were and
// how many had one. Lines that are too long or not UTF-8 are problems with an empty
// record. The error is one of reading or writing, or that of ctx once that is done.
func (r *Run) Stream(ctx context.Context, s Stream) error {
	file, lines := s.Input, tsv.LinesOf(s.Input)
	if s.Input == "-" {
		file = "standard input"
		lines = tsv.Lines(s.Stdin, file)
	}
	outcomes := inorder.Map(ctx, lines, s.Workers, func(l tsv.Line) (outcome, error) {
		if l.Err != nil {
			return outcome{problem: l.Err}, nil
		}
		record, err := s.Answer(ctx, l.Text)
		if err != nil && ctx.Err() == nil {
			return outcome{record, fmt.Errorf("%s:%d: %w", file, l.Number, err)}, nil
		}
		return outcome{record: record}, err
	})
	write := func(w io.Writer) error { return r.writeOutcomes(w, outcomes) }
	if s.Output == "" {
		return write(r.Out)
	}
	return WriteFile(s.Output, write)
}

// writeOutcomes writes a line per outcome, at once: whoever asks line by line gets
// answers line by line.
func (r *Run) writeOutcomes(w io.Writer, outcomes iter.Seq2[outcome, error]) error {
	lines, problems := 0, 0
	defer func() {
		r.Set("lines", lines)
		r.Set("problems", problems)
	}()
	for o, err := range outcomes {
		if err != nil {
			return err
		}
		lines++
		if o.problem != nil {
			problems++
			r.Warn("%v", o.problem)
		}
		if _, err := io.WriteString(w, o.record+"\n"); err != nil {
			return err
		}
	}
	return nil
}
