package bayes

import (
	"math"

	"example.org/pathsum/internal/nested"
)

// Row is an observation, a cell for each variable of a network or factor graph: the number of a
// state, from 0, or the value of a continuous variable. NaN is a missing cell.
type Row []float64

// Unknown returns a row in which every cell is missing.
func (p *product) Unknown() Row {
	r := make(Row, len(p.variables))
	for v := range r {
		r[v] = math.NaN()
	}
	return r
}

// Evidence returns the row in which the variables of the given names have the given states, or
// values in decimal, and all others are missing. The error wraps ErrInvalid and contains the
// unknown name.
func (p *product) Evidence(known map[string]string) (Row, error) {
	r := p.Unknown()
	for name, state := range known {
		v, err := p.named(name)
		if err != nil {
			return nil, err
		}
		if r[v], err = p.variables[v].Parse(state); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// at returns the cells of some variables.
func (r Row) at(variables []int) []float64 {
	var x []float64
	for _, v := range variables {
		x = append(x, r[v])
	}
	return x
}

// appendKey appends a key that identifies r.
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

// Check returns an error that wraps ErrInvalid if r is not a valid row.
func (n *Network) Check(r Row) error {
	if err := n.checkCells(r); err != nil {
		return err
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

// checkComplete is Check for rows without missing cells.
func (n *Network) checkComplete(r Row) error {
	if err := n.Check(r); err != nil {
		return err
	}
	return n.checkKnown(r)
}

// checkCells returns an error unless r has a cell for each variable: missing, a state or a number.
func (p *product) checkCells(r Row) error {
	if len(r) != len(p.variables) {
		return nested.Errorf("bayes: %w: %d cells, want %d", ErrInvalid, len(r), len(p.variables))
	}
	for v, x := range r {
		if !p.discrete(v) {
			if math.IsInf(x, 0) {
				return nested.Errorf("bayes: %w: %s is %g", ErrInvalid, p.variables[v].Name, x)
			}
			continue
		}
		if x == x && (x != math.Trunc(x) || x < 0 || x >= float64(p.size(v))) {
			return nested.Errorf("bayes: %w: %s is %g, want a state from 0 to %d", ErrInvalid, p.variables[v].Name, x, p.size(v)-1)
		}
	}
	return nil
}

// checkKnown returns an error if a cell is missing.
func (p *product) checkKnown(r Row) error {
	for v, x := range r {
		if x != x {
			return nested.Errorf("bayes: %w: %s is missing", ErrInvalid, p.variables[v].Name)
		}
	}
	return nil
}
