package rx

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/pathsum/internal/text"
)

// end is what peek returns behind the last character.
const end rune = -1

// scanner reads a text character by character. After a fault nothing is left to
// read, so that whoever reads comes to an end.
type scanner struct {
	rest string
	pos  position // of rest
	err  error    // the first fault

	inContexts int // how many rules have their contexts read

	word   string // the last that around found, if it may be a name
	behind int    // how much of rest is behind it
	begun  int    // and was left where it began
}

// newScanner returns a scanner of a text, which is in no file if the name is empty. As in
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

// stop reports a fault at pos, unless there was one before.
func (s *scanner) stop(pos position, expected string, err error) {
	if s.err == nil {
		s.err = pos.fault(expected, err)
	}
	s.rest = ""
}

// peek returns the next character, utf8.RuneError for bytes that are none.
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

// comment skips a comment. Other tools write the ends of a string as # or .#., which in the
// contexts of a rule would be lost as a comment: one that has no text, or goes on like an
// expression, is a fault there.
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

// accept skips mark, if the rest begins with it. It has no line breaks.
func (s *scanner) accept(mark string) bool {
	rest, ok := strings.CutPrefix(s.rest, mark)
	if ok {
		s.rest = rest
		s.pos.column += int32(utf8.RuneCountInString(mark))
	}
	return ok
}

// expect skips blanks and mark, which must follow; expected says it in words.
func (s *scanner) expect(mark, expected string) {
	if s.blanks(); !s.accept(mark) {
		s.fail(expected)
	}
}

// while returns the longest beginning of the rest whose characters, each with
// the number of those before it, fit, and skips it.
func (s *scanner) while(fit func(r rune, before int) bool) string {
	before, rest := 0, s.rest
	for r := s.peek(); r != end && fit(r, before); r = s.peek() {
		s.next()
		before++
	}
	return rest[:len(rest)-len(s.rest)]
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// name reads a name; what says what it is the name of.
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

// isSymbol reports whether r stands for itself.
func isSymbol(r rune) bool {
	return unicode.IsPrint(r) && r != ' ' && !isPunct(r) && r != utf8.RuneError
}

// escapes are what stands behind \ for a character that it is not.
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
		s.fail("punctuation, a blank, n, t, r or u{…} behind \\")
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

// around returns the word that the next character stands in, of those that a name may have;
// empty if it stands in none.
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
			s.fail("the rest of what is in quotes")
			return ""
		}
	}
}
