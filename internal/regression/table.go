package regression

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
)

// Table has the data of many people, songs, or blocks of houses.
type Table struct {
	Target   string   // the name of the target
	Features []string // the names of the features
	Rows     []Row
	Skipped  int // rows with an empty value
}

// Row has the values of a person.
type Row struct {
	Features []float64
	Target   float64
}

// Width returns the number of features.
func (t *Table) Width() int { return len(t.Rows[0].Features) }

// Descriptions of the format of a table, and of the default target, for programs.
const (
	Format        = "the values of one person, with commas, semicolons or spaces between; the first line may have names. Columns that do not start with a number and lines with an empty value are left out."
	DefaultTarget = "the column called year or median_house_value; of columns without names the last, if spaces separate them, and else the first"
)

// Least is the minimum number of rows, a fifth of which are predicted.
const Least = 10

// targets are the columns that are the default target.
var targets = []string{"year", "median_house_value"}

// Read reads a table from a file in Format; .gz is decompressed. The target is the column of
// that name or number, or "" for DefaultTarget. It skips lines of another length, and lines
// with a word instead of a number: see program.Skipping. The error names the file.
func Read(r *program.Run, file, target string) (*Table, error) {
	in, err := text.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := parse(r.Skipping(), in, text.Name(file), target)
	var placed *text.Error
	if err != nil && !errors.As(err, &placed) {
		err = fmt.Errorf("%s: %w", text.Name(file), err)
	}
	return t, err
}

// line has the cells of a line of a table.
type line struct {
	number int
	cells  []string
}

// complete reports whether no cell is empty.
func (l line) complete() bool {
	return !slices.ContainsFunc(l.cells, func(x string) bool { return strings.TrimSpace(x) == "" })
}

func parse(s *program.Skipping, in io.Reader, file, target string) (*Table, error) {
	lines, commas, err := fields(in, file)
	if err != nil {
		return nil, err
	}
	t, c := new(Table), columns{file: file}
	if len(lines) > 0 {
		c.n = len(lines[0].cells)
	}
	if len(lines) > 0 && !slices.ContainsFunc(lines[0].cells, number) {
		t.Features, lines = lines[0].cells, lines[1:]
	}
	first := slices.IndexFunc(lines, func(l line) bool { return len(l.cells) == c.n && l.complete() })
	if first < 0 {
		return nil, c.none(lines)
	}
	if c.target, err = column(t.Features, c.n, commas, target); err != nil {
		return nil, err
	}
	for _, x := range lines[first].cells {
		c.used = append(c.used, number(x))
	}
	if err := t.name(c); err != nil {
		return nil, err
	}
	for _, l := range lines {
		row, err := c.row(l)
		switch {
		case s.Skips(err):
		case err != nil:
			return nil, err
		case row == nil:
			t.Skipped++
		default:
			t.Rows = append(t.Rows, *row)
		}
	}
	if err := s.End(); err != nil {
		return nil, err
	}
	return t, t.check()
}

// check returns an error for a table from which no regression can be learnt.
func (t *Table) check() error {
	switch {
	case len(t.Rows) < Least:
		return fmt.Errorf("%d complete rows, want at least %d", len(t.Rows), Least)
	case !slices.ContainsFunc(t.Rows, func(x Row) bool { return x.Target != t.Rows[0].Target }):
		return fmt.Errorf("the target, %s, is always %g", t.Target, t.Rows[0].Target)
	case t.Width() == 0:
		return fmt.Errorf("no features except the %s", t.Target)
	}
	return nil
}

// name sets the names of target and features, given the names of all columns, if they have any.
func (t *Table) name(c columns) error {
	names := t.Features
	t.Features = nil
	for j, used := range c.used {
		name := fmt.Sprintf("column %d", j+1)
		if j < len(names) {
			name = names[j]
		}
		switch {
		case j == c.target && !used:
			return fmt.Errorf("the target, %s, does not start with a number", name)
		case j == c.target:
			t.Target = name
		case used:
			t.Features = append(t.Features, name)
		}
	}
	return nil
}

// columns describes the columns of a file.
type columns struct {
	file   string
	n      int
	used   []bool
	target int
}

// none returns the error for lines without a complete row: the error of the first line of
// another length, if there is one.
func (c columns) none(lines []line) error {
	for _, l := range lines {
		if _, err := c.row(l); err != nil {
			return err
		}
	}
	return fmt.Errorf("0 complete rows, want at least %d", Least)
}

// row returns the row of a line, or nil if a cell is empty. The error is a *text.Error.
func (c columns) row(l line) (*Row, error) {
	wrong := func(format string, args ...any) error {
		return &text.Error{File: c.file, Line: l.number, Err: fmt.Errorf(format, args...)}
	}
	if len(l.cells) != c.n {
		return nil, wrong("%d columns, the first line has %d", len(l.cells), c.n)
	}
	if !l.complete() {
		return nil, nil
	}
	x := new(Row)
	for j, cell := range l.cells {
		if !c.used[j] {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, wrong("column %d: %s is not a finite number", j+1, text.Quote(cell))
		}
		if j == c.target {
			x.Target = v
		} else {
			x.Features = append(x.Features, v)
		}
	}
	return x, nil
}

// fields returns the cells of all lines, and whether commas or semicolons separate them; the
// first line determines which.
func fields(r io.Reader, file string) (lines []line, commas bool, err error) {
	b := bufio.NewReader(text.Checked(r, file))
	start, err := b.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	first, _, _ := strings.Cut(string(start), "\n")
	if i := strings.IndexAny(first, ",;"); i >= 0 {
		in := csv.NewReader(b)
		in.Comma, in.FieldsPerRecord = rune(first[i]), -1
		for {
			cells, err := in.Read()
			if err == io.EOF {
				return lines, true, nil
			}
			if err != nil {
				return nil, true, err
			}
			at, _ := in.FieldPos(0)
			lines = append(lines, line{at, cells})
		}
	}
	for l, err := range text.Lines(b, file) {
		if err = cmp.Or(err, l.Err); err != nil {
			return nil, false, err
		}
		if cells := strings.Fields(l.Text); len(cells) > 0 {
			lines = append(lines, line{l.Number, cells})
		}
	}
	return lines, false, nil
}

func number(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil
}

// column returns the index of the target.
func column(names []string, n int, commas bool, target string) (int, error) {
	if target != "" {
		j := slices.Index(names, target)
		if k, err := strconv.Atoi(target); j < 0 && err == nil {
			j = k - 1
		}
		if j < 0 || j >= n {
			return 0, fmt.Errorf("no column %s of %d", target, n)
		}
		return j, nil
	}
	if names == nil && commas {
		return 0, nil
	}
	if names == nil {
		return n - 1, nil
	}
	for _, name := range targets {
		if j := slices.Index(names, name); j >= 0 {
			return j, nil
		}
	}
	return 0, fmt.Errorf("no column called %s: -target says which to predict", strings.Join(targets, " or "))
}
