package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// DefaultLimit is the default limit of an expansion on the number of states and arcs together.
// 100 million arcs take 2 gigabytes if a weight takes 8 bytes, and up to 2 gigabytes more
// during the expansion.
const DefaultLimit = 100_000_000

// Expand freezes m: the part that is reachable from its initial states, with states in
// breadth-first order of discovery. A frozen machine is returned as is. Union, Concat and the
// closures of frozen machines keep the order of states, including unreachable ones.
// RemoveEpsilon of a frozen machine keeps the order as well. Expand does not trim: see Connect.
//
// The error wraps semiring.ErrLimit if there are more than o.Limit states and arcs together, or
// if a composition within m has to keep more arcs than that. If o.Limit is not set, the limit
// is DefaultLimit, and there is no limit for a frozen m. If m, or a machine that it is made
// from, has failed, the error is the result of Err. O(states + arcs) time and memory.
//
// Expansion uses a single goroutine, so the numbers of states are deterministic, and so is the
// order of the products that a ring may keep.
func Expand[W any](m Machine[W], o *Options) (*FST[W], error) {
	f, err := opened("Expand", m, o)
	if err != nil {
		return nil, err
	}
	if err := o.bounds(f); err != nil {
		return nil, failure("Expand", err, m)
	}
	return f, nil
}

// bounds returns an error if o.Limit is set and a frozen machine has more states and arcs.
func (o *Options) bounds(f interface {
	NumStates() int
	NumArcs() int
}) error {
	if limit := o.given(); limit > 0 && f.NumStates()+f.NumArcs() > limit {
		return errLimit(limit)
	}
	return nil
}

// freezer is a lazy machine that can be frozen without querying every state.
type freezer[W any] interface {
	// freeze returns the frozen form, which may have outgrown the limit, or nil if every state
	// has to be queried.
	freeze(limit int) (*FST[W], error)
}

// shortcut returns the frozen form of m if it is available without querying every state,
// otherwise nil.
func shortcut[W any](m Machine[W], limit int) (f *FST[W], err error) {
	switch x := m.(type) {
	case *FST[W]:
		f = x
	case looker[W]:
		f, _, _ = x.looking()
	case freezer[W]:
		if f, err = x.freeze(limit); f == nil || err != nil {
			return nil, err
		}
		if in, out := symbolsOf(m); in != f.inSymbols || out != f.outSymbols {
			f = f.WithSymbols(in, out)
		}
		if f.NumStates()+f.NumArcs() > limit {
			return nil, errLimit(limit)
		}
	}
	return f, nil
}

// whole expands the result m of an operation with its own limit, unless the operation failed
// with err.
func whole[W any](m Machine[W], err error) (*FST[W], error) {
	if err != nil {
		return nil, err
	}
	return expandWithin(m, maxLimit)
}

// expandWithin is Expand within a resolved limit.
func expandWithin[W any](m Machine[W], limit int) (*FST[W], error) {
	if f, err := shortcut(m, limit); f != nil || err != nil {
		return f, err
	}
	e := expansion[W]{draft: new(draft[W])}
	if err := e.expand(m, limit); err != nil {
		return nil, err
	}
	f, err := e.draft.freeze(m.Semiring())
	if err != nil {
		return nil, err
	}
	f.inSymbols, f.outSymbols = symbolsOf(m)
	return f, nil
}

func errLimit(limit int) error {
	return fmt.Errorf("%w: more than %d states and arcs", semiring.ErrLimit, limit)
}

// expansion fills a draft with the reachable part of a machine. The first arcs are added to the
// draft itself, whose arrays are reallocated at most once, in the right size. For a
// composition, this size is found by counting the remaining arcs before they are created. A
// composition that looks ahead is not counted, because its tests of states cost more than arcs.
// The remaining arcs of other machines are collected in chunks.
type expansion[W any] struct {
	draft  *draft[W]
	seen   keytable.Table[int32] // states of a machine in the order of their discovery
	chunks chunks[W]
	arcs   int      // in the draft and the chunks
	buf    []Arc[W] // further arcs, of a few states
}

// fewStates is the number of states of a composition whose arcs the processor's caches probably
// contain, so that they are not read in advance.
const fewStates = 1 << 10

// batchArcs is the number of arcs at which buf is flushed.
const batchArcs = 1 << 10

func (e *expansion[W]) expand(m Machine[W], limit int) error {
	e.seen.Reset()
	e.chunks, e.arcs, e.buf = chunks[W]{}, 0, e.buf[:0]
	var complete bool
	if c, ok := m.(composed[W]); ok {
		complete = e.composition(c, limit)
	} else {
		complete = e.machine(m, limit)
	}
	if err := Err(m); err != nil {
		return err
	}
	if !complete {
		return errLimit(limit)
	}
	e.finish()
	return nil
}

// composed is the interface of a Composition. With an interface, code that expands machines
// need not compile code that composes them.
type composed[W any] interface {
	Machine[W]
	source[W]
	State(s int32) (a, b int32)
	NumStates() int
	count(s int32) int
	prepare(s int32)
	place(a *arcs[W], n int, s int32, row []int32) []int32
	endSurvey()
	tested() bool
	setLimit(n int)
	outgrown() bool
}

// composition expands c, whose states are numbered as they are discovered, and
// reports whether it stayed within the limit.
func (e *expansion[W]) composition(c composed[W], limit int) bool {
	c.setLimit(limit)
	defer c.setLimit(maxLimit)
	defer c.endSurvey()
	e.draft.starts = c.AppendStarts(e.draft.starts)
	sized := !c.tested()
	for s := 0; s < c.NumStates(); s++ {
		if sized && len(e.buf) >= batchArcs && !e.fits() {
			return e.rest(c, s, limit)
		}
		e.state(c.Final(int32(s)))
		if s >= fewStates {
			c.prepare(int32(s))
		}
		e.buf = c.generate(e.buf, int32(s), Output, anyLabel)
		if c.outgrown() || e.size() > limit {
			return false
		}
	}
	return !sized || e.fits() || e.rest(c, c.NumStates(), limit)
}

// rest expands the states of c from s on: it counts their arcs, makes room for all arcs, and
// then creates the counted ones. It reports whether c stayed within the limit.
func (e *expansion[W]) rest(c composed[W], s, limit int) bool {
	n := e.arcs + len(e.buf)
	for s := s; s < c.NumStates(); s++ {
		if n += c.count(int32(s)); c.outgrown() || c.NumStates()+n > limit {
			return false
		}
	}
	d, states := e.draft, c.NumStates()
	d.row, d.final = slices.Grow(d.row, states+1-len(d.row)), slices.Grow(d.final, states-len(d.final))
	a := &d.arcs
	a.in, a.out, a.to, a.w = roomFor(a.in, n), roomFor(a.out, n), roomFor(a.to, n), roomFor(a.w, n)
	e.flush()
	resizeArcs(a, n)
	d.row = c.place(a, e.arcs, int32(s), d.row)
	for ; s < states; s++ {
		d.final = append(d.final, c.Final(int32(s)))
	}
	e.arcs = n
	return true
}

// machine expands any other machine.
func (e *expansion[W]) machine(m Machine[W], limit int) bool {
	starts := m.AppendStarts(e.draft.starts)
	for i := range starts {
		starts[i].State, _ = e.seen.Number(starts[i].State)
	}
	e.draft.starts = starts
	for s := 0; s < len(e.seen.Keys()); s++ {
		state := e.seen.Keys()[s]
		e.state(m.Final(state))
		n := len(e.buf)
		e.buf = m.AppendArcs(e.buf, state)
		if e.size() > limit {
			return false
		}
		for i := range e.buf[n:] {
			a := &e.buf[n+i]
			a.To, _ = e.seen.Number(a.To)
		}
	}
	return true
}

// state begins a state.
func (e *expansion[W]) state(final W) {
	if len(e.buf) >= batchArcs {
		e.flush()
	}
	d := e.draft
	d.row = append(d.row, int32(e.arcs+len(e.buf)))
	d.final = append(d.final, final)
}

// size returns the number of states and arcs so far.
func (e *expansion[W]) size() int { return len(e.draft.final) + e.arcs + len(e.buf) }

// fits reports whether the draft has room for the arcs in buf, or may grow for them.
func (e *expansion[W]) fits() bool {
	return e.arcs+len(e.buf) <= max(chunkArcs, cap(e.draft.arcs.to))
}

// flush moves the arcs in buf to the draft, or to chunks.
func (e *expansion[W]) flush() {
	if e.chunks.empty() && e.fits() {
		addArcs(&e.draft.arcs, e.buf)
	} else {
		e.chunks.extend(e.buf)
	}
	e.arcs += len(e.buf)
	e.buf = e.buf[:0]
}

// finish joins the draft's arcs and the chunks.
func (e *expansion[W]) finish() {
	e.flush()
	if !e.chunks.empty() {
		e.chunks.joinTo(&e.draft.arcs, e.arcs)
		e.chunks = chunks[W]{}
	}
}
