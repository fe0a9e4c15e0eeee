package em

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Data are what a Problem's parameters are estimated from.
type Data struct {
	// Examples are the data, unless there is a Stream or a Text.
	Examples []Example
	// Stream yields the examples where they do not fit in memory: the same ones
	// each time that it is called. It is read once to count and check them, and
	// once in each E step unless all examples have lattices that are kept. An error
	// that it yields ends training. The result has the bits that the same Examples
	// give. Memory, beside lattices that are kept, is that of some thousands of
	// examples per worker, 2 MB, and what Expectations.Skipped says of each example
	// that is skipped. One goroutine at a time reads, while others work on what it has
	// read. See Lines.
	Stream iter.Seq2[Example, error]
	// Text is the same for text files. Workers make examples of lines at once, so that little
	// is left for one of them at a time.
	Text *Text
	// Underivable says what to do with examples of probability 0 (default
	// Fail).
	Underivable Policy
	// CacheBytes is the memory that lattices may take from one iteration to
	// the next (default 1 GiB; negative: none). What does not fit is built anew
	// in each iteration. It does not change a bit of the result.
	CacheBytes int64
	// LatticeLimit bounds the states and arcs of one example's lattice before
	// trimming (default 1<<26).
	LatticeLimit int
	// Within, if not nil, sums over parts of lattices instead of the whole. They are kept
	// whatever they take, there is a lattice for each example, and they are of Examples.
	Within *Within
	// Way says which examples are summed over without a lattice (default ByCost). It
	// makes no difference to the results but rounding. To set it is of use where the
	// costs that are predicted from a sample of the data are wrong, and to find that out.
	Way Way
	// ShardSize is the number of examples of each shard but the last (default: that of
	// NewCut). It makes a difference to the rounding of results. A process that has one
	// shard of the data makes it one shard by any number that is not less.
	ShardSize int
}

// Way is how to sum over the derivations of examples that are strings.
type Way int

const (
	// ByCost: without lattices where that is predicted to take less time.
	ByCost Way = iota
	// ByLattice: by a lattice for each example.
	ByLattice
	// ByBlocks: without lattices, where that is possible at all.
	ByBlocks
)

// String returns the name of the way.
func (w Way) String() string {
	switch w {
	case ByCost:
		return "by cost"
	case ByLattice:
		return "by lattice"
	case ByBlocks:
		return "by blocks"
	}
	return fmt.Sprintf("Way(%d)", int(w))
}

func (d Data) complete() Data {
	d.CacheBytes = cmp.Or(d.CacheBytes, 1<<30)
	d.LatticeLimit = cmp.Or(d.LatticeLimit, 1<<26)
	if d.Within != nil {
		d.Way, d.CacheBytes = ByLattice, math.MaxInt64
	}
	return d
}

// streamed reports whether examples are read from somewhere each time.
func (d Data) streamed() bool { return d.Stream != nil || d.Text != nil }

// reader returns a reader of data that are streamed.
func (d Data) reader() reader {
	if d.Text != nil {
		return d.Text.reader()
	}
	next, stop := iter.Pull2(d.Stream)
	return sequenceReader{next, stop}
}

// all returns all examples in their order.
func (d Data) all() iter.Seq2[Example, error] {
	switch {
	case d.Text != nil:
		return Lines(d.Text.Files, d.Text.Example)
	case d.Stream != nil:
		return d.Stream
	}
	return func(yield func(Example, error) bool) {
		for _, x := range d.Examples {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// checkData returns the weights of the examples, or what is wrong with the data. It shows
// all examples of a weight > 0 to the samples.
func (p Problem) checkData(data Data, samples []*sample) (*weightSums, error) {
	switch {
	case data.ShardSize < 0:
		return nil, fmt.Errorf("em: %w: shards of %d examples", ErrInvalid, data.ShardSize)
	case data.LatticeLimit < 0:
		return nil, fmt.Errorf("em: %w: lattice limit %d", ErrInvalid, data.LatticeLimit)
	case data.Underivable != Fail && data.Underivable != Skip:
		return nil, fmt.Errorf("em: %w: unknown policy %d", ErrInvalid, data.Underivable)
	case data.Way < ByCost || data.Way > ByBlocks:
		return nil, fmt.Errorf("em: %w: unknown way %d", ErrInvalid, data.Way)
	case data.Within.check(data) != nil:
		return nil, data.Within.check(data)
	case data.Stream != nil && data.Examples != nil:
		return nil, fmt.Errorf("em: %w: both Examples and a Stream", ErrInvalid)
	case data.Text != nil && (data.Examples != nil || data.Stream != nil):
		return nil, fmt.Errorf("em: %w: a Text and other data", ErrInvalid)
	case data.Text != nil && data.Text.Example == nil:
		return nil, fmt.Errorf("em: %w: a Text without the function Example", ErrInvalid)
	}
	weights := &weightSums{size: data.ShardSize}
	x := new(Example) // not one for each
	for next, err := range data.all() {
		*x = next
		if err == nil {
			err = p.checkExample(weights.examples, x)
		}
		if err != nil {
			return nil, err
		}
		weight := x.Weight.Float64()
		weights.add(weight)
		if weight > 0 {
			for _, s := range samples {
				s.show(x)
			}
		}
	}
	return weights, weights.check()
}

// checkExample returns what is wrong with example i, nil for nothing.
func (p Problem) checkExample(i int, x *Example) error {
	what := Skipped{Index: i, Name: x.Name, Weight: x.Weight.Float64()}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("em: %w: %v"+format, append([]any{ErrInvalid, what}, args...)...)
	}
	if err := what.checkWeight(); err != nil {
		return err
	}
	switch {
	case len(x.Branches) != len(p.Branches):
		return bad(" has %d branches, want %d", len(x.Branches), len(p.Branches))
	case len(p.Edges) == 0 && x.Tapes != nil:
		return bad(" has Tapes, want X, Y and Branches of a cascade")
	case len(p.Edges) > 0 && !(x.X.Absent() && x.Y.Absent()):
		return bad(" has X or Y, want the Tapes of a tree")
	case len(p.Edges) > 0 && len(x.Tapes) > len(p.Edges)+1:
		return bad(" has %d tapes, want no more than %d", len(x.Tapes), len(p.Edges)+1)
	}
	err := cmp.Or(p.checkSide(&x.X), p.checkSide(&x.Y))
	for i := range x.Branches {
		err = cmp.Or(err, p.checkSide(&x.Branches[i]))
	}
	for i := range x.Tapes {
		err = cmp.Or(err, p.checkSide(&x.Tapes[i]))
	}
	if err != nil {
		return bad(": %w", err)
	}
	return nil
}

func (p Problem) checkSide(s *Side) error {
	if s.set != nil && s.set.Semiring() != semiring.Semiring[expr.W](p.Params.space) {
		return errors.New("the weights of its acceptor are not of the problem's Space")
	}
	for _, l := range s.labels {
		if l <= fst.Epsilon {
			return fmt.Errorf("label %d in a string, want labels > 0", l)
		}
	}
	return nil
}

// Side is what is known of one tape of an example: a string (Labels), a regular
// set (Set), or, the zero value, nothing: Σ*.
type Side struct {
	labels []int32
	set    *fst.FST[expr.W]
	string bool
}

// Labels returns the side on which exactly these labels were observed, none of
// them fst.Epsilon; no labels at all is the empty string. The slice is kept.
func Labels(labels ...int32) Side { return Side{labels: labels, string: true} }

// Set returns the side that is known to be one of the strings that acceptor
// accepts; a weight multiplies each string's probability. The weights must be
// of the problem's Space: see Constants.
func Set(acceptor *fst.FST[expr.W]) Side {
	nonnil.Check("em: Set", "acceptor", acceptor)
	return Side{set: acceptor}
}

// Both returns the side of which a and b are known, the intersection of both: weights of
// strings in it multiply, and it is empty if a and b are different strings. Sets have
// weights of the Space of p. The error is that of fst.Intersect.
func Both(p *Params, a, b Side) (Side, error) {
	nonnil.Check("em: Both", "parameters", p)
	switch {
	case a.Absent():
		return b, nil
	case b.Absent() || a.string && b.string && slices.Equal(a.labels, b.labels):
		return a, nil
	}
	m, err := fst.Intersect(a.machine(p), b.machine(p))
	if err != nil {
		return Side{}, fmt.Errorf("em: %w", err)
	}
	f, err := fst.Expand(m, 0)
	if err != nil {
		return Side{}, fmt.Errorf("em: %w", err)
	}
	return Set(f), nil
}

// machine returns the acceptor of a side that is not absent.
func (s Side) machine(p *Params) fst.Machine[expr.W] {
	if s.set != nil {
		return s.set
	}
	return fst.FromString(p.space, s.labels)
}

// Absent reports whether nothing is known of the side, as for the zero value.
func (s Side) Absent() bool { return !s.string && s.set == nil }

// Example is one observation (X, Y) of a pair of strings drawn from the model,
// with sides that may be known in part. Its likelihood is the sum of
// ⟦f⟧(x, y) over x in X and y in Y.
//
// A machine that is conditional on its input (Conditional) says nothing of how probable an
// input is. With X unknown the sum goes over all inputs, each with its whole probability:
// it has no maximum where outputs leave open how long the input is, and the objective
// rises until a sum diverges. Give X, or a machine for it in front.
type Example struct {
	X, Y Side
	// Branches holds what was observed at the end of each of Problem.Branches.
	Branches []Side
	// Tapes holds what was observed on each tape of a Problem with Edges, which has no X and
	// Y. Nothing is known of tapes beyond its length.
	Tapes []Side
	// Weight says how often the example was seen, a finite number ≥ 0; the zero
	// value of the field means once. What is seen 0 times, Times(0), has no part in
	// training: it need not even have a derivation.
	Weight Multiplicity
	// Name appears in errors and reports; without one the index does.
	Name string
}

// Wildcards of a Pattern.
const (
	AnyLabel  int32 = -1 // one label of the alphabet
	AnyString int32 = -2 // any number of them
)

// Pattern returns the side on which the labels were observed, some of them only as
// wildcards for labels of the alphabet: a damaged inscription, the
// beginning of a word. A pattern may have one AnyString; with two, some strings would
// match in several ways and count as often.
//
// The error wraps ErrInvalid: a label that is neither > 0 nor a wildcard, an alphabet
// with such a label or one twice, a second AnyString.
func Pattern(p *Params, alphabet []int32, labels ...int32) (Side, error) {
	nonnil.Check("em: Pattern", "parameters", p)
	seen := map[int32]bool{}
	for _, l := range alphabet {
		if l <= fst.Epsilon || seen[l] {
			return Side{}, fmt.Errorf("em: %w: label %d in the alphabet of a pattern, want different labels > 0", ErrInvalid, l)
		}
		seen[l] = true
	}
	b := fst.NewBuilder(p.space)
	here := b.AddState()
	b.AddStart(here, expr.One)
	read := func(l, to int32) { b.AddArc(here, fst.Arc[expr.W]{In: l, Out: l, Weight: expr.One, To: to}) }
	strings := 0
	for i, l := range labels {
		if l == AnyString {
			if strings++; strings > 1 {
				return Side{}, fmt.Errorf("em: %w: position %d of a pattern is the second AnyString", ErrInvalid, i)
			}
			for _, a := range alphabet {
				read(a, here)
			}
			continue
		}
		if l != AnyLabel && l <= fst.Epsilon {
			return Side{}, fmt.Errorf("em: %w: label %d at position %d of a pattern", ErrInvalid, l, i)
		}
		next := b.AddState()
		if l == AnyLabel {
			for _, a := range alphabet {
				read(a, next)
			}
		} else {
			read(l, next)
		}
		here = next
	}
	b.SetFinal(here, expr.One)
	f, err := b.Freeze()
	if err != nil {
		return Side{}, fmt.Errorf("em: pattern: %w", err)
	}
	return Set(f), nil
}

// Multiplicity is how often something counts. Its zero value is once, so that it can be
// left out, and Times says any other number: Times(0) is not at all.
type Multiplicity struct {
	// bits are the bits of the number in which it differs from 1, so that equal
	// numbers are equal values.
	bits uint64
}

var once = math.Float64bits(1)

// Times returns the multiplicity n. What it is given to says which numbers are legal.
func Times(n float64) Multiplicity { return Multiplicity{math.Float64bits(n) ^ once} }

// Float64 returns the number: 1 for the zero value.
func (m Multiplicity) Float64() float64 { return math.Float64frombits(m.bits ^ once) }

// String returns the number.
func (m Multiplicity) String() string { return strconv.FormatFloat(m.Float64(), 'g', -1, 64) }

// MarshalText returns the number in decimal, from which UnmarshalText has it back to the
// last bit.
func (m Multiplicity) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a number.
func (m *Multiplicity) UnmarshalText(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("em: multiplicity %q: %w", text, err)
	}
	*m = Times(n)
	return nil
}

func (d digest) side(s Side) {
	if s.set != nil {
		d.ints(-2)
		d.machine(s.set)
		return
	}
	if !s.string {
		d.ints(-1)
		return
	}
	d.slice(s.labels, len(s.labels))
}
