package text

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
)

// fault is an error for bytes that are not text. It wraps ErrFormat of all packages.
type fault string

func (f fault) Error() string        { return string(f) }
func (f fault) Is(target error) bool { return target == nested.ErrFormat }

// All readers return these errors for bytes that are not text, in an *Error with file and line.
// They wrap nested.ErrFormat.
var (
	// ErrUTF16 is returned for text that begins with a byte order mark of UTF-16.
	ErrUTF16 error = fault("the text is UTF-16, where UTF-8 is expected: convert it, for example with iconv -f UTF-16 -t UTF-8")
	// ErrUTF8 is returned for a byte that is not part of a character.
	ErrUTF8 error = fault("invalid UTF-8")
	// ErrNUL is returned for the character 0, which occurs in binary files but not in texts.
	ErrNUL error = fault("a NUL, which no text has")
	// ErrTooLong is returned for a line of more than MaxLine bytes.
	ErrTooLong error = fault("line too long")
	// ErrLongText is returned for a text with more bytes than its reader accepts.
	ErrLongText error = fault("text too long")
	// ErrLongWord is returned for a word with more bytes than its reader accepts.
	ErrLongWord error = fault("word too long")
)

// Error is an error at a position in a file: a line with unexpected contents, a read error, or
// a byte of binary data. All readers of the module return it.
type Error struct {
	File   string // "" if it has no name
	Line   int    // from 1; 0 for binary data
	Column int    // from 1, in characters; 0: the line as a whole
	Offset int64  // of binary data: the byte, from 0
	Err    error  // the problem and the expected input
	Ends   bool   // the rest of the file could not be read
}

// Error returns "file:line: problem", without the name of the package that found it.
func (e *Error) Error() string {
	wrong := nested.Text(e.Err)
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: byte %d: %s", cmp.Or(e.File, "data"), e.Offset, wrong)
	case e.File == "":
		return fmt.Sprintf("line %d: %s", e.Line, wrong)
	case e.Column > 0:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, wrong)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, wrong)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Valid reports whether a line may contain s: it is UTF-8 without the character 0.
func Valid(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// check returns an error unless b, which follows n bytes of its line, is text.
func check(b []byte, n int) error {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return nil
	}
	for {
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size == 1:
			return fmt.Errorf("%w at byte %d", ErrUTF8, n+1)
		case r == 0:
			return fmt.Errorf("%w, at byte %d", ErrNUL, n+1)
		}
		b, n = b[size:], n+size
	}
}

// isPlain reports whether b is ASCII without the character 0, as most texts are.
func isPlain(b []byte) bool {
	or, rest := uint64(0), b
	for ; len(rest) >= 32; rest = rest[32:] {
		or |= binary.LittleEndian.Uint64(rest) | binary.LittleEndian.Uint64(rest[8:]) |
			binary.LittleEndian.Uint64(rest[16:]) | binary.LittleEndian.Uint64(rest[24:])
	}
	for ; len(rest) >= 8; rest = rest[8:] {
		or |= binary.LittleEndian.Uint64(rest)
	}
	for _, x := range rest {
		or |= uint64(x)
	}
	return or&0x8080808080808080 == 0 && bytes.IndexByte(b, 0) < 0
}
