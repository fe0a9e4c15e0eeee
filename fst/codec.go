package fst

import (
	"fmt"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// ArcParts are parts of an arc.
type ArcParts uint8

const (
	// Labels are the input and the output label.
	Labels ArcParts = 1 << iota
	// Weights are the weight.
	Weights
)

// String returns the parts, with | between them.
func (p ArcParts) String() string {
	return named.Set(p, "Parts", "labels", "weights")
}

// Codec turns transducers into acceptors, and weighted machines into unweighted ones, and back:
// it assigns a label to every combination of labels, or of labels and weights. Operations that
// require such machines can thus be applied to any machine; they then keep these combinations
// together. A Codec may encode several machines, which then share its labels. It belongs to one
// goroutine.
type Codec[W any] struct {
	ring  semiring.Semiring[W]
	parts ArcParts
	keyer semiring.Keyer[W] // nil if weights stay
	table *byteTable        // label n+1 stands for entry n
	codes []code[W]
	one   []byte // key of One
	key   []byte
}

// code is the meaning of a label.
type code[W any] struct {
	in, out int32
	weight  W
	end     bool // whether the path ends, with weight as the final weight
}

// NewCodec returns an empty Codec for machines over ring. The error wraps
// semiring.ErrCapability if weights are to be encoded and the ring is no
// semiring.Keyer.
func NewCodec[W any](ring semiring.Semiring[W], parts ArcParts) (*Codec[W], error) {
	nonnil.Check("fst: NewCodec", "ring", ring)
	c := &Codec[W]{ring: ring, parts: parts, table: newByteTable()}
	if parts&Weights != 0 {
		var err error
		if c.keyer, err = semiring.Require[semiring.Keyer[W]](ring); err != nil {
			return nil, nested.Errorf("fst: NewCodec: %w", err)
		}
		c.one = c.keyer.AppendKey(nil, ring.One(), 0)
	}
	return c, nil
}

// Encode returns m with encoded arcs. The input label of an arc, even ε, becomes a label other
// than ε. With Labels, this is also the new output label; with Weights alone, the output label
// stays. With Weights, arc and final weights become One: a final weight other than One becomes
// an arc to a new final state. Start weights stay. The result has no symbol tables. The error
// wraps ErrMismatch if m is over another ring, and may wrap semiring.ErrLimit.
// O(states + arcs), by hashing.
func (c *Codec[W]) Encode(m Machine[W], o *Options) (*FST[W], error) {
	return computed("Encode", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return c.encode(f) })
}

func (c *Codec[W]) encode(f *FST[W]) (*FST[W], error) {
	if err := requireSameRing(c.ring, f.ring); err != nil {
		return nil, err
	}
	d := new(draft[W])
	end := int32(f.NumStates())
	ended := false
	for s, final := range f.final {
		d.state(final)
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			c.add(d, f.arcs.to[e], code[W]{in: f.arcs.in[e], out: f.arcs.out[e], weight: f.arcs.w[e]})
		}
		if c.keyer != nil && !c.ring.IsZero(final) && string(c.keyer.AppendKey(c.key[:0], final, 0)) != string(c.one) {
			d.final[s], ended = c.ring.Zero(), true
			c.add(d, end, code[W]{weight: final, end: true})
		}
	}
	if ended {
		d.state(c.ring.One())
	}
	d.starts = f.starts
	return d.freeze(c.ring)
}

// add adds the encoded arc to state to.
func (c *Codec[W]) add(d *draft[W], to int32, x code[W]) {
	in, out, w := x.in, x.out, x.weight
	c.key = appendNumber(c.key[:0], in)
	if x.end {
		c.key = append(c.key, 1)
	}
	if c.parts&Labels != 0 {
		c.key = appendNumber(c.key, out)
	}
	if c.keyer != nil {
		c.key = appendKey(c.key, c.keyer, w, 0)
		w = c.ring.One()
	}
	n, isNew := c.table.number(c.key)
	if isNew {
		c.codes = append(c.codes, x)
	}
	in = n + 1
	if c.parts&Labels != 0 {
		out = in
	}
	addArc(&d.arcs, in, out, to, w)
}

// Decode returns m with arcs as they were before Encode; with Weights, the decoded weights are
// multiplied by the arc weights of m. The error wraps ErrInvalid for a label that the Codec did
// not create, and ErrMismatch if m is over another ring. O(states + arcs).
func (c *Codec[W]) Decode(m Machine[W], o *Options) (*FST[W], error) {
	return computed("Decode", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return c.decode(f) })
}

func (c *Codec[W]) decode(f *FST[W]) (*FST[W], error) {
	if err := requireSameRing(c.ring, f.ring); err != nil {
		return nil, err
	}
	d := &draft[W]{starts: f.starts}
	ended := false
	for s, final := range f.final {
		d.state(final)
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			n := int(f.arcs.in[e]) - 1
			if n < 0 || n >= len(c.codes) {
				return nil, fmt.Errorf("%w: arc %d from state %d has label %d, want one of 1 … %d", ErrInvalid, e, s, n+1, len(c.codes))
			}
			x, out, w := c.codes[n], f.arcs.out[e], f.arcs.w[e]
			if c.keyer != nil {
				w = c.ring.Times(w, x.weight)
			}
			if x.end {
				ended = true
				d.final[s] = c.ring.Plus(d.final[s], c.ring.Times(w, f.final[f.arcs.to[e]]))
				continue
			}
			if c.parts&Labels != 0 {
				out = x.out
			}
			addArc(&d.arcs, x.in, out, f.arcs.to[e], w)
		}
	}
	g, err := d.freeze(c.ring)
	if err != nil || !ended {
		return g, err
	}
	return connect(g), nil // remove the states of encoded final weights
}
