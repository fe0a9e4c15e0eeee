// Package saved writes values for another process to read. The idea: a line that says what
// a file holds comes before the value, so that no other file is taken for it, and one value
// may follow another.
package saved

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// Format is the line before a value, which is in the encoding of package gob, to the last
// bit of every number.
type Format string

func (f Format) line() string { return string(f) + "\n" }

// Write writes v, for Read. The error is w's, or gob's for what it cannot encode.
func (f Format) Write(w io.Writer, v any) error {
	if _, err := io.WriteString(w, f.line()); err != nil {
		return err
	}
	return gob.NewEncoder(w).Encode(v)
}

// Ahead bounds, in bytes, what Read allocates for a value whose length is promised before
// it comes; the rest is in proportion to what has come. It is a constant of package gob.
const Ahead = 10 << 20

// Read reads what Write wrote into v, a pointer to a zero value. From an io.ByteReader,
// such as a *bufio.Reader, it takes nothing that is behind the value. The error is
// r's, or says what was expected.
func (f Format) Read(r io.Reader, v any) error {
	line := make([]byte, len(f.line()))
	_, err := io.ReadFull(r, line)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if string(line) != f.line() {
		return fmt.Errorf("it does not begin with %q", f.line())
	}
	if err := gob.NewDecoder(r).Decode(v); err != nil {
		return fmt.Errorf("behind %q: %w", f.line(), err)
	}
	return nil
}

// Series returns a reader of what r holds from which Read takes one value after another: r
// itself if it is an io.ByteReader.
func Series(r io.Reader) io.Reader {
	if _, ok := r.(io.ByteReader); ok {
		return r
	}
	return bufio.NewReader(r)
}
