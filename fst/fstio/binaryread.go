package fstio

import (
	"io"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// ReadBinary reads a machine in OpenFst's binary form: vector, const or compact, with positions of
// any width (see Container), with standard, log or log64 arcs, aligned or not, and with or without
// tables of symbols. The ring must be a semiring.Probabilistic and converts −ln p to weights,
// whatever the type of the arcs. Data after the machine are ignored, but may have been read into a
// buffer.
//
// The error is a *ParseError, with the offset of the byte, for data of another form. This includes
// a state that does not exist, a negative label, and a weight that is NaN or +∞ as a probability.
// It wraps semiring.ErrLimit for more than 2³¹−1 states or arcs, and for a p outside the range of
// the ring. Time and memory are proportional to the data, whatever sizes the header claims.
func ReadBinary[W any](r io.Reader, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadBinary", "reader", r, "ring", ring)
	return readBinary(newSource(r, ""), ring)
}

// ReadBinaryFile is ReadBinary for a named file, which is decompressed if its name ends in .gz.
func ReadBinaryFile[W any](name string, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadBinaryFile", "ring", ring)
	return readFile(name, func(r io.Reader) (*fst.FST[W], error) { return readBinary(newSource(r, name), ring) })
}

func readBinary[W any](s *source, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	costs, err := newCosts(ring)
	if err != nil {
		return nil, nested.Errorf("fstio: %w", err)
	}
	b := binaryReader[W]{source: s, costs: costs, builder: fst.NewBuilder(ring), one: ring.One(), last: -1}
	b.builder.AllowZero()
	at := s.offset
	b.header = s.header()
	var in, out *fst.Symbols
	if b.flags&flagIn != 0 {
		in, _ = s.symbols()
	}
	if b.flags&flagOut != 0 {
		out, _ = s.symbols()
	}
	switch {
	case b.element != nil:
		b.compact()
	case b.index > 0:
		b.constant()
	default:
		b.vector()
	}
	switch {
	case b.start >= b.states:
		s.fail(at, "the initial state is %d of %d states", b.start, b.states)
	case int64(b.last) >= b.states:
		s.fail(b.lastAt, "an arc leads to state %d of %d states", b.last, b.states)
	}
	if s.err != nil {
		return nil, s.err
	}
	if b.start >= 0 {
		b.builder.AddStart(int32(b.start), b.one)
	}
	b.builder.SetSymbols(in, out)
	return b.builder.Freeze()
}

// binaryReader builds a machine from binary data.
type binaryReader[W any] struct {
	*source
	header
	costs   costs[W]
	builder *fst.Builder[W]
	one     W
	last    int32 // the greatest target of an arc, -1 before the first
	lastAt  int64 // offset of that arc
}

// vector reads states, each followed by its arcs, up to the number in the header or to the end of
// the data, and sets states to their number.
func (b *binaryReader[W]) vector() {
	n := int64(0)
	for ; b.err == nil && n != b.states && !(b.states < 0 && b.end()); n++ {
		s := b.builder.AddState()
		b.builder.SetFinal(s, b.weight())
		for range b.count(b.int64(), "arcs") {
			if b.err != nil {
				break
			}
			b.arc(s)
		}
	}
	b.states = n
}

// constant reads all states and then all arcs.
func (b *binaryReader[W]) constant() {
	b.align()
	var arcs []uint32 // per state
	total := int64(0)
	for range b.count(b.states, "states") {
		if b.err != nil {
			return
		}
		at := b.offset
		b.builder.SetFinal(b.builder.AddState(), b.weight())
		b.pad(at, b.index)
		first, n := uintOf(b.bytes(b.index)), b.count(int64(uintOf(b.bytes(b.index))), "arcs")
		b.skip(2 * b.index) // numbers of ε
		b.pad(at, b.costSize())
		if first != uint64(total) {
			b.fail(at, "the arcs of state %d begin at %d, want %d", len(arcs), first, total)
		}
		arcs = append(arcs, uint32(n))
		total += n
	}
	if total != b.arcs {
		b.fail(b.offset, "the states have %d arcs, but the header declares %d", total, b.arcs)
	}
	b.align()
	for s, n := range arcs {
		for range n {
			if b.err != nil {
				return
			}
			at := b.offset
			b.arc(int32(s))
			b.pad(at, b.costSize())
		}
	}
}

// align moves to the beginning of an array.
func (b *binaryReader[W]) align() {
	if b.flags&flagAligned != 0 {
		b.pad(0, alignment)
	}
}

func (b *binaryReader[W]) count(n int64, what string) int64 {
	if n < 0 || n > math.MaxInt32 {
		b.fail(b.offset, "%d %s, want 0 to 2³¹−1", n, what)
		return 0
	}
	return n
}

func (b *binaryReader[W]) arc(from int32) {
	at := b.offset
	b.add(at, from, fst.Arc[W]{In: b.int32(), Out: b.int32(), Weight: b.weight(), To: b.int32()})
}

// add adds an arc that was read at an offset.
func (b *binaryReader[W]) add(at int64, from int32, a fst.Arc[W]) {
	switch {
	case a.In < 0 || a.Out < 0:
		b.fail(at, "an arc has the labels %d:%d, want 0 to 2³¹−1", a.In, a.Out)
	case a.To < 0:
		b.fail(at, "an arc leads to state %d", a.To)
	}
	if a.To > b.last {
		b.last, b.lastAt = a.To, at
	}
	b.builder.AddArc(from, a)
}

func (b *binaryReader[W]) weight() W {
	at := b.offset
	cost := b.cost(b.wide)
	w, err := b.costs.weight(cost)
	if err != nil {
		b.fail(at, "weight %g: %w", cost, err)
		return b.one
	}
	return w
}

// compact reads the positions of the elements of every state, unless each state has one element,
// and then the elements.
func (b *binaryReader[W]) compact() {
	var positions positions
	if b.element.to {
		positions = b.readPositions()
	}
	b.align()
	arcs := int64(0)
	for range b.count(b.states, "states") {
		if b.err != nil {
			return
		}
		s := b.builder.AddState()
		n := uint64(1)
		if b.element.to {
			n = positions.at(int64(s)+1) - positions.at(int64(s))
		}
		for i := range n {
			if b.err != nil {
				return
			}
			if b.readElement(s, i == 0) {
				arcs++
			}
		}
	}
	if arcs != b.arcs {
		b.fail(b.offset, "the states have %d arcs, but the header declares %d", arcs, b.arcs)
	}
}

// positions contains the begin of the elements of every state, and the end of the last. It is
// stored as in the file, where a state may take a single byte, so that memory is proportional to
// the data.
type positions struct {
	data []byte
	size int // bytes of a position
}

func (p positions) at(s int64) uint64 {
	return uintOf(p.data[s*int64(p.size):][:p.size])
}

func (b *binaryReader[W]) readPositions() positions {
	b.align()
	at := b.offset
	n := b.count(b.states, "states")
	p := positions{b.data((n + 1) * int64(b.index)), b.index}
	if b.err != nil {
		return p
	}
	if first := p.at(0); first != 0 {
		b.fail(at, "the elements of state 0 begin at %d, want 0", first)
	}
	for s := range n {
		if begin, end := p.at(s), p.at(s+1); end-begin > math.MaxInt32 { // or negative
			b.fail(at+(s+1)*int64(b.index), "the elements of state %d are numbered from %d to %d", s, begin, end)
		}
	}
	return p
}

// readElement reads an element of a state and reports whether it is an arc. The first element of a
// state may be its final weight.
func (b *binaryReader[W]) readElement(s int32, first bool) bool {
	at := b.offset
	in := b.int32()
	a := fst.Arc[W]{In: in, Out: in, Weight: b.one, To: s + 1}
	if b.element.out {
		a.Out = b.int32()
	}
	if b.element.weight {
		b.pad(at, b.costSize())
		a.Weight = b.weight()
	}
	if b.element.to {
		a.To = b.int32()
	}
	if b.element.weight {
		b.pad(at, b.costSize())
	}
	if first && in == -1 {
		b.builder.SetFinal(s, a.Weight)
		return false
	}
	b.add(at, s, a)
	return true
}
