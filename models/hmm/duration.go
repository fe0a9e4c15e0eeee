package hmm

import (
	"math"
	"slices"
)

// Transition returns the probability, at Theta, that state to follows state from: 0 where the
// topology does not let it.
func (m *Model[O]) Transition(from, to int) float64 {
	k := slices.Index(m.topology.Next[from], to)
	if k < 0 {
		return 0
	}
	return m.Row(from).In(m.Theta)[k]
}

// Durations returns the topology of a hidden semi-Markov model, in which a stay in a state may
// have any law of its length. of says which distribution each sub-state has, for NewDiscrete or
// NewGaussian.
//
// State i is the sub-states i·explicit, …, (i+1)·explicit − 1, which share one distribution. A
// stay begins in the first. After each step it goes on to the next sub-state, or ends: another
// state follows, in its first. The last sub-state goes on to itself. So every length below
// explicit has a probability of its own, and those from explicit on fall geometrically. What
// follows may depend on the length of the stay: rows are P(goes on), then P(ends, and j follows)
// for the other states j in their order. The last stay is cut off where the sequence ends.
//
// For a least length of n let the first n − 1 sub-states of a state only go on, before New:
//
//	topology.Next[i] = topology.Next[i][:1]
//
// A probability that starts at 0 stays there, too, unless a prior raises it, but StartKMeans and
// StartRandom make a start of their own. One of them is needed: states that are alike in all
// their sub-states remain so, and Fit refuses such a start. What Best returns divided by explicit
// are the states. Sequence.States, Gaussian.Density and Posteriors number sub-states, too.
//
// Training takes the time of a model with states·explicit states. Numbers below 1 make a topology
// without states, which New refuses.
//
// Source: Guédon 2003; Johnson 2005.
func Durations(states, explicit int) (t Topology, of []int) {
	if states < 1 || explicit < 1 {
		return Topology{}, nil
	}
	t = Topology{States: states * explicit}
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
			of = append(of, i)
		}
	}
	return t, of
}

// Duration is the law of the length of a stay.
type Duration struct {
	// Explicit holds the probabilities of the lengths 1, 2, …, but for the tail.
	Explicit []float64
	// Tail is the probability of a length beyond those of Explicit; then each step is the last
	// one with probability End.
	Tail, End float64
}

// Duration returns the law, at Theta, of the stays in a state of a model made by Durations, with
// the of that it returned. It panics if the sub-states of the state are no such chain.
func (m *Model[O]) Duration(of []int, state int) Duration {
	var chain []int
	for i, s := range of {
		if s == state {
			chain = append(chain, i)
		}
	}
	if len(of) != m.topology.States || len(chain) == 0 {
		panic("hmm: Duration: no such state of a model made by Durations")
	}
	law, stay := Duration{Tail: 1}, 1.0
	for d, i := range chain {
		on, end := 0.0, 0.0
		for k, j := range m.topology.Next[i] {
			p := m.Row(i).In(m.Theta)[k]
			switch {
			case of[j] != state:
				end += p
			case j == chain[min(d+1, len(chain)-1)]:
				on = p
			default:
				panic("hmm: Duration: the sub-states of the state are no chain")
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

// Mean returns the mean length, +Inf if a stay may last for ever.
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
