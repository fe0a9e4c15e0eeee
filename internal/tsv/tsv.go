// Package tsv reads text line by line, above all tab-separated files.
//
// The idea: a file is a sequence of rows, read as they are needed and never held
// as a whole; the first thing wrong ends the sequence with an error that says in
// which file and line it is and what was expected. Rows yields the columns of
// each line, Pairs a pair of sides with a count. Every row is accounted for: no
// line is a comment, and an empty line is an error as well. Lines, below them, yields
// the lines of any text, and goes on after one that is not as it should be.
//
// A file is UTF-8 text; a byte order mark at its beginning is ignored, a line ends with
// a line feed, a carriage return or both, and the last line may lack its end. A file
// whose name ends in .gz is decompressed as it is read, and the one called - is standard
// input.
package tsv

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// What can be wrong with a line; an *Error wraps one of these.
var (
	ErrNoTab     = errors.New("no tab")
	ErrColumns   = errors.New("wrong number of columns")
	ErrUTF8      = errors.New("invalid UTF-8")
	ErrEmptySide = errors.New("empty side")
	ErrCount     = errors.New("bad count")
	ErrTooLong   = errors.New("line too long")
)

// Error is something wrong at a place in a file: a line that is not as expected, one that
// could not be read, or a byte of binary data. It is the error about a place for all readers
// of the module.
type Error struct {
	File   string // "" if it has no name
	Line   int    // from 1; 0 for binary data
	Column int    // from 1, in characters; 0: the line as a whole
	Offset int64  // of binary data: the byte, from 0
	Err    error  // what is wrong, and what was expected
}

// Error returns "file:line: what is wrong".
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: byte %d: %v", cmp.Or(e.File, "data"), e.Offset, e.Err)
	case e.File == "":
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	case e.Column > 0:
		return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Stdin is the name of standard input.
const Stdin = "-"

// Name returns what a file is called in errors.
func Name(file string) string {
	if file == Stdin {
		return "standard input"
	}
	return file
}

// Open opens the named file for reading; if the name ends in .gz, what is read is
// its decompressed content. Closing it closes the file. Stdin is standard input, which
// stays open.
func Open(file string) (io.ReadCloser, error) {
	if file == Stdin {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &fs.PathError{Op: "read", Path: file, Err: errors.New("is a directory")}
	}
	if !strings.HasSuffix(file, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &compressed{Reader: z, file: f}, nil
}

type compressed struct {
	*gzip.Reader
	file *os.File
}

func (c *compressed) Close() error { return errors.Join(c.Reader.Close(), c.file.Close()) }
