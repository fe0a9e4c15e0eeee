// Package dot writes drawings in the language of Graphviz's dot.
package dot

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/pathsum/semiring"
)

// Attribute is a property of a node, an edge or a graph.
type Attribute struct{ Name, Value string }

// Label returns the attribute for the text of a label.
func Label(text string) Attribute { return Attribute{"label", text} }

// Writer writes one directed graph, in the order of its calls. Close returns the first error.
type Writer struct{ to *bufio.Writer }

// NewWriter begins a graph.
func NewWriter(to io.Writer, attributes ...Attribute) *Writer {
	w := &Writer{bufio.NewWriter(to)}
	w.to.WriteString("digraph {\n")
	if len(attributes) > 0 {
		w.statement("graph", attributes)
	}
	return w
}

// Node writes a node. A name consists of letters and digits.
func (w *Writer) Node(name string, attributes ...Attribute) { w.statement(name, attributes) }

// Edge writes an edge.
func (w *Writer) Edge(from, to string, attributes ...Attribute) {
	w.statement(from+" -> "+to, attributes)
}

// Close ends the graph and returns the first error of writing it.
func (w *Writer) Close() error {
	w.to.WriteString("}\n")
	return w.to.Flush()
}

var quotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (w *Writer) statement(what string, attributes []Attribute) {
	w.to.WriteString("\t" + what)
	for i, a := range attributes {
		before := " "
		if i == 0 {
			before = " ["
		}
		w.to.WriteString(before + a.Name + `="` + quotes.Replace(a.Value) + `"`)
	}
	if len(attributes) > 0 {
		w.to.WriteByte(']')
	}
	w.to.WriteString(";\n")
}

// Shade returns the attributes of an edge that is used with a probability from 0, light gray
// and thin, to 1, black and thick. It returns false for a number outside this range.
func Shade(p float64) ([]Attribute, bool) {
	if !(0 <= p && p <= 1) {
		return nil, false
	}
	return []Attribute{{"color", fmt.Sprintf("0 0 %.3f", .75*(1-p))}, {"penwidth", fmt.Sprintf("%.2f", .75+2.25*p)}}, true
}

// Weights formats weights of a ring for readers.
type Weights[W any] struct {
	texter semiring.Textual[W]
	one    string
	digits int
}

// NewWeights returns a formatter of weights of a ring, which must be a semiring.Textual, with
// the given number of significant digits; 0 uses the ring's own format.
func NewWeights[W any](ring semiring.Semiring[W], digits int) (Weights[W], error) {
	texter, err := semiring.Require[semiring.Textual[W]](ring)
	if err != nil {
		return Weights[W]{}, err
	}
	return Weights[W]{texter, texter.Format(ring.One()), digits}, nil
}

// Text returns the text of a weight, "" for One. A weight that is not formatted as a single
// number keeps its digits.
func (w Weights[W]) Text(x W) string {
	text := w.texter.Format(x)
	if text == w.one {
		return ""
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && w.digits > 0 {
		return strconv.FormatFloat(number, 'g', w.digits, 64)
	}
	return text
}
