package fstio

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// ArcType names the arcs of a binary file: the width of its weights, which are
// −ln p whatever the type, and what OpenFst does with them.
type ArcType string

const (
	// Standard arcs weigh 32 bits; OpenFst takes the least of several paths.
	Standard ArcType = "standard"
	// Log arcs weigh 32 bits; OpenFst adds the probabilities of several paths.
	Log ArcType = "log"
	// Log64 arcs weigh 64 bits; OpenFst adds the probabilities of several paths.
	Log64 ArcType = "log64"
)

// Container names the arrangement of a binary file.
type Container string

const (
	// Vector has every state followed by its arcs; what reads it may change it.
	Vector Container = "vector"
	// Const has all states before all arcs.
	Const Container = "const"
)

// Binary says which of OpenFst's binary forms is written; nil stands for the zero
// value.
type Binary struct {
	// Arc is the type of arcs; "" means Standard for a ring that is selective, so
	// that a sum is one of its terms, and Log64 for any other.
	Arc ArcType
	// Container is the arrangement; "" means Vector.
	Container Container
}

// binaryForm is a Binary without defaults, and what follows from it.
type binaryForm struct {
	arc       ArcType
	container Container
	wide      bool // weights of 64 bits
}

// formOf returns the form that o stands for, for a ring.
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
	return b, b.check()
}

// check sets wide.
func (b *binaryForm) check() error {
	switch b.arc {
	case Standard, Log:
		b.wide = false
	case Log64:
		b.wide = true
	default:
		return fmt.Errorf("arcs of type %q, want %s, %s or %s", b.arc, Standard, Log, Log64)
	}
	switch b.container {
	case Vector, Const:
		return nil
	}
	return fmt.Errorf("a machine of type %q, want %s or %s", b.container, Vector, Const)
}

const (
	machineMagic = 2125659606
	symbolsMagic = 2125658996

	formVersion    = 2 // of both containers
	alignedVersion = 1 // of a Const whose arrays are aligned, without a flag for it
	alignment      = 16

	flagIn      = 1
	flagOut     = 2
	flagAligned = 4

	propertyExpanded = 1
	propertyMutable  = 2
)

// header is what a machine in binary form begins with.
type header struct {
	binaryForm
	version, flags int32
	properties     int64
	start          int64 // -1: none
	states         int64 // -1: as many as there are
	arcs           int64 // of a Const
}

func (s *source) header() header {
	var h header
	s.magic(machineMagic, "machine in OpenFst's binary form")
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
	if h.container == Const && h.version == alignedVersion {
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

// arcPadding returns the number of bytes after the arcs of a Const, which are as they
// were in memory: an array of them has every 64-bit weight at a multiple of 8.
func (b binaryForm) arcPadding() int {
	if b.wide {
		return 4
	}
	return 0
}
