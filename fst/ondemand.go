package fst

import (
	"errors"

	"example.org/pathsum/semiring"
)

// onDemand is the result of an operation that keeps the states that it has made, in a
// draft. Expand takes over the draft of one that has not been asked about states out of
// their order: so operations that have no other engine are as fast as they can be.
type onDemand[W any] struct {
	names
	operand Machine[W]
	ring    semiring.Semiring[W]
	draft   *draft[W]
	at      []int32             // per state: where it is in the draft, plus one
	create  func(s int32) error // makes state s the draft's next
	known   func() int          // number of states met so far; no other one is asked for
	begin   func() error        // if not nil, prepares the draft for all states
	within  func(limit int)     // if not nil, bounds what create and begin may make by the way
	same    bool                // the draft has no output labels, they are the input labels
	none    W
	frozen  *FST[W] // not nil: has taken the draft
	err     error
}

// newOnDemand returns the result of an operation on m, with the ring and the symbols of m.
func newOnDemand[W any](op string, m Machine[W], d *draft[W], known func() int, create func(s int32) error) *onDemand[W] {
	x := &onDemand[W]{operand: m, ring: m.Semiring(), draft: d, known: known, create: create, none: m.Semiring().Zero()}
	x.op = op
	x.inSymbols, x.outSymbols = symbolsOf(m)
	return x
}

// Err returns the first error of the operation, or of its operand.
func (x *onDemand[W]) Err() error {
	if x.err != nil {
		return x.err
	}
	return Err(x.operand)
}

// Semiring returns the ring of the weights.
func (x *onDemand[W]) Semiring() semiring.Semiring[W] { return x.ring }

// AppendStarts appends the initial states to dst.
func (x *onDemand[W]) AppendStarts(dst []Start[W]) []Start[W] { return append(dst, x.draft.starts...) }

// Final returns the final weight of state s, Zero if s is not final.
func (x *onDemand[W]) Final(s int32) W {
	if n := x.place(s); n >= 0 {
		return x.draft.final[n]
	}
	return x.none
}

// AppendArcs appends the arcs that leave state s to dst.
func (x *onDemand[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	n := x.place(s)
	if n < 0 {
		return dst
	}
	d, hi := x.draft, int32(len(x.draft.arcs.to))
	if int(n)+1 < len(d.row) {
		hi = d.row[n+1]
	}
	a := d.arcs
	if x.same {
		a.out = a.in
	}
	return appendArcs(dst, &a, d.row[n], hi)
}

// place returns where state s is in the draft, −1 after an error.
func (x *onDemand[W]) place(s int32) int32 {
	for int(s) >= len(x.at) {
		x.at = append(x.at, 0)
	}
	if x.at[s] == 0 && x.err == nil {
		if x.err = x.failure(x.create(s)); x.err == nil {
			x.at[s] = int32(len(x.draft.final))
		}
	}
	return x.at[s] - 1
}

// failure returns err under the name of the operation, which is "" if the caller gives one.
func (x *onDemand[W]) failure(err error) error {
	if err == nil || x.op == "" { // of most states: nothing is allocated for them
		return err
	}
	return failure(x.op, err, x.operand)
}

// outgrown returns the error, and forgets one that a greater limit on an expansion avoids.
func (x *onDemand[W]) outgrown() error {
	err := x.err
	if errors.As(err, new(passing)) {
		x.err = nil
	}
	return err
}

// passing is an error for what outgrew the limit of an expansion, and not that of the operation.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// freeze makes all states in their order and returns the machine; nil if that is not the
// order in which they have been asked about.
func (x *onDemand[W]) freeze(limit int) (*FST[W], error) {
	if x.frozen != nil {
		return x.frozen, nil
	}
	if x.within != nil {
		x.within(limit)
		defer x.within(maxLimit)
	}
	d := x.draft
	if x.begin != nil && len(d.final) == 0 {
		if x.err = x.failure(x.begin()); x.err != nil {
			return nil, x.outgrown()
		}
	}
	for s := int32(0); int(s) < x.known(); s++ {
		switch n := x.place(s); {
		case x.err != nil:
			return nil, x.outgrown()
		case n != s:
			return nil, nil
		}
		if len(d.final)+len(d.arcs.to) > limit {
			return nil, errLimit(limit)
		}
	}
	if err := x.Err(); err != nil {
		return nil, err
	}
	if x.same {
		d.arcs.out = d.arcs.in
	}
	f, err := d.freeze(x.ring)
	if err != nil {
		return nil, err
	}
	d.row = f.labels.row
	f.inSymbols, f.outSymbols = x.inSymbols, x.outSymbols
	x.frozen = f
	return f, nil
}

// stateReader reads the states of a machine, a frozen one's where they are.
type stateReader[W any] struct {
	m      Machine[W]
	f      *FST[W] // m if it is frozen, else nil
	buf    []Arc[W]
	copied arcs[W]
}

func newStateReader[W any](m Machine[W]) stateReader[W] {
	f, _ := m.(*FST[W])
	return stateReader[W]{m: m, f: f}
}

// finalOf returns the final weight of state s.
func (r *stateReader[W]) finalOf(s int32) W {
	if f := r.f; f != nil {
		return f.final[s]
	}
	return r.m.Final(s)
}

// arcsOf returns arrays, and where in them the arcs of state s are, until the next call.
func (r *stateReader[W]) arcsOf(s int32) (*arcs[W], span) {
	if f := r.f; f != nil {
		return &f.arcs, span{f.labels.row[s], f.labels.row[s+1]}
	}
	r.buf = r.m.AppendArcs(r.buf[:0], s)
	resizeArcs(&r.copied, 0)
	addArcs(&r.copied, r.buf)
	return &r.copied, span{0, int32(len(r.copied.to))}
}
