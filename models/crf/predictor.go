package crf

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring/trellis"
)

// Predictor is a Model at fixed weights: it labels sequences. It is safe for concurrent use, and
// takes 12 bytes for each weight ≠ 0, plus the names.
//
// Methods take a sequence as its Features and its labels or number of positions, which may be 0.
// Attributes that the model lacks are ignored. Errors wrap ErrInvalid for a value that is not
// finite, and semiring.ErrNotFinite if weights are so large or small that path sums have no
// finite logarithm.
type Predictor struct {
	kind        Kind
	labels      *names
	attributes  *names
	pairs       pairs
	weight      []float64 // of pairs
	transitions []float64 // by rows; empty for a Node

	blocks []*trellis.Block // of transitions, if there are any
}

// Best returns the most probable labels of the n positions (Viterbi 1967). Of equally good labels
// it takes those that occurred first in the data.
func (p *Predictor) Best(n int, f Features) ([]string, error) {
	nonnil.Check("crf: Best", "features", f)
	l, err := p.lattice(n, f)
	if err != nil {
		return nil, err
	}
	return l.best()
}

// Posteriors returns, for each of the n positions, the probability of each label, in the
// order of Labels.
func (p *Predictor) Posteriors(n int, f Features) ([][]float64, error) {
	nonnil.Check("crf: Posteriors", "features", f)
	l, err := p.lattice(n, f)
	if err != nil {
		return nil, err
	}
	return l.posteriors()
}

// LogProb returns ln P(labels | attributes), in nats. It is −Inf if the model lacks a label.
func (p *Predictor) LogProb(labels []string, f Features) (float64, error) {
	nonnil.Check("crf: LogProb", "features", f)
	l, err := p.lattice(len(labels), f)
	if err != nil {
		return 0, err
	}
	return l.logProb(labels)
}

// Trellis returns the trellis of n ≥ 1 positions for other queries. A path is a labeling; node i
// of a layer is the label Labels()[i]. The probability of a path is its weight divided by the
// path sum. The Graph of the trellis provides the best k labelings, and so on.
func (p *Predictor) Trellis(n int, f Features) (*trellis.Trellis, error) {
	nonnil.Check("crf: Trellis", "features", f)
	if n < 1 {
		return nil, nested.Errorf("crf: %w: %d positions, want at least 1", ErrInvalid, n)
	}
	l, err := p.lattice(n, f)
	if err != nil {
		return nil, err
	}
	blocks := p.blocks
	if !p.kind.hasTransitions() { // all transitions are allowed
		if blocks, err = newBlocks(make([]float64, p.labels.len()*p.labels.len()), p.labels.len(), 1); err != nil {
			return nil, err
		}
	}
	return &l.trellis, l.resetTo(blocks, l.layers.at)
}

// complete makes the block.
func (p *Predictor) complete() (err error) {
	if !p.kind.hasTransitions() {
		return nil
	}
	p.blocks, err = newBlocks(p.transitions, p.labels.len(), 1)
	return err
}

// Kind returns the kind of the model.
func (p *Predictor) Kind() Kind { return p.kind }

// Labels returns the names of the labels. The caller must not modify the slice.
func (p *Predictor) Labels() []string { return p.labels.list }

// NumAttributes returns the number of attributes that have a weight.
func (p *Predictor) NumAttributes() int { return p.attributes.len() }

// NumWeights returns the number of weights, including transitions.
func (p *Predictor) NumWeights() int { return len(p.weight) + len(p.transitions) }

// Weight returns the weight of an attribute for a label, 0 if the pair has no weight.
func (p *Predictor) Weight(attribute, label string) float64 {
	a, known := p.attributes.number[attribute]
	y, ok := p.labels.number[label]
	if !known || !ok {
		return 0
	}
	lo, hi := p.pairs.row[a], p.pairs.row[a+1]
	if i := slices.Index(p.pairs.label[lo:hi], y); i >= 0 {
		return p.weight[int(lo)+i]
	}
	return 0
}

// Transition returns the weight of a label after another, 0 if the pair has no weight.
func (p *Predictor) Transition(from, to string) float64 {
	i, known := p.labels.number[from]
	j, ok := p.labels.number[to]
	if !known || !ok || !p.kind.hasTransitions() {
		return 0
	}
	return p.transitions[int(i)*p.labels.len()+int(j)]
}

// ErrFormat reports that a file does not contain a valid model.
var ErrFormat = nested.ErrFormat

// file is the content of a model file: attribute a has the weights row[a], …, row[a+1]−1, for the
// labels with the numbers label[…]. Transitions are by rows.
type file struct {
	Kind        string
	Labels      []string
	Transitions []float64
	Attributes  []string
	Row         []int32
	Label       []int32
	Weight      []float64
}

const (
	fileFormat saved.Format = "pathsum crf 2"
	// textFormat is the previous format, JSON, which Load still reads.
	textFormat = "pathsum crf 1"
)

// Save writes the predictor for Load, which restores it exactly.
func (p *Predictor) Save(w io.Writer) error {
	err := fileFormat.Write(w, file{
		Kind: p.kind.String(), Labels: p.labels.list, Transitions: p.transitions,
		Attributes: p.attributes.list, Row: p.pairs.row, Label: p.pairs.label, Weight: p.weight,
	})
	if err != nil {
		return nested.Errorf("crf: save: %w", err)
	}
	return nil
}

// Load reads a predictor that Save wrote. The error wraps ErrFormat if the content is invalid.
func Load(r io.Reader) (*Predictor, error) {
	f, err := readFile(bufio.NewReader(r))
	if err != nil {
		return nil, nested.Errorf("crf: %w: %w", ErrFormat, err)
	}
	kind, err := ParseKind(f.Kind)
	if err == nil {
		err = f.check(kind)
	}
	if err != nil {
		return nil, nested.Errorf("crf: %w: %w", ErrFormat, err)
	}
	p := &Predictor{
		kind: kind, labels: newNames(f.Labels), attributes: newNames(f.Attributes),
		pairs: pairs{f.Row, f.Label}, weight: f.Weight, transitions: f.Transitions,
	}
	if p.labels.len() < len(f.Labels) || p.attributes.len() < len(f.Attributes) {
		return nil, nested.Errorf("crf: %w: a name occurs twice", ErrFormat)
	}
	if err := p.complete(); err != nil {
		return nil, nested.Errorf("crf: %w: %w", ErrFormat, err)
	}
	return p, nil
}

// readFile reads a file in the current or the previous format.
func readFile(r *bufio.Reader) (*file, error) {
	if first, err := r.Peek(1); err != nil || first[0] != '{' {
		f := new(file)
		return f, fileFormat.Read(r, f)
	}
	var f struct {
		Format string
		file
	}
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, err
	}
	if f.Format != textFormat {
		return nil, fmt.Errorf("format %s, want %q", text.Quote(f.Format), textFormat)
	}
	return &f.file, nil
}

// check returns an error for sizes and numbers that are not valid in a model.
func (f *file) check(kind Kind) error {
	transitions := 0
	if kind.hasTransitions() {
		transitions = len(f.Labels) * len(f.Labels)
	}
	switch {
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
	for _, w := range slices.Concat(f.Transitions, f.Weight) {
		if w-w != 0 {
			return fmt.Errorf("a weight is %g", w)
		}
	}
	last := make([]int, len(f.Labels)) // per label, the last attribute with this label, from 1
	for a := range f.Attributes {
		for i := f.Row[a]; i < f.Row[a+1]; i++ {
			y := f.Label[i]
			if last[y] == a+1 {
				return fmt.Errorf("pair %d: attribute %d has label %d twice", i, a, y)
			}
			last[y] = a + 1
		}
	}
	return nil
}
