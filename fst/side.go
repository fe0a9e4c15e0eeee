package fst

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"example.org/pathsum/internal/keytable"
)

// side is one side of a composition: a frozen machine, read through its label indexes, or a
// lazy one. The labels on its near tape are matched with the near tape of the other side; the
// labels on its far tape become labels of the composition.
type side[W any] struct {
	near    Tape // Output for the first machine, Input for the second
	machine Machine[W]
	frozen  *FST[W]     // nil if lazy
	lazy    *lazy[W]    // nil if frozen
	byNear  *tape[W]    // of a frozen machine; nil until needed
	byFar   *tape[W]    // of a frozen machine; nil until needed
	buf     []Arc[W]    // arcs of a frozen machine: all if it is thin, otherwise of one state
	ahead   *outlook[W] // tests of new states, if the machine looks ahead
	traits
}

// traits are properties of a machine that are known in advance.
type traits struct {
	unit   bool  // all weights are One (final weights One or Zero)
	thin   bool  // every state has at most one arc
	states int64 // exclusive upper bound of the states
	tapes  [2]extent
}

// operable is a lazy machine of this package, which reports its own traits.
type operable[W any] interface {
	memory() *lazy[W]
	traits() traits
}

// set makes x the side of m with this near tape. A machine of another package is read through a
// cache of its arcs, unless it is a Finder.
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

// all returns the arcs of state s. If the machine is frozen, the next call overwrites them.
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
		if x.frozen != nil { // whose arcs in buf may be in use
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

// meeting returns the arcs of state s with a near label. If far is not anyLabel and the machine
// is frozen, only arcs with this far label are returned; for a lazy machine, others may be
// included.
func (x *side[W]) meeting(s, near, far int32) []Arc[W] {
	if x.frozen == nil {
		return x.lazy.by(x.near, s, near)
	}
	if x.byNear == nil {
		x.byNear = byLabel(x.frozen, x.near)
	}
	return arcsAt(x.byNear, s, near, far)
}

// keeping returns the arcs of state s with a far label, all of them for anyLabel. If the
// machine is frozen, the next call overwrites them.
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

// epsilon reports whether the machine may move alone, along arcs with ε on the near tape.
func (x *side[W]) epsilon() bool { return x.tapes[x.near].epsilon }

// degree returns an estimate of the number of arcs of state s. Repeated calls return the same
// number.
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

// full reports whether arcs are missing because of a limit.
func (x *side[W]) full() bool { return x.lazy != nil && x.lazy.full }

// setLimit sets the number of arcs that x may keep if it is lazy.
func (x *side[W]) setLimit(n int) {
	if m, ok := x.machine.(interface{ setLimit(int) }); ok {
		m.setLimit(n)
	} else if x.lazy != nil {
		x.lazy.limit, x.lazy.full = n, false
	}
}

// lazy is a machine whose arcs are created on demand: all arcs of a state, or those with a
// given label on one tape. It keeps the arcs that it has created.
type lazy[W any] struct {
	source  source[W]
	made    []Arc[W]
	answers [2]answers // to queries by tape; queries without a label are stored under Output
	limit   int        // on the number of arcs made
	full    bool       // arcs are missing because of the limit
}

// source creates the arcs of a lazy machine.
type source[W any] interface {
	// generate appends to dst the arcs of state s with a label on a tape, or all of them for
	// anyLabel. If the limit prevents it, it sets full.
	generate(dst []Arc[W], s int32, on Tape, label int32) []Arc[W]
	// estimate returns an estimate of the number of arcs that leave state s, at little cost.
	// Repeated calls must return the same number, because the order of a composition's arcs
	// depends on it.
	estimate(s int32) int
}

// answers holds the past queries, pairs of a state and a label + 1, each with its span of
// lazy.made. A query without a label has 0 in place of label + 1.
type answers struct {
	bound int64 // exclusive upper bound of the labels
	asked pairTable
	spans []span
}

// manyStates is an exclusive upper bound of the states and labels of any machine.
const manyStates = int64(maxLimit + 1)

func (x *answers) reset(bound int64) {
	x.bound = bound
	x.asked.reset(manyStates, bound+1)
	x.spans = x.spans[:0]
}

// reset empties l for a machine whose labels are less than in and out.
func (l *lazy[W]) reset(in, out int64) {
	l.made, l.limit, l.full = l.made[:0], maxLimit, false
	l.answers[Input].reset(in)
	l.answers[Output].reset(out)
}

// all returns the arcs of state s.
func (l *lazy[W]) all(s int32) []Arc[W] { return l.by(Output, s, anyLabel) }

// by returns the arcs of state s with a label on a tape, all of them for anyLabel.
func (l *lazy[W]) by(on Tape, s, label int32) []Arc[W] {
	x := &l.answers[on]
	if int64(label) >= x.bound {
		return nil
	}
	if n := x.asked.at(s, int64(label)+1); n >= 0 {
		at := x.spans[n]
		return l.made[at.lo:at.hi]
	}
	return l.answer(on, s, label)
}

// answer creates the arcs of state s with a label on a tape, unless the hash table contains the
// query.
func (l *lazy[W]) answer(on Tape, s, label int32) []Arc[W] {
	x := &l.answers[on]
	if x.asked.hashed() {
		if n := x.asked.table.Find(pairKey(s, int64(label)+1)); n >= 0 {
			at := x.spans[n]
			return l.made[at.lo:at.hi]
		}
	}
	lo := len(l.made)
	l.made = l.source.generate(l.made, s, on, label)
	if l.full { // discard the incomplete arcs
		l.made = l.made[:lo]
		return nil
	}
	x.asked.add(s, int64(label)+1)
	x.spans = append(x.spans, span{int32(lo), int32(len(l.made))})
	return l.made[lo:]
}

// memory returns l, for the machine that embeds it.
func (l *lazy[W]) memory() *lazy[W] { return l }

// fits reports whether k arcs can be appended to dst.
func (l *lazy[W]) fits(dst []Arc[W], k int) bool {
	if len(dst)+k > l.limit {
		l.full = true
	}
	return !l.full
}

// Finder is a Machine that finds the arcs of a state by label without creating all of them,
// such as a model with an arc for every label of a large alphabet. Compose then requests only
// the arcs that the other operand can match. It requests all arcs of a state only if both
// operands are Finders.
type Finder[W any] interface {
	Machine[W]
	// AppendMatching appends to dst the arcs of AppendArcs(s) with this label, which may be ε,
	// on a tape.
	AppendMatching(dst []Arc[W], s int32, tape Tape, label int32) []Arc[W]
}

// found is a lazy machine that queries a Finder, once per state and label.
type found[W any] struct {
	lazy[W]
	machine Finder[W]
}

func newFound[W any](m Finder[W]) *lazy[W] {
	f := &found[W]{machine: m}
	f.source = f
	f.reset(manyStates, manyStates)
	return &f.lazy
}

func (f *found[W]) generate(dst []Arc[W], s int32, on Tape, label int32) []Arc[W] {
	if label == anyLabel {
		dst = f.machine.AppendArcs(dst, s)
	} else {
		dst = f.machine.AppendMatching(dst, s, on, label)
	}
	f.fits(dst, 0)
	return dst
}

// estimate returns more than the number of arcs of any other machine.
func (f *found[W]) estimate(int32) int { return maxLimit }

// reader is the source of a lazy machine that reads another machine, each state once.
type reader[W any] struct {
	lazy[W]
	machine Machine[W]
	near    Tape // the arcs of a state are sorted by label on this tape
	states  keytable.Table[int32]
	rows    []span // per state, the span of its arcs
	arcs    []Arc[W]

	keys, order []int32 // scratch of sort
	unsorted    []Arc[W]
}

func newReader[W any](m Machine[W], near Tape) *lazy[W] {
	r := &reader[W]{machine: m, near: near}
	r.source = r
	r.reset(manyStates, manyStates)
	return &r.lazy
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
	r.sort(r.arcs[lo:])
	return r.arcs[lo:]
}

// sort sorts arcs by the label on one tape. stableOrder computes the order from labels alone,
// so packages that compose need not compile sorting for each arc type.
func (r *reader[W]) sort(arcs []Arc[W]) {
	r.keys = r.keys[:0]
	for i := range arcs {
		r.keys = append(r.keys, labelOn(&arcs[i], r.near))
	}
	order := stableOrder(&r.order, r.keys)
	if order == nil {
		return
	}
	r.unsorted = append(r.unsorted[:0], arcs...)
	for i, at := range order {
		arcs[i] = r.unsorted[at]
	}
}

// stableOrder returns the permutation that stably sorts keys, or nil if they are already
// sorted. The result is in *memory.
//
//go:noinline
func stableOrder(memory *[]int32, keys []int32) []int32 {
	if slices.IsSorted(keys) {
		return nil
	}
	order := resize((*memory)[:0], len(keys))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(keys[i], keys[j]) })
	*memory = order
	return order
}

func (r *reader[W]) generate(dst []Arc[W], s int32, on Tape, label int32) []Arc[W] {
	all := r.read(s)
	if on == r.near && label != anyLabel {
		lo := sort.Search(len(all), func(i int) bool { return labelOn(&all[i], on) >= label })
		hi := sort.Search(len(all), func(i int) bool { return labelOn(&all[i], on) > label })
		all = all[lo:hi]
	}
	if !r.fits(dst, len(all)) {
		return dst
	}
	for i := range all {
		if label == anyLabel || labelOn(&all[i], on) == label {
			dst = append(dst, all[i])
		}
	}
	return dst
}

func (r *reader[W]) estimate(s int32) int { return len(r.read(s)) }
