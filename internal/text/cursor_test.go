package text_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

func TestCursor(t *testing.T) {
	c := text.NewCursor(iotest.OneByteReader(strings.NewReader("\ufeffab é\r\n\"two words\" x'")), "f")
	letter := func(r rune) bool { return !unicode.IsLetter(r) }
	if w := c.Word(10, letter); w != "ab" || c.Peek() != ' ' {
		t.Errorf("%q before %q", w, c.Peek())
	}
	c.Skip(unicode.IsSpace)
	if at := c.At(); at != (text.Position{Line: 1, Column: 4, Byte: 3}) || c.Next() != 'é' {
		t.Errorf("é is at %v", at)
	}
	if at := c.At(); at.Column != 5 || at.Byte != 5 {
		t.Errorf("the end of the line is at %v", at)
	}
	if !c.Accept('\n') || c.Accept('x') || !c.Accept('"') || c.At() != (text.Position{Line: 2, Column: 2, Byte: 7}) {
		t.Errorf("the second line is at %v", c.At())
	}
	if w, ok := c.Quoted('"', 10, false); w != "two words" || !ok {
		t.Errorf("%q, %v", w, ok)
	}
	if err := c.Errorf(c.At(), "%q", strings.Repeat("x", 50)); !errors.Is(err, nested.ErrFormat) || !strings.HasPrefix(err.Error(), "f:2:12: bad format: \"xxx") || !strings.HasSuffix(err.Error(), "(50 bytes)") {
		t.Errorf("%v", err)
	}
	if w, ok := c.Quoted('\'', 10, false); w != " x" || !ok {
		t.Errorf("%q, %v", w, ok)
	}
	if w, ok := c.Quoted('\'', 10, true); w != "" || ok || c.Next() != text.End || c.Err() != nil {
		t.Errorf("behind the end: %q, %v, %v", w, ok, c.Err())
	}
}

func TestCursorFails(t *testing.T) {
	broken := errors.New("broken")
	never := func(rune) bool { return false }
	for _, x := range []struct {
		in   io.Reader
		want error
		says string
	}{
		{strings.NewReader("a\nbé\xe3\x82"), text.ErrUTF8, "f:2: invalid UTF-8 at byte 4"},
		{strings.NewReader("a\n\x00"), text.ErrNUL, "f:2: a NUL, which no text has, at byte 1"},
		{strings.NewReader("\xfe\xff\x00a"), text.ErrUTF16, "f:1: the text is UTF-16"},
		{io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), broken, "f:2: broken"},
		{strings.NewReader("a\n" + strings.Repeat("x", 100)), text.ErrLongWord, "f:1:1: word too long: more than 50 bytes"},
	} {
		c := text.NewCursor(x.in, "f")
		if w := c.Word(50, never); c.Err() == nil || !errors.Is(c.Err(), x.want) || !strings.HasPrefix(c.Err().Error(), x.says) {
			t.Errorf("%q, %v, want %s", w, c.Err(), x.says)
		}
		if err := c.Errorf(c.At(), "other"); err != c.Err() || c.Next() != text.End {
			t.Errorf("%v, want the first error, %v", err, c.Err())
		}
		if _, _, err := c.Piece(); err != c.Err() {
			t.Errorf("a piece after an error: %v", err)
		}
	}
}

// TestPieces: lines that are longer than the buffer are split into pieces between characters.
func TestPieces(t *testing.T) {
	long := "x" + strings.Repeat("é", 100_000)
	for _, content := range []string{"", "\n", "a", "a\n\nb\n", long, long + "\n" + long + "\nz"} {
		for name, shape := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader, "error with data": iotest.DataErrReader,
		} {
			var got strings.Builder
			c := text.NewCursor(shape(strings.NewReader(content)), "f")
			for {
				piece, ended, err := c.Piece()
				if err == io.EOF {
					break
				}
				if err != nil || !text.Valid(string(piece)) || len(piece) > 1<<16 {
					t.Fatalf("%s: %d bytes, %v", name, len(piece), err)
				}
				if got.Write(piece); ended {
					got.WriteByte('\n')
				}
			}
			if got.String() != content || c.At().Byte != len(content) || c.At().Line != 1+strings.Count(content, "\n") {
				t.Errorf("%s: %d bytes of %d, to line %d", name, got.Len(), len(content), c.At().Line)
			}
		}
	}
}

func TestReadAll(t *testing.T) {
	if s, err := text.ReadAll(strings.NewReader("\ufeffa\r\nb"), "f", 3); s != "a\nb" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	if _, err := text.ReadAll(strings.NewReader("a\nbc"), "f", 3); !errors.Is(err, text.ErrLongText) || err.Error() != "f:2: text too long: more than 3 bytes" {
		t.Error(err)
	}
	if err := iotest.TestReader(text.Checked(strings.NewReader("a\r\n\nbé"), "f"), []byte("a\n\nbé")); err != nil {
		t.Error(err)
	}
}

// FuzzCursor: characters, pieces and lines have the same text, and the same error.
func FuzzCursor(f *testing.F) {
	f.Add([]byte("\ufeffa\r\nbé\rc\n"), 3)
	f.Add([]byte("a\n\xe3\x82\n\x00"), 1)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		open := func() io.Reader { return &slow{in, 1 + max(size, -size)&63} }
		var lines, characters strings.Builder
		var failed error
		for l, err := range text.Lines(open(), "f") {
			if failed = err; err == nil {
				failed = l.Err
			}
			if failed != nil {
				break
			}
			lines.WriteString(l.Text + "\n")
		}
		c := text.NewCursor(open(), "f")
		for r := c.Next(); r != text.End; r = c.Next() {
			characters.WriteRune(r)
		}
		if said(failed) != said(c.Err()) {
			t.Fatalf("%q: lines %v, characters %v", in, failed, c.Err())
		}
		whole, err := text.ReadAll(open(), "f", 1<<20)
		if said(failed) != said(err) {
			t.Fatalf("%q: lines %v, all %v", in, failed, err)
		}
		if failed == nil && (strings.TrimSuffix(lines.String(), "\n") != strings.TrimSuffix(whole, "\n") || characters.String() != whole) {
			t.Fatalf("%q: lines %q, characters %q, all %q", in, lines.String(), characters.String(), whole)
		}
	})
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// slow is a reader of a few bytes at a time.
type slow struct {
	rest []byte
	most int
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest[:min(s.most, len(s.rest))])
	s.rest = s.rest[n:]
	return n, nil
}
