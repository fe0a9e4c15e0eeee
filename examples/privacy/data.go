package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
)

// table is what there is to know of many people, or songs, or blocks of houses.
type table struct {
	target  string
	rows    []row
	skipped int // rows with an empty value
}

type row struct {
	features []float64
	target   float64
}

// width returns the number of features.
func (t *table) width() int { return len(t.rows[0].features) }

const (
	format = "the values of one person,\nseparated by commas, semicolons, or spaces; the first line may have names. Columns that do not\nstart with a number are left out, and so are lines with an empty value."

	defaultTarget = "the column called year or median_house_value; of columns\nwithout names, the last if they are separated by spaces, and the first otherwise"
)

// least is the least number of rows, of which a fifth is predicted.
const least = 10

// targets are the columns that are predicted unless another is named.
var targets = []string{"year", "median_house_value"}

// read reads a table from a file; .gz is unpacked.
func read(name, target string) (*table, error) {
	r, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := parse(r, target)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func parse(r io.Reader, target string) (*table, error) {
	lines, commas, err := fields(r)
	if err != nil {
		return nil, err
	}
	var names []string
	if len(lines) > 0 && !slices.ContainsFunc(lines[0], number) {
		names, lines = lines[0], lines[1:]
	}
	rows := len(lines)
	lines = slices.DeleteFunc(lines, func(line []string) bool {
		return slices.ContainsFunc(line, func(x string) bool { return strings.TrimSpace(x) == "" })
	})
	if len(lines) < least {
		return nil, fmt.Errorf("%d complete rows, want at least %d", len(lines), least)
	}
	of, err := column(names, len(lines[0]), commas, target)
	if err != nil {
		return nil, err
	}
	t := &table{target: fmt.Sprintf("column %d", of+1), skipped: rows - len(lines)}
	if names != nil {
		t.target = names[of]
	}
	used := make([]bool, len(lines[0]))
	for j, x := range lines[0] {
		used[j] = number(x)
	}
	if !used[of] {
		return nil, fmt.Errorf("the target, %s, does not start with a number", t.target)
	}
	for i, line := range lines {
		var x row
		for j, cell := range line {
			if !used[j] {
				continue
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("complete row %d, column %d: %s is not a finite number", i+1, j+1, text.Quote(cell))
			}
			if j == of {
				x.target = v
			} else {
				x.features = append(x.features, v)
			}
		}
		t.rows = append(t.rows, x)
	}
	if !slices.ContainsFunc(t.rows, func(x row) bool { return x.target != t.rows[0].target }) {
		return nil, fmt.Errorf("the target, %s, is always %g", t.target, t.rows[0].target)
	}
	if t.width() == 0 {
		return nil, fmt.Errorf("no features beside the %s", t.target)
	}
	return t, nil
}

// fields returns the fields of all lines, of which each has as many, and whether they
// were separated by commas or semicolons, whichever the first line has.
func fields(r io.Reader) (lines [][]string, commas bool, err error) {
	b := bufio.NewReader(text.Checked(r, ""))
	start, err := b.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	first, _, _ := strings.Cut(string(start), "\n")
	if i := strings.IndexAny(first, ",;"); i >= 0 {
		in := csv.NewReader(b)
		in.Comma = rune(first[i])
		lines, err = in.ReadAll()
		return lines, true, err
	}
	for line, err := range text.Lines(b, "") {
		if err = cmp.Or(err, line.Err); err != nil {
			return nil, false, err
		}
		if cells := strings.Fields(line.Text); len(cells) > 0 {
			if len(lines) > 0 && len(cells) != len(lines[0]) {
				return nil, false, fmt.Errorf("row %d has %d columns, the first %d", len(lines)+1, len(cells), len(lines[0]))
			}
			lines = append(lines, cells)
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
