package hmm

import (
	"example.org/pathsum/em"
	"example.org/pathsum/internal/assignment"
	"example.org/pathsum/internal/nested"
)

// Matching assigns true states to learnt states.
type Matching struct {
	// Of is a permutation: learnt state i is the true state Of[i].
	Of []int
	// Right is the number of positions at which the learnt state matches the true state under Of,
	// and Known the number of positions at which both states are known.
	Right, Known int
}

// Accuracy returns Right / Known.
func (m Matching) Accuracy() float64 { return float64(m.Right) / float64(m.Known) }

// Rename converts learnt states to true states. −1 remains −1.
func (m Matching) Rename(learnt []int32) []int32 {
	states := make([]int32, len(learnt))
	for t, i := range learnt {
		states[t] = -1
		if i >= 0 {
			states[t] = int32(m.Of[i])
		}
	}
	return states
}

// Match returns the matching of learnt states with true states under which most positions agree.
// Training without known states numbers the states arbitrarily. learnt and truth are sequences of
// states of the same lengths, such as results of Predictor.Best and labels, with numbers in [0,
// states), or −1 for unknown states. If the numbers of learnt and true states differ, states is
// the greater one. Surplus states are matched with numbers that do not occur.
//
// It counts the positions of each pair of a learnt and a true state, and solves the assignment
// problem, in O(states³) time. The error wraps em.ErrInvalid if lengths differ, a number is out
// of range, or there is no position at which both states are known.
//
// Source: Kuhn 1955.
func Match(learnt, truth [][]int32, states int) (Matching, error) {
	bad := func(format string, args ...any) (Matching, error) {
		return Matching{}, nested.Errorf("hmm: Match: %w: "+format, append([]any{em.ErrInvalid}, args...)...)
	}
	if states < 1 {
		return bad("%d states, want at least 1", states)
	}
	if len(learnt) != len(truth) {
		return bad("%d learnt and %d true sequences, want as many", len(learnt), len(truth))
	}
	cost := make([][]float64, states) // minus the number of positions with learnt i and true j
	for i := range cost {
		cost[i] = make([]float64, states)
	}
	var m Matching
	for s := range learnt {
		if a, b := len(learnt[s]), len(truth[s]); a != b {
			return bad("sequence %d has %d learnt and %d true states, want as many", s, a, b)
		}
		for t, i := range learnt[s] {
			j := truth[s][t]
			if low, high := min(i, j), max(i, j); low < -1 || int(high) >= states {
				return bad("sequence %d, position %d: learnt state %d and true state %d, want numbers in [0, %d), or −1", s, t, i, j, states)
			}
			if i >= 0 && j >= 0 {
				cost[i][j]--
				m.Known++
			}
		}
	}
	if m.Known == 0 {
		return bad("both states are known at no position")
	}
	of, total, err := assignment.Best(cost)
	if err != nil {
		return bad("%w", err)
	}
	m.Of, m.Right = of, int(-total)
	return m, nil
}
