package tapes

import (
	"fmt"
	"slices"
	"sync"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Reasons explains why examples have no derivation, as far as
// single labels or a single edge show the reason. Several goroutines may use it.
type Reasons struct {
	tree      Tree
	labels    sync.Once
	tapes     [][]alphabet // per tape, of the machines that meet there
	relations sync.Once
	edges     [][]relation // per edge, of its machines
}

// NewReasons returns the Reasons of a tree.
func NewReasons(tree Tree) *Reasons { return &Reasons{tree: tree} }

// alphabet is the set of labels of the arcs of a machine on one of its tapes.
type alphabet struct {
	labels  map[int32]bool
	symbols *fst.Symbols
	does    string // "read" or "written"
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

// Of describes the first label of an example for which a machine has no arc. If every label has an
// arc and thorough is true, it describes how far an edge without a derivation can be followed. It
// returns "" if each edge has a derivation. This takes about as long as a lattice.
func (r *Reasons) Of(sides []Side, thorough bool) string {
	r.labels.Do(r.collect)
	for t, side := range sides {
		for _, a := range r.tapes[t] {
			for i, l := range side.Labels {
				if a.labels[l] {
					continue
				}
				return fmt.Sprintf("label %s at position %d of %s is %s by no arc", a.symbols.Describe(l), i, r.tree.Tape(t), a.does)
			}
			if side.Soft() == nil {
				continue
			}
			if frame, best := a.foreign(side.Soft()); frame >= 0 {
				return fmt.Sprintf("every label with a weight in frame %d of %s is %s by no arc, the best one is %s", frame, r.tree.Tape(t), a.does, a.symbols.Describe(best))
			}
		}
	}
	if !thorough {
		return ""
	}
	r.relations.Do(r.relate)
	for i, e := range r.tree.Edges {
		if reason := r.stuck(i, sides[e.From], sides[e.To]); reason != "" {
			return reason
		}
	}
	return ""
}

// collect creates the alphabets.
func (r *Reasons) collect() {
	r.tapes = make([][]alphabet, len(r.tree.Edges)+1)
	for _, e := range r.tree.Edges {
		r.tapes[e.From] = append(r.tapes[e.From], newAlphabet(e.Machines[0], false))
		r.tapes[e.To] = append(r.tapes[e.To], newAlphabet(e.Machines[len(e.Machines)-1], true))
	}
}

// relate creates the relations.
func (r *Reasons) relate() {
	r.edges = make([][]relation, len(r.tree.Edges))
	for i, e := range r.tree.Edges {
		for _, m := range e.Machines {
			r.edges[i] = append(r.edges[i], relationOf(m))
		}
	}
}

// Foreign returns an error if the columns of a soft string share no label with the machines at its
// tape.
func (r *Reasons) Foreign(sides []Side) error {
	for t, side := range sides {
		x := side.Soft()
		if x == nil {
			continue
		}
		r.labels.Do(r.collect)
		for _, a := range r.tapes[t] {
			if !slices.ContainsFunc(x.Labels, func(l int32) bool { return a.labels[l] }) {
				return fmt.Errorf("the labels of all columns of %s, such as %s, are %s by no arc, want labels of the machine there",
					r.tree.Tape(t), a.symbols.Describe(x.Labels[0]), a.does)
			}
		}
	}
	return nil
}

// foreign returns the first frame in which no label of the alphabet has a weight, and the label of
// the greatest weight there; −1 if there is no such frame.
func (a alphabet) foreign(x *soft.String) (frame int, best int32) {
	for t := range x.Emissions.Frames() {
		top, known := 0, false
		for v, l := range x.Labels {
			known = known || a.labels[l] && x.Possible(t, v)
			if x.Emissions.Log(t, v) > x.Emissions.Log(t, top) {
				top = v
			}
		}
		if !known {
			return t, x.Labels[top]
		}
	}
	return -1, 0
}
