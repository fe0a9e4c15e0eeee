package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/bayes"
)

// Table is rows of text by named columns. A missing cell is empty.
type Table struct {
	// File is the name for errors.
	File    string
	Columns []string
	Rows    [][]string
	// Lines holds the line of each row.
	Lines []int
}

// Read reads comma-separated values with quotation marks as in RFC 4180; single
// ones around a value are taken off, too. Without columns the first line names them. A
// cell is missing if it is empty, ?, nan or NA, in any case. The error is a *bayes.ParseError
// and wraps bayes.ErrFormat for a line of another length and what else is no such text.
func Read(r io.Reader, name string, columns []string) (*Table, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	c.TrimLeadingSpace = true
	t := &Table{File: name, Columns: slices.Clone(columns)}
	for {
		row, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, parseError(name, err)
		}
		line, _ := c.FieldPos(0)
		for j, x := range row {
			row[j] = clean(x)
		}
		if t.Columns == nil {
			t.Columns = row
		} else {
			t.Rows, t.Lines = append(t.Rows, row), append(t.Lines, line)
		}
		if len(row) != len(t.Columns) {
			return nil, &bayes.ParseError{File: name, Line: line, Err: fmt.Errorf("%w: %d cells for %d columns", bayes.ErrFormat, len(row), len(t.Columns))}
		}
	}
	if len(t.Rows) == 0 {
		return nil, &bayes.ParseError{File: name, Line: 1, Err: fmt.Errorf("%w: no rows", bayes.ErrFormat)}
	}
	sorted := slices.Sorted(slices.Values(t.Columns))
	for i, c := range sorted {
		if c == "" || i > 0 && c == sorted[i-1] {
			return nil, &bayes.ParseError{File: name, Line: 1, Err: fmt.Errorf("%w: a column is called %q, want names that differ", bayes.ErrFormat, c)}
		}
	}
	return t, nil
}

func parseError(name string, err error) error {
	var e *csv.ParseError
	if errors.As(err, &e) {
		return &bayes.ParseError{File: name, Line: e.Line, Err: nested.Errorf("%w: %w", bayes.ErrFormat, e.Err)}
	}
	return nested.Errorf("%s: %w", name, err)
}

// clean returns the value of a cell.
func clean(x string) string {
	x = strings.TrimSpace(x)
	if len(x) > 1 && x[0] == '\'' && x[len(x)-1] == '\'' {
		x = x[1 : len(x)-1]
	}
	switch strings.ToLower(x) {
	case "?", "nan", "na":
		return ""
	}
	return x
}

// ReadRows returns the rows of comma-separated values for a network, with any cells missing: Read,
// whose first line names the columns, and RowsOf. But a column whose name no variable has, which
// may be a misspelled one, is an error, a *bayes.ParseError that wraps bayes.ErrFormat.
func ReadRows(r io.Reader, name string, n *bayes.Network) ([]bayes.Row, error) {
	t, err := Read(r, name, nil)
	if err != nil {
		return nil, err
	}
	for _, column := range t.Columns {
		if n.Variable(column) < 0 {
			return nil, &bayes.ParseError{File: name, Line: 1, Err: fmt.Errorf("%w: no variable is called %q; to leave such columns out, use Read and RowsOf", bayes.ErrFormat, column)}
		}
	}
	return t.RowsOf(n)
}

// States returns the values of a column: in the order of numbers if they are numbers,
// else of the alphabet.
func (t *Table) States(column int) []string {
	seen := make(map[string]bool)
	for _, r := range t.Rows {
		if r[column] != "" {
			seen[r[column]] = true
		}
	}
	var states []string
	numbers := true
	for s := range seen {
		_, err := strconv.ParseFloat(s, 64)
		numbers = numbers && err == nil
		states = append(states, s)
	}
	slices.SortFunc(states, func(a, b string) int {
		if numbers {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			if x != y {
				if x < y {
					return -1
				}
				return 1
			}
		}
		return strings.Compare(a, b)
	})
	return states
}

// Numbers returns a column as numbers, NaN where a cell is missing. The error is a
// *bayes.ParseError for a cell that is no finite number.
func (t *Table) Numbers(column int) ([]float64, error) {
	x := make([]float64, len(t.Rows))
	for i, r := range t.Rows {
		if r[column] == "" {
			x[i] = math.NaN()
			continue
		}
		v, err := strconv.ParseFloat(r[column], 64)
		if err != nil || v-v != 0 {
			return nil, &bayes.ParseError{File: t.File, Line: t.Lines[i], Err: fmt.Errorf("%w: column %s has %q, want a finite number", bayes.ErrFormat, t.Columns[column], r[column])}
		}
		x[i] = v
	}
	return x, nil
}

// RowsOf returns the rows for a network: columns are variables of the same name,
// whatever their order; a variable without a column is missing in every row, and a column
// without a variable is left out. The error is a *bayes.ParseError, wrapping
// bayes.ErrInvalid for an unknown state or what is no finite number, or bayes.ErrFormat if
// no column is a variable.
func (t *Table) RowsOf(n *bayes.Network) ([]bayes.Row, error) {
	variable := make([]int, len(t.Columns))
	found := false
	for j, name := range t.Columns {
		variable[j] = n.Variable(name)
		found = found || variable[j] >= 0
	}
	if !found {
		return nil, &bayes.ParseError{File: t.File, Line: 1, Err: fmt.Errorf("%w: no column is called like a variable", bayes.ErrFormat)}
	}
	var rows []bayes.Row
	for i, cells := range t.Rows {
		r := n.Unknown()
		for j, text := range cells {
			v := variable[j]
			if v < 0 || text == "" {
				continue
			}
			x, err := n.Variables()[v].Parse(text)
			if err != nil {
				return nil, &bayes.ParseError{File: t.File, Line: t.Lines[i], Err: nested.Errorf("%w", err)}
			}
			r[v] = x
		}
		rows = append(rows, r)
	}
	return rows, nil
}
