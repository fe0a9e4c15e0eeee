package fstio

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/multi"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// DOT says how a machine is drawn; nil stands for the zero value.
type DOT struct {
	// Digits is the number of significant digits of weights; 0 writes them as the
	// ring does. Weights that are not written as one number are left alone.
	Digits int
	// Posterior, if not nil, shades the arcs: of each, in the order of f.In(), a
	// number from 0, light gray, to 1, black and thick.
	Posterior []float64
}

// WriteDOT writes f, whose ring must be a semiring.Texter, as a graph in the language
// of Graphviz's dot. Labels are names where f has tables of symbols, and numbers
// otherwise; an arc a:a shows a, and a weight that is One is not shown. Initial states
// are bold, final ones have a double line.
//
// The error wraps fst.ErrSymbol for a label without a name, and fst.ErrInvalid for
// posteriors that are not one number from 0 to 1 per arc; otherwise it is w's.
// The drawing is made in memory, of some hundred bytes an arc.
func WriteDOT[W any](w io.Writer, f *fst.FST[W], o *DOT) error {
	nonnil.Check("fstio: WriteDOT", "writer", w, "machine", f)
	texter, err := semiring.Require[semiring.Texter[W]](f.Semiring())
	if err != nil {
		return fmt.Errorf("fstio: %w", err)
	}
	if o == nil {
		o = new(DOT)
	}
	if n := len(o.Posterior); n > 0 && n != f.NumArcs() {
		return fmt.Errorf("fstio: %w: %d posteriors for %d arcs", fst.ErrInvalid, n, f.NumArcs())
	}
	d := drawing[W]{DOT: *o, f: f, texter: texter, one: texter.Format(f.Semiring().One()), graph: picture{multi.NewDirectedGraph()}}
	d.states()
	if err := d.arcs(); err != nil {
		return err
	}
	text, err := dot.MarshalMulti(d.graph, "", "", "\t")
	if err != nil {
		return fmt.Errorf("fstio: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("fstio: %w", err)
	}
	return nil
}

// drawing makes a picture of a machine.
type drawing[W any] struct {
	DOT
	f      *fst.FST[W]
	texter semiring.Texter[W]
	one    string
	graph  picture
}

// node is a state; line is an arc.
type node struct {
	multi.Node
	attributes
}
type line struct {
	multi.Line
	attributes
}

// attributes are pairs of names and values.
type attributes []encoding.Attribute

func (a attributes) Attributes() []encoding.Attribute { return a }

func (d drawing[W]) states() {
	bold := map[int32]string{}
	for _, s := range d.f.AppendStarts(nil) {
		bold[s.State] = d.weight(s.Weight)
	}
	ring := d.f.Semiring()
	for s := range int32(d.f.NumStates()) {
		label, shape := strconv.Itoa(int(s)), "circle"
		start, initial := bold[s]
		if start != "" {
			label = start + "/" + label
		}
		if final := d.f.Final(s); !ring.IsZero(final) {
			shape = "doublecircle"
			if w := d.weight(final); w != "" {
				label += "/" + w
			}
		}
		n := node{multi.Node(s), attributes{{Key: "label", Value: quoted(label)}, {Key: "shape", Value: shape}}}
		if initial {
			n.attributes = append(n.attributes, encoding.Attribute{Key: "style", Value: "bold"})
		}
		d.graph.AddNode(n)
	}
}

func (d drawing[W]) arcs() error {
	e := int64(0)
	var arcs []fst.Arc[W]
	for s := range int32(d.f.NumStates()) {
		arcs = d.f.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			label, err := d.label(a)
			if err != nil {
				return err
			}
			l := line{multi.Line{F: d.graph.Node(int64(s)), T: d.graph.Node(int64(a.To)), UID: e}, attributes{{Key: "label", Value: quoted(label)}}}
			if d.Posterior != nil {
				p := d.Posterior[e]
				if !(0 <= p && p <= 1) {
					return fmt.Errorf("fstio: %w: arc %d has the posterior %g", fst.ErrInvalid, e, p)
				}
				l.attributes = append(l.attributes,
					encoding.Attribute{Key: "color", Value: fmt.Sprintf(`"0 0 %.3f"`, .85*(1-p))},
					encoding.Attribute{Key: "penwidth", Value: fmt.Sprintf("%.2f", 1+2*p)})
			}
			d.graph.SetLine(l)
			e++
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
	if w := d.weight(a.Weight); w != "" {
		in += "/" + w
	}
	return in, nil
}

// nameIn returns the name of a label in a table, its number if there is no table,
// and ε for 0.
func nameIn(table *fst.Symbols, label int32) (string, error) {
	switch {
	case label == 0:
		return "ε", nil
	case table == nil:
		return strconv.Itoa(int(label)), nil
	}
	name, ok := table.Name(label)
	if !ok {
		return "", fmt.Errorf("fstio: %w: label %d has no name", fst.ErrSymbol, label)
	}
	return name, nil
}

// weight returns the text of a weight, "" for One.
func (d drawing[W]) weight(w W) string {
	text := d.texter.Format(w)
	if text == d.one {
		return ""
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && d.Digits > 0 {
		return strconv.FormatFloat(x, 'g', d.Digits, 64)
	}
	return text
}

var dotQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func quoted(text string) string { return `"` + dotQuotes.Replace(text) + `"` }

// picture is a graph with attributes.
type picture struct{ *multi.DirectedGraph }

// DOTAttributers returns the attributes of the graph, of its nodes and of its edges.
func (picture) DOTAttributers() (graph, node, edge encoding.Attributer) {
	return attributes{{Key: "rankdir", Value: "LR"}}, attributes{}, attributes{}
}
