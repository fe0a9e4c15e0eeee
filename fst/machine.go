package fst

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Epsilon is the label ε of an arc that does not move on a tape: it reads or writes the empty
// string there.
const Epsilon = 0

// Arc is an arc (p, In:Out/Weight, To). The source state p is implied by the arc's position.
type Arc[W any] = graph.Arc[W]

// Start makes State an initial state of weight Weight.
type Start[W any] = graph.Start[W]

// Machine is the common interface of frozen and lazy transducers. States are non-negative
// numbers returned by AppendStarts and AppendArcs; they need not be dense, and methods may only
// be called with such numbers. Labels are not negative. Repeated calls return the same results.
// A machine that may fail also has a method Err() error: see Err.
//
// Several goroutines may use an *FST at the same time. Any other Machine belongs to one
// goroutine, together with the machines that it was made from, unless documented otherwise.
type Machine[W any] = graph.Implicit[W]

var (
	// ErrMismatch is returned for machines that do not fit together: their rings or their
	// symbol tables differ.
	ErrMismatch = errors.New("machines do not fit together")
	// ErrInvalid is returned for a malformed machine.
	ErrInvalid = nested.ErrInvalid
)

// sameRing reports whether a and b are the same ring. Rings of one type that is not comparable
// are assumed to be the same.
func sameRing[W any](a, b semiring.Semiring[W]) (same bool) {
	defer func() {
		if recover() != nil { // the comparison panics only for such a type
			same = true
		}
	}()
	return a == b
}

// requireSameRing returns an error, wrapping ErrMismatch, that names two different rings.
func requireSameRing[W any](a, b semiring.Semiring[W]) error {
	if sameRing(a, b) {
		return nil
	}
	first, second := typename.Of(a), typename.Of(b)
	if first == second {
		return fmt.Errorf("%w: their weights belong to two different rings of the type %s, want one ring for both", ErrMismatch, first)
	}
	return fmt.Errorf("%w: their weights belong to the rings %s and %s, want one ring for both", ErrMismatch, first, second)
}

// Err returns the first error of a lazy machine, or of a machine that it was made from. It
// returns nil if there was no error, and for a frozen machine. The error names the operation
// that failed. A state whose creation failed has no arcs and is not final; a machine whose
// operation could not be applied has no states. Eager operations check Err themselves. Code
// that reads a lazy machine in another way must call it at the end.
func Err[W any](m Machine[W]) error {
	nonnil.Check("fst: Err", "machine", m)
	if x, ok := m.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

func isEpsilon(in, out int32) bool { return in|out == Epsilon }

// maxLimit is the greatest number of states or arcs of a machine.
const maxLimit = math.MaxInt32

// Options are for operations that compare weights or whose result may outgrow the input; nil
// stands for the zero value.
type Options struct {
	// Delta is the tolerance within which weights count as equal, in the sense of
	// semiring.Keyer; 0 stands for 1e-9, which absorbs rounding errors of equal weights.
	Delta float64
	// Limit bounds the work and memory of an operation, in the units of its doc comment. 0
	// stands for 20 million, at which determinization takes about a gigabyte. An operand that
	// is not frozen is expanded first, and must not have more states and arcs together than
	// Limit; here 0 stands for DefaultLimit. No limit exceeds 2³¹−1.
	Limit int
}

// given returns o.Limit, or 0 if it is not set.
func (o *Options) given() int {
	if o == nil {
		return 0
	}
	return max(o.Limit, 0)
}

// expandLimit returns the limit on the states and arcs of an expansion.
func (o *Options) expandLimit() int {
	return min(cmp.Or(o.given(), DefaultLimit), maxLimit)
}

// defaultDelta is the default of Options.Delta.
const defaultDelta = 1e-9

const defaultWork = 20_000_000

// resolved returns o with defaults filled in.
func (o *Options) resolved() Options {
	r := Options{Delta: defaultDelta, Limit: defaultWork}
	if o != nil && o.Delta > 0 {
		r.Delta = o.Delta
	}
	if o != nil && o.Limit > 0 {
		r.Limit = min(o.Limit, maxLimit)
	}
	return r
}

// Tape names one of the two tapes of a transducer.
type Tape int

// The tapes.
const (
	Input Tape = iota
	Output
)

// String returns the name of the tape.
func (t Tape) String() string {
	return named.One(t, "Tape", "input", "output")
}

// labelOn returns the label of an arc on a tape.
func labelOn[W any](a *Arc[W], t Tape) int32 {
	if t == Output {
		return a.Out
	}
	return a.In
}

// arcs is a struct of arrays of arcs.
type arcs[W any] struct {
	in, out, to []int32
	w           []W
}

func addArc[W any](a *arcs[W], in, out, to int32, w W) {
	a.in = append(a.in, in)
	a.out = append(a.out, out)
	a.to = append(a.to, to)
	a.w = append(a.w, w)
}

// addArcs adds the arcs of from and returns their number.
func addArcs[W any](a *arcs[W], from []Arc[W]) int {
	e, n := len(a.to), len(from)
	resizeArcs(a, e+n)
	in, out, to, w := a.in[e:e+n], a.out[e:e+n], a.to[e:e+n], a.w[e:e+n]
	for i := range from {
		x := &from[i]
		in[i], out[i], to[i], w[i] = x.In, x.Out, x.To, x.Weight
	}
	return n
}

// resizeArcs sets the number of arcs, keeping the existing ones.
func resizeArcs[W any](a *arcs[W], n int) {
	a.in = resize(a.in, n)
	a.out = resize(a.out, n)
	a.to = resize(a.to, n)
	a.w = resize(a.w, n)
}

// resize returns s with length n, keeping its contents and growing like append.
func resize[T any](s []T, n int) []T {
	if n > cap(s) {
		s = slices.Grow(s, n-len(s))
	}
	return s[:n]
}

// appendArcs appends the arcs lo … hi−1 of a to dst.
func appendArcs[W any](dst []Arc[W], a *arcs[W], lo, hi int32) []Arc[W] {
	for e := lo; e < hi; e++ {
		dst = append(dst, Arc[W]{In: a.in[e], Out: a.out[e], To: a.to[e], Weight: a.w[e]})
	}
	return dst
}

// chunks holds a list of arcs whose final length is unknown, in pieces of a fixed size. It
// grows without copying and without discarding arrays that became too short. Full chunks take
// less memory than the resulting arrays, because labels are packed into as few bytes as
// possible.
type chunks[W any] struct {
	full    []chunk
	weights [][]W // of the full chunks
	last    arcs[W]
}

// chunk is the part of a full chunk without weights.
type chunk struct {
	in, out packed
	to      []int32
}

// chunkArcs is the number of arcs of a chunk.
const chunkArcs = 1 << 13

func (c *chunks[W]) empty() bool { return len(c.full) == 0 && len(c.last.to) == 0 }

// extend adds arcs.
func (c *chunks[W]) extend(arcs []Arc[W]) {
	for len(arcs) > 0 {
		a := &c.last
		if cap(a.to) == 0 {
			n := len(a.to)
			resizeArcs(a, chunkArcs)
			resizeArcs(a, n)
		}
		n := addArcs(a, arcs[:min(len(arcs), chunkArcs-len(a.to))])
		arcs = arcs[n:]
		if len(a.to) == chunkArcs {
			c.full = append(c.full, chunk{in: pack(&a.in), out: pack(&a.out), to: a.to})
			c.weights = append(c.weights, a.w)
			a.to, a.w = make([]int32, 0, chunkArcs), make([]W, 0, chunkArcs)
		}
	}
}

// joinTo appends the arcs to a, which then has n arcs, and releases the chunks.
func (c *chunks[W]) joinTo(a *arcs[W], n int) {
	a.w = roomFor(a.w, n)
	for i, w := range c.weights {
		a.w, c.weights[i] = append(a.w, w...), nil
	}
	joinLinks(c.full, n, &a.to, &a.in, &a.out)
	a.in, a.out = append(a.in, c.last.in...), append(a.out, c.last.out...)
	a.to, a.w = append(a.to, c.last.to...), append(a.w, c.last.w...)
}

// joinLinks appends the targets and labels of chunks, n in total, and releases the chunks.
//
//go:noinline
func joinLinks(full []chunk, n int, to, in, out *[]int32) {
	*to = roomFor(*to, n)
	for i := range full {
		*to, full[i].to = append(*to, full[i].to...), nil
	}
	*in = roomFor(*in, n)
	for i := range full {
		*in, full[i].in = full[i].in.appendTo(*in), packed{}
	}
	*out = roomFor(*out, n)
	for i := range full {
		*out, full[i].out = full[i].out.appendTo(*out), packed{}
	}
}

// roomFor returns a copy of s with capacity n.
func roomFor[T any](s []T, n int) []T { return append(make([]T, 0, n), s...) }

// packed stores labels in the smallest sufficient number of bytes each. One of its arrays is in
// use.
type packed struct {
	narrow []uint8
	short  []uint16
	wide   []int32
}

// pack returns the packed labels, and empties the array.
func pack(labels *[]int32) packed {
	from := *labels
	*labels = from[:0]
	switch greatest := slices.Max(from); {
	case greatest <= math.MaxUint8:
		return packed{narrow: converted[uint8](from)}
	case greatest <= math.MaxUint16:
		return packed{short: converted[uint16](from)}
	}
	*labels = make([]int32, 0, chunkArcs)
	return packed{wide: from}
}

// appendTo appends the labels to dst.
func (p packed) appendTo(dst []int32) []int32 {
	dst = append(dst, p.wide...)
	for _, l := range p.narrow {
		dst = append(dst, int32(l))
	}
	for _, l := range p.short {
		dst = append(dst, int32(l))
	}
	return dst
}

func converted[T uint8 | uint16](from []int32) []T {
	to := make([]T, len(from))
	for i, l := range from {
		to[i] = T(l)
	}
	return to
}
