package text

import (
	"fmt"
	"io"
)

// ReadAll returns the whole text of r, at most most bytes of it. file is the name to use in
// errors, which are errors of a Cursor, or ErrLongText.
func ReadAll(r io.Reader, file string, most int) (string, error) {
	c := NewCursor(r, file)
	all, err := io.ReadAll(io.LimitReader(&checked{Cursor: c}, int64(most)+1))
	if err != nil {
		return "", err
	}
	if len(all) > most {
		return "", c.Error(Position{Line: c.At().Line}, fmt.Errorf("%w: more than %d bytes", ErrLongText, most))
	}
	return string(all), nil
}

// Checked returns a reader of the text of r like NewReader, for other libraries. file is the
// name to use in errors, which are errors of a Cursor.
func Checked(r io.Reader, file string) io.Reader { return &checked{Cursor: NewCursor(r, file)} }

// checked reads the pieces of a text.
type checked struct {
	*Cursor
	piece []byte // the rest of it
	ended bool   // the end of the line is still to come
}

// Read implements io.Reader.
func (c *checked) Read(p []byte) (n int, err error) {
	if len(c.piece) == 0 && !c.ended {
		if c.piece, c.ended, err = c.Piece(); err != nil {
			return 0, err
		}
	}
	n = copy(p, c.piece)
	c.piece = c.piece[n:]
	if c.ended && n < len(p) {
		p[n] = '\n'
		n++
		c.ended = false
	}
	return n, nil
}
