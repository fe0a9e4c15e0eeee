package matrix

import (
	"bufio"
	"io"
	"strconv"

	"example.org/pathsum/internal/text"
)

// ReadCSV reads a matrix from a text with a row a line. The character after the first number
// separates all numbers: a semicolon, a comma or a tab, which may have spaces around it, or else
// spaces. A separator may also end a row. Lines that begin with # are comments, and empty lines
// may follow the last row. Numbers have a decimal point; inf, -inf and nan are numbers.
//
// The error is an *Error. It wraps ErrFormat for rows of different lengths, a cell that is not a
// number, and a text without numbers, or else r's error. The time is proportional to the text.
func ReadCSV(r io.Reader, file string) (*Matrix, error) {
	s := rows{c: text.NewCursor(r, file), m: new(Matrix)}
	for s.c.Peek() != text.End {
		if err := s.line(); err != nil {
			return nil, err
		}
	}
	if err := s.c.Err(); err != nil {
		return nil, err
	}
	if s.m.Frames == 0 {
		return nil, s.c.Error(text.Position{Line: 1}, errEmpty)
	}
	return s.m, nil
}

// rows reads the rows of a text.
type rows struct {
	c         *text.Cursor
	m         *Matrix
	separator rune // 0 if not known yet
	row       []float64
	empty     int // the first line without numbers after the last row, 0 if there is no such line
}

// line reads a line with its end.
func (s *rows) line() error {
	at := text.Position{Line: s.c.At().Line}
	if s.c.Peek() == '#' {
		s.c.Skip(func(r rune) bool { return r != '\n' })
		s.c.Next()
		return nil
	}
	s.row = s.row[:0]
	for s.skip(); !s.ended(); s.skip() {
		x, err := s.number()
		if err != nil {
			return err
		}
		s.row = append(s.row, x)
		if err := s.between(); err != nil {
			return err
		}
	}
	switch err := s.c.Err(); {
	case err != nil:
		return err
	case len(s.row) > 0 && s.empty > 0:
		return s.c.Errorf(text.Position{Line: s.empty}, "an empty line between rows, want one matrix in a file")
	case len(s.row) > 0:
		if err := s.m.grow(s.c, at, s.row); err != nil {
			return err
		}
	case s.empty == 0:
		s.empty = at.Line
	}
	s.c.Next()
	return nil
}

// skip moves past spaces, and past tabs unless they separate numbers.
func (s *rows) skip() {
	s.c.Skip(func(r rune) bool { return r == ' ' || r == '\t' && s.separator != '\t' })
}

// ended reports whether the line has ended.
func (s *rows) ended() bool { return s.c.Peek() == '\n' || s.c.Peek() == text.End }

// number reads a number.
func (s *rows) number() (float64, error) {
	at := s.c.At()
	word := s.c.Word(maxNumber, func(r rune) bool {
		return r == ';' || r == ',' || r == ' ' || r == '\t' || r == '\n'
	})
	x, err := strconv.ParseFloat(word, 64)
	switch {
	case word == "":
		return 0, s.c.Errorf(at, "no number before %q", string(s.c.Peek()))
	case err != nil:
		return 0, s.c.Errorf(at, "%q, want a number", word)
	}
	return x, nil
}

// between moves past the separator after a number.
func (s *rows) between() error {
	s.c.Skip(func(r rune) bool { return r == ' ' })
	if s.ended() {
		return nil
	}
	at, r := s.c.At(), s.c.Peek()
	mark := r == ';' || r == ',' || r == '\t'
	if s.separator == 0 {
		if s.separator = ' '; mark {
			s.separator = r
		}
	}
	switch {
	case r == s.separator:
		s.c.Next()
	case s.separator != ' ' && r == '\t': // space around a mark
		s.skip()
		return s.between()
	case mark || s.separator != ' ':
		want := text.Quote(string(s.separator))
		if s.separator == ' ' {
			want = "spaces"
		}
		return s.c.Errorf(at, "%q after a number, want %s as after the first", string(r), want)
	}
	return nil
}

// WriteCSV writes m with a line per frame and commas between numbers. Each number has enough digits
// to be read as the same float64. The error is w's.
func (m *Matrix) WriteCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	var number []byte
	for t := range m.Frames {
		for v, x := range m.Row(t) {
			if v > 0 {
				b.WriteByte(',')
			}
			number = strconv.AppendFloat(number[:0], x, 'g', -1, 64)
			b.Write(number)
		}
		b.WriteByte('\n')
	}
	return b.Flush() // with the first error
}
