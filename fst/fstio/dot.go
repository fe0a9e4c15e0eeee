package fstio

import (
	"io"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/dot"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// DOT contains the settings of a drawing; nil stands for the zero value.
type DOT struct {
	// Digits is the number of significant digits of weights; 0 uses the ring's own format. It does
	// not apply to weights that are not written as one number.
	Digits int
	// Posterior, if not nil, shades the arcs: it contains, per arc in the order of FST.In, a number
	// from 0, light gray, to 1, black and thick.
	Posterior []float64
}

// WriteDOT writes m, whose ring must be a semiring.Textual, as a graph in the language of
// Graphviz's dot. Labels are names if m has tables of symbols, and numbers otherwise; an arc a:a
// shows a, and the weight One is not shown. Initial states are bold, and final states have a double
// line. Arcs between the same two states share a line, with their labels one below another, unless
// they are shaded. Package svg, a separate module, draws it.
//
// The error wraps fst.ErrSymbol for a label without a name, and fst.ErrInvalid for posteriors that
// are not one number from 0 to 1 per arc. Other errors come from w, or from fst.Expand for a
// machine that is not frozen.
func WriteDOT[W any](w io.Writer, m fst.Machine[W], o *DOT) error {
	nonnil.Check("fstio: WriteDOT", "writer", w, "machine", m)
	f, err := fst.Expand(m, nil)
	if err != nil {
		return err
	}
	if o == nil {
		o = new(DOT)
	}
	weights, err := dot.NewWeights(f.Semiring(), o.Digits)
	if err != nil {
		return nested.Errorf("fstio: %w", err)
	}
	if n := len(o.Posterior); n > 0 && n != f.NumArcs() {
		return nested.Errorf("fstio: %w: %d posteriors for %d arcs", fst.ErrInvalid, n, f.NumArcs())
	}
	d := drawing[W]{DOT: *o, f: f, weights: weights, to: dot.NewWriter(w, dot.Attribute{Name: "rankdir", Value: "LR"})}
	d.states()
	if err := d.arcs(); err != nil {
		return err
	}
	if err := d.to.Close(); err != nil {
		return nested.Errorf("fstio: %w", err)
	}
	return nil
}

// WriteDOTFile is WriteDOT to a named file: see WriteTextFile.
func WriteDOTFile[W any](name string, m fst.Machine[W], o *DOT) error {
	nonnil.Check("fstio: WriteDOTFile", "machine", m)
	return writeMachine(name, m, func(w io.Writer, f *fst.FST[W]) error { return WriteDOT(w, f, o) })
}

// drawing makes a picture of a machine.
type drawing[W any] struct {
	DOT
	f       *fst.FST[W]
	weights dot.Weights[W]
	to      *dot.Writer
}

func (d drawing[W]) states() {
	bold := map[int32]string{}
	for _, s := range d.f.AppendStarts(nil) {
		bold[s.State] = d.weights.Text(s.Weight)
	}
	ring := d.f.Semiring()
	for s := range int32(d.f.NumStates()) {
		name, shape := strconv.Itoa(int(s)), "circle"
		label := name
		start, initial := bold[s]
		if start != "" {
			label = start + "/" + label
		}
		if final := d.f.Final(s); !ring.IsZero(final) {
			shape = "doublecircle"
			if w := d.weights.Text(final); w != "" {
				label += "/" + w
			}
		}
		attributes := []dot.Attribute{dot.Label(label), {Name: "shape", Value: shape}}
		if initial {
			attributes = append(attributes, dot.Attribute{Name: "style", Value: "bold"})
		}
		d.to.Node(name, attributes...)
	}
}

func (d drawing[W]) arcs() error {
	e := 0
	var arcs []fst.Arc[W]
	for s := range int32(d.f.NumStates()) {
		arcs = d.f.AppendArcs(arcs[:0], s)
		from := strconv.Itoa(int(s))
		var targets []int32 // of the lines, in order
		labels := map[int32]string{}
		for _, a := range arcs {
			label, err := d.label(a)
			if err != nil {
				return err
			}
			before, shared := labels[a.To]
			switch {
			case len(d.Posterior) > 0:
				shade, ok := dot.Shade(d.Posterior[e])
				if !ok {
					return nested.Errorf("fstio: %w: arc %d has the posterior %g", fst.ErrInvalid, e, d.Posterior[e])
				}
				d.to.Edge(from, strconv.Itoa(int(a.To)), append(shade, dot.Label(label))...)
			case shared:
				labels[a.To] = before + "\n" + label
			default:
				labels[a.To] = label
				targets = append(targets, a.To)
			}
			e++
		}
		for _, to := range targets {
			d.to.Edge(from, strconv.Itoa(int(to)), dot.Label(labels[to]))
		}
	}
	return nil
}

func (d drawing[W]) label(a fst.Arc[W]) (string, error) {
	in, err := nameIn(d.f.InSymbols(), a.In)
	if err != nil {
		return "", err
	}
	out, err := nameIn(d.f.OutSymbols(), a.Out)
	if err != nil {
		return "", err
	}
	if in != out {
		in += ":" + out
	}
	if w := d.weights.Text(a.Weight); w != "" {
		in += "/" + w
	}
	return in, nil
}

// nameIn returns the name of a label in a table, or its number if there is no table. It returns ε
// for label 0.
func nameIn(table *fst.Symbols, label int32) (string, error) {
	switch {
	case label == 0:
		return "ε", nil
	case table == nil:
		return strconv.Itoa(int(label)), nil
	}
	name, ok := table.Name(label)
	if !ok {
		return "", nested.Errorf("fstio: %w: label %d has no name", fst.ErrSymbol, label)
	}
	return name, nil
}
