package tapes

import (
	"fmt"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Reasons says of examples without a derivation what is wrong with their strings, as far as
// single labels tell, or else a single edge. It serves several goroutines.
type Reasons struct {
	tree  Tree
	once  sync.Once
	tapes [][]alphabet // per tape, of the machines that meet there
	edges [][]relation // per edge, of its machines
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

// Of returns the first label of an example for which a machine has no arc. If there is none, and
// it is to be thorough, it says how far an edge can be followed that has no derivation, "" if
// each has one. That takes about as long as a lattice.
func (r *Reasons) Of(sides []Side, thorough bool) string {
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
	for i, e := range r.tree.Edges {
		if !thorough {
			break
		}
		if reason := r.stuck(i, sides[e.From], sides[e.To]); reason != "" {
			return reason
		}
	}
	return ""
}

func (r *Reasons) begin() {
	r.tapes = make([][]alphabet, len(r.tree.Edges)+1)
	r.edges = make([][]relation, len(r.tree.Edges))
	for i, e := range r.tree.Edges {
		for _, m := range e.Machines {
			r.edges[i] = append(r.edges[i], relationOf(m))
		}
		r.tapes[e.From] = append(r.tapes[e.From], newAlphabet(e.Machines[0], false))
		r.tapes[e.To] = append(r.tapes[e.To], newAlphabet(e.Machines[len(e.Machines)-1], true))
	}
}
