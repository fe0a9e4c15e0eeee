package linegrammar

import (
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Explainer finds the alternatives that a reading uses. It is a machine that writes a mark of
// the parameter before the output of an alternative: a weight of the model is the product of
// the parameters on its path, and so identifies them.
type Explainer struct {
	grammar *Grammar
	machine *fst.FST[semiring.Cost]
	marks   []fst.Arc[semiring.Cost] // a loop for each mark
	names   []string
}

// NewExplainer returns an Explainer of the grammar at the current parameters.
func NewExplainer(g *Grammar) (*Explainer, error) {
	x := &Explainer{grammar: g}
	var params []expr.W
	for _, group := range g.Params.Groups() {
		if _, ok := group.Law().(em.Dirichlet); !ok {
			continue
		}
		for i := range group.Len() {
			l := FirstMark + int32(len(params))
			x.marks = append(x.marks, fst.Arc[semiring.Cost]{In: l, Out: l})
			x.names = append(x.names, group.Name(i))
			params = append(params, group.Weight(i))
		}
	}
	marked, err := marked(g.Params.Space(), g.trainable, params, fst.Output)
	if err != nil {
		return nil, err
	}
	x.machine, err = cascade.Instantiate(g.Params, marked, g.Theta, tropical)
	return x, err
}

// Explain returns the best way to read the line as the text: the names of the alternatives,
// each before its output.
func (x *Explainer) Explain(line, text string) (string, error) {
	f, err := x.grammar.lattice(x.machine, line)
	if err != nil {
		return "", err
	}
	read, err := x.anywhere(x.grammar.Encode(text))
	if err != nil {
		return "", err
	}
	if f, err = fst.Expand(fst.Compose(f, read), &fst.Options{Limit: MaxStates}); err != nil {
		return "", err
	}
	best, err := graph.BestPath(f.Graph())
	if err != nil {
		return "", err
	}
	if best.Start < 0 {
		return "", fmt.Errorf("%q is not read as %q", line, text)
	}
	var parts []string
	var written []int32
	end := func() {
		if s := strings.TrimSpace(Decode(written)); s != "" {
			parts = append(parts, s)
		}
		written = written[:0]
	}
	for _, e := range best.Arcs {
		switch l := f.Out()[e]; {
		case l >= FirstMark:
			end()
			parts = append(parts, x.names[l-FirstMark])
		case l != fst.Epsilon:
			written = append(written, l)
		}
	}
	end()
	return strings.Join(parts, " "), nil
}

// anywhere returns the acceptor of the labels with any marks between them.
func (x *Explainer) anywhere(labels []int32) (*fst.FST[semiring.Cost], error) {
	b := fst.NewBuilder(tropical)
	b.AddStates(len(labels) + 1)
	b.AddStart(0, tropical.One())
	for i := range int32(len(labels) + 1) {
		for _, a := range x.marks {
			a.To = i
			b.AddArc(i, a)
		}
		if int(i) < len(labels) {
			b.AddArc(i, fst.Arc[semiring.Cost]{In: labels[i], Out: labels[i], To: i + 1})
		}
	}
	b.SetFinal(int32(len(labels)), tropical.One())
	return b.Freeze()
}
