package table

import (
	"slices"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/bayes"
)

// Network returns the untrained network of a structure by names: each variable and, after a bar,
// its parents, separated by semicolons:
//
//	rain; sprinkler | rain; grass | sprinkler, rain
//
// Variables are columns, with the states that occur in them. Other columns are ignored; remove them
// with [Table.Select] before [Table.RowsOf]. Define all other variables in more: hidden variables,
// continuous variables, and variables with states that do not occur. Variables are in the order of
// the structure.
//
// The error wraps bayes.ErrInvalid for a name that is neither a column nor in more, a column with
// only missing cells, and for the errors of bayes.New: a duplicate variable, or a cycle.
func (t *Table) Network(structure string, more ...bayes.Variable) (*bayes.Network, error) {
	parts := strings.Split(structure, ";")
	var variables []bayes.Variable
	number := make(map[string]int)
	bars := make([][2]string, len(parts)) // the names before and after the bar
	for i, part := range parts {
		child, parents, _ := strings.Cut(part, "|")
		child = strings.TrimSpace(child)
		if _, twice := number[child]; twice {
			return nil, nested.Errorf("table: %w: %s stands twice before a bar, or without one, in the structure", bayes.ErrInvalid, child)
		}
		v, err := t.variable(child, more)
		if err != nil {
			return nil, err
		}
		number[child] = len(variables)
		variables, bars[i] = append(variables, v), [2]string{child, parents}
	}
	var families []bayes.Family
	for v, bar := range bars {
		f := bayes.Family{Children: []int{v}}
		if strings.TrimSpace(bar[1]) != "" {
			for name := range strings.SplitSeq(bar[1], ",") {
				name = strings.TrimSpace(name)
				p, ok := number[name]
				switch {
				case !ok:
					return nil, nested.Errorf("table: %w: %q is a parent of %s, and has no part of its own in the structure", bayes.ErrInvalid, name, bar[0])
				case len(variables[p].States) > 0:
					f.Parents = append(f.Parents, p)
				default:
					f.Regressors = append(f.Regressors, p)
				}
			}
		}
		families = append(families, f)
	}
	n, err := bayes.New(variables, families)
	if err != nil {
		return nil, nested.Errorf("table: %w", err)
	}
	return n, nil
}

// variable returns the variable with this name.
func (t *Table) variable(name string, more []bayes.Variable) (bayes.Variable, error) {
	for _, v := range more {
		if v.Name == name {
			return v, nil
		}
	}
	column := slices.Index(t.Columns, name)
	if column < 0 {
		return bayes.Variable{}, t.unknown(name)
	}
	states := t.States(column)
	if len(states) == 0 {
		return bayes.Variable{}, nested.Errorf("table: %w: column %s of %s is missing in every row, so that its states are unknown", bayes.ErrInvalid, name, t.File)
	}
	return bayes.Variable{Name: name, States: states}, nil
}
