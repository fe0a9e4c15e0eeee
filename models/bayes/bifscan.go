package bayes

import (
	"io"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// ErrFormat is wrapped by the error for a text that is not a network or a table of rows.
var ErrFormat = nested.ErrFormat

// ParseError is an error with the file and line where it occurs.
type ParseError = text.Error

// maxName bounds the length of a word in BIF.
const maxName = 1 << 16

// bifScanner splits BIF into words, quoted words and the single characters {}()[];|. Commas count
// as space, since they are optional.
type bifScanner struct {
	*text.Cursor
	// The current token: a word, or one of the characters.
	text  string
	word  bool
	ended bool
	at    text.Position // of the token
}

const bifPunctuation = "{}()[];|"

func isBIFSpace(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == ','
}

func isBIFPunctuation(r rune) bool {
	switch r {
	case '{', '}', '(', ')', '[', ']', ';', '|':
		return true
	}
	return false
}

func endsBIFWord(r rune) bool { return isBIFSpace(r) || r == '"' || isBIFPunctuation(r) }

func newBIFScanner(r io.Reader, file string) *bifScanner {
	s := &bifScanner{Cursor: text.NewCursor(r, file)}
	s.next()
	return s
}

// errorf returns an error at the token.
func (s *bifScanner) errorf(format string, args ...any) error {
	return s.Errorf(s.at, format, args...)
}

// next advances to the next token; at the end of the text and after an error it sets ended.
func (s *bifScanner) next() {
	s.text, s.word = "", false
	for s.text == "" && !s.word && !s.ended {
		s.Skip(isBIFSpace)
		s.at = s.At()
		switch r := s.Peek(); {
		case r == text.End:
			s.ended = true
		case isBIFPunctuation(r):
			s.text = string(s.Next())
		case s.Accept('"'):
			s.quoted()
		case s.Accept('/'):
			s.slash()
		default:
			s.text, s.word = s.Word(maxName, endsBIFWord), true
		}
	}
	if s.Err() != nil {
		s.text, s.word, s.ended = "", false, true
	}
}

// quoted reads a word up to its closing quotation mark.
func (s *bifScanner) quoted() {
	var closed bool
	s.word = true
	if s.text, closed = s.Quoted('"', maxName, false); !closed {
		s.Fail(s.errorf("a quotation mark is not closed"))
	}
}

// slash reads a comment, or a word that begins with the slash already read.
func (s *bifScanner) slash() {
	switch {
	case s.Peek() == '/':
		s.Skip(func(r rune) bool { return r != '\n' })
	case s.Accept('*'):
		for last, r := rune(0), s.Next(); r != text.End && (last != '*' || r != '/'); r = s.Next() {
			last = r
		}
	default:
		s.text, s.word = "/"+s.Word(maxName, endsBIFWord), true
	}
}

// token describes the current token in messages.
func (s *bifScanner) token() string {
	if s.ended {
		return "the end of the text"
	}
	return text.Quote(s.text)
}

// take consumes the punctuation mark.
func (s *bifScanner) take(mark string) error {
	if s.word || s.text != mark {
		return s.errorf("%s, want %q", s.token(), mark)
	}
	s.next()
	return nil
}

// sees reports whether the current token is the punctuation mark.
func (s *bifScanner) sees(mark string) bool { return !s.word && !s.ended && s.text == mark }

// name consumes a word and returns it.
func (s *bifScanner) name(what string) (string, error) {
	if !s.word || s.text == "" {
		return "", s.errorf("%s, want %s", s.token(), what)
	}
	name := s.text
	s.next()
	return name, nil
}

// skip consumes a property, which ends with a semicolon.
func (s *bifScanner) skip() error {
	for !s.ended && !s.sees(";") {
		s.next()
	}
	return s.take(";")
}
