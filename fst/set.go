package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Intersect returns the acceptor of the strings of both a and b with the products of their
// weights, created on demand. It is Compose(a, b) for acceptors, with the same requirements and
// errors. Err also wraps ErrInvalid if a frozen machine has an arc with different labels.
func Intersect[W any](a, b Machine[W]) *Composition[W] {
	nonnil.Check("fst: Intersect", "machine 0", a, "machine 1", b)
	err := semiring.RequireCommutative(a.Semiring())
	for _, m := range []Machine[W]{a, b} {
		if f, ok := m.(*FST[W]); ok && err == nil {
			err = requireAcceptor(f)
		}
	}
	c := new(Composition[W])
	c.set("Intersect", a, b, err)
	return c
}

// Difference returns the acceptor of the strings of a that b does not accept, with their
// weights in a. The weights of b do not matter: b, over any ring, is the set of strings of its
// paths. It is expanded and determinized in the Boolean semiring immediately, within o.Limit.
// Err is as for Determinize, or wraps ErrInvalid for a machine that is not an acceptor, and
// ErrMismatch if both have names for their labels and the names differ. The states of the
// result are pairs of a state of a and at most one state of b.
func Difference[W, V any](a Machine[W], b Machine[V], o *Options) Machine[W] {
	nonnil.Check("fst: Difference", "machine 0", a, "machine 1", b)
	if err := refusal(a); err != nil {
		return Failed(a.Semiring(), err)
	}
	f, err := opened("Difference", b, o)
	if err != nil {
		return Failed(a.Semiring(), err)
	}
	d, err := difference(a, f, o.resolved())
	if err != nil {
		return Failed(a.Semiring(), failure("Difference", err, a, b))
	}
	return d
}

func difference[W, V any](a Machine[W], b *FST[V], o Options) (Machine[W], error) {
	if f, ok := a.(*FST[W]); ok {
		if err := requireAcceptor(f); err != nil {
			return nil, err
		}
	}
	in, out := symbolsOf(a)
	if in != nil && b.inSymbols != nil && !in.Equal(b.inSymbols) {
		return nil, fmt.Errorf("%w: the symbols of the two differ: %s; %s", ErrMismatch, in.difference(b.inSymbols), oneTable)
	}
	set, err := support(b, o)
	if err != nil {
		return nil, err
	}
	return newSubtraction(names{"Difference", in, out}, a, set, manyStates), nil
}

// support returns the deterministic acceptor of the strings of f.
func support[V any](f *FST[V], o Options) (*FST[bool], error) {
	if err := requireAcceptor(f); err != nil {
		return nil, err
	}
	set := mapFrozen(connect(f), semiring.Boolean{}, func(w V) bool { return !f.ring.IsZero(w) })
	set, err := whole(removeEpsilon[bool](set, o.Limit))
	if err != nil {
		return nil, err
	}
	return whole(determinizeAny[bool](set, o))
}

// subtraction is the acceptor a − b, created on demand.
type subtraction[W any] struct {
	names
	a      Machine[W]
	b      *FST[bool]
	arcs   *index // of b
	states pairTable
}

// newSubtraction returns a − b, where states is an exclusive upper bound on the states of a.
func newSubtraction[W any](n names, a Machine[W], b *FST[bool], states int64) *subtraction[W] {
	d := &subtraction[W]{names: n, a: a, b: b, arcs: b.labels.index(Input)}
	d.states.reset(states, int64(b.NumStates())+1)
	return d
}

// Err returns the error of a.
func (d *subtraction[W]) Err() error { return Err(d.a) }

// Semiring returns the ring of the first machine.
func (d *subtraction[W]) Semiring() semiring.Semiring[W] { return d.a.Semiring() }

// none stands for the absence of a state of b: no string of b has the current string as a
// prefix.
func (d *subtraction[W]) none() int64 { return int64(d.b.NumStates()) }

func (d *subtraction[W]) pair(a int32, b int64) int32 {
	if n := d.states.at(a, b); n >= 0 {
		return n
	}
	return d.states.number(a, b)
}

// AppendStarts appends the initial states to dst.
func (d *subtraction[W]) AppendStarts(dst []Start[W]) []Start[W] {
	first := d.none()
	for _, s := range d.b.starts {
		first = int64(s.State)
	}
	n := len(dst)
	dst = d.a.AppendStarts(dst)
	for i := range dst[n:] {
		dst[n+i].State = d.pair(dst[n+i].State, first)
	}
	return dst
}

// Final returns the final weight of state s, Zero if s is not final.
func (d *subtraction[W]) Final(s int32) W {
	p, q := d.states.pair(s)
	if q != d.none() && d.b.final[q] {
		return d.a.Semiring().Zero()
	}
	return d.a.Final(p)
}

// AppendArcs appends the arcs that leave state s to dst.
func (d *subtraction[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	p, q := d.states.pair(s)
	n := len(dst)
	dst = d.a.AppendArcs(dst, p)
	for i := range dst[n:] {
		x := &dst[n+i]
		next := q
		if x.In != Epsilon {
			next = d.after(q, x.In)
		}
		x.To = d.pair(x.To, next)
	}
	return dst
}

// after returns the successor of state q of b by label.
func (d *subtraction[W]) after(q int64, label int32) int64 {
	if q == d.none() {
		return q
	}
	at := d.arcs.find(int32(q), label, anyLabel)
	if at.lo == at.hi {
		return d.none()
	}
	e := at.lo
	if len(d.arcs.arc) > 0 {
		e = d.arcs.arc[e]
	}
	return int64(d.b.arcs.to[e])
}

// Complement returns a deterministic acceptor, over the ring of m, of the strings over the
// alphabet that m does not accept, each with weight One: the Difference of all strings and m.
// Err is as for Difference, and wraps ErrInvalid if the alphabet contains ε or a negative
// label. The result may have states from which no final state is reachable: see Connect. It
// takes the determinization of m, and O(alphabet) per visited state.
func Complement[W any](m Machine[W], alphabet []int32, o *Options) Machine[W] {
	nonnil.Check("fst: Complement", "machine", m)
	return lazilyOf("Complement", m, o, m.Semiring(), func(f *FST[W]) (Machine[W], error) {
		return complement(f, alphabet, o.resolved())
	})
}

func complement[W any](f *FST[W], alphabet []int32, o Options) (Machine[W], error) {
	letters := slices.Compact(slices.Sorted(slices.Values(alphabet)))
	if len(letters) > 0 && letters[0] <= Epsilon {
		return nil, fmt.Errorf("%w: label %d in the alphabet, want none below 1", ErrInvalid, letters[0])
	}
	set, err := support(f, o)
	if err != nil {
		return nil, err
	}
	return newSubtraction[W](names{"Complement", f.inSymbols, f.outSymbols}, universe(f.ring, letters), set, 1), nil
}

// universe returns the acceptor of all strings of letters, with one state.
func universe[W any](ring semiring.Semiring[W], letters []int32) *FST[W] {
	d := new(draft[W])
	d.start(d.state(ring.One()), ring.One())
	for _, l := range letters {
		addArc(&d.arcs, l, l, 0, ring.One())
	}
	f, err := d.freeze(ring)
	if err != nil {
		panic(err.Error()) // an alphabet of 2³¹ letters
	}
	f.unit = true
	return f
}
