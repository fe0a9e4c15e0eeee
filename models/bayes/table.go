package bayes

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
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

// ReadTable reads comma-separated values with quotation marks as in RFC 4180; single
// ones around a value are taken off, too. Without columns the first line names them. A
// cell is missing if it is empty, ?, nan or NA, in any case. The error is a *ParseError
// and wraps ErrFormat for a line of another length and what else is no such text.
func ReadTable(r io.Reader, name string, columns []string) (*Table, error) {
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
			return nil, &ParseError{name, line, fmt.Errorf("%w: %d cells for %d columns", ErrFormat, len(row), len(t.Columns))}
		}
	}
	if len(t.Rows) == 0 {
		return nil, &ParseError{name, 1, fmt.Errorf("%w: no rows", ErrFormat)}
	}
	sorted := slices.Sorted(slices.Values(t.Columns))
	for i, c := range sorted {
		if c == "" || i > 0 && c == sorted[i-1] {
			return nil, &ParseError{name, 1, fmt.Errorf("%w: a column is called %q, want names that differ", ErrFormat, c)}
		}
	}
	return t, nil
}

func parseError(name string, err error) error {
	var e *csv.ParseError
	if errors.As(err, &e) {
		return &ParseError{name, e.Line, fmt.Errorf("%w: %w", ErrFormat, e.Err)}
	}
	return fmt.Errorf("%s: %w", name, err)
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

// Column returns the number of the column called name, −1 if there is none.
func (t *Table) Column(name string) int { return slices.Index(t.Columns, name) }

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
// *ParseError for a cell that is no finite number.
func (t *Table) Numbers(column int) ([]float64, error) {
	x := make([]float64, len(t.Rows))
	for i, r := range t.Rows {
		if r[column] == "" {
			x[i] = math.NaN()
			continue
		}
		v, err := strconv.ParseFloat(r[column], 64)
		if err != nil || v-v != 0 {
			return nil, &ParseError{t.File, t.Lines[i], fmt.Errorf("%w: column %s has %q, want a finite number", ErrFormat, t.Columns[column], r[column])}
		}
		x[i] = v
	}
	return x, nil
}

// Rows returns the rows of a table as those of the network: columns are variables of the
// same name, whatever their order; a variable without a column is missing in every row,
// and a column without a variable is left out. The error is a *ParseError, wrapping ErrInvalid
// for an unknown state or what is no finite number, or ErrFormat if no column is a
// variable.
func (n *Network) Rows(t *Table) ([]Row, error) {
	variable := make([]int, len(t.Columns))
	found := false
	for j, name := range t.Columns {
		variable[j] = n.Variable(name)
		found = found || variable[j] >= 0
	}
	if !found {
		return nil, &ParseError{t.File, 1, fmt.Errorf("%w: no column is called like a variable", ErrFormat)}
	}
	var rows []Row
	for i, cells := range t.Rows {
		r := n.Unknown()
		for j, text := range cells {
			v := variable[j]
			if v < 0 || text == "" {
				continue
			}
			x, err := n.variables[v].parse(text)
			if err != nil {
				return nil, &ParseError{t.File, t.Lines[i], err}
			}
			r[v] = x
		}
		rows = append(rows, r)
	}
	return rows, nil
}
