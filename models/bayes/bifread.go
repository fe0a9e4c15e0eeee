package bayes

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/text"
)

const (
	// rounding is the largest deviation from 1 of the sum of a row in a text, whose numbers are
	// rounded.
	rounding = 1e-3
	// exact is the largest deviation from 1 after scaling.
	exact = 1e-12
	// maxText bounds the entries of all tables of a text.
	maxText = 1 << 22
)

// ReadBIF reads a network of discrete variables in the Bayesian interchange format, the format of
// bnlearn, pgmpy and JavaBayes. Errors are *ParseError and contain the name.
//
// Names may be any words, with characters such as < / + -, or be quoted. Rows of tables may be in
// any order, since each names the states of the parents; default sets the missing rows. The keyword
// table is followed by the entries for the first state of the child in all configurations of the
// parents, then the entries for the second, and so on. Comments (// and /* */) and properties are
// skipped. Commas are optional, and so is the bar between a child and its parents, which JavaBayes
// omits. A row that sums to 1 within 1e-3 is assumed to be rounded, and scaled to 1.
//
// Errors wrap ErrFormat (invalid syntax; an unknown variable or state; a missing or duplicate row),
// or ErrInvalid. ReadBIF rejects a text whose tables have more than 2²² entries in all. It also
// rejects defaults in a table with more than 2¹² entries plus 64 per byte. Time and memory are
// therefore proportional to the text.
func ReadBIF(r io.Reader, name string) (*Network, error) {
	b := &bifReader{bifScanner: newBIFScanner(r, name), number: make(map[string]int)}
	for !b.ended {
		if err := b.block(); err != nil {
			return nil, err
		}
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	if len(b.variables) == 0 {
		return nil, b.errorf("no variables")
	}
	n, err := New(b.variables, b.families)
	if err != nil {
		return nil, b.Error(b.At(), err)
	}
	return n, nil
}

// bifReader reads a network.
type bifReader struct {
	*bifScanner
	variables []Variable
	families  []Family
	number    map[string]int // index of each variable
	states    []map[string]int
	given     []bool // whether a variable has its family
	entries   int    // of all tables
}

// block reads a network, variable or probability block.
func (b *bifReader) block() error {
	what, err := b.name("network, variable or probability")
	if err != nil {
		return err
	}
	switch what {
	case "network":
		return b.network()
	case "variable":
		return b.variable()
	case "probability":
		return b.probability()
	}
	return b.errorf("block %q, want network, variable or probability", what)
}

// network reads the rest of a network block: a name, and properties.
func (b *bifReader) network() error {
	if b.word {
		b.next()
	}
	if err := b.take("{"); err != nil {
		return err
	}
	for !b.sees("}") {
		if err := b.property(); err != nil {
			return err
		}
	}
	return b.take("}")
}

// property reads a property and skips it.
func (b *bifReader) property() error {
	if !b.word || b.text != "property" {
		return b.errorf("%s, want property or }", b.token())
	}
	return b.skip()
}

func (b *bifReader) variable() error {
	at := b.at
	name, err := b.name("the name of a variable")
	if err != nil {
		return err
	}
	if _, ok := b.number[name]; ok {
		return b.Errorf(at, "variable %q comes twice", name)
	}
	if err := b.take("{"); err != nil {
		return err
	}
	v := Variable{Name: name}
	for !b.sees("}") {
		if b.word && b.text == "type" {
			if v.States != nil {
				return b.errorf("%q has a second type", name)
			}
			if v.States, err = b.stateNames(name); err != nil {
				return err
			}
			continue
		}
		if err := b.property(); err != nil {
			return err
		}
	}
	if len(v.States) == 0 {
		return b.errorf("variable %q has no states", name)
	}
	number := make(map[string]int)
	for i, s := range v.States {
		number[s] = i
	}
	b.number[name] = len(b.variables)
	b.variables, b.states, b.given = append(b.variables, v), append(b.states, number), append(b.given, false)
	return b.take("}")
}

// stateNames reads type discrete [ n ] { names };
func (b *bifReader) stateNames(variable string) ([]string, error) {
	b.next()
	if !b.word || b.text != "discrete" {
		return nil, b.errorf("%q has the type %s, want discrete", variable, b.token())
	}
	b.next()
	if err := b.take("["); err != nil {
		return nil, err
	}
	number, err := b.name("a number of states")
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return nil, b.errorf("%q has %q states, want a number", variable, number)
	}
	if err := b.take("]"); err != nil {
		return nil, err
	}
	if err := b.take("{"); err != nil {
		return nil, err
	}
	var states []string
	for !b.sees("}") {
		s, err := b.name("a state or }")
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	if len(states) != n {
		return nil, b.errorf("%q has %d states, but declares %d", variable, len(states), n)
	}
	sorted := slices.Sorted(slices.Values(states))
	for i, s := range sorted[1:] {
		if s == sorted[i] {
			return nil, b.errorf("%q has the state %q twice", variable, s)
		}
	}
	b.next()
	return states, b.take(";")
}

func (b *bifReader) probability() error {
	t, err := b.head()
	if err != nil {
		return err
	}
	if err := b.take("{"); err != nil {
		return err
	}
	for !b.sees("}") {
		if err := t.entry(); err != nil {
			return err
		}
	}
	if err := t.close(); err != nil {
		return err
	}
	b.families = append(b.families, Family{Children: []int{t.child}, Parents: t.parents, Table: t.table})
	return b.take("}")
}

// head reads ( child | parents ), where the bar is optional.
func (b *bifReader) head() (*bifTable, error) {
	if err := b.take("("); err != nil {
		return nil, err
	}
	var err error
	t := &bifTable{bifReader: b, rows: 1, place: make(map[int]int)}
	if t.child, err = b.known(); err != nil {
		return nil, err
	}
	if b.given[t.child] {
		return nil, b.errorf("a second table of %q", b.variables[t.child].Name)
	}
	b.given[t.child] = true
	t.width = len(b.variables[t.child].States)
	if b.sees("|") {
		b.next()
	}
	for !b.sees(")") {
		p, err := b.known()
		if err != nil {
			return nil, err
		}
		if t.rows *= len(b.variables[p].States); t.rows*t.width > maxText {
			return nil, b.errorf("tables of more than %d entries", maxText)
		}
		t.parents = append(t.parents, p)
	}
	if b.entries += t.rows * t.width; b.entries > maxText {
		return nil, b.errorf("tables of more than %d entries", maxText)
	}
	return t, b.take(")")
}

// known reads the name of a variable.
func (b *bifReader) known() (int, error) {
	if v, ok := b.number[b.text]; ok && b.word {
		b.next()
		return v, nil
	}
	return 0, b.errorf("unknown variable %s", b.token())
}

// bifTable reads a table.
type bifTable struct {
	*bifReader
	child       int
	parents     []int
	rows, width int
	table       []float64   // nil while rows are read one by one
	given       []float64   // the rows read, in order
	place       map[int]int // index in given, by configuration
	otherwise   []float64   // the probabilities of default
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
			return t.errorf("%s is not a state of %q", t.token(), t.variables[p].Name)
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
	at := t.at
	for t.word {
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 1) {
			return nil, t.errorf("%q is not a probability", t.text)
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
			return nil, t.Error(at, fmt.Errorf("%w: a row of %s sums to %.6g, want 1", ErrInvalid, text.Quote(t.variables[t.child].Name), sum))
		}
		if math.Abs(sum-1) > exact {
			floats.Scale(1/sum, row)
		}
	}
	return byRow, t.take(";")
}

// perByte bounds the number of entries that a default may set, per byte of the text.
const perByte = 64

// close moves the rows to their positions, and sets the missing rows to the default.
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
	case t.entries > 1<<12+perByte*t.At().Byte:
		return t.errorf("a default for a table of %d entries after %d bytes, want at most %d for each", entries, t.At().Byte, perByte)
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
