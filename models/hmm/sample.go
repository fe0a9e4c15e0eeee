package hmm

import (
	"fmt"
	"math/rand/v2"
)

// Sample draws a sequence, with its states, under Theta. If the model ends by itself,
// the sequence is as long as that takes, but an error, wrapping ErrInvalid, if it
// exceeds length; otherwise length is its length. A state without successors before
// that is an error too.
func (m *Model[O]) Sample(length int, rng *rand.Rand) (Sequence[O], error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return Sequence[O]{}, err
	}
	var s Sequence[O]
	state := m.topology.Start[draw(m.initial.In(m.Theta), rng)]
	for {
		o, err := m.emission.Sample(m.Theta, state, rng)
		if err != nil {
			return s, fmt.Errorf("hmm: %w", err)
		}
		s.States, s.Observations = append(s.States, int32(state)), append(s.Observations, o)
		if m.topology.Ends == nil && len(s.States) == length {
			return s, nil
		}
		p := m.Row(state).In(m.Theta)
		if len(p) == 0 {
			return s, fmt.Errorf("hmm: %w: nothing follows state %d", ErrInvalid, state)
		}
		next := m.topology.Next[state]
		k := draw(p, rng)
		if k == len(next) {
			return s, nil
		}
		if len(s.States) >= length {
			return s, fmt.Errorf("hmm: %w: a random sequence is longer than %d", ErrInvalid, length)
		}
		state = next[k]
	}
}
