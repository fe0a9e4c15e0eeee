package bayes

import (
	"fmt"
	"math"
	"strconv"
)

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
			return nil, fmt.Errorf("bayes: %w: no variable %q", ErrInvalid, name)
		}
		x, err := n.variables[v].Parse(state)
		if err != nil {
			return nil, err
		}
		r[v] = x
	}
	return r, nil
}

// Parse returns the cell that text says: the number of a state, or a value in decimal. The
// error wraps ErrInvalid.
func (v Variable) Parse(text string) (float64, error) {
	for x, s := range v.States {
		if s == text {
			return float64(x), nil
		}
	}
	if len(v.States) > 0 {
		return 0, fmt.Errorf("bayes: %w: %s has no state %q", ErrInvalid, v.Name, text)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x-x != 0 {
		return 0, fmt.Errorf("bayes: %w: %s is %q, want a finite number", ErrInvalid, v.Name, text)
	}
	return x, nil
}

// Check returns an error, wrapping ErrInvalid, that says what is wrong with r, or nil.
func (n *Network) Check(r Row) error {
	if len(r) != len(n.variables) {
		return fmt.Errorf("bayes: %w: %d cells, want %d", ErrInvalid, len(r), len(n.variables))
	}
	for v, x := range r {
		if !n.Discrete(v) {
			if math.IsInf(x, 0) {
				return fmt.Errorf("bayes: %w: %s is %g", ErrInvalid, n.variables[v].Name, x)
			}
			continue
		}
		if x == x && (x != math.Trunc(x) || x < 0 || x >= float64(n.size(v))) {
			return fmt.Errorf("bayes: %w: %s is %g, want a state from 0 to %d", ErrInvalid, n.variables[v].Name, x, n.size(v)-1)
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
			return fmt.Errorf("bayes: %w: %s and its siblings are correlated and known in part", ErrInvalid, n.variables[f.Children[0]].Name)
		}
		for _, v := range f.Regressors {
			if r[v] != r[v] {
				return fmt.Errorf("bayes: %w: %s is known and its regressor %s is not", ErrInvalid, n.variables[f.Children[0]].Name, n.variables[v].Name)
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
			return fmt.Errorf("bayes: %w: %s is missing", ErrInvalid, n.variables[v].Name)
		}
	}
	return nil
}
