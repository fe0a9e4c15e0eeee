package text

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
)

// End is returned by a Cursor instead of a character at the end of the text, and after an
// error.
const End rune = -1

// Position is the position of a character in a text.
type Position struct {
	Line   int // from 1
	Column int // from 1, in characters
	Byte   int // from 0, of the text that Reader returns
}

// Cursor reads a text character by character. Lines may have any length: it buffers at most a
// word, whose length the caller bounds. Its first error ends the text and is kept in Err.
type Cursor struct {
	file  string
	b     *bufio.Reader
	ahead []byte // the buffered part of b
	whole string // all of the text, if it is in memory
	n     int    // bytes of ahead that were read
	at    Position
	line  int   // index of the first byte of the line
	err   error // io.EOF at the end
	word  []byte
}

// NewCursor returns a cursor at the first character of r. file is the name to use in errors.
func NewCursor(r io.Reader, file string) *Cursor { return newCursor(r, file, buffer) }

func newCursor(r io.Reader, file string, size int) *Cursor {
	return &Cursor{file: file, b: bufio.NewReaderSize(NewReader(r), size), at: Position{Line: 1, Column: 1}}
}

// CursorOf returns a cursor at the first character of s. Its words share the storage of s.
func CursorOf(s, file string) *Cursor {
	c := newCursor(strings.NewReader(s), file, min(1<<12, len(s)+utf8.UTFMax))
	c.whole = Plain(s)
	return c
}

// Err returns the first error, an *Error that wraps ErrUTF8, ErrNUL, ErrUTF16, ErrLongWord or a
// read error. It returns nil at the end of the text.
func (c *Cursor) Err() error {
	if c.err == io.EOF {
		return nil
	}
	return c.err
}

// Fail ends the text with an error; Err returns it if it is the first.
func (c *Cursor) Fail(err error) {
	if c.Err() == nil {
		c.err = err
	}
	c.ahead, c.n = nil, 0
}

// At returns the position of the next character.
func (c *Cursor) At() Position { return c.at }

// Peek returns the next character without consuming it.
func (c *Cursor) Peek() rune {
	r, _ := c.peek()
	return r
}

// Next returns the next character and consumes it.
func (c *Cursor) Next() rune {
	r, size := c.peek()
	c.n += size
	c.at.Byte += size
	switch {
	case r == '\n':
		c.at.Line, c.at.Column, c.line = c.at.Line+1, 1, c.at.Byte
	case size > 0:
		c.at.Column++
	}
	return r
}

// Accept consumes the next character if it is r.
func (c *Cursor) Accept(r rune) bool {
	if c.Peek() != r {
		return false
	}
	c.Next()
	return true
}

// Skip consumes the characters up to the first that is not in the set.
func (c *Cursor) Skip(in func(rune) bool) {
	for r := c.Peek(); r != End && in(r); r = c.Peek() {
		c.Next()
	}
}

// Word returns the next characters, up to the first that ends it, which is not consumed. After
// more than most bytes it fails with ErrLongWord at its beginning.
func (c *Cursor) Word(most int, ends func(rune) bool) string {
	c.word = c.word[:0]
	for begin := c.at; ; {
		b := c.ahead[c.n:]
		n := 0 // number of single-byte characters
		for n < len(b) && b[n] < utf8.RuneSelf && b[n] > '\n' && !ends(rune(b[n])) {
			n++
		}
		c.n += n
		c.at.Byte += n
		c.at.Column += n
		if c.at.Byte-begin.Byte > most {
			c.Fail(c.Error(begin, fmt.Errorf("%w: more than %d bytes", ErrLongWord, most)))
			return ""
		}
		if len(c.word) == 0 && c.whole == "" && n < len(b) && 0 < b[n] && b[n] < utf8.RuneSelf && ends(rune(b[n])) {
			return string(b[:n])
		}
		if c.whole == "" {
			c.word = append(c.word, b[:n]...)
		}
		switch r := c.Peek(); { // invalidates b
		case r != End && !ends(r):
			c.Next()
			if c.whole == "" {
				c.word = utf8.AppendRune(c.word, r)
			}
		case c.whole != "":
			return c.whole[begin.Byte:c.at.Byte]
		default:
			return string(c.word)
		}
	}
}

// Quoted returns the characters up to the next mark, within the line unless lines is true, and
// consumes the mark. It returns false if there is no mark. After more than most bytes it fails
// with ErrLongWord at its beginning.
func (c *Cursor) Quoted(mark rune, most int, lines bool) (string, bool) {
	word := c.Word(most, func(r rune) bool { return r == mark || r == '\n' && !lines })
	return word, c.Accept(mark)
}

// Piece returns the rest of the current line without its end, or for a longer line the
// characters that fit into its buffer. ended reports whether an end of the line follows, which
// Piece consumes. The bytes are valid until the next use of c. The error is io.EOF at the end
// of the text, or the error of Err.
func (c *Cursor) Piece() (piece []byte, ended bool, err error) {
	piece = c.ahead[c.n:]
	end := bytes.IndexByte(piece, '\n')
	for end < 0 && len(piece) < c.b.Size() && c.err == nil {
		known := len(piece)
		c.fill()
		piece = c.ahead[c.n:]
		if end = bytes.IndexByte(piece[min(known, len(piece)):], '\n'); end >= 0 {
			end += known
		}
	}
	switch {
	case end >= 0:
		piece = piece[:end]
	case len(piece) == 0:
		return nil, false, c.err
	case c.err == nil:
		piece = complete(piece)
	}
	if isPlain(piece) {
		c.at.Column += len(piece)
	} else if err := check(piece, c.at.Byte-c.line); err != nil {
		c.Fail(&Error{File: c.file, Line: c.at.Line, Err: err})
		return nil, false, c.err
	} else {
		c.at.Column += utf8.RuneCount(piece)
	}
	c.n += len(piece)
	c.at.Byte += len(piece)
	if end >= 0 {
		c.Next()
	}
	return piece, end >= 0, nil
}

// complete returns b without an incomplete character at its end.
func complete(b []byte) []byte {
	for n := 1; n < min(utf8.UTFMax, len(b)); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

// Errorf returns an *Error at a position that wraps ErrFormat; %q quotes a string like Quote.
// If the cursor has failed, it returns Err instead, because the characters read are not the
// text.
func (c *Cursor) Errorf(at Position, format string, args ...any) error {
	return c.Error(at, nested.Errorf("%w: "+format, append([]any{nested.ErrFormat}, Tokens(args...)...)...))
}

// Error returns an *Error at a position that wraps err, or Err if the cursor has failed.
func (c *Cursor) Error(at Position, err error) error {
	if failed := c.Err(); failed != nil {
		return failed
	}
	return &Error{File: c.file, Line: at.Line, Column: at.Column, Err: err}
}

// peek returns the next character and its size in bytes, or End and 0 at the end.
func (c *Cursor) peek() (rune, int) {
	if c.n < len(c.ahead) {
		if b := c.ahead[c.n]; b != 0 && b < utf8.RuneSelf {
			return rune(b), 1
		}
	}
	return c.decode()
}

// decode is like peek, for all characters.
func (c *Cursor) decode() (rune, int) {
	for c.err == nil && !utf8.FullRune(c.ahead[c.n:]) {
		c.fill()
	}
	if c.n == len(c.ahead) {
		return End, 0
	}
	r, size := utf8.DecodeRune(c.ahead[c.n:])
	if r == 0 || r == utf8.RuneError && size == 1 {
		c.Fail(&Error{File: c.file, Line: c.at.Line, Err: check(c.ahead[c.n:c.n+1], c.at.Byte-c.line)})
		return End, 0
	}
	return r, size
}

// fill buffers at least one more byte, or sets err. It discards the bytes that have been read.
func (c *Cursor) fill() {
	left := len(c.ahead) - c.n
	c.b.Discard(c.n) // already buffered
	_, err := c.b.Peek(left + 1)
	c.ahead, _ = c.b.Peek(c.b.Buffered())
	c.n = 0
	if err != nil && err != io.EOF {
		c.Fail(&Error{File: c.file, Line: c.at.Line, Err: err})
	} else if err != nil {
		c.err = err
	}
}
