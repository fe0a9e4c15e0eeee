package tsv

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"unicode/utf8"
)

// MaxLine is the length of the longest line that is read, in bytes and without
// its end. It bounds the memory that a file can make a reader use.
const MaxLine = 1 << 20

// What can be wrong with a line; an *Error wraps one of these.
var (
	ErrNoTab     = errors.New("no tab")
	ErrColumns   = errors.New("wrong number of columns")
	ErrUTF8      = errors.New("invalid UTF-8")
	ErrEmptySide = errors.New("empty side")
	ErrCount     = errors.New("bad count")
	ErrTooLong   = errors.New("line too long")
)

// Error is something wrong in a line of a file: a line that is not as expected,
// or one that could not be read.
type Error struct {
	File string
	Line int // from 1
	Err  error
}

// Error returns "file:line: what is wrong".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Row is a line split at its tabs.
type Row struct {
	Line    int      // from 1
	Columns []string // as they stand, spaces included
}

// Rows returns the rows of r, each of at least least and at most most columns, in
// the order of the lines. file is the name to use in errors. The first error ends
// the sequence; it is an *Error that wraps ErrNoTab (one column where more are
// expected), ErrColumns, ErrUTF8, ErrTooLong or r's error. It panics if least is
// less than 1 or greater than most.
func Rows(r io.Reader, file string, least, most int) iter.Seq2[Row, error] {
	if least < 1 || least > most {
		panic(fmt.Sprintf("tsv: rows of %d to %d columns", least, most))
	}
	return func(yield func(Row, error) bool) {
		b := bufio.NewReader(r)
		for line := 1; ; line++ {
			text, err := readLine(b, line == 1)
			if err == io.EOF {
				return
			}
			row := Row{Line: line}
			if err == nil {
				row.Columns, err = split(text, least, most)
			}
			if err != nil {
				yield(Row{}, &Error{file, line, err})
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// RowsOf is Rows of the named file, decompressed if the name ends in .gz.
func RowsOf(file string, least, most int) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		r, err := Open(file)
		if err != nil {
			yield(Row{}, err)
			return
		}
		defer r.Close()
		Rows(r, file, least, most)(yield)
	}
}

// readLine returns the next line without its end, or io.EOF if there is none.
func readLine(b *bufio.Reader, first bool) ([]byte, error) {
	var line []byte
	for {
		part, err := b.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine+len("\r\n") {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLong, MaxLine)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) > 0:
			// The last line, without a line feed.
		case err != nil:
			return nil, err
		}
		break
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if first {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if len(line) > MaxLine {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLong, MaxLine)
	}
	return line, nil
}

func split(line []byte, least, most int) ([]string, error) {
	if !utf8.Valid(line) {
		return nil, fmt.Errorf("%w at byte %d", ErrUTF8, validPrefix(line)+1)
	}
	columns := strings.Split(string(line), "\t")
	switch n := len(columns); {
	case n == 1 && least > 1:
		return nil, fmt.Errorf("%w, want %s columns", ErrNoTab, span(least, most))
	case n < least || n > most:
		return nil, fmt.Errorf("%w: %d, want %s", ErrColumns, n, span(least, most))
	}
	return columns, nil
}

// validPrefix returns the number of bytes before the first that is not UTF-8.
func validPrefix(line []byte) int {
	n := 0
	for n < len(line) {
		r, size := utf8.DecodeRune(line[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

func span(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// Open opens the named file for reading; if the name ends in .gz, what is read is
// its decompressed content. Closing it closes the file.
func Open(file string) (io.ReadCloser, error) {
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
