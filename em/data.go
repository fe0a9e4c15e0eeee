package em

import (
	"errors"
	"fmt"
	"iter"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Data are what a Problem's parameters are estimated from.
type Data struct {
	// Examples are the data, unless there is a Stream.
	Examples []Example
	// Stream yields the examples where they do not fit in memory: the same ones
	// each time that it is called. It is read once to count and check them, and
	// once in each E step unless all lattices are kept. An error that it yields
	// ends training. The result has the bits that the same Examples give.
	Stream iter.Seq2[Example, error]
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
}

// Policy is what to do with an example that has probability 0.
type Policy int

const (
	// Fail ends training with an error, wrapping ErrUnderivable, that counts
	// the examples and names the first.
	Fail Policy = iota
	// Skip goes on without them; Result.Skipped names each.
	Skip
)

// ErrUnderivable is wrapped by the error for examples that the model gives
// probability 0.
var ErrUnderivable = errors.New("no derivation")

func (d Data) complete() Data {
	set(&d.CacheBytes, 1<<30)
	set(&d.LatticeLimit, 1<<26)
	return d
}

// all returns all examples in their order.
func (d Data) all() iter.Seq2[Example, error] {
	if d.Stream != nil {
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

// checkData returns the weight of every example, or what is wrong with the data.
func (p Problem) checkData(data Data) ([]float64, error) {
	switch {
	case data.LatticeLimit < 0:
		return nil, fmt.Errorf("em: %w: lattice limit %d", ErrInvalid, data.LatticeLimit)
	case data.Underivable != Fail && data.Underivable != Skip:
		return nil, fmt.Errorf("em: %w: unknown policy %d", ErrInvalid, data.Underivable)
	case data.Stream != nil && data.Examples != nil:
		return nil, fmt.Errorf("em: %w: both Examples and a Stream", ErrInvalid)
	}
	var weights []float64
	for x, err := range data.all() {
		if err == nil {
			err = p.checkExample(len(weights), x)
		}
		if err != nil {
			return nil, err
		}
		weights = append(weights, x.Weight.Float64())
	}
	return weights, CheckWeights(len(weights), func(i int) Skipped { return Skipped{Index: i, Weight: weights[i]} })
}

// checkExample returns what is wrong with example i, nil for nothing.
func (p Problem) checkExample(i int, x Example) error {
	what := Skipped{Index: i, Name: x.Name, Weight: x.Weight.Float64()}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("em: %w: %v"+format, append([]any{ErrInvalid, what}, args...)...)
	}
	if err := what.checkWeight(); err != nil {
		return err
	}
	if len(x.Branches) != len(p.Branches) {
		return bad(" has %d branches, want %d", len(x.Branches), len(p.Branches))
	}
	for _, side := range append([]Side{x.X, x.Y}, x.Branches...) {
		if err := p.checkSide(side); err != nil {
			return bad(": %w", err)
		}
	}
	return nil
}

func (p Problem) checkSide(s Side) error {
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
