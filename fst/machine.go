package fst

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Epsilon is the label ε of an arc that does not move on that tape.
const Epsilon = 0

// Arc is an arc (p, In:Out/Weight, To); p is known from where the arc is kept.
type Arc[W any] = graph.Arc[W]

// Start makes State an initial state of weight Weight.
type Start[W any] = graph.Start[W]

// Machine is what frozen and lazy transducers have in common. States are
// non-negative numbers that the machine hands out through AppendStarts and
// AppendArcs; no other numbers may be asked about, and they need not be dense.
// Labels are not negative. The same question always has the same answer. A machine that
// may fail has a method Err() error as well, which Expand asks at its end; who looks at
// a lazy machine in another way asks it himself.
//
// An *FST may be used by many goroutines at a time; another Machine belongs to
// one, unless it says otherwise.
type Machine[W any] interface {
	// Semiring returns the ring K of the weights.
	Semiring() semiring.Semiring[W]
	// AppendStarts appends the initial states to dst. Several entries may name
	// one state; they add up.
	AppendStarts(dst []Start[W]) []Start[W]
	// Final returns the final weight of state s, Zero if s is not final.
	Final(s int32) W
	// AppendArcs appends the arcs that leave state s to dst.
	AppendArcs(dst []Arc[W], s int32) []Arc[W]
}

var (
	// ErrMismatch is wrapped by the error for machines that do not fit together:
	// their rings or their symbol tables differ.
	ErrMismatch = errors.New("machines do not fit together")
	// ErrInvalid is wrapped by the error for a malformed machine.
	ErrInvalid = errors.New("invalid machine")
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

func requireSameRing[W any](a, b semiring.Semiring[W]) error {
	if !sameRing(a, b) {
		return fmt.Errorf("fst: %w: semirings %T and %T are not the same", ErrMismatch, a, b)
	}
	return nil
}

func requireCommutative[W any](ring semiring.Semiring[W]) error {
	if !semiring.LawsOf(ring).Has(semiring.Commutative) {
		return fmt.Errorf("fst: %w: ⊗ of %T is not commutative", semiring.ErrCapability, ring)
	}
	return nil
}

// labeled is implemented by machines that know names of their labels.
type labeled interface {
	InSymbols() *Symbols
	OutSymbols() *Symbols
}

// symbolsOf returns the tables of m, nil where it has none.
func symbolsOf[W any](m Machine[W]) (in, out *Symbols) {
	if l, ok := m.(labeled); ok {
		return l.InSymbols(), l.OutSymbols()
	}
	return nil, nil
}
