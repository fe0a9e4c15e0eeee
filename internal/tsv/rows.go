package tsv

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
)

// Row is a line split at its tabs.
type Row struct {
	Line    int      // from 1
	Columns []string // unchanged, spaces included
}

// Rows returns the rows of r, each of at least least and at most most columns, in the order of
// the lines. file is the name to use in errors. For a bad line it yields a *text.Error that
// wraps ErrNoTab (one column where more are required), ErrColumns or the line's own error, and
// continues. An error of r ends the sequence. It panics if least is less than 1 or greater than
// most.
func Rows(r io.Reader, file string, least, most int) iter.Seq2[Row, error] {
	return rows(text.Lines(r, file), file, least, most)
}

// RowsOf is like Rows, for the named file, decompressed if the name ends in .gz.
func RowsOf(file string, least, most int) iter.Seq2[Row, error] {
	return rows(text.LinesOf(file), text.Name(file), least, most)
}

func rows(lines iter.Seq2[text.Line, error], file string, least, most int) iter.Seq2[Row, error] {
	if least < 1 || least > most {
		panic(fmt.Sprintf("tsv: rows of %d to %d columns", least, most))
	}
	return func(yield func(Row, error) bool) {
		for line, err := range lines {
			row := Row{Line: line.Number}
			if err = cmp.Or(err, line.Err); err == nil {
				if row.Columns, err = split(line.Text, least, most); err != nil {
					err = &text.Error{File: file, Line: line.Number, Err: err}
				}
			}
			if err != nil {
				row = Row{}
			}
			if !yield(row, err) {
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

// Pair is a row of two sides and a count.
type Pair struct {
	Line        int // from 1
	Left, Right string
	Count       float64 // the number of occurrences; 1 if the row has no count
}

// Pairs returns the pairs of r, one per line: left<TAB>right, or left<TAB>right<TAB>count with
// a finite count > 0, which need not be an integer. Errors are the errors of Rows, ErrEmptySide
// for a side that is empty or spaces only, and ErrCount for an invalid count.
func Pairs(r io.Reader, file string) iter.Seq2[Pair, error] {
	return pairs(Rows(r, file, 2, 3), file)
}

// PairsOf is like Pairs, for the named file, decompressed if the name ends in .gz.
func PairsOf(file string) iter.Seq2[Pair, error] { return pairs(RowsOf(file, 2, 3), text.Name(file)) }

// Collect returns all pairs of a sequence, or its error.
func Collect(pairs iter.Seq2[Pair, error]) ([]Pair, error) {
	var all []Pair
	for p, err := range pairs {
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Symbols splits a side at its spaces.
func Symbols(side string) []string {
	return strings.FieldsFunc(side, func(r rune) bool { return r == ' ' })
}

func pairs(rows iter.Seq2[Row, error], file string) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		for row, err := range rows {
			var p Pair
			if err == nil {
				if p, err = parsePair(row); err != nil {
					err = &text.Error{File: file, Line: row.Line, Err: err}
				}
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

func parsePair(row Row) (Pair, error) {
	p := Pair{Line: row.Line, Left: row.Columns[0], Right: row.Columns[1], Count: 1}
	for i, side := range []string{p.Left, p.Right} {
		if strings.TrimSpace(side) == "" {
			return Pair{}, fmt.Errorf("%w: column %d", ErrEmptySide, i+1)
		}
	}
	if len(row.Columns) == 3 {
		count, err := strconv.ParseFloat(row.Columns[2], 64)
		if err != nil || !(count > 0) || math.IsInf(count, 1) {
			return Pair{}, fmt.Errorf("%w %s, want a finite number > 0", ErrCount, text.Quote(row.Columns[2]))
		}
		p.Count = count
	}
	return p, nil
}
