package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"example.org/pathsum/internal/regression"
	"example.org/pathsum/internal/text"
)

// savedFormat is the format of a saved regression.
const savedFormat = "pathsum privacy 1"

// model is a regression, saved as a JSON object.
type model struct {
	Format    string
	Mechanism string
	Epsilon   float64
	Target    string
	Features  []string
	Ranges    regression.Ranges
	Weights   []float64 // of features and target in [−1, 1]

	releases []regression.Release // for training and testing by ε; nil for a loaded model
}

// save writes the regression in the format that load reads.
func (m *model) save(w io.Writer) error {
	m.Format = savedFormat
	return json.NewEncoder(w).Encode(m)
}

// load reads a regression written by save.
func load(r io.Reader) (*model, error) {
	m := new(model)
	if err := json.NewDecoder(r).Decode(m); err != nil {
		return nil, fmt.Errorf("no saved regression: %w", err)
	}
	if m.Format != savedFormat {
		return nil, fmt.Errorf("format %s, want %q", text.Quote(m.Format), savedFormat)
	}
	if n := len(m.Weights); n == 0 || len(m.Features) != n || len(m.Ranges.Features) != n {
		return nil, fmt.Errorf("%d weights and %d ranges of %d features", n, len(m.Ranges.Features), len(m.Features))
	}
	for j, s := range m.Ranges.Features {
		if !(s.Half > 0) {
			return nil, fmt.Errorf("the range of %s reaches %g to both sides", text.Quote(m.Features[j]), s.Half)
		}
	}
	return m, nil
}

// answer returns the predicted target for a line of features.
func (m *model) answer(line string) ([]string, error) {
	cells := strings.FieldsFunc(line, func(c rune) bool { return unicode.IsSpace(c) || c == ',' || c == ';' })
	if len(cells) != len(m.Weights) {
		return nil, fmt.Errorf("%d values, want %d: %s", len(cells), len(m.Weights), text.List(m.Features))
	}
	var x []float64
	for _, cell := range cells {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s is not a finite number", text.Quote(cell))
		}
		x = append(x, v)
	}
	return []string{number(m.Ranges.Predict(m.Weights, x))}, nil
}

// String returns the regression as an equation, for features within their ranges.
func (m *model) String() string {
	var b strings.Builder
	target := m.Ranges.Target
	constant := target.Middle
	for j, w := range m.Weights {
		slope := w * target.Half / m.Ranges.Features[j].Half
		constant -= slope * m.Ranges.Features[j].Middle
		sign := "+"
		if slope < 0 {
			sign = "−"
		}
		fmt.Fprintf(&b, " %s %s × %s", sign, number(math.Abs(slope)), m.Features[j])
	}
	return m.Target + " = " + number(constant) + b.String()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }
