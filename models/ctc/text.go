package ctc

import (
	"fmt"

	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// checkText returns an error that wraps ErrInvalid if the topology does not write one of the
// labels of a text.
func (r *reader) checkText(labels []int32) error {
	for i, label := range labels {
		switch {
		case r.writes(label):
		case r.labels == nil && int(label) == r.of.Blank+1:
			return fmt.Errorf("%w: label %d at position %d is the blank, which is not a part of a text", ErrInvalid, label, i)
		case r.labels == nil:
			return fmt.Errorf("%w: label %d at position %d, and the columns have the labels 1 to %d", ErrInvalid, label, i, r.of.Symbols)
		default:
			return fmt.Errorf("%w: label %d at position %d, which the topology does not write", ErrInvalid, label, i)
		}
	}
	return nil
}

// text returns the graph of a text, which has been checked. In its states, the state of the
// acceptor is the number of labels written.
func (r *reader) text(arena machines.Arena[semiring.ScaledFloat], labels []int32) (*compiled, error) {
	return r.compile(arena, arena.String(labels), false)
}

// chain is text for the topology of Standard without composition, and without the numbers of the
// topology's arcs and states. In state 2i, label i is next; in state 2i+1, label i has begun:
//
//	0 --label 0--> 1 --blank--> 2 --label 1--> 3 …     with self-loops
//	               1 -------label 1----------> 3       unless both labels are equal
//
// Without a blank, state 0 is the only reachable state of the states 2i.
func (r *reader) chain(labels []int32) (*compiled, error) {
	n, blank, one := len(labels), int32(r.of.Blank), semiring.NewScaled(1)
	c := &compiled{arcs: make([]frames.Arc, 0, 5*n+1), state: make([][2]int32, 2*n+1)}
	add := func(from, to, column int32) {
		c.arcs = append(c.arcs, frames.Arc{From: from, To: to, Symbol: column})
		c.weights.Arc = append(c.weights.Arc, one)
	}
	zeros := make([]semiring.ScaledFloat, 2*(2*n+1))
	c.weights.Initial, c.weights.Final = zeros[:2*n+1], zeros[2*n+1:]
	c.weights.Initial[0], c.weights.Final[2*n] = one, one
	if n > 0 {
		c.weights.Final[2*n-1] = one
	}
	for i := range int32(n + 1) {
		c.state[2*i][1] = i
		if blank >= 0 {
			add(2*i, 2*i, blank)
		}
		if int(i) == n {
			break
		}
		column := labels[i] - 1
		add(2*i, 2*i+1, column)
		c.state[2*i+1][1] = i + 1
		add(2*i+1, 2*i+1, column)
		if blank >= 0 {
			add(2*i+1, 2*i+2, blank)
		}
		if int(i) < n-1 && labels[i+1] != labels[i] {
			add(2*i+1, 2*i+3, labels[i+1]-1)
		}
	}
	return c, c.finish(r.of.Symbols)
}
