package fstio

import (
	"fmt"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// ArcType is the arc type of a binary file: the width of its weights and their semiring in OpenFst.
// Weights are −ln p in every type.
type ArcType string

const (
	// Standard arcs weigh 32 bits; OpenFst takes the least of several paths.
	Standard ArcType = "standard"
	// Log arcs weigh 32 bits; OpenFst adds the probabilities of several paths.
	Log ArcType = "log"
	// Log64 arcs weigh 64 bits; OpenFst adds the probabilities of several paths.
	Log64 ArcType = "log64"
)

// Container is the arrangement of a binary file, which OpenFst calls the type of the machine. Const
// and the compact containers have positions of 32 bits. Names like "const8" and
// "compact16_acceptor" denote variants with positions of 8, 16 or 64 bits, which OpenFst reads if
// its extensions are installed.
type Container string

const (
	// Vector has every state followed by its arcs; OpenFst reads it as a mutable machine.
	Vector Container = "vector"
	// Const has all states before all arcs.
	Const Container = "const"
	// CompactString has a single string: state s has either one arc, to s+1, or a
	// final weight. Arcs have one label, both read and written; all weights are One.
	CompactString Container = "compact_string"
	// CompactWeightedString is a CompactString with any weights.
	CompactWeightedString Container = "compact_weighted_string"
	// CompactAcceptor has arcs with one label, both read and written, and any weights.
	CompactAcceptor Container = "compact_acceptor"
	// CompactUnweightedAcceptor is a CompactAcceptor whose weights are all One.
	CompactUnweightedAcceptor Container = "compact_unweighted_acceptor"
	// CompactUnweighted has arcs with two labels; all weights are One.
	CompactUnweighted Container = "compact_unweighted"
)

// Binary selects one of OpenFst's binary forms for writing; nil stands for the zero value.
type Binary struct {
	// Arc is the type of arcs; "" means Standard for a selective ring, in which a sum is one of its
	// terms, and Log64 for any other.
	Arc ArcType
	// Container is the arrangement; "" means Vector. A compact container can store only machines of
	// its kind.
	Container Container
}

// binaryForm is a Binary with defaults filled in, and derived values.
type binaryForm struct {
	arc       ArcType
	container Container
	wide      bool // weights of 64 bits
	layout
}

// formOf returns the binaryForm of o for a ring.
func formOf[W any](o *Binary, ring semiring.Semiring[W]) (binaryForm, error) {
	b := binaryForm{arc: Log64, container: Vector}
	if semiring.LawsOf(ring).Has(semiring.Selective) {
		b.arc = Standard
	}
	if o != nil && o.Arc != "" {
		b.arc = o.Arc
	}
	if o != nil && o.Container != "" {
		b.container = o.Container
	}
	if err := b.check(); err != nil {
		return b, nested.Errorf("fstio: %w: %w", fst.ErrInvalid, err)
	}
	return b, nil
}

// check validates b and sets the derived values.
func (b *binaryForm) check() error {
	switch b.arc {
	case Standard, Log:
		b.wide = false
	case Log64:
		b.wide = true
	default:
		return fmt.Errorf("arcs of type %s, want %s, %s or %s", text.Quote(string(b.arc)), Standard, Log, Log64)
	}
	var known bool
	if b.layout, known = layouts[b.container]; !known {
		return fmt.Errorf("a machine of type %s, want %s, %s or a compact one", text.Quote(string(b.container)), Vector, Const)
	}
	return nil
}

// costSize returns the number of bytes of a weight.
func (b binaryForm) costSize() int {
	if b.wide {
		return 8
	}
	return 4
}

const (
	machineMagic = 2125659606
	symbolsMagic = 2125658996

	formVersion    = 2 // of all containers
	alignedVersion = 1 // of aligned containers other than Vector, without flagAligned
	alignment      = 16

	flagIn      = 1
	flagOut     = 2
	flagAligned = 4

	propertyExpanded = 1
	propertyMutable  = 2
)

// header is the header of a machine in binary form.
type header struct {
	binaryForm
	version, flags int32
	properties     int64
	start          int64 // -1: none
	states         int64 // -1: as many as there are
	arcs           int64 // of any but a Vector
}

func (s *source) header() header {
	var h header
	s.magic("machine in OpenFst's binary form", machineMagic)
	at := s.offset
	h.container, h.arc = Container(s.text()), ArcType(s.text())
	h.version, h.flags, h.properties = s.int32(), s.int32(), s.int64()
	h.start, h.states, h.arcs = s.int64(), s.int64(), s.int64()
	if s.err != nil {
		return h
	}
	if err := h.check(); err != nil {
		s.fail(at, "%v", err)
	}
	if h.container != Vector && h.version == alignedVersion {
		h.flags |= flagAligned
	} else if h.version != formVersion {
		s.fail(at, "version %d of the form, want %d", h.version, formVersion)
	}
	return h
}

func (s *sink) header(h header) {
	s.int32(machineMagic)
	s.text(string(h.container))
	s.text(string(h.arc))
	s.int32(formVersion)
	s.int32(h.flags)
	s.int64(h.properties)
	s.int64(h.start)
	s.int64(h.states)
	s.int64(h.arcs)
}

// cost reads a weight, −ln p.
func (s *source) cost(wide bool) float64 {
	if wide {
		return s.float64()
	}
	return s.float32()
}

func (s *sink) cost(wide bool, cost float64) {
	if wide {
		s.float64(cost)
	} else {
		s.float32(cost)
	}
}

// layout describes the arrangement of states and arcs in a file of some type.
type layout struct {
	// index is the number of bytes of a position in the array of arcs or elements; 0 means that
	// arcs follow their state, without an array.
	index int
	// element describes the stored part of an arc in a compact machine, nil for other machines.
	element *element
}

// element lists the fields of a compact machine's element besides the input label. An element is an
// arc or, if it is the first of a state and has label −1, a final weight.
type element struct {
	out    bool // an output label; otherwise it is the input label
	weight bool // otherwise it is One
	to     bool // the next state; otherwise it is s+1, and each state has one element
}

// layouts contains the layouts of all types.
var layouts = func() map[Container]layout {
	elements := map[Container]element{
		CompactString:             {},
		CompactWeightedString:     {weight: true},
		CompactUnweightedAcceptor: {to: true},
		CompactAcceptor:           {weight: true, to: true},
		CompactUnweighted:         {out: true, to: true},
	}
	all := map[Container]layout{Vector: {}}
	for bits, index := range map[string]int{"8": 1, "16": 2, "": 4, "64": 8} {
		all[Const+Container(bits)] = layout{index: index}
		for name, e := range elements {
			kind := strings.TrimPrefix(string(name), "compact")
			all[Container("compact"+bits+kind)] = layout{index: index, element: &e}
		}
	}
	return all
}()
