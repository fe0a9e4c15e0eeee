package program

import (
	"errors"
	"fmt"
	"iter"

	"example.org/pathsum/internal/text"
)

// Records yields the valid records of all, the records of a file that may have some bad lines:
// bad ones are skipped and counted. At the end the first of them are named on standard error.
// If more than one in ten is bad, the file is probably of another kind, and the sequence ends
// with an error; a read error also ends it.
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

// Skipping counts the lines of a file and collects the errors of bad ones. Records does this
// for a sequence.
type Skipping struct {
	run          *Run
	lines, wrong int
	first        []error // at most mostNamed
}

// Skipping returns a count of 0 lines.
func (r *Run) Skipping() *Skipping { return &Skipping{run: r} }

// Skips counts a line and reports whether err concerns only this line, which is then to be
// skipped.
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

// mostWrong is the limit on bad lines: one in mostWrong.
const mostWrong = 10

// End names the skipped lines. It returns an error instead if there are too many.
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

// TrainTest returns the training data and the test data, with read to read a file. If test
// names a file, it contains the test data; otherwise each n-th element of data is held out.
// With -apply instead of a test, all data are training data, and for a loaded model only the
// test data are read.
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

// HoldOut returns all examples except each n-th, and the latter.
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

// All returns all records of Records, or its error.
func All[T any](r *Run, records iter.Seq2[T, error]) (all []T, err error) {
	for x, err := range Records(r, records) {
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
