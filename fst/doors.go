package fst

import (
	"fmt"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// This file has the two doors through which operations are entered.
//
// A lazy operation takes Machines and returns a Machine. It has no error of its own: if it
// cannot be applied, it returns a failed machine, whose Err is the reason. A lazy operation on a
// failed machine returns that machine's error again and computes nothing.
//
// An operation that computes takes Machines and returns its result and an error. It expands its
// operands first, and so meets the error of a failed one.

// Failed returns a machine over ring without states, whose Err is err. Operations on it fail
// with err and compute nothing. A package with lazy operations of its own returns it in place
// of an error. It panics if an argument is nil.
func Failed[W any](ring semiring.Semiring[W], err error) Machine[W] {
	nonnil.Check("fst: Failed", "ring", ring, "error", err)
	return &failed[W]{ring: ring, err: err}
}

// failed is the result of an operation that could not be applied.
type failed[W any] struct {
	names
	ring semiring.Semiring[W]
	err  error
}

func (x *failed[W]) Err() error                             { return x.err }
func (x *failed[W]) refused() error                         { return x.err }
func (x *failed[W]) Semiring() semiring.Semiring[W]         { return x.ring }
func (x *failed[W]) AppendStarts(dst []Start[W]) []Start[W] { return dst }
func (x *failed[W]) Final(int32) W                          { return x.ring.Zero() }
func (x *failed[W]) AppendArcs(dst []Arc[W], _ int32) []Arc[W] {
	return dst
}

// refusal returns the error of a machine that an operation returned because it could not be
// applied, nil for any other machine.
func refusal(m any) error {
	if x, ok := m.(interface{ refused() error }); ok {
		return x.refused()
	}
	return nil
}

// firstRefusal returns the first refusal of machines, nil if none has failed.
func firstRefusal[W any](machines ...Machine[W]) error {
	for _, m := range machines {
		if err := refusal(m); err != nil {
			return err
		}
	}
	return nil
}

// lazily returns the machine that make returns, or else a failed one: with the error of an
// operand that has failed, or with make's own under the name of the operation.
func lazily[W any](op string, make func() (Machine[W], error), operands ...Machine[W]) Machine[W] {
	for i, m := range operands {
		nonnil.Check("fst: "+op, operandName(i, len(operands)), m)
	}
	if err := firstRefusal(operands...); err != nil {
		return Failed(operands[0].Semiring(), err)
	}
	x, err := make()
	if err != nil {
		return Failed(operands[0].Semiring(), failure(op, err, toAny(operands)...))
	}
	return x
}

// lazilyOf is lazily for an operation that has to see all of an operand at once, and so
// expands it. The result is over ring.
func lazilyOf[W, V any](op string, m Machine[V], o *Options, ring semiring.Semiring[W], make func(f *FST[V]) (Machine[W], error)) Machine[W] {
	f, err := opened(op, m, o)
	if err != nil {
		return Failed(ring, err)
	}
	x, err := make(f)
	if err != nil {
		return Failed(ring, failure(op, err, m))
	}
	return x
}

// built is the door of a constructor: the frozen machine that make returns, or a failed one.
func built[W any](op string, ring semiring.Semiring[W], make func() (*FST[W], error)) Machine[W] {
	f, err := make()
	if err != nil {
		return Failed(ring, nested.Errorf("fst: %s: %w", op, err))
	}
	return f
}

func toAny[T any](s []T) []any {
	a := make([]any, len(s))
	for i, x := range s {
		a[i] = x
	}
	return a
}

// operandName is what the panic about operand i of n calls it.
func operandName(i, n int) string {
	if n == 1 {
		return "machine"
	}
	return fmt.Sprintf("machine %d", i)
}

// computed is the door of an operation that computes a machine from one: it expands m, unless m
// is frozen, and passes it on to compute with the options in place.
func computed[W any](op string, m Machine[W], o *Options, compute func(f *FST[W], o Options) (*FST[W], error)) (*FST[W], error) {
	f, err := opened(op, m, o)
	if err != nil {
		return nil, err
	}
	g, err := compute(f, o.resolved())
	if err != nil {
		return nil, failure(op, err, m)
	}
	return g, nil
}

// opened returns the frozen form of an operand of an operation that computes. The limit of o
// bounds it if it is not frozen yet.
func opened[W any](op string, m Machine[W], o *Options) (*FST[W], error) {
	nonnil.Check("fst: "+op, "machine", m)
	if f, ok := m.(*FST[W]); ok {
		return f, nil
	}
	if err := refusal(m); err != nil {
		return nil, err
	}
	f, err := expandWithin(m, o.expandLimit())
	if err != nil {
		return nil, expansionFailure(op, err, m)
	}
	return f, nil
}

// compared is the door of a comparison of two machines.
func compared[W any](op string, a, b Machine[W], o *Options, compare func(a, b *FST[W], o Options) (bool, error)) (bool, error) {
	nonnil.Check("fst: "+op, "machine 0", a, "machine 1", b)
	if err := firstRefusal(a, b); err != nil {
		return false, err
	}
	f, err := opened(op, a, o)
	if err != nil {
		return false, err
	}
	g, err := opened(op, b, o)
	if err != nil {
		return false, err
	}
	same, err := compare(f, g, o.resolved())
	return same, failure(op, err, a, b)
}

// failure returns the error of an operation on operands; nil if err is nil.
func failure(op string, err error, operands ...any) error {
	if err == nil {
		return nil
	}
	return nested.Errorf("fst: %s: %w", describe(op, operands...), err)
}

// expansionFailure returns the error of an operation that expands m: that of m itself, which
// names the operation that made m, or that of the limit.
func expansionFailure[W any](op string, err error, m Machine[W]) error {
	if own := Err(m); own != nil {
		return own
	}
	return failure(op, err, m)
}

// describe returns an operation and its operands as a message names them, such as
// "Compose(2 states and 3 arcs, Star)".
func describe(op string, operands ...any) string {
	of := make([]string, len(operands))
	for i, m := range operands {
		of[i] = describeOperand(m)
	}
	return op + "(" + strings.Join(of, ", ") + ")"
}

// describeOperand returns the size of a frozen machine, the operation that made a lazy one, or
// the type of a machine of another package.
func describeOperand(m any) string {
	switch x := m.(type) {
	case interface{ operation() string }:
		return x.operation()
	case interface {
		NumStates() int
		NumArcs() int
	}:
		return fmt.Sprintf("%s and %s", plural(x.NumStates(), "state"), plural(x.NumArcs(), "arc"))
	}
	return typename.Of(m)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
