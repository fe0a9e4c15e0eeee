package tapes

import (
	"fmt"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Reasons says of examples without a derivation what is wrong with their strings, as far as
// single labels tell. It serves several goroutines.
type Reasons struct {
	tree  Tree
	once  sync.Once
	tapes [][]alphabet // per tape, of the machines that meet there
}

// NewReasons returns the reasons for a tree.
func NewReasons(tree Tree) *Reasons { return &Reasons{tree: tree} }

// alphabet is the labels that the arcs of a machine have on one of its tapes.
type alphabet struct {
	labels  map[int32]bool
	symbols *fst.Symbols
	does    string // what arcs do with labels there
}

func newAlphabet(m *fst.FST[expr.W], out bool) alphabet {
	a := alphabet{map[int32]bool{}, m.InSymbols(), "read"}
	if out {
		a.symbols, a.does = m.OutSymbols(), "written"
	}
	var arcs []fst.Arc[expr.W]
	for s := range m.NumStates() {
		arcs = m.AppendArcs(arcs[:0], int32(s))
		for _, arc := range arcs {
			if out {
				arc.In = arc.Out
			}
			a.labels[arc.In] = true
		}
	}
	return a
}

// Of returns the first label of an example for which a machine has no arc, "" if there is none.
func (r *Reasons) Of(sides []Side) string {
	r.once.Do(r.begin)
	for t, side := range sides {
		for _, a := range r.tapes[t] {
			for i, l := range side.Labels {
				if a.labels[l] {
					continue
				}
				return fmt.Sprintf("label %s at position %d of %s is %s by no arc", a.symbols.Describe(l), i, r.tree.Tape(t), a.does)
			}
		}
	}
	return ""
}

func (r *Reasons) begin() {
	r.tapes = make([][]alphabet, len(r.tree.Edges)+1)
	for _, e := range r.tree.Edges {
		r.tapes[e.From] = append(r.tapes[e.From], newAlphabet(e.Machines[0], false))
		r.tapes[e.To] = append(r.tapes[e.To], newAlphabet(e.Machines[len(e.Machines)-1], true))
	}
}
