package fst

import (
	"iter"
)

// operand is one side of a composition: a frozen machine, read through its label
// indexes, or a lazy one.
type operand[W any] struct {
	machine Machine[W]
	frozen  *FST[W]  // nil: lazy
	lazy    *lazy[W] // nil: frozen
	in, out *tape[W] // of a frozen machine; nil until needed
	buf     []Arc[W] // arcs of a frozen machine: all if it is thin, or of one state
	traits
}

// traits are what is known of a machine beforehand.
type traits struct {
	unit          bool  // all weights are One (final ones, One or Zero)
	thin          bool  // no state has more than one arc
	epsIn, epsOut bool  // there may be arcs with ε in or out
	states        int64 // all states are less
	ins, outs     int64 // all input and output labels are less
}

// operable is a lazy machine of this package, which says itself what is known of it.
type operable[W any] interface {
	memory() *lazy[W]
	traits() traits
}

// set makes m the operand. A machine of another package is read through a memory of its
// arcs, unless it is a Finder; right tells for which side.
func (o *operand[W]) set(m Machine[W], right bool) {
	if x, ok := m.(looker[W]); ok {
		m, _, _ = x.looking()
	}
	*o = operand[W]{machine: m, buf: o.buf[:0]}
	switch m := m.(type) {
	case *FST[W]:
		o.frozen = m
		l := m.labels
		l.measure()
		o.traits = traits{
			unit: m.unit, thin: l.thin,
			epsIn: l.epsIn, epsOut: l.epsOut,
			states: int64(len(m.final)), ins: int64(l.maxIn) + 1, outs: int64(l.maxOut) + 1,
		}
		if l.thin {
			o.buf = appendArcs(o.buf, &m.arcs, 0, int32(m.NumArcs()))
		}
	case operable[W]:
		o.lazy, o.traits = m.memory(), m.traits()
	default:
		if f, ok := m.(Finder[W]); ok {
			o.lazy = newFound(f)
		} else {
			o.lazy = newReader(m, right)
		}
		o.traits = traits{
			epsIn: true, epsOut: true,
			states: manyStates, ins: manyStates, outs: manyStates,
		}
	}
}

// all returns the arcs of state s. They are overwritten by the next call if o is
// frozen.
func (o *operand[W]) all(s int32) []Arc[W] {
	switch {
	case o.frozen == nil:
		return o.lazy.all(s)
	case o.thin:
		row := o.frozen.labels.row
		return o.buf[row[s]:row[s+1]]
	}
	o.buf = o.frozen.AppendArcs(o.buf[:0], s)
	return o.buf
}

// labels returns the labels of the arcs of state s on a tape.
func (o *operand[W]) labels(s int32, tape Tape) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if o.frozen != nil { // whose arcs may be in use in buf
			l := o.frozen.labels
			from := l.in
			if tape == Output {
				from = l.out
			}
			for _, x := range from[l.row[s]:l.row[s+1]] {
				if !yield(x) {
					return
				}
			}
			return
		}
		for _, a := range o.lazy.all(s) {
			x := a.In
			if tape == Output {
				x = a.Out
			}
			if !yield(x) {
				return
			}
		}
	}
}

// byIn returns the arcs of state s with the input label in. Those of a frozen
// machine have the output label out as well, if it is not anyLabel; those of a
// lazy one need not.
func (o *operand[W]) byIn(s, in, out int32) []Arc[W] {
	if o.frozen == nil {
		return o.lazy.byIn(s, in)
	}
	if o.in == nil {
		o.in = byIn(o.frozen)
	}
	return arcsAt(o.in, s, in, out)
}

// byOut is byIn with the tapes exchanged.
func (o *operand[W]) byOut(s, in, out int32) []Arc[W] {
	if o.frozen == nil {
		return o.lazy.byOut(s, out)
	}
	if o.out == nil {
		o.out = byOut(o.frozen)
	}
	return arcsAt(o.out, s, out, in)
}

// degree returns the number of arcs of state s, or about that, and always the same.
func (o *operand[W]) degree(s int32) int {
	if o.frozen == nil {
		return o.lazy.source.estimate(s)
	}
	row := o.frozen.labels.row
	return int(row[s+1] - row[s])
}

// final returns the final weight of state s.
func (o *operand[W]) final(s int32) W {
	if o.frozen == nil {
		return o.machine.Final(s)
	}
	return o.frozen.final[s]
}

// full reports whether arcs were missing because of a limit.
func (o *operand[W]) full() bool { return o.lazy != nil && o.lazy.full }

// setLimit sets the number of arcs that o may keep if it is lazy.
func (o *operand[W]) setLimit(n int) {
	if m, ok := o.machine.(interface{ setLimit(int) }); ok {
		m.setLimit(n)
	} else if o.lazy != nil {
		o.lazy.limit, o.lazy.full = n, false
	}
}
