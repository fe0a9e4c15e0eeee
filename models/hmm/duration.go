package hmm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/nested"
)

// Transition returns the probability, at Theta, that state to follows state from: 0 if the
// topology does not allow it.
func (m *Model[O]) Transition(from, to int) float64 {
	k := slices.Index(m.topology.Next[from], to)
	if k < 0 {
		return 0
	}
	return m.Row(from).In(m.Theta)[k]
}

// Durations returns the topology of a hidden semi-Markov model, in which the length of a stay in
// a state may have any law. Its field Of contains the state of each sub-state, and so its
// distribution, for NewDiscrete or NewGaussian.
//
// State i is the sub-states i·explicit, …, (i+1)·explicit − 1, which share one distribution. A
// stay begins in the first sub-state. After each step it continues in the next sub-state, or
// ends, and another state follows in its first sub-state. The last sub-state continues in itself.
// So every length below explicit has a separate probability, and probabilities from explicit on
// decrease geometrically. The next state may depend on the length of the stay: rows are
// P(continues), then P(ends, and j follows) for the other states j in order. The first stay
// begins at the start of the sequence, and the last stay is cut off at its end.
//
// For a minimum length of n, let the first n − 1 sub-states of a state only continue, before New:
//
//	topology.Next[i] = topology.Next[i][:1]
//
// Probabilities that start at 0 also stay 0, unless a prior raises them, but StartKMeans and
// StartRandom choose a new start. Call one of them: states with equal sub-states would remain
// equal, and Fit returns an error for such a start. Model.SetDuration sets known laws. Best,
// Sample, Sequence.States and Posteriors number sub-states; Model.States converts them to states.
// Duration and Gaussian.Density number states.
//
// Training takes the time of a model with states·explicit states. If states or explicit is below
// 1, Durations returns a topology without states, for which New returns an error.
//
// Source: Guédon 2003; Johnson 2005.
func Durations(states, explicit int) Topology {
	if states < 1 || explicit < 1 {
		return Topology{}
	}
	t := Topology{States: states * explicit}
	for i := range states {
		t.Start = append(t.Start, i*explicit)
		for d := range explicit {
			next := []int{i*explicit + min(d+1, explicit-1)}
			for j := range states {
				if j != i {
					next = append(next, j*explicit)
				}
			}
			t.Next = append(t.Next, next)
			t.Of = append(t.Of, i)
		}
	}
	return t
}

// Duration is the law of the length of a stay.
type Duration struct {
	// Explicit holds the probabilities of the lengths 1, 2, … before the tail.
	Explicit []float64
	// Tail is the probability of a length beyond the lengths of Explicit; each of these steps is
	// the last one with probability End.
	Tail, End float64
}

// Duration returns the law, at Theta, of the stays in a state of a model of Durations. It panics
// if there is no such state, or its sub-states are not a chain as in Durations.
func (m *Model[O]) Duration(state int) Duration {
	return m.duration(m.Theta, state, m.chain("Duration", state))
}

// chain returns the sub-states of a state. If there are none, it panics with the name of the
// method.
func (m *Model[O]) chain(method string, state int) (chain []int) {
	for i, s := range m.topology.Of {
		if s == state {
			chain = append(chain, i)
		}
	}
	if len(chain) == 0 {
		panic("hmm: " + method + ": no such state of the topology")
	}
	return chain
}

// duration returns the law, at theta, of the stays in a state whose sub-states are chain.
func (m *Model[O]) duration(theta []float64, state int, chain []int) Duration {
	of := m.topology.Of
	law, stay := Duration{Tail: 1}, 1.0
	for d, i := range chain {
		on, end := 0.0, 0.0
		for k, j := range m.topology.Next[i] {
			p := m.Row(i).In(theta)[k]
			switch {
			case of[j] != state:
				end += p
			case j == chain[min(d+1, len(chain)-1)]:
				on = p
			default:
				panic("hmm: Duration: the sub-states of the state are not a chain")
			}
		}
		if d == len(chain)-1 {
			law.Tail, law.End = stay, end
			break
		}
		law.Explicit = append(law.Explicit, stay*end)
		stay *= on
	}
	return law
}

// SetDuration writes the law of the stays in a state to Theta: Duration then returns it. States
// that follow a stay keep their relative probabilities; if these are all 0, all other states
// become equally probable. With n sub-states, a law of fewer than n − 1 Explicit lengths is
// extended by the first lengths of its tail. A law of n Explicit lengths without a tail is
// allowed, too: its last length becomes a tail that ends after one step.
//
// The error wraps ErrInvalid if the probabilities of the law are not a distribution, the law has
// more Explicit lengths, or the topology does not allow stays of a length to end. Theta is then
// unchanged. SetDuration panics under the same conditions as Duration.
func (m *Model[O]) SetDuration(state int, law Duration) error {
	chain := m.chain("SetDuration", state)
	last := len(chain) - 1
	law, err := law.explicit(last)
	if err != nil {
		return nested.Errorf("hmm: %w: the stays in state %d: %w", ErrInvalid, state, err)
	}
	theta := slices.Clone(m.Theta)
	longer := law.Tail // the probability that a stay is longer than d steps
	for d := last; d >= 0; d-- {
		on, end := 1-law.End, law.End
		if d < last {
			// The denominator is the sum of the numerators, so rounding cannot make a quotient
			// exceed 1.
			left := law.Explicit[d] + longer
			if left == 0 {
				continue // no stay gets here
			}
			on, end = longer/left, law.Explicit[d]/left
			longer = left
		}
		if err := m.setEnd(theta, chain, d, on, end); err != nil {
			return nested.Errorf("hmm: %w: the stays in state %d: %w", ErrInvalid, state, err)
		}
	}
	// Tied rows have been written several times.
	if got := m.duration(theta, state, chain); !floats.EqualApprox(got.Explicit, law.Explicit, sumTolerance) || math.Abs(got.Tail-law.Tail) > sumTolerance {
		return nested.Errorf("hmm: %w: the stays in state %d: its sub-states share rows of transitions, and cannot have such a law", ErrInvalid, state)
	}
	copy(m.Theta, theta)
	return nil
}

// sumTolerance is the tolerance for the sum of the probabilities of a law of stays.
const sumTolerance = 1e-9

// explicit returns the same law with n Explicit lengths, or an error if that is impossible.
func (l Duration) explicit(n int) (Duration, error) {
	sum := l.Tail
	for d, p := range l.Explicit {
		if !(p >= 0) {
			return l, fmt.Errorf("length %d has the probability %g, want a number ≥ 0", d+1, p)
		}
		sum += p
	}
	switch {
	case !(l.Tail >= 0):
		return l, fmt.Errorf("the tail has the probability %g, want a number ≥ 0", l.Tail)
	case !(math.Abs(sum-1) <= sumTolerance):
		return l, fmt.Errorf("the probabilities of all lengths sum to %.10g, want 1", sum)
	case !(l.End >= 0 && l.End <= 1+sumTolerance):
		return l, fmt.Errorf("a step of the tail is the last one with probability %g, want one in [0, 1]", l.End)
	case len(l.Explicit) > n+1 || len(l.Explicit) == n+1 && l.Tail > 0:
		return l, fmt.Errorf("%d lengths with probabilities of their own and a tail, want at most %d for %d sub-states", len(l.Explicit), n, n+1)
	}
	long := Duration{Explicit: slices.Clone(l.Explicit), Tail: l.Tail, End: min(l.End, 1)}
	if len(long.Explicit) > n { // the last length becomes the tail
		long = Duration{Explicit: long.Explicit[:n], Tail: long.Explicit[n], End: 1}
	}
	for len(long.Explicit) < n {
		long.Explicit = append(long.Explicit, long.Tail*long.End)
		long.Tail *= 1 - long.End
	}
	return long, nil
}

// setEnd writes the probabilities that a stay continues and ends after step d of a chain to
// theta.
func (m *Model[O]) setEnd(theta []float64, chain []int, d int, on, end float64) error {
	i, of := chain[d], m.topology.Of
	if m.topology.ends(i) {
		return fmt.Errorf("a sequence may end after sub-state %d, which the law does not say", i)
	}
	row, next := m.Row(i).In(theta), m.topology.Next[i]
	others, before := 0, 0.0 // the states that may follow a stay, and their probability so far
	for k, j := range next {
		if of[j] != of[i] {
			others++
			before += row[k]
		}
	}
	switch {
	case others == 0 && end > sumTolerance:
		return fmt.Errorf("length %d has a probability, but only sub-state %d may follow there", d+1, chain[min(d+1, len(chain)-1)])
	case others == len(next) && on > sumTolerance:
		return fmt.Errorf("lengths beyond %d have a probability, but sub-state %d does not go on", d+1, i)
	}
	for k, j := range next {
		switch {
		case of[j] == of[i]:
			row[k] = on
		case before > 0:
			row[k] *= end / before
		default:
			row[k] = end / float64(others)
		}
	}
	return nil
}

// States converts sub-states to their states, by Topology.Of. Best and Sample return sub-states
// of a model of Durations. −1, as in Sequence.States, remains −1.
func (m *Model[O]) States(subStates []int32) []int32 {
	states := make([]int32, len(subStates))
	for t, i := range subStates {
		states[t] = -1
		if i >= 0 {
			states[t] = int32(m.topology.Of[i])
		}
	}
	return states
}

// P returns the probability of the length d, 0 below 1.
func (l Duration) P(d int) float64 {
	switch n := len(l.Explicit); {
	case d < 1:
		return 0
	case d <= n:
		return l.Explicit[d-1]
	default:
		return l.Tail * l.End * math.Pow(1-l.End, float64(d-n-1))
	}
}

// Mean returns the mean length, +Inf if a stay may last forever.
func (l Duration) Mean() float64 {
	sum := 0.0
	for d, p := range l.Explicit {
		sum += float64(d+1) * p
	}
	if l.Tail > 0 {
		sum += l.Tail * (float64(len(l.Explicit)) + 1/l.End)
	}
	return sum
}
