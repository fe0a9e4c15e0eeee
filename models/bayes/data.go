package bayes

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/decimal"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Data are rows to learn from.
type Data struct {
	Rows []Row
	// Weights say how often each row was seen, finite and ≥ 0 (nil: once). A row of
	// weight 0 has no part in training.
	Weights []float64
	// Underivable says what to do with rows of probability 0 (default em.Fail).
	Underivable em.Policy
	// CacheBytes is as in cascade.Derivations.
	CacheBytes int64
}

func (d *Data) weight(i int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// Hide returns copies of the rows in which the variables are missing.
func Hide(rows []Row, variables ...int) []Row {
	hidden := make([]Row, len(rows))
	for i, r := range rows {
		h := append(Row(nil), r...)
		for _, v := range variables {
			h[v] = math.NaN()
		}
		hidden[i] = h
	}
	return hidden
}

// merged are the distinct rows of data, in the order of their first appearance.
type merged struct {
	rows   []Row
	weight []float64
	first  []int // the number of its first row
	times  []int // how many rows there are
}

// merge checks data and merges equal rows.
func (n *Network) merge(data Data) (*merged, error) {
	if data.Weights != nil && len(data.Weights) != len(data.Rows) {
		return nil, nested.Errorf("bayes: %w: %d weights for %d rows", em.ErrInvalid, len(data.Weights), len(data.Rows))
	}
	row := func(i int) em.Skipped { return em.Skipped{Index: i, Weight: data.weight(i)} }
	if err := em.CheckWeights(len(data.Rows), row); err != nil {
		return nil, nested.Errorf("bayes: rows: %w", err)
	}
	m := &merged{}
	number := make(map[string]int)
	var key []byte
	for i, r := range data.Rows {
		if err := n.Check(r); err != nil {
			return nil, nested.Errorf("bayes: row %d: %w", i, err)
		}
		w := data.weight(i)
		if w == 0 {
			continue
		}
		key = r.appendKey(key[:0])
		j, ok := number[string(key)]
		if !ok {
			j = len(m.rows)
			number[string(key)] = j
			m.rows, m.weight = append(m.rows, r), append(m.weight, 0)
			m.first, m.times = append(m.first, i), append(m.times, 0)
		}
		m.weight[j] += w
		m.times[j]++
	}
	return m, nil
}

// appendKey appends what tells r from other rows.
func (r Row) appendKey(key []byte) []byte {
	for _, x := range r {
		bits := math.Float64bits(x)
		if x != x {
			bits = math.Float64bits(math.NaN())
		}
		for ; bits >= 0x80; bits >>= 7 {
			key = append(key, byte(bits)|0x80)
		}
		key = append(key, byte(bits))
	}
	return key
}

// name says which rows of the data merged row j stands for.
func (m *merged) name(j int) string {
	if m.times[j] == 1 {
		return fmt.Sprintf("row %d", m.first[j])
	}
	return fmt.Sprintf("row %d and %d equal ones", m.first[j], m.times[j]-1)
}

// Row is an observation, a cell for each variable of a network: the number of a state,
// from 0, or the value of a continuous variable. NaN is a missing cell.
type Row []float64

// Unknown returns a row in which every cell is missing.
func (n *Network) Unknown() Row {
	r := make(Row, len(n.variables))
	for v := range r {
		r[v] = math.NaN()
	}
	return r
}

// Evidence returns the row in which the variables of the given names have the given
// states, or values in decimal, and all others are missing. The error, wrapping ErrInvalid,
// names what is unknown.
func (n *Network) Evidence(known map[string]string) (Row, error) {
	r := n.Unknown()
	for name, state := range known {
		v := n.Variable(name)
		if v < 0 {
			return nil, nested.Errorf("bayes: %w: no variable is called %s, want one of %s", ErrInvalid, text.Quote(name), text.List(n.variableNames()))
		}
		x, err := n.variables[v].Parse(state)
		if err != nil {
			return nil, err
		}
		r[v] = x
	}
	return r, nil
}

// P returns the probability that a discrete variable has a state, given that others have theirs,
// all by name, as in Evidence. Where the parents are given, and nothing else, it is an entry of
// the variable's table. It takes the time of Posteriors, which answers many such questions about
// one row; if that is too wide, variables below all that are named are left out, which have no
// part in the probability. The error wraps ErrInvalid and names what is unknown, or is that of
// Posteriors.
func (n *Network) P(variable, state string, given map[string]string) (float64, error) {
	v := n.Variable(variable)
	switch {
	case v < 0:
		return 0, nested.Errorf("bayes: %w: no variable is called %s, want one of %s", ErrInvalid, text.Quote(variable), text.List(n.variableNames()))
	case !n.Discrete(v):
		return 0, nested.Errorf("bayes: %w: %s is continuous, and has no states", ErrInvalid, variable)
	}
	x, err := n.variables[v].Parse(state)
	if err != nil {
		return 0, err
	}
	row, err := n.Evidence(given)
	if err != nil {
		return 0, err
	}
	p, err := n.Posteriors(row)
	if errors.Is(err, ErrWide) {
		n, v, row = n.above(v, row)
		p, err = n.Posteriors(row)
	}
	if err != nil {
		return 0, err
	}
	return p.States(v)[int(x)], nil
}

func (n *Network) variableNames() []string {
	var names []string
	for _, v := range n.variables {
		names = append(names, v.Name)
	}
	return names
}

// Parse returns the cell of a text: the number of the state of that name, or a value in
// decimal. If all states are decimal numbers, no two of them equal, a text that is equal to
// one as a number stands for it, such as 1.0 for 1. The error wraps ErrInvalid.
func (v Variable) Parse(cell string) (float64, error) {
	if x := slices.Index(v.States, cell); x >= 0 {
		return float64(x), nil
	}
	if len(v.States) > 0 {
		if x := v.numbered(cell); x >= 0 {
			return float64(x), nil
		}
		return 0, nested.Errorf("bayes: %w: %s has no state %s, want one of %s", ErrInvalid, v.Name, text.Quote(cell), text.List(v.States))
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || x-x != 0 {
		return 0, nested.Errorf("bayes: %w: %s is %s, want a finite number", ErrInvalid, v.Name, text.Quote(cell))
	}
	return x, nil
}

// numbered returns the state that is equal to cell as a number, −1 if none is, or if some
// state is no number or equal to another.
func (v Variable) numbered(cell string) int {
	number, ok := decimal.Canonical(cell)
	if !ok {
		return -1
	}
	found := -1
	seen := make(map[string]bool)
	for x, s := range v.States {
		state, ok := decimal.Canonical(s)
		if !ok || seen[state] {
			return -1
		}
		seen[state] = true
		if state == number {
			found = x
		}
	}
	return found
}

// Check returns an error, wrapping ErrInvalid, that says what is wrong with r, or nil.
func (n *Network) Check(r Row) error {
	if len(r) != len(n.variables) {
		return nested.Errorf("bayes: %w: %d cells, want %d", ErrInvalid, len(r), len(n.variables))
	}
	for v, x := range r {
		if !n.Discrete(v) {
			if math.IsInf(x, 0) {
				return nested.Errorf("bayes: %w: %s is %g", ErrInvalid, n.variables[v].Name, x)
			}
			continue
		}
		if x == x && (x != math.Trunc(x) || x < 0 || x >= float64(n.size(v))) {
			return nested.Errorf("bayes: %w: %s is %g, want a state from 0 to %d", ErrInvalid, n.variables[v].Name, x, n.size(v)-1)
		}
	}
	for _, f := range n.families {
		missing := 0
		for _, v := range f.Children {
			if r[v] != r[v] {
				missing++
			}
		}
		if missing == len(f.Children) {
			continue
		}
		if missing != 0 {
			return nested.Errorf("bayes: %w: %s and its siblings are correlated and known in part", ErrInvalid, n.variables[f.Children[0]].Name)
		}
		for _, v := range f.Regressors {
			if r[v] != r[v] {
				return nested.Errorf("bayes: %w: %s is known and its regressor %s is not", ErrInvalid, n.variables[f.Children[0]].Name, n.variables[v].Name)
			}
		}
	}
	return nil
}

// complete is Check for rows without missing cells.
func (n *Network) checkComplete(r Row) error {
	if err := n.Check(r); err != nil {
		return err
	}
	for v, x := range r {
		if x != x {
			return nested.Errorf("bayes: %w: %s is missing", ErrInvalid, n.variables[v].Name)
		}
	}
	return nil
}
