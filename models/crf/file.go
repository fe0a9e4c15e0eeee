package crf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped by errors about a file that holds no model.
var ErrFormat = errors.New("bad model file")

// file is the content of a model file, JSON: the weights of attribute a are those with
// the numbers row[a], …, row[a+1]−1, for the labels with the numbers label[…].
// Transitions are by rows.
type file struct {
	Format      string    `json:"format"`
	Kind        string    `json:"kind"`
	Labels      []string  `json:"labels"`
	Transitions []float64 `json:"transitions"`
	Attributes  []string  `json:"attributes"`
	Row         []int32   `json:"row"`
	Label       []int32   `json:"label"`
	Weight      []float64 `json:"weight"`
}

const fileFormat = "pathsum crf 1"

// Save writes the predictor for Load, which gets the same bits back.
func (p *Predictor) Save(w io.Writer) error {
	err := json.NewEncoder(w).Encode(file{
		Format: fileFormat, Kind: p.kind.String(), Labels: p.labels.list, Transitions: p.transitions,
		Attributes: p.attributes.list, Row: p.pairs.row, Label: p.pairs.label, Weight: p.weight,
	})
	if err != nil {
		return fmt.Errorf("crf: save: %w", err)
	}
	return nil
}

// Load reads what Save wrote. The error wraps ErrFormat if it is something else.
func Load(r io.Reader) (*Predictor, error) {
	var f file
	d := json.NewDecoder(r)
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("crf: %w: %w", ErrFormat, err)
	}
	kind, err := ParseKind(f.Kind)
	if err == nil {
		err = f.check(kind)
	}
	if err != nil {
		return nil, fmt.Errorf("crf: %w: %w", ErrFormat, err)
	}
	p := &Predictor{
		kind: kind, labels: newNames(f.Labels), attributes: newNames(f.Attributes),
		pairs: pairs{f.Row, f.Label}, weight: f.Weight, transitions: f.Transitions,
	}
	if p.labels.len() < len(f.Labels) || p.attributes.len() < len(f.Attributes) {
		return nil, fmt.Errorf("crf: %w: a name occurs twice", ErrFormat)
	}
	return p, p.complete()
}

// check returns what is wrong with the sizes and numbers.
func (f *file) check(kind Kind) error {
	transitions := 0
	if kind.hasTransitions() {
		transitions = len(f.Labels) * len(f.Labels)
	}
	switch {
	case f.Format != fileFormat:
		return fmt.Errorf("format %q, want %q", f.Format, fileFormat)
	case len(f.Labels) == 0:
		return errors.New("no labels")
	case len(f.Transitions) != transitions:
		return fmt.Errorf("%d weights of transitions, want %d", len(f.Transitions), transitions)
	case len(f.Row) != len(f.Attributes)+1:
		return fmt.Errorf("%d rows for %d attributes", len(f.Row)-1, len(f.Attributes))
	case len(f.Weight) != len(f.Label):
		return fmt.Errorf("%d weights for %d pairs", len(f.Weight), len(f.Label))
	case f.Row[0] != 0 || int(f.Row[len(f.Row)-1]) != len(f.Label):
		return fmt.Errorf("rows from %d to %d for %d pairs", f.Row[0], f.Row[len(f.Row)-1], len(f.Label))
	}
	for a := range f.Attributes {
		if f.Row[a] > f.Row[a+1] {
			return fmt.Errorf("row %d ends at %d and begins at %d", a, f.Row[a+1], f.Row[a])
		}
	}
	for i, y := range f.Label {
		if uint32(y) >= uint32(len(f.Labels)) {
			return fmt.Errorf("pair %d has label %d of %d", i, y, len(f.Labels))
		}
	}
	return nil
}
