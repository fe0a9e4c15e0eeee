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

	"example.org/pathsum/internal/decimal"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/bayes"
)

// Table is rows of text by named columns. Whether a cell is missing depends on the use of its
// column: see [Missing].
type Table struct {
	// File is the name in errors.
	File    string
	Columns []string
	Rows    [][]string
	// Lines holds the line of each row.
	Lines []int
}

// Missing reports whether a cell is missing: it is empty, ?, nan or NA, in upper or lower case. A
// cell that is a state of its variable is never missing.
func Missing(cell string) bool {
	return cell == "" || cell == "?" || strings.EqualFold(cell, "nan") || strings.EqualFold(cell, "na")
}

// Read reads comma-separated values with quotation marks as in RFC 4180; single quotation marks
// around a value, and space around a cell, are removed. If columns is nil, the first line contains
// the names. A byte order mark is dropped, and a line ends with \n, \r\n or \r. The error is a
// *bayes.ParseError. It wraps bayes.ErrFormat for a line of another length and for invalid text.
func Read(r io.Reader, name string, columns []string) (*Table, error) {
	c := csv.NewReader(text.Checked(r, name))
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
			return nil, &bayes.ParseError{File: name, Line: 1, Err: fmt.Errorf("%w: two columns have the name %s, want different names", bayes.ErrFormat, text.Quote(c))}
		}
	}
	return t, nil
}

func parseError(name string, err error) error {
	var e *csv.ParseError
	if errors.As(err, &e) {
		return &bayes.ParseError{File: name, Line: e.Line, Err: nested.Errorf("%w: %w", bayes.ErrFormat, e.Err)}
	}
	return err // a *bayes.ParseError, too
}

// clean returns a cell without surrounding space and single quotation marks.
func clean(x string) string {
	x = strings.TrimSpace(x)
	if len(x) > 1 && x[0] == '\'' && x[len(x)-1] == '\'' {
		x = x[1 : len(x)-1]
	}
	return x
}

// ReadRows returns the rows of comma-separated values for a network: [Read], whose first
// line names the columns, and [Table.RowsOf].
func ReadRows(r io.Reader, name string, n *bayes.Network) ([]bayes.Row, error) {
	t, err := Read(r, name, nil)
	if err != nil {
		return nil, err
	}
	return t.RowsOf(n)
}

// Select returns a table of some of the columns, in the order of the names. The error wraps
// bayes.ErrInvalid for an unknown column.
func (t *Table) Select(columns ...string) (*Table, error) {
	s := &Table{File: t.File, Columns: slices.Clone(columns), Lines: slices.Clone(t.Lines)}
	from := make([]int, len(columns))
	for j, name := range columns {
		if from[j] = slices.Index(t.Columns, name); from[j] < 0 {
			return nil, t.unknown(name)
		}
	}
	for _, cells := range t.Rows {
		row := make([]string, len(columns))
		for j, k := range from {
			row[j] = cells[k]
		}
		s.Rows = append(s.Rows, row)
	}
	return s, nil
}

// unknown returns the error for an unknown column.
func (t *Table) unknown(name string) error {
	return nested.Errorf("table: %w: %s has no column %s, want one of %s", bayes.ErrInvalid, t.File, text.Quote(name), text.List(t.Columns))
}

// States returns the distinct values of a column that are not missing, in numerical order if all
// are numbers, otherwise in alphabetical order. Equal decimal numbers, such as 5, 5.0 and 5e0, are
// one state with the first of these names.
func (t *Table) States(column int) []string {
	seen := make(map[string]bool)
	var states []string
	numbers := true
	for _, r := range t.Rows {
		s := r[column]
		if Missing(s) || seen[s] {
			continue
		}
		seen[s] = true
		_, err := strconv.ParseFloat(s, 64)
		numbers = numbers && err == nil
		states = append(states, s)
	}
	states = distinct(states)
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

// distinct returns the first name of each number, or all names if some are not numbers.
func distinct(names []string) []string {
	seen := make(map[string]bool)
	var first []string
	for _, name := range names {
		number, ok := decimal.Canonical(name)
		if !ok {
			return names
		}
		if !seen[number] {
			seen[number] = true
			first = append(first, name)
		}
	}
	return first
}

// Numbers returns a column as numbers, NaN for missing cells. The error is a *bayes.ParseError for
// a cell that is not a finite number.
func (t *Table) Numbers(column int) ([]float64, error) {
	x := make([]float64, len(t.Rows))
	for i, r := range t.Rows {
		if Missing(r[column]) {
			x[i] = math.NaN()
			continue
		}
		v, err := strconv.ParseFloat(r[column], 64)
		if err != nil || v-v != 0 {
			return nil, &bayes.ParseError{File: t.File, Line: t.Lines[i], Err: fmt.Errorf("%w: column %s has %s, want a finite number", bayes.ErrFormat, t.Columns[column], text.Quote(r[column]))}
		}
		x[i] = v
	}
	return x, nil
}

// RowsOf returns the rows for a network: columns are variables of the same name, whatever their
// order, and a variable without a column is missing in every row. A cell is the state of that name,
// or of that number if all states are numbers. Otherwise it is missing if [Missing] returns true.
//
// The error is a *bayes.ParseError. It wraps bayes.ErrFormat for a column without a variable, which
// may be misspelled; [Table.Select] leaves out columns. It wraps bayes.ErrInvalid for a cell that
// is neither a state nor a finite number nor missing. It also wraps bayes.ErrInvalid for a cell
// such as NA if a state is called na, because both meanings are possible.
func (t *Table) RowsOf(n *bayes.Network) ([]bayes.Row, error) {
	variable := make([]int, len(t.Columns))
	for j, name := range t.Columns {
		if variable[j] = n.Variable(name); variable[j] < 0 {
			return nil, &bayes.ParseError{File: t.File, Line: 1, Err: fmt.Errorf("%w: there is no variable %s, want one of %s; to leave out a column, use Read, Select and RowsOf",
				bayes.ErrFormat, text.Quote(name), names(n))}
		}
	}
	var rows []bayes.Row
	variables := n.Variables()
	for i, cells := range t.Rows {
		r := n.Unknown()
		for j, cell := range cells {
			x, err := parse(variables[variable[j]], cell)
			if err != nil {
				return nil, &bayes.ParseError{File: t.File, Line: t.Lines[i], Err: nested.Errorf("%w", err)}
			}
			r[variable[j]] = x
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// parse returns the value of a cell, NaN if it is missing.
func parse(v bayes.Variable, cell string) (float64, error) {
	x, err := v.Parse(cell)
	if err == nil || !Missing(cell) {
		return x, err
	}
	for _, s := range v.States {
		if strings.EqualFold(s, cell) {
			return 0, fmt.Errorf("%w: column %s has %s, which is missing or the state %s: write it like the state, or leave it empty", bayes.ErrInvalid, v.Name, text.Quote(cell), text.Quote(s))
		}
	}
	return math.NaN(), nil
}

// names lists the variables of a network for a message.
func names(n *bayes.Network) string {
	var names []string
	for _, v := range n.Variables() {
		names = append(names, v.Name)
	}
	return text.List(names)
}
