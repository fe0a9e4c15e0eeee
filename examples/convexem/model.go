package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

// model is a trained or loaded network.
type model struct {
	network *bayes.Network
	first   *repeat // the repeat that trained it; nil if it was loaded
	order   []int   // the index in network of each variable of first
}

func newModel(*hidden.Source) (*model, error) { return new(model), nil }

// save writes the network as a .bif file.
func (m *model) save(w io.Writer) error { return m.network.WriteBIF(w) }

// load reads a .bif file.
func load(in io.Reader) (*model, error) {
	n, err := bayes.ReadBIF(in, "")
	return &model{network: n}, err
}

// answer returns the row of a line and a probability. Missing values are replaced by the
// jointly most probable ones, whose probability it is.
func (m *model) answer(line string) ([]string, error) {
	c := csv.NewReader(strings.NewReader(line))
	c.TrimLeadingSpace = true
	cells, err := c.Read()
	if err != nil && err != io.EOF {
		return nil, err
	}
	variables := m.network.Variables()
	if len(cells) != len(variables) {
		var names []string
		for _, v := range variables {
			names = append(names, v.Name)
		}
		return nil, fmt.Errorf("%d values, want %d: %s", len(cells), len(variables), text.List(names))
	}
	row := m.network.Unknown()
	for v, cell := range cells {
		cell = strings.TrimSpace(cell)
		if inner, ok := strings.CutPrefix(cell, "'"); ok { // as in a table
			cell = strings.TrimSuffix(inner, "'")
		}
		if row[v], err = value(variables[v], cell); err != nil {
			return nil, err
		}
	}
	return m.explain(row)
}

// explain returns the answer to a row.
func (m *model) explain(row bayes.Row) ([]string, error) {
	best, logP, err := m.network.Best(row)
	if err != nil {
		return nil, err
	}
	observed, err := m.network.LogProb(row)
	if err != nil {
		return nil, err
	}
	if math.IsInf(observed, -1) {
		return nil, fmt.Errorf("the row has probability 0")
	}
	var cells []string
	for v, x := range best {
		cells = append(cells, m.network.Variables()[v].States[int(x)])
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(cells); err != nil {
		return nil, err
	}
	w.Flush()
	return []string{strings.TrimSuffix(b.String(), "\n"), strconv.FormatFloat(math.Exp(logP-observed), 'f', 4, 64)}, nil
}

// value returns the state of a cell, NaN if it is missing. A number selects the bin that
// contains it.
func value(v bayes.Variable, cell string) (float64, error) {
	x, err := v.Parse(cell)
	if err == nil {
		return x, nil
	}
	if table.Missing(cell) {
		return math.NaN(), nil
	}
	number, wrong := strconv.ParseFloat(cell, 64)
	if wrong != nil {
		return 0, err
	}
	var b table.Bins
	for _, s := range v.States[:len(v.States)-1] {
		edge, wrong := strconv.ParseFloat(strings.TrimPrefix(s, "≤"), 64)
		if wrong != nil || !strings.HasPrefix(s, "≤") {
			return 0, err
		}
		b.Edges = append(b.Edges, edge)
	}
	if b.States()[len(b.Edges)] != v.States[len(b.Edges)] {
		return 0, err
	}
	return float64(b.Of(number)), nil
}

// complete writes the test rows with their hidden values filled in.
func (m *model) complete(w io.Writer) error {
	for _, row := range bayes.Hide(m.first.Test, m.first.Hidden...) {
		moved := m.network.Unknown()
		for v, x := range row {
			moved[m.order[v]] = x
		}
		answers, err := m.explain(moved)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, strings.Join(answers, "\t")); err != nil {
			return err
		}
	}
	return nil
}
