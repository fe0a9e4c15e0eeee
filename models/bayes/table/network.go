package table

import (
	"slices"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/bayes"
)

// Network returns the untrained network of a structure by names: each variable and, behind a bar,
// its parents, between semicolons:
//
//	rain; sprinkler | rain; grass | sprinkler, rain
//
// Variables are columns, with the states that occur in them; other columns are no part of it, and
// have to be left out by [Table.Select] before [Table.RowsOf]. What
// is more than a column, or other, stands in more: a variable that is hidden, a continuous one,
// or one with states that occur in no row. Variables are in the order of the structure.
//
// The error wraps bayes.ErrInvalid for a name that is no column and not in more, a column of
// nothing but missing cells, and what bayes.New refuses: a variable twice, or a cycle.
func (t *Table) Network(structure string, more ...bayes.Variable) (*bayes.Network, error) {
	parts := strings.Split(structure, ";")
	var variables []bayes.Variable
	number := make(map[string]int)
	bars := make([][2]string, len(parts)) // the names before and behind the bar
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

// variable returns the variable of a name.
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
