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

// TrainTest returns what a model is to learn from and what it is tested by, as read returns it of
// a file. If test names a file, that is the test; else each n-th of what data has is held out.
// Nothing is held out if lines are to be answered instead of a test, and of a loaded model only
// the test is read.
func TrainTest[T any](r *Run, data, test string, n int, read func(file string) ([]T, error)) (train, held []T, err error) {
	if !r.Loads() {
		if train, err = read(data); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case test != "":
		held, err = read(test)
	case !r.Applies():
		train, held = HoldOut(train, n)
	}
	return train, held, err
}

// HoldOut returns all but each n-th of the examples, and those.
func HoldOut[T any](all []T, n int) (rest, held []T) {
	for i, x := range all {
		if (i+1)%n == 0 {
			held = append(held, x)
		} else {
			rest = append(rest, x)
		}
	}
	return rest, held
}

// All returns all that Records yields, or its error.
func All[T any](r *Run, records iter.Seq2[T, error]) (all []T, err error) {
	for x, err := range Records(r, records) {
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
