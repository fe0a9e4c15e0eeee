package fst

import "iter"

// side is one side of a composition: a frozen machine, read through its label indexes, or a
// lazy one. The labels on its near tape meet those on the near tape of the other side; the
// labels on its far tape stay.
type side[W any] struct {
	near    Tape // of the first machine Output, of the second Input
	machine Machine[W]
	frozen  *FST[W]     // nil: lazy
	lazy    *lazy[W]    // nil: frozen
	byNear  *tape[W]    // of a frozen machine; nil until needed
	byFar   *tape[W]    // of a frozen machine; nil until needed
	buf     []Arc[W]    // arcs of a frozen machine: all if it is thin, or of one state
	ahead   *outlook[W] // tests of new states, if the machine looks ahead
	traits
}

// traits are what is known of a machine beforehand.
type traits struct {
	unit   bool  // all weights are One (final ones, One or Zero)
	thin   bool  // no state has more than one arc
	states int64 // all states are less
	tapes  [2]extent
}

// operable is a lazy machine of this package, which says itself what is known of it.
type operable[W any] interface {
	memory() *lazy[W]
	traits() traits
}

// set makes x the side of m with this near tape. A machine of another package is read through
// a memory of its arcs, unless it is a Finder.
func (x *side[W]) set(m Machine[W], near Tape) {
	if l, ok := m.(looker[W]); ok {
		m, _, _ = l.looking()
	}
	*x = side[W]{near: near, machine: m, buf: x.buf[:0]}
	switch m := m.(type) {
	case *FST[W]:
		x.frozen = m
		l := m.labels
		l.measure()
		x.traits = traits{unit: m.unit, thin: l.thin, states: int64(len(m.final)), tapes: l.tapes}
		if l.thin {
			x.buf = appendArcs(x.buf, &m.arcs, 0, int32(m.NumArcs()))
		}
	case operable[W]:
		x.lazy, x.traits = m.memory(), m.traits()
	default:
		if f, ok := m.(Finder[W]); ok {
			x.lazy = newFound(f)
		} else {
			x.lazy = newReader(m, near)
		}
		all := extent{bound: manyStates, epsilon: true}
		x.traits = traits{states: manyStates, tapes: [2]extent{all, all}}
	}
}

// all returns the arcs of state s. They are overwritten by the next call if the
// machine is frozen.
func (x *side[W]) all(s int32) []Arc[W] {
	switch {
	case x.frozen == nil:
		return x.lazy.all(s)
	case x.thin:
		row := x.frozen.labels.row
		return x.buf[row[s]:row[s+1]]
	}
	x.buf = x.frozen.AppendArcs(x.buf[:0], s)
	return x.buf
}

// labels returns the near labels of the arcs of state s.
func (x *side[W]) labels(s int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if x.frozen != nil { // whose arcs may be in use in buf
			l := x.frozen.labels
			for _, label := range l.on(x.near)[l.row[s]:l.row[s+1]] {
				if !yield(label) {
					return
				}
			}
			return
		}
		arcs := x.lazy.all(s)
		for i := range arcs {
			if !yield(labelOn(&arcs[i], x.near)) {
				return
			}
		}
	}
}

// meeting returns the arcs of state s with a near label. Those of a frozen machine have the
// far label as well, if it is not anyLabel; those of a lazy one need not.
func (x *side[W]) meeting(s, near, far int32) []Arc[W] {
	if x.frozen == nil {
		return x.lazy.by(x.near, s, near)
	}
	if x.byNear == nil {
		x.byNear = byLabel(x.frozen, x.near)
	}
	return arcsAt(x.byNear, s, near, far)
}

// keeping returns the arcs of state s with a far label, all of them for anyLabel. They are
// overwritten by the next call if the machine is frozen.
func (x *side[W]) keeping(s, far int32) []Arc[W] {
	switch {
	case far == anyLabel:
		return x.all(s)
	case x.frozen == nil:
		return x.lazy.by(1-x.near, s, far)
	case x.byFar == nil:
		x.byFar = byLabel(x.frozen, 1-x.near)
	}
	return arcsAt(x.byFar, s, far, anyLabel)
}

// epsilon reports whether the machine may move alone, by arcs with ε on the near tape.
func (x *side[W]) epsilon() bool { return x.tapes[x.near].epsilon }

// degree returns the number of arcs of state s, or about that, and always the same.
func (x *side[W]) degree(s int32) int {
	if x.frozen == nil {
		return x.lazy.source.estimate(s)
	}
	row := x.frozen.labels.row
	return int(row[s+1] - row[s])
}

// final returns the final weight of state s.
func (x *side[W]) final(s int32) W {
	if x.frozen == nil {
		return x.machine.Final(s)
	}
	return x.frozen.final[s]
}

// full reports whether arcs were missing because of a limit.
func (x *side[W]) full() bool { return x.lazy != nil && x.lazy.full }

// setLimit sets the number of arcs that x may keep if it is lazy.
func (x *side[W]) setLimit(n int) {
	if m, ok := x.machine.(interface{ setLimit(int) }); ok {
		m.setLimit(n)
	} else if x.lazy != nil {
		x.lazy.limit, x.lazy.full = n, false
	}
}
