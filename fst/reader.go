package fst

import (
	"cmp"
	"slices"
	"sort"

	"example.org/pathsum/internal/keytable"
)

// reader is the source of a lazy machine that reads another, each state once.
type reader[W any] struct {
	lazy[W]
	machine Machine[W]
	right   bool // the arcs of a state are ordered by input label, not by output
	states  keytable.Table[int32]
	rows    []span // for each state, where its arcs are
	arcs    []Arc[W]
}

func newReader[W any](m Machine[W], right bool) *lazy[W] {
	r := &reader[W]{machine: m, right: right}
	r.source = r
	r.reset(manyStates, manyStates)
	return &r.lazy
}

// key returns the label that arcs are ordered by.
func (r *reader[W]) key(a *Arc[W]) int32 {
	if r.right {
		return a.In
	}
	return a.Out
}

// read returns the arcs of state s.
func (r *reader[W]) read(s int32) []Arc[W] {
	if n := r.states.Find(s); n >= 0 {
		return r.arcs[r.rows[n].lo:r.rows[n].hi]
	}
	lo := len(r.arcs)
	r.arcs = r.machine.AppendArcs(r.arcs, s)
	if !r.fits(r.arcs, 0) {
		r.arcs = r.arcs[:lo]
		return nil
	}
	r.states.Number(s)
	r.rows = append(r.rows, span{int32(lo), int32(len(r.arcs))})
	slices.SortStableFunc(r.arcs[lo:], func(x, y Arc[W]) int { return cmp.Compare(r.key(&x), r.key(&y)) })
	return r.arcs[lo:]
}

func (r *reader[W]) generate(dst []Arc[W], s, in, out int32) []Arc[W] {
	all, key := r.read(s), out
	if r.right {
		key = in
	}
	if key != anyLabel {
		lo := sort.Search(len(all), func(i int) bool { return r.key(&all[i]) >= key })
		hi := sort.Search(len(all), func(i int) bool { return r.key(&all[i]) > key })
		all = all[lo:hi]
	}
	if !r.fits(dst, len(all)) {
		return dst
	}
	for _, a := range all {
		if (in == anyLabel || a.In == in) && (out == anyLabel || a.Out == out) {
			dst = append(dst, a)
		}
	}
	return dst
}

func (r *reader[W]) estimate(s int32) int { return len(r.read(s)) }
