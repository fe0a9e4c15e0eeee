package rx

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
		return s.quoted()
	}
	s.fail("a symbol")
	return ""
}

// quoted reads the rest of a symbol in quotes.
func (s *scanner) quoted() string {
	var b strings.Builder
	for {
		if s.accept("'") {
			if b.Len() == 0 {
				s.stop(s.pos, "", invalid(ErrSyntax, "a symbol in quotes has no name; the empty string is ()"))
			}
			return b.String()
		}
		r := s.peek()
		switch {
		case s.accept(`\`):
			b.WriteString(s.escaped())
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
			s.next()
		default:
			s.fail("the rest of a symbol in quotes")
			return ""
		}
	}
}
