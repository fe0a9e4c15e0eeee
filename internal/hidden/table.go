package hidden

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

const (
	// bins is the number of bins that a column of many numbers is cut into.
	bins = 2
	// many is the greatest number of distinct numbers in a column that is not cut.
	many = 4
)

// tabular returns the source of the rows of a file of comma-separated values: naive Bayes,
// the class in the last column. Rows with a missing cell are left out, as is a first line
// of names. In each trial rows are drawn for training, and others for the test.
func tabular(r *program.Run, name string) (*Source, error) {
	t, err := read(r, name)
	if err != nil {
		return nil, err
	}
	whole := &table.Table{File: t.File, Columns: t.Columns}
	for i, row := range t.Rows {
		if !slices.ContainsFunc(row, table.Missing) {
			whole.Rows, whole.Lines = append(whole.Rows, row), append(whole.Lines, t.Lines[i])
		}
	}
	s := &Source{Name: name, Hidden: t.Columns[len(t.Columns)-1:], Columns: t.Columns, Skipped: len(t.Rows) - len(whole.Rows), rows: len(whole.Rows)}
	s.draw = s.drawing(func(train, test []int) (*Sample, error) { return divide(whole, train, test) })
	return s, s.check()
}

// observed returns the source of the rows of a file for a network. Variables that are missing
// in all rows are hidden; rows in which another variable is missing are left out.
func observed(r *program.Run, n *bayes.Network, network, name string) (*Source, error) {
	t, err := read(r, name)
	if err != nil {
		return nil, err
	}
	part := &table.Table{File: t.File, Columns: t.Columns}
	if _, err := part.RowsOf(n); err != nil {
		return nil, err
	}
	skipping := r.Skipping()
	var rows []bayes.Row
	seen := make([]bool, n.Len())
	for i := range t.Rows {
		part.Rows, part.Lines = t.Rows[i:i+1], t.Lines[i:i+1]
		row, err := part.RowsOf(n)
		if skipping.Skips(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for v, x := range row[0] {
			seen[v] = seen[v] || x == x
		}
		rows = append(rows, row[0])
	}
	if err := skipping.End(); err != nil {
		return nil, err
	}
	s := &Source{Name: name + " for " + network, Hidden: central(n), Skipped: len(rows)}
	for v, ok := range seen {
		if !ok {
			s.unseen = append(s.unseen, n.Variables()[v].Name)
		}
	}
	if len(s.unseen) > 0 {
		s.Hidden = s.unseen
	}
	rows = slices.DeleteFunc(rows, func(r bayes.Row) bool {
		for v, x := range r {
			if seen[v] && x != x {
				return true
			}
		}
		return false
	})
	s.rows, s.Skipped = len(rows), s.Skipped-len(rows)
	structure, err := uniform(n)
	if err != nil {
		return nil, err
	}
	s.draw = s.drawing(func(train, test []int) (*Sample, error) {
		d := &Sample{Structure: structure, Labelled: len(s.unseen) == 0}
		for _, i := range train {
			d.Train = append(d.Train, rows[i])
		}
		for _, i := range test {
			d.Test = append(d.Test, rows[i])
		}
		return d, nil
	})
	return s, s.check()
}

// check returns an error if there are too few rows for training and testing.
func (s *Source) check() error {
	if s.rows < 2 {
		return fmt.Errorf("%s: %d rows without missing cells, want at least 2", s.Name, s.rows)
	}
	return nil
}

// drawing returns a function that draws the indices of rows of a table, and makes a sample of
// them.
func (s *Source) drawing(divide func(train, test []int) (*Sample, error)) func(*rand.Rand, int, int) (*Sample, error) {
	return func(rng *rand.Rand, train, test int) (*Sample, error) {
		if train >= s.rows {
			return nil, fmt.Errorf("-train-rows %d: %s has %d rows, of which some are for the test", train, s.Name, s.rows)
		}
		order := rng.Perm(s.rows)
		return divide(order[:train], order[train:train+s.Tested(train, test)])
	}
}

// read reads a file of comma-separated values. Columns without names are called 1, 2, …, class.
// Lines that differ in length from the first are skipped.
func read(r *program.Run, name string) (*table.Table, error) {
	in, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c := csv.NewReader(text.Checked(in, text.Name(name)))
	c.FieldsPerRecord, c.TrimLeadingSpace = -1, true
	var good bytes.Buffer // the lines that are not skipped
	var lines []int
	var first []string
	w := csv.NewWriter(&good)
	skipping := r.Skipping()
	for {
		cells, err := c.Read()
		if err == io.EOF {
			break
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return nil, &text.Error{File: text.Name(name), Line: wrong.Line, Err: wrong.Err}
		}
		if err != nil {
			return nil, err
		}
		at, _ := c.FieldPos(0)
		if first == nil {
			first = cells
		}
		if len(cells) != len(first) {
			err = &text.Error{File: text.Name(name), Line: at, Err: fmt.Errorf("%d cells, the first line has %d", len(cells), len(first))}
		}
		if skipping.Skips(err) {
			continue
		}
		lines = append(lines, at)
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	if err := skipping.End(); err != nil {
		return nil, err
	}
	w.Flush()
	var columns []string
	if slices.ContainsFunc(first, func(x string) bool { return number(strings.Trim(x, "' ")) }) {
		for j := range first[1:] {
			columns = append(columns, strconv.Itoa(j+1))
		}
		columns = append(columns, "class")
	}
	t, err := table.Read(&good, text.Name(name), columns)
	if err == nil {
		t.Lines = lines[len(lines)-len(t.Rows):]
	}
	return t, err
}

func number(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// divide returns the rows of t with these numbers. Columns of many numbers are cut into
// bins of equal frequency in the training rows.
func divide(t *table.Table, train, test []int) (*Sample, error) {
	pick := func(rows []int) *table.Table {
		c := &table.Table{File: t.File, Columns: t.Columns}
		for _, i := range rows {
			c.Rows, c.Lines = append(c.Rows, slices.Clone(t.Rows[i])), append(c.Lines, t.Lines[i])
		}
		return c
	}
	trained, tested := pick(train), pick(test)
	last := len(t.Columns) - 1
	var variables []bayes.Variable
	for j, name := range t.Columns {
		states := t.States(j)
		if j < last && len(states) > many && !slices.ContainsFunc(states, func(s string) bool { return !number(s) }) {
			x, err := trained.Numbers(j)
			if err != nil {
				return nil, err
			}
			b, err := table.EqualFrequency(x, bins)
			if err != nil {
				return nil, err
			}
			if states, err = b.States(), cut(b, j, trained, tested); err != nil {
				return nil, err
			}
		}
		variables = append(variables, bayes.Variable{Name: name, States: states})
	}
	n, err := bayes.NaiveBayes(variables[last], variables[:last]...)
	if err != nil {
		return nil, err
	}
	s := &Sample{Structure: n, Labelled: true}
	if s.Train, err = trained.RowsOf(n); err != nil {
		return nil, err
	}
	s.Test, err = tested.RowsOf(n)
	return s, err
}

// cut replaces the numbers of column j by the names of bins.
func cut(b table.Bins, j int, tables ...*table.Table) error {
	names := b.States()
	for _, t := range tables {
		x, err := t.Numbers(j)
		if err != nil {
			return err
		}
		for i, row := range t.Rows {
			row[j] = names[b.Of(x[i])]
		}
	}
	return nil
}
