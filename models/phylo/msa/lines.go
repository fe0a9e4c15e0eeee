package msa

import (
	"io"

	"example.org/pathsum/internal/tsv"
)

// readLines gives each line of a file to line, and then calls end. The error of either is an
// Error at the line, or at the last one.
func readLines(r io.Reader, file string, line func(text string) error, end func() error) error {
	n := 1
	for l, err := range tsv.Lines(r, file) {
		if err == nil {
			err = l.Err
		}
		if err != nil {
			return err
		}
		n = l.Number
		if err := line(l.Text); err != nil {
			return &Error{File: file, Line: n, Err: err}
		}
	}
	if err := end(); err != nil {
		return &Error{File: file, Line: n, Err: err}
	}
	return nil
}
