package fst

import (
	"errors"
	"fmt"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// This file contains the functions through which all operations are entered.
//
// A lazy operation takes Machines and returns a Machine, and no error. If it cannot be applied,
// it returns a failed machine, whose Err is the reason. A lazy operation on a failed machine
// returns that machine's error and computes nothing.
//
// An eager operation takes Machines and returns its result and an error. It expands its
// operands first, and so returns the error of a failed operand.

// Failed returns a machine over ring without states, whose Err is err. Operations on it fail
// with err and compute nothing. A package with its own lazy operations returns it in place of
// an error. It panics if an argument is nil.
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

// refusal returns the error of a machine that was returned because an operation could not be
// applied, nil for any other machine.
func refusal(m any) error {
	if x, ok := m.(interface{ refused() error }); ok {
		return x.refused()
	}
	return nil
}

// firstRefusal returns the first refusal of machines, nil if all were applied.
func firstRefusal[W any](machines ...Machine[W]) error {
	for _, m := range machines {
		if err := refusal(m); err != nil {
			return err
		}
	}
	return nil
}

// lazily returns the machine that make returns. If an operand has failed, it returns a failed
// machine with the error of the operand. If make fails, it returns a failed machine with the
// error of make, prefixed with the name of the operation.
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

// lazilyOf is lazily for an operation that needs all of an operand at once, and so expands it.
// The result is over ring.
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

// built is the entry of a constructor: it returns the frozen machine of make, or a failed one.
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

// operandName returns the name of operand i of n for panics.
func operandName(i, n int) string {
	if n == 1 {
		return "machine"
	}
	return fmt.Sprintf("machine %d", i)
}

// computed is the entry of an operation that computes a machine from another: it expands m,
// unless m is frozen, and passes it to compute with the resolved options.
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

// opened returns the frozen form of an operand of an eager operation. The limit of o bounds the
// expansion if the operand is not frozen.
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

// compared is the entry of a comparison of two machines.
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

// expansionFailure returns the error of an operation that expands m. If m itself has failed, it
// returns the error of m, which names the operation that made m. Otherwise it adds the name of
// this operation to err.
func expansionFailure[W any](op string, err error, m Machine[W]) error {
	if own := Err(m); own != nil {
		return own
	}
	return failure(op, err, m)
}

// describe returns the description of an operation and its operands for messages, such as
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

// onDemand is the result of an operation that keeps its created states in a draft. If states
// have been created in order, Expand takes over the draft without a copy. So the operation runs
// at full speed although it has no separate eager implementation.
type onDemand[W any] struct {
	names
	operand Machine[W]
	ring    semiring.Semiring[W]
	draft   *draft[W]
	at      []int32             // per state: its number in the draft, plus one
	create  func(s int32) error // appends state s to the draft
	known   func() int          // number of states found so far; only these are requested
	begin   func() error        // if not nil, prepares the draft for all states
	within  func(limit int)     // if not nil, bounds the intermediate data of create and begin
	same    bool                // the draft has no output labels; they equal the input labels
	none    W
	frozen  *FST[W] // if not nil, the machine that has taken over the draft
	err     error
}

// newOnDemand returns the result of an operation on m, with the ring and the symbols of m.
func newOnDemand[W any](op string, m Machine[W], d *draft[W], known func() int, create func(s int32) error) *onDemand[W] {
	x := &onDemand[W]{operand: m, ring: m.Semiring(), draft: d, known: known, create: create, none: m.Semiring().Zero()}
	x.op = op
	x.inSymbols, x.outSymbols = symbolsOf(m)
	return x
}

// Err returns the first error of the operation, or of its operand.
func (x *onDemand[W]) Err() error {
	if x.err != nil {
		return x.err
	}
	return Err(x.operand)
}

// Semiring returns the ring of the weights.
func (x *onDemand[W]) Semiring() semiring.Semiring[W] { return x.ring }

// AppendStarts appends the initial states to dst.
func (x *onDemand[W]) AppendStarts(dst []Start[W]) []Start[W] { return append(dst, x.draft.starts...) }

// Final returns the final weight of state s, Zero if s is not final.
func (x *onDemand[W]) Final(s int32) W {
	if n := x.place(s); n >= 0 {
		return x.draft.final[n]
	}
	return x.none
}

// AppendArcs appends the arcs that leave state s to dst.
func (x *onDemand[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	n := x.place(s)
	if n < 0 {
		return dst
	}
	d, hi := x.draft, int32(len(x.draft.arcs.to))
	if int(n)+1 < len(d.row) {
		hi = d.row[n+1]
	}
	a := d.arcs
	if x.same {
		a.out = a.in
	}
	return appendArcs(dst, &a, d.row[n], hi)
}

// place returns the number of state s in the draft, −1 after an error.
func (x *onDemand[W]) place(s int32) int32 {
	for int(s) >= len(x.at) {
		x.at = append(x.at, 0)
	}
	if x.at[s] == 0 && x.err == nil {
		if x.err = x.failure(x.create(s)); x.err == nil {
			x.at[s] = int32(len(x.draft.final))
		}
	}
	return x.at[s] - 1
}

// failure returns err prefixed with the operation. If op is "", the caller adds the prefix.
func (x *onDemand[W]) failure(err error) error {
	if err == nil || x.op == "" { // the common case must not allocate
		return err
	}
	return failure(x.op, err, x.operand)
}

// outgrown returns the error. It also resets the error if a greater limit on an expansion may
// avoid it.
func (x *onDemand[W]) outgrown() error {
	err := x.err
	if errors.As(err, new(passing)) {
		x.err = nil
	}
	return err
}

// passing is an error for exceeding the limit of an expansion, instead of the limit of the
// operation.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// freeze creates all states in order and returns the machine. It returns nil if states have
// been created in another order.
func (x *onDemand[W]) freeze(limit int) (*FST[W], error) {
	if x.frozen != nil {
		return x.frozen, nil
	}
	if x.within != nil {
		x.within(limit)
		defer x.within(maxLimit)
	}
	d := x.draft
	if x.begin != nil && len(d.final) == 0 {
		if x.err = x.failure(x.begin()); x.err != nil {
			return nil, x.outgrown()
		}
	}
	for s := int32(0); int(s) < x.known(); s++ {
		switch n := x.place(s); {
		case x.err != nil:
			return nil, x.outgrown()
		case n != s:
			return nil, nil
		}
		if len(d.final)+len(d.arcs.to) > limit {
			return nil, errLimit(limit)
		}
	}
	if err := x.Err(); err != nil {
		return nil, err
	}
	if x.same {
		d.arcs.out = d.arcs.in
	}
	f, err := d.freeze(x.ring)
	if err != nil {
		return nil, err
	}
	d.row = f.labels.row
	f.inSymbols, f.outSymbols = x.inSymbols, x.outSymbols
	x.frozen = f
	return f, nil
}

// stateReader reads the states of a machine. The states of a frozen machine are read in place.
type stateReader[W any] struct {
	m      Machine[W]
	f      *FST[W] // m if it is frozen, else nil
	buf    []Arc[W]
	copied arcs[W]
}

func newStateReader[W any](m Machine[W]) stateReader[W] {
	f, _ := m.(*FST[W])
	return stateReader[W]{m: m, f: f}
}

// finalOf returns the final weight of state s.
func (r *stateReader[W]) finalOf(s int32) W {
	if f := r.f; f != nil {
		return f.final[s]
	}
	return r.m.Final(s)
}

// arcsOf returns arrays and the span of the arcs of state s in them, valid until the next call.
func (r *stateReader[W]) arcsOf(s int32) (*arcs[W], span) {
	if f := r.f; f != nil {
		return &f.arcs, span{f.labels.row[s], f.labels.row[s+1]}
	}
	r.buf = r.m.AppendArcs(r.buf[:0], s)
	resizeArcs(&r.copied, 0)
	addArcs(&r.copied, r.buf)
	return &r.copied, span{0, int32(len(r.copied.to))}
}
