package program

import (
	"errors"
	"fmt"
	"iter"

	"example.org/pathsum/internal/text"
)

// Records yields those of all that are in order, as a file is read that has some wrong lines: wrong
// ones are skipped and counted. At the end the first of them are named on standard error. If more
// than one in ten is wrong, the file is not what it should be, and an error says so; it and an
// error of reading end the sequence.
func Records[T any](r *Run, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		s := r.Skipping()
		for x, err := range all {
			if s.Skips(err) {
				continue
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
		if err := s.End(); err != nil {
			var none T
			yield(none, err)
		}
	}
}

// Skipping counts the lines of a file and what is wrong with some. Records does so for a sequence.
type Skipping struct {
	run          *Run
	lines, wrong int
	first        []error // at most mostNamed
}

// Skipping returns a count of 0 lines.
func (r *Run) Skipping() *Skipping { return &Skipping{run: r} }

// Skips counts a line and reports whether err is about that line alone, which is to be skipped.
func (s *Skipping) Skips(err error) bool {
	s.lines++
	var wrong *text.Error
	if !errors.As(err, &wrong) || wrong.Ends {
		return false
	}
	if s.wrong++; len(s.first) < mostNamed {
		s.first = append(s.first, err)
	}
	return true
}

// mostWrong is the share of lines that may be wrong, as one in so many.
const mostWrong = 10

// End names the lines that were skipped. It returns an error instead if they are too many.
func (s *Skipping) End() error {
	switch {
	case s.wrong == 0:
		return nil
	case s.wrong*mostWrong > s.lines && s.wrong == 1:
		return s.first[0]
	case s.wrong*mostWrong > s.lines:
		return fmt.Errorf("%w (and %d more of %d lines are wrong)", s.first[0], s.wrong-1, s.lines)
	}
	s.run.skipped += s.wrong
	for _, err := range s.first {
		s.run.Warn("skipped: %w", err)
	}
	if more := s.wrong - len(s.first); more > 0 {
		s.run.Warn("skipped: %d more lines", more)
	}
	return nil
}
