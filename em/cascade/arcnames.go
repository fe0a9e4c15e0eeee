package cascade

import (
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
)

// arcNames holds the names of a machine's arcs, for the names of parameters.
type arcNames struct{ in, out labelNames }

func newArcNames[W any](f *fst.FST[W]) *arcNames {
	return &arcNames{newLabelNames(f.InSymbols(), f.In()), newLabelNames(f.OutSymbols(), f.Out())}
}

// arc returns the name of an arc, or "stop" if arc < 0.
func (n *arcNames) arc(arc int32) string {
	if arc < 0 {
		return "stop"
	}
	return n.in.label(n.in.labels[arc]) + ":" + n.out.label(n.out.labels[arc])
}

// labelNames holds the names of the labels on one tape.
type labelNames struct {
	symbols *fst.Symbols
	labels  []int32 // per arc
	// characters reports that there is no table, and that all labels except ε are visible
	// characters. If some label is not, all are named by their numbers.
	characters bool
}

func newLabelNames(t *fst.Symbols, labels []int32) labelNames {
	number := func(l int32) bool { return l != fst.Epsilon && !named.IsCharacter(l) }
	return labelNames{t, labels, t == nil && !slices.ContainsFunc(labels, number)}
}

// label returns the name of a label: its symbol, a character or a number.
func (n *labelNames) label(l int32) string {
	if n.symbols != nil {
		if name, ok := n.symbols.Name(l); ok {
			return name
		}
	}
	switch {
	case l == fst.Epsilon:
		return "ε"
	case n.characters:
		return string(l)
	}
	return fmt.Sprint(l)
}
