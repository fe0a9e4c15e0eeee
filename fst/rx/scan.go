package rx

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/pathsum/internal/text"
)

// end is the result of peek at the end of the text.
const end rune = -1

// scanner reads a text character by character. After a fault it drops the rest of the text, so that
// parsing ends.
type scanner struct {
	rest string
	pos  position // of rest
	err  error    // the first fault

	inContexts int // the number of rules whose contexts are being read

	word   string // the last result of around
	behind int    // len(rest) at its end
	begun  int    // len(rest) at its beginning
}

// newScanner returns a scanner of a text. If file is empty, the text is not from a file. As in
// files, a byte order mark is dropped, and a line ends with \n, \r\n or \r.
func newScanner(file, source string) scanner {
	s := scanner{rest: text.Plain(source), pos: position{line: 1, column: 1}}
	if file != "" {
		s.pos.file = &file
	}
	return s
}

// fail reports that something else was expected at the next character.
func (s *scanner) fail(expected string) {
	found := "the end"
	if r := s.peek(); r != end {
		found = strconv.QuoteRune(r)
		if _, n := utf8.DecodeRuneInString(s.rest); r == utf8.RuneError && n == 1 {
			found = "bytes that are not UTF-8"
		}
	}
	s.stop(s.pos, expected, fmt.Errorf("%w: %s, want %s", ErrSyntax, found, expected))
}

// stop reports a fault at pos, unless one was reported before.
func (s *scanner) stop(pos position, expected string, err error) {
	if s.err == nil {
		s.err = pos.fault(expected, err)
	}
	s.rest = ""
}

// peek returns the next character, utf8.RuneError for bytes that are not UTF-8.
func (s *scanner) peek() rune {
	if s.rest == "" {
		return end
	}
	r, _ := utf8.DecodeRuneInString(s.rest)
	return r
}

// next skips the next character.
func (s *scanner) next() {
	r, n := utf8.DecodeRuneInString(s.rest)
	s.rest = s.rest[n:]
	s.pos.column++
	if r == '\n' {
		s.pos.line, s.pos.column = s.pos.line+1, 1
	}
}

// blanks skips white space and comments.
func (s *scanner) blanks() {
	for {
		switch r := s.peek(); {
		case unicode.IsSpace(r):
			s.next()
		case r == '#':
			s.comment()
		default:
			return
		}
	}
}

// comment skips a comment. Other tools write the ends of a string as # or .#., which would be
// skipped as a comment here. So in the contexts of a rule, a comment that is empty or continues
// like an expression is a fault.
func (s *scanner) comment() {
	line, _, _ := strings.Cut(s.rest, "\n")
	rest := strings.TrimSpace(line[1:])
	if s.inContexts > 0 && (rest == "" || strings.ContainsRune(".;,)", rune(rest[0]))) {
		s.stop(s.pos, "$", fmt.Errorf("%w: # begins a comment, want $ for the beginning or the end of the string", ErrSyntax))
		return
	}
	for r := s.peek(); r != '\n' && r != end; r = s.peek() {
		s.next()
	}
}

// accept skips mark, if the rest begins with it. mark must not contain line breaks.
func (s *scanner) accept(mark string) bool {
	rest, ok := strings.CutPrefix(s.rest, mark)
	if ok {
		s.rest = rest
		s.pos.column += int32(utf8.RuneCountInString(mark))
	}
	return ok
}

// expect skips blanks and mark, which must follow; expected describes mark in the error.
func (s *scanner) expect(mark, expected string) {
	if s.blanks(); !s.accept(mark) {
		s.fail(expected)
	}
}

// while skips and returns the longest prefix of the rest whose characters all fit. before is the
// number of preceding characters of the prefix.
func (s *scanner) while(fit func(r rune, before int) bool) string {
	before, rest := 0, s.rest
	for r := s.peek(); r != end && fit(r, before); r = s.peek() {
		s.next()
		before++
	}
	return rest[:len(rest)-len(s.rest)]
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// name reads a name; what describes the named object in the error.
func (s *scanner) name(what string) string {
	name := s.while(func(r rune, before int) bool { return inName(r, before > 0) })
	if name == "" {
		s.fail("the name of " + what)
	}
	return name
}

// alternative reads the name or the number of an alternative.
func (s *scanner) alternative() string {
	name := s.while(func(r rune, _ int) bool { return inName(r, true) })
	if name == "" {
		s.fail("the name of an alternative")
	}
	return name
}

func (s *scanner) digits() string { return s.while(func(r rune, _ int) bool { return isDigit(r) }) }

// number reads a decimal number without a sign. A dot or an e belongs to it only
// if digits follow.
func (s *scanner) number() float64 {
	pos := s.pos
	text := s.digits()
	if len(s.rest) > 1 && s.rest[0] == '.' && isDigit(rune(s.rest[1])) {
		s.next()
		text += "." + s.digits()
	}
	if text == "" {
		s.fail("a number")
		return 0
	}
	for _, mark := range []string{"e-", "e+", "e"} {
		if after, ok := strings.CutPrefix(s.rest, mark); ok && after != "" && isDigit(rune(after[0])) {
			s.accept(mark)
			text += mark + s.digits()
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.stop(pos, "", invalid(ErrInvalid, "%s is too great a number", text))
	}
	return x
}

// count reads a number of repetitions.
func (s *scanner) count() int {
	pos := s.pos
	text := s.digits()
	if text == "" {
		s.fail("a number of repetitions")
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > MaxRepeat {
		s.stop(pos, "", invalid(ErrInvalid, "%s repetitions, want at most %d", text, MaxRepeat))
	}
	return n
}

func isPunct(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// isSymbol reports whether r is a symbol without quotes or escapes.
func isSymbol(r rune) bool {
	return unicode.IsPrint(r) && r != ' ' && !isPunct(r) && r != utf8.RuneError
}

// escapes maps letters after \ to the characters that they stand for.
var escapes = map[rune]string{'n': "\n", 't': "\t", 'r': "\r"}

// escaped reads what follows \ and returns the character that it stands for.
func (s *scanner) escaped() string {
	r := s.peek()
	if c, ok := escapes[r]; ok {
		s.next()
		return c
	}
	if isPunct(r) || r == ' ' {
		s.next()
		return string(r)
	}
	if !s.accept("u{") {
		s.fail("punctuation, a blank, n, t, r or u{…} after \\")
		return ""
	}
	pos := s.pos
	code := s.while(func(r rune, _ int) bool { return r != '}' })
	n, err := strconv.ParseUint(code, 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) || n > unicode.MaxRune {
		s.stop(pos, "", invalid(ErrSyntax, "%q, want the hexadecimal number of a character", code))
		return ""
	}
	if !s.accept("}") {
		s.fail("}")
	}
	return string(rune(n))
}

// symbol reads the name of a symbol.
func (s *scanner) symbol() string {
	switch r := s.peek(); {
	case isSymbol(r):
		s.next()
		return string(r)
	case s.accept(`\`):
		return s.escaped()
	case s.accept("'"):
		name := s.quoted('\'')
		if name == "" {
			s.stop(s.pos, "", invalid(ErrSyntax, "a symbol in quotes has no name; the empty string is ()"))
		}
		return name
	}
	s.fail("a symbol")
	return ""
}

// around returns the word around the next character, if it may be a name, and otherwise "".
func (s *scanner) around() string {
	if n := len(s.rest); n <= s.behind || n > s.begun {
		end := strings.IndexFunc(s.rest, func(r rune) bool { return !inName(r, true) })
		if end < 0 {
			end = n
		}
		s.word, s.begun, s.behind = s.rest[:end], n, n-end
		if checkName(s.word) != nil {
			s.word = ""
		}
	}
	return s.word
}

// quoted reads the rest of something in quotes.
func (s *scanner) quoted(quote rune) string {
	var b strings.Builder
	for {
		r := s.peek()
		switch {
		case r == quote:
			s.next()
			return b.String()
		case s.accept(`\`):
			b.WriteString(s.escaped())
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
			s.next()
		default:
			s.fail("the closing quote")
			return ""
		}
	}
}
