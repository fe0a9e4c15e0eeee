package tsv

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"
)

// MaxLine is the length of the longest line that is read, in bytes and without
// its end. It bounds the memory that a file can make a reader use.
const MaxLine = 1 << 20

// buffer is the size in bytes of what is read at a time.
const buffer = 1 << 16

// Line is a line of a file.
type Line struct {
	Number int    // from 1
	Text   string // without its end; empty if Err is not nil
	Err    error  // an *Error that wraps ErrUTF8 or ErrTooLong, or nil
}

// Lines returns the lines of r in order. file is the name to use in errors. A line
// that is not as it should be has an error of its own and does not end the sequence;
// an error of r does, an *Error that wraps it.
func Lines(r io.Reader, file string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		l := lineReader{b: bufio.NewReaderSize(r, buffer)}
		for n := 1; ; n++ {
			text, err := l.next(n == 1)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Line{}, &Error{File: file, Line: n, Err: err})
				return
			}
			line := Line{Number: n}
			switch {
			case len(text) > MaxLine:
				line.Err = &Error{File: file, Line: n, Err: fmt.Errorf("%w: more than %d bytes", ErrTooLong, MaxLine)}
			case !utf8.Valid(text):
				line.Err = &Error{File: file, Line: n, Err: fmt.Errorf("%w at byte %d", ErrUTF8, validPrefix(text)+1)}
			default:
				line.Text = string(text)
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// LinesOf is Lines of the named file, decompressed if the name ends in .gz.
func LinesOf(file string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		r, err := Open(file)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer r.Close()
		Lines(r, Name(file))(yield)
	}
}

// lineReader reads lines of bounded length.
type lineReader struct {
	b    *bufio.Reader
	cut  bool   // the rest of the line before is still to be read
	line []byte // storage
}

// next returns the next line without its end, or io.EOF if there is none. Of a line
// that is longer than MaxLine it returns a part that is longer, too. The storage is
// used again by the next call.
func (l *lineReader) next(first bool) ([]byte, error) {
	for l.cut {
		_, err := l.b.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return nil, err
		}
		l.cut = err != nil
	}
	l.line = l.line[:0]
	for {
		part, err := l.b.ReadSlice('\n')
		l.line = append(l.line, part...)
		if err == bufio.ErrBufferFull {
			if len(l.line) <= MaxLine+len("\r\n") {
				continue
			}
			l.cut = true
			return l.line, nil
		}
		if err != nil && (err != io.EOF || len(l.line) == 0) {
			return nil, err
		}
		break // at the end of the line, or of a last line without a line feed
	}
	line := bytes.TrimSuffix(bytes.TrimSuffix(l.line, []byte("\n")), []byte("\r"))
	if first {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line, nil
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
