package fst

import "example.org/pathsum/semiring"

// OnDemand is the result of an operation whose states are made as they are asked for:
// a Machine that remembers what it has made. It belongs to one goroutine.
type OnDemand[W any] struct {
	operand Machine[W]
	ring    semiring.Semiring[W]
	draft   *draft[W]
	at      []int32             // per state: where it is in the draft, plus one
	create  func(s int32) error // makes state s the draft's next
	none    W
	err     error

	inSymbols, outSymbols *Symbols
}

// newOnDemand returns one with the ring and the symbols of its operand m.
func newOnDemand[W any](m Machine[W], d *draft[W], create func(s int32) error) *OnDemand[W] {
	x := &OnDemand[W]{operand: m, ring: m.Semiring(), draft: d, create: create, none: m.Semiring().Zero()}
	x.inSymbols, x.outSymbols = symbolsOf(m)
	return x
}

// Err returns the first error of the operation, nil if there has been none: the state
// where it was is not final and has no arcs. Without one, it is that of the operand, if
// this is an OnDemand or another Machine that has an Err.
func (x *OnDemand[W]) Err() error {
	if x.err != nil {
		return x.err
	}
	return errOf(x.operand)
}

// Semiring returns the ring of the weights.
func (x *OnDemand[W]) Semiring() semiring.Semiring[W] { return x.ring }

// InSymbols returns the names of the input labels, nil if they have none.
func (x *OnDemand[W]) InSymbols() *Symbols { return x.inSymbols }

// OutSymbols returns the names of the output labels, nil if they have none.
func (x *OnDemand[W]) OutSymbols() *Symbols { return x.outSymbols }

// AppendStarts appends the initial states to dst.
func (x *OnDemand[W]) AppendStarts(dst []Start[W]) []Start[W] { return append(dst, x.draft.starts...) }

// Final returns the final weight of state s, Zero if s is not final.
func (x *OnDemand[W]) Final(s int32) W {
	if n := x.place(s); n >= 0 {
		return x.draft.final[n]
	}
	return x.none
}

// AppendArcs appends the arcs that leave state s to dst.
func (x *OnDemand[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	n := x.place(s)
	if n < 0 {
		return dst
	}
	d, hi := x.draft, int32(x.draft.arcs.len())
	if int(n)+1 < len(d.row) {
		hi = d.row[n+1]
	}
	return d.arcs.appendTo(dst, d.row[n], hi)
}

// place returns where state s is in the draft, −1 after an error.
func (x *OnDemand[W]) place(s int32) int32 {
	for int(s) >= len(x.at) {
		x.at = append(x.at, 0)
	}
	if x.at[s] == 0 && x.err == nil {
		if x.err = x.create(s); x.err == nil {
			x.at[s] = int32(len(x.draft.final))
		}
	}
	return x.at[s] - 1
}
