package fst

import (
	"cmp"
	"errors"
	"fmt"
	"math"

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
