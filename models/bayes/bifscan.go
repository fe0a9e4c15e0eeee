package bayes

import (
	"bufio"
	"io"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// ErrFormat is wrapped by the error for a text that is no network or table of rows.
var ErrFormat = nested.ErrFormat

// ParseError says in what line a file is wrong.
type ParseError = text.Error

// maxName bounds the length of a word in BIF.
const maxName = 1 << 16

// bifScanner splits BIF into words, quoted words and the characters {}()[];| by
// themselves. Commas are space, as they may be left out.
type bifScanner struct {
	r    *bufio.Reader
	file string
	line int
	// bytes is the number of bytes read.
	bytes int
	// The token: a word, or one of the characters.
	text   string
	word   bool
	ended  bool
	at     int // its line
	failed error
}

const bifPunctuation = "{}()[];|"

func newBIFScanner(r io.Reader, file string) *bifScanner {
	s := &bifScanner{r: bufio.NewReader(text.NewReader(r)), file: file, line: 1}
	s.next()
	return s
}

// errorf returns an error at the token.
func (s *bifScanner) errorf(format string, args ...any) error {
	if s.failed != nil {
		return s.failed
	}
	return &ParseError{File: s.file, Line: s.at, Err: nested.Errorf("%w: "+format, append([]any{ErrFormat}, text.Tokens(args...)...)...)}
}

// read returns the next byte; at the end or an error it returns 0 and sets ended.
func (s *bifScanner) read() byte {
	b, err := s.r.ReadByte()
	if err != nil {
		s.ended = true
		if err != io.EOF && s.failed == nil {
			s.failed = &ParseError{File: s.file, Line: s.line, Err: err}
		}
		return 0
	}
	s.bytes++
	if b == '\n' {
		s.line++
	}
	return b
}

// peek returns the next byte, 0 at the end.
func (s *bifScanner) peek() byte {
	b, err := s.r.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

// next goes to the next token; at the end of the text it sets ended.
func (s *bifScanner) next() {
	s.text, s.word = "", false
	for !s.ended {
		s.at = s.line
		b := s.read()
		switch {
		case s.ended:
		case strings.IndexByte(" \t\r\n\f,", b) >= 0:
		case b == '/' && s.peek() == '/':
			for !s.ended && s.read() != '\n' {
			}
		case b == '/' && s.peek() == '*':
			s.read()
			for last := byte(0); !s.ended; {
				c := s.read()
				if last == '*' && c == '/' {
					break
				}
				last = c
			}
		case strings.IndexByte(bifPunctuation, b) >= 0:
			s.text = string(rune(b))
			return
		case b == '"':
			s.quoted()
			return
		default:
			s.bare(b)
			return
		}
	}
}

// quoted reads a word up to its closing quotation mark.
func (s *bifScanner) quoted() {
	var b strings.Builder
	for {
		c := s.read()
		if s.ended || c == '\n' || b.Len() >= maxName {
			s.fail("a quotation mark is not closed")
			return
		}
		if c == '"' {
			break
		}
		b.WriteByte(c)
	}
	s.text, s.word = b.String(), true
}

// bare reads a word that begins with b.
func (s *bifScanner) bare(b byte) {
	var w strings.Builder
	w.WriteByte(b)
	for {
		c := s.peek()
		if c == 0 || strings.IndexByte(" \t\r\n\f,\"", c) >= 0 || strings.IndexByte(bifPunctuation, c) >= 0 {
			break
		}
		if w.Len() >= maxName {
			s.fail("a word of more than %d bytes", maxName)
			return
		}
		w.WriteByte(s.read())
	}
	s.text, s.word = w.String(), true
}

// fail ends the scan with an error.
func (s *bifScanner) fail(format string, args ...any) {
	if s.failed == nil {
		s.failed = &ParseError{File: s.file, Line: s.at, Err: nested.Errorf("%w: "+format, append([]any{ErrFormat}, text.Tokens(args...)...)...)}
	}
	s.text, s.word, s.ended = "", false, true
}

// token describes the token in messages.
func (s *bifScanner) token() string {
	if s.ended {
		return "the end of the text"
	}
	return text.Quote(s.text)
}

// take goes past the punctuation mark.
func (s *bifScanner) take(mark string) error {
	if s.word || s.text != mark {
		return s.errorf("%s, want %q", s.token(), mark)
	}
	s.next()
	return nil
}

// sees reports whether the token is the punctuation mark.
func (s *bifScanner) sees(mark string) bool { return !s.word && !s.ended && s.text == mark }

// name goes past a word and returns it.
func (s *bifScanner) name(what string) (string, error) {
	if !s.word || s.text == "" {
		return "", s.errorf("%s, want %s", s.token(), what)
	}
	name := s.text
	s.next()
	return name, nil
}

// skip goes past a property, which ends with a semicolon.
func (s *bifScanner) skip() error {
	for !s.ended && !s.sees(";") {
		s.next()
	}
	return s.take(";")
}
