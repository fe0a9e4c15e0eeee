package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

const (
	// bins is the number of bins that a column of many numbers is cut into.
	bins = 2
	// many is more different numbers than a column has that is left as it is.
	many = 4
)

// tabular returns the source of the rows of a file of comma-separated values: naive Bayes,
// the class in the last column. Rows with a missing cell are left out, as is a first line
// of names. In each repeat rows are drawn for training, and others for the test.
func tabular(name string) (*source, error) {
	t, err := read(name)
	if err != nil {
		return nil, err
	}
	rows := len(t.Rows)
	t.Rows = slices.DeleteFunc(t.Rows, func(r []string) bool { return slices.ContainsFunc(r, table.Missing) })
	if len(t.Rows) < 2 {
		return nil, fmt.Errorf("%s: %d rows without missing cells, want at least 2", name, len(t.Rows))
	}
	s := &source{name: name, hidden: []string{t.Columns[len(t.Columns)-1]}, skipped: rows - len(t.Rows), rows: len(t.Rows)}
	s.draw = func(rng *rand.Rand, train, test int) (*sample, error) {
		if train >= len(t.Rows) {
			return nil, fmt.Errorf("-train-rows %d: %s has %d rows", train, name, len(t.Rows))
		}
		order := rng.Perm(len(t.Rows))
		return divide(t, order[:train], order[train:train+s.tested(train, test)])
	}
	return s, nil
}

// read reads a file of comma-separated values; without names, columns are called 1, 2, …,
// class.
func read(name string) (*table.Table, error) {
	r, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := bufio.NewReaderSize(text.Checked(r, name), 1<<20)
	start, err := b.Peek(1 << 20)
	if err != nil && err != io.EOF {
		return nil, err
	}
	first, _ := csv.NewReader(strings.NewReader(string(start))).Read()
	var columns []string
	if slices.ContainsFunc(first, func(x string) bool { return number(strings.Trim(x, "' ")) }) {
		for j := range first[1:] {
			columns = append(columns, strconv.Itoa(j+1))
		}
		columns = append(columns, "class")
	}
	return table.Read(b, name, columns)
}

func number(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// divide returns the rows of t with these numbers. Columns of many numbers are cut into
// bins of equal frequency in the training rows.
func divide(t *table.Table, train, test []int) (*sample, error) {
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
	s := &sample{structure: n}
	if s.train, err = trained.RowsOf(n); err != nil {
		return nil, err
	}
	s.test, err = tested.RowsOf(n)
	return s, err
}

// cut puts the names of bins in place of the numbers of column j.
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
