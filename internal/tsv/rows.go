package tsv

import (
	"fmt"
	"io"
	"iter"
	"strings"
)

// Row is a line split at its tabs.
type Row struct {
	Line    int      // from 1
	Columns []string // as they stand, spaces included
}

// Rows returns the rows of r, each of at least least and at most most columns, in
// the order of the lines. file is the name to use in errors. The first error ends
// the sequence; it is an *Error that wraps ErrNoTab (one column where more are
// expected), ErrColumns, ErrUTF8, ErrTooLong or r's error. It panics if least is
// less than 1 or greater than most.
func Rows(r io.Reader, file string, least, most int) iter.Seq2[Row, error] {
	return rows(Lines(r, file), file, least, most)
}

// RowsOf is Rows of the named file, decompressed if the name ends in .gz.
func RowsOf(file string, least, most int) iter.Seq2[Row, error] {
	return rows(LinesOf(file), Name(file), least, most)
}

func rows(lines iter.Seq2[Line, error], file string, least, most int) iter.Seq2[Row, error] {
	if least < 1 || least > most {
		panic(fmt.Sprintf("tsv: rows of %d to %d columns", least, most))
	}
	return func(yield func(Row, error) bool) {
		for line, err := range lines {
			if err == nil {
				err = line.Err
			}
			row := Row{Line: line.Number}
			if err == nil {
				if row.Columns, err = split(line.Text, least, most); err != nil {
					err = &Error{file, line.Number, err}
				}
			}
			if err != nil {
				yield(Row{}, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func split(line string, least, most int) ([]string, error) {
	columns := strings.Split(line, "\t")
	switch n := len(columns); {
	case n == 1 && least > 1:
		return nil, fmt.Errorf("%w, want %s columns", ErrNoTab, span(least, most))
	case n < least || n > most:
		return nil, fmt.Errorf("%w: %d, want %s", ErrColumns, n, span(least, most))
	}
	return columns, nil
}

func span(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
