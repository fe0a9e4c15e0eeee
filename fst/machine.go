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

// Epsilon is the label ε of an arc that does not move on that tape.
const Epsilon = 0

// Arc is an arc (p, In:Out/Weight, To); p is known from where the arc is kept.
type Arc[W any] = graph.Arc[W]

// Start makes State an initial state of weight Weight.
type Start[W any] = graph.Start[W]

// Machine is what frozen and lazy transducers have in common. States are non-negative
// numbers that the machine hands out through AppendStarts and AppendArcs; no other numbers
// may be asked about, and they need not be dense. Labels are not negative. The same
// question always has the same answer. A machine that may fail has a method Err() error as
// well: see Err.
//
// An *FST may be used by many goroutines at a time; another Machine belongs to one, unless
// it says otherwise, and so do the machines that it was made from.
type Machine[W any] = graph.Implicit[W]

var (
	// ErrMismatch is wrapped by the error for machines that do not fit together:
	// their rings or their symbol tables differ.
	ErrMismatch = errors.New("machines do not fit together")
	// ErrInvalid is wrapped by the error for a malformed machine.
	ErrInvalid = nested.ErrInvalid
)

// sameRing reports whether a and b are one ring. Rings of one type that cannot
// be compared are taken on trust.
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

// Err returns the first error of a lazy machine, or of one that it was made from; nil if
// there has been none, and for a frozen machine. It names the operation that failed. States
// have no arcs, and are not final, where making them failed; a machine whose operation could
// not be applied has no states. Operations that compute check Err themselves. Whoever reads a
// lazy machine in another way asks it at the end.
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

// Options are for operations that tell weights apart or may outgrow their
// input; nil stands for the zero value.
type Options struct {
	// Delta is how close weights count as equal, in the sense of semiring.Keyer;
	// 0 stands for 1e-9, which is for what rounding makes of equal weights.
	Delta float64
	// Limit bounds the work and memory of an operation, in the units of its doc comment. 0
	// stands for 20 million, until which determinization takes about a gigabyte. An operand
	// that is not frozen is expanded first, and must not have more states and arcs together
	// than Limit; here 0 stands for DefaultLimit. No limit exceeds 2³¹−1.
	Limit int
}

// given returns o.Limit, 0 if there is none.
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

// defaultDelta is the Delta of Options by default.
const defaultDelta = 1e-9

const defaultWork = 20_000_000

// resolved returns what o stands for.
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

// String returns what it is called.
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

// arcs are arcs as a struct of arrays.
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

// addArcs adds the arcs of from and returns how many.
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

// resizeArcs sets the number of arcs, keeping those that there are.
func resizeArcs[W any](a *arcs[W], n int) {
	a.in = resize(a.in, n)
	a.out = resize(a.out, n)
	a.to = resize(a.to, n)
	a.w = resize(a.w, n)
}

// resize returns s with length n, contents kept, as append would do it.
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

// chunks are arcs whose number is not known, array by array in pieces of a fixed size:
// they grow without copies, and without the garbage of arrays that were too short. What
// has an end takes less room than in the arrays that come of it, as labels take no more
// bytes than they need.
type chunks[W any] struct {
	full    []chunk
	weights [][]W // of the full chunks
	last    arcs[W]
}

// chunk is what is not about weights.
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

// joinTo adds the arcs to those of a, which become n. It takes the chunks.
func (c *chunks[W]) joinTo(a *arcs[W], n int) {
	a.w = roomFor(a.w, n)
	for i, w := range c.weights {
		a.w, c.weights[i] = append(a.w, w...), nil
	}
	joinLinks(c.full, n, &a.to, &a.in, &a.out)
	a.in, a.out = append(a.in, c.last.in...), append(a.out, c.last.out...)
	a.to, a.w = append(a.to, c.last.to...), append(a.w, c.last.w...)
}

// joinLinks adds the targets and labels of chunks, which it takes. They become n.
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

// roomFor returns a copy of s that has room for n elements.
func roomFor[T any](s []T, n int) []T { return append(make([]T, 0, n), s...) }

// packed are labels in the least number of bytes each. One of its arrays has them.
type packed struct {
	narrow []uint8
	short  []uint16
	wide   []int32
}

// pack returns the labels packed, and empties the array.
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
