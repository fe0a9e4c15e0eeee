package bayes

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
)

// bifTable reads a table.
type bifTable struct {
	*bifReader
	child       int
	parents     []int
	rows, width int
	table       []float64   // nil while rows come one by one
	given       []float64   // the rows that have come, in their order
	place       map[int]int // in it, of each configuration
	otherwise   []float64   // what default says
}

// entry reads one row, a whole table, default or a property.
func (t *bifTable) entry() error {
	switch {
	case t.word && t.text == "table":
		if t.table != nil || t.given != nil {
			return t.errorf("the table of %q comes after rows of it", t.variables[t.child].Name)
		}
		t.next()
		return t.whole()
	case t.word && t.text == "default":
		if t.otherwise != nil {
			return t.errorf("a second default of %q", t.variables[t.child].Name)
		}
		t.next()
		var err error
		t.otherwise, err = t.probabilities(t.width, 1)
		return err
	case t.sees("("):
		return t.row()
	}
	return t.property()
}

// whole reads all rows, state by state of the child.
func (t *bifTable) whole() (err error) {
	t.table, err = t.probabilities(t.width, t.rows)
	return err
}

// row reads ( states of the parents ) probabilities;
func (t *bifTable) row() error {
	t.next()
	c := 0
	for _, p := range t.parents {
		x, ok := t.states[p][t.text]
		if !ok || !t.word {
			return t.errorf("%s is no state of %q", t.token(), t.variables[p].Name)
		}
		c = c*len(t.variables[p].States) + x
		t.next()
	}
	if err := t.take(")"); err != nil {
		return err
	}
	if _, twice := t.place[c]; twice || t.table != nil {
		return t.errorf("a row of %q comes twice", t.variables[t.child].Name)
	}
	t.place[c] = len(t.given)
	p, err := t.probabilities(t.width, 1)
	t.given = append(t.given, p...)
	return err
}

// probabilities reads width × rows numbers, column by column, and returns them row by
// row, each row scaled to sum to 1.
func (t *bifTable) probabilities(width, rows int) ([]float64, error) {
	p := make([]float64, 0, min(width*rows, 1<<12))
	line := t.at
	for t.word {
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 1) {
			return nil, t.errorf("%q is no probability", t.text)
		}
		if len(p) == width*rows {
			return nil, t.errorf("more than %d numbers for %q", width*rows, t.variables[t.child].Name)
		}
		p = append(p, x)
		t.next()
	}
	if len(p) != width*rows {
		return nil, t.errorf("%d numbers for %q, want %d", len(p), t.variables[t.child].Name, width*rows)
	}
	byRow := make([]float64, len(p))
	for i, x := range p {
		byRow[i%rows*width+i/rows] = x
	}
	for c := range rows {
		row := byRow[c*width : (c+1)*width]
		sum := floats.Sum(row)
		if !(math.Abs(sum-1) <= rounding) {
			return nil, &ParseError{t.file, line, fmt.Errorf("%w: a row of %q sums to %g, want 1", ErrInvalid, t.variables[t.child].Name, sum)}
		}
		if math.Abs(sum-1) > exact {
			floats.Scale(1/sum, row)
		}
	}
	return byRow, t.take(";")
}

// perByte bounds the entries that a default stands for, for each byte of the text.
const perByte = 64

// close puts the rows in their places, and the default in those of the others.
func (t *bifTable) close() error {
	switch entries := t.rows * t.width; {
	case t.table != nil:
		return nil
	case len(t.place) == t.rows: // no default is needed
	case t.otherwise == nil:
		first := 0
		for {
			if _, ok := t.place[first]; !ok {
				break
			}
			first++
		}
		return t.errorf("%q lacks rows of its table, the first is number %d, and has no default", t.variables[t.child].Name, first)
	case t.entries > 1<<12+perByte*t.bytes:
		return t.errorf("a default for a table of %d entries after %d bytes, want at most %d for each", entries, t.bytes, perByte)
	}
	t.table = make([]float64, 0, t.rows*t.width)
	for c := range t.rows {
		row := t.otherwise
		if at, ok := t.place[c]; ok {
			row = t.given[at : at+t.width]
		}
		t.table = append(t.table, row...)
	}
	return nil
}
