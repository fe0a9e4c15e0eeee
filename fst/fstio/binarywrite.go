package fstio

import (
	"fmt"
	"io"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// WriteBinary writes m, whose ring must be a semiring.Probabilistic, in OpenFst's binary form, with
// the tables of symbols of m. Weights become −ln p, rounded to 32 bits if the type of the arcs
// requires it. Several initial states, or one whose weight is not One, are replaced as by
// WriteText.
//
// The error wraps fst.ErrInvalid for a weight without a logarithm, too far from 1 for 32 bits, or
// with more than a probability, such as an Expected whose V is not 0; for a state that the
// container cannot store, or a number of arcs too great for its positions. Other errors come from
// w, or from fst.Expand for a machine that is not frozen. O(states + arcs) time, and the memory of
// a buffer.
func WriteBinary[W any](w io.Writer, m fst.Machine[W], o *Binary) error {
	nonnil.Check("fstio: WriteBinary", "writer", w, "machine", m)
	f, err := fst.Expand(m, nil)
	if err != nil {
		return err
	}
	form, err := formOf(o, f.Semiring())
	if err != nil {
		return nested.Errorf("fstio: %w", err)
	}
	s := newSink(w)
	if err := writeBinary(s, f, form); err != nil {
		return err
	}
	return s.out.Flush()
}

// WriteBinaryFile is WriteBinary to a named file: see WriteTextFile.
func WriteBinaryFile[W any](name string, m fst.Machine[W], o *Binary) error {
	nonnil.Check("fstio: WriteBinaryFile", "machine", m)
	return writeMachine(name, m, func(w io.Writer, f *fst.FST[W]) error { return WriteBinary(w, f, o) })
}

func writeBinary[W any](s *sink, f *fst.FST[W], form binaryForm) error {
	costs, err := newCosts(f.Semiring())
	if err != nil {
		return nested.Errorf("fstio: %w", err)
	}
	b := binaryWriter[W]{sink: s, binaryForm: form, f: f, costs: costs}
	b.initial = initialOf(f, func(w W) bool {
		cost, err := costs.cost(w)
		return err == nil && cost == 0
	})
	b.writeHeader()
	switch {
	case b.element != nil:
		b.compact()
	case b.index > 0:
		b.constant()
	default:
		b.vector()
	}
	return b.err
}

// binaryWriter writes a machine. The first error about a weight is kept in err.
type binaryWriter[W any] struct {
	*sink
	binaryForm
	initial[W]
	f      *fst.FST[W]
	costs  costs[W]
	buffer []fst.Arc[W]
	err    error
}

func (b *binaryWriter[W]) writeHeader() {
	h := header{
		binaryForm: b.binaryForm, properties: propertyExpanded, start: int64(b.state),
		states: int64(b.numStates(b.f)), arcs: int64(b.f.NumArcs() + len(b.arcs)),
	}
	if b.container == Vector {
		h.properties |= propertyMutable
	}
	if b.f.InSymbols() != nil {
		h.flags |= flagIn
	}
	if b.f.OutSymbols() != nil {
		h.flags |= flagOut
	}
	b.header(h)
	for tape, t := range []*fst.Symbols{b.f.InSymbols(), b.f.OutSymbols()} {
		if t != nil {
			b.symbols(t, [...]string{"input", "output"}[tape])
		}
	}
}

// leave returns the arcs of a state, and its final weight as −ln p.
func (b *binaryWriter[W]) leave(s int32) ([]fst.Arc[W], float64) {
	if int(s) == b.f.NumStates() {
		return b.arcs, math.Inf(1)
	}
	b.buffer = b.f.AppendArcs(b.buffer[:0], s)
	return b.buffer, b.costOf(b.f.Final(s), s)
}

func (b *binaryWriter[W]) vector() {
	for s := range b.numStates(b.f) {
		arcs, final := b.leave(s)
		b.cost(b.wide, final)
		b.int64(int64(len(arcs)))
		for _, a := range arcs {
			b.arc(s, a)
		}
	}
}

func (b *binaryWriter[W]) constant() {
	first := 0
	for s := range b.numStates(b.f) {
		arcs, final := b.leave(s)
		in, out := 0, 0
		for _, a := range arcs {
			if a.In == 0 {
				in++
			}
			if a.Out == 0 {
				out++
			}
		}
		begin := b.offset
		b.cost(b.wide, final)
		b.pad(begin, b.index)
		for _, n := range []int{first, len(arcs), in, out} {
			b.position(n)
		}
		b.pad(begin, b.costSize())
		first += len(arcs)
	}
	for s := range b.numStates(b.f) {
		arcs, _ := b.leave(s)
		for _, a := range arcs {
			begin := b.offset
			b.arc(s, a)
			b.pad(begin, b.costSize())
		}
	}
}

// position writes a number of arcs or elements.
func (b *binaryWriter[W]) position(n int) {
	b.checkPosition(n)
	b.uint(b.index, uint64(n))
}

func (b *binaryWriter[W]) checkPosition(n int) {
	if most := uint64(1)<<(8*b.index) - 1; uint64(n) > most && b.err == nil {
		b.err = nested.Errorf("fstio: %w: a position %d, of at most %d in a machine of type %s", fst.ErrInvalid, n, most, b.container)
	}
}

func (b *binaryWriter[W]) arc(from int32, a fst.Arc[W]) {
	b.int32(a.In)
	b.int32(a.Out)
	b.cost(b.wide, b.costOf(a.Weight, from))
	b.int32(a.To)
}

// costOf returns −ln p of a weight of state s or of an arc that leaves it.
func (b *binaryWriter[W]) costOf(w W, s int32) float64 {
	cost, err := b.costs.cost(w)
	if err == nil && !b.wide && math.Abs(cost) > math.MaxFloat32 && !math.IsInf(cost, 1) {
		err = fmt.Errorf("has −ln p = %g", cost)
	}
	if b.err == nil && err != nil {
		b.err = nested.Errorf("fstio: %w: a weight %v at state %d %w, which is not a weight of %s arcs", fst.ErrInvalid, w, s, err, b.binaryForm.arc)
	}
	return cost
}

// compact writes the positions of the elements of every state, unless each state has one element,
// and then the elements.
func (b *binaryWriter[W]) compact() {
	if b.element.to {
		n := 0
		b.position(n)
		for s := range b.numStates(b.f) {
			arcs, final := b.leave(s)
			if !math.IsInf(final, 1) {
				n++
			}
			n += len(arcs)
			b.position(n)
		}
	}
	for s := range b.numStates(b.f) {
		arcs, final := b.leave(s)
		n := len(arcs)
		if !math.IsInf(final, 1) {
			n++
			b.writeElement(s, -1, -1, final, -1)
		}
		if !b.element.to {
			b.checkPosition(int(s))
			if n != 1 {
				b.unfit(s, "%d arcs and final weights, want 1", n)
			}
		}
		for _, a := range arcs {
			b.writeElement(s, a.In, a.Out, b.costOf(a.Weight, s), a.To)
		}
	}
}

func (b *binaryWriter[W]) writeElement(s, in, out int32, cost float64, to int32) {
	begin := b.offset
	b.int32(in)
	if b.element.out {
		b.int32(out)
	} else if in != out {
		b.unfit(s, "the labels %d:%d, want the same", in, out)
	}
	if b.element.weight {
		b.pad(begin, b.costSize())
		b.cost(b.wide, cost)
	} else if cost != 0 {
		b.unfit(s, "−ln p = %g, want 0", cost)
	}
	if b.element.to {
		b.int32(to)
	} else if to >= 0 && to != s+1 {
		b.unfit(s, "an arc to state %d, want %d", to, s+1)
	}
	if b.element.weight {
		b.pad(begin, b.costSize())
	}
}

// unfit keeps the error for a state that the container cannot store.
func (b *binaryWriter[W]) unfit(s int32, format string, args ...any) {
	if b.err == nil {
		b.err = nested.Errorf("fstio: %w: state %d has %s, in a machine of type %s", fst.ErrInvalid, s, fmt.Sprintf(format, args...), b.container)
	}
}
