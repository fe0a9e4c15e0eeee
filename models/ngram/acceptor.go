package ngram

import (
	"math"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Acceptor returns the model as a machine over ring: the weight of a string is its probability. Its
// labels are the symbols 1 … V. It is deterministic, and each state has exactly one arc for each
// symbol. At each state the weights of the arcs and the end sum to 1, so the path sum of the
// machine is 1.
//
// weight converts probabilities to weights; nil means semiring.FromScaled, whose error is returned
// if the ring is not Probabilistic. The states are the contexts that strings lead to; state 0 is
// initial. The error wraps semiring.ErrLimit for more than 2³¹−1 arcs. O(S V n log V) time and O(S
// V) memory for S states.
func Acceptor[W any](m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W) (*fst.FST[W], error) {
	nonnil.Check("ngram: Acceptor", "model", m, "ring", ring)
	weight, err := weights(ring, weight)
	if err != nil {
		return nil, err
	}
	states, err := m.states()
	if err != nil {
		return nil, err
	}
	number := make([]int32, len(m.backoff))
	for s, k := range states {
		number[k] = int32(s)
	}
	b := fst.NewBuilder(ring)
	b.AllowZero()
	b.AddStates(len(states))
	b.AddStart(0, ring.One())
	for s, k := range states {
		_, logp := m.Step(k, End)
		b.SetFinal(int32(s), weight(semiring.ScaledFromLog(logp)))
		for w := int32(1); w <= m.vocabulary; w++ {
			to, logp := m.Step(k, w)
			b.AddArc(int32(s), fst.Arc[W]{In: w, Out: w, To: number[to], Weight: weight(semiring.ScaledFromLog(logp))})
		}
	}
	return b.Freeze()
}

// weights returns weight, or the default for nil.
func weights[W any](ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W) (func(semiring.ScaledFloat) W, error) {
	if weight != nil {
		return weight, nil
	}
	return semiring.FromScaled(ring)
}

// states returns the contexts that strings lead to, the context of the empty string first. A symbol
// that is not the end of an n-gram leads to the empty context from every state.
func (m *Model) states() ([]int32, error) {
	var states []int32
	reached := make([]bool, len(m.backoff))
	reach := func(k int32) {
		if !reached[k] {
			reached[k] = true
			states = append(states, k)
		}
	}
	reach(m.Start())
	known := slices.Compact(slices.Sorted(slices.Values(m.symbol)))
	for len(known) > 0 && known[0] < 1 {
		known = known[1:]
	}
	if len(known) < int(m.vocabulary) {
		reach(0)
	}
	for s := 0; s < len(states); s++ {
		if arcs := int64(len(states)) * int64(m.vocabulary); arcs > math.MaxInt32 {
			return nil, nested.Errorf("ngram: %w: at least %d arcs, of at most %d", semiring.ErrLimit, arcs, math.MaxInt32)
		}
		for _, w := range known {
			k, _ := m.Step(states[s], w)
			reach(k)
		}
	}
	return states, nil
}

// BackoffAcceptor returns the model as a machine over ring with an arc for each n-gram only, and
// one of label V+1 from each context to its longest proper suffix, with the back-off weight. If
// these arcs are followed only where no other arc matches, it equals Acceptor, except for the
// numbers of states:
//
//	fst.Match(a, fst.Matching{Tape: fst.Input, Failure: m.Vocabulary() + 1})
//
// As plain arcs they would add paths of less weight. weight is as in Acceptor. The states are all
// contexts, also contexts that no string leads to. The error is as for Acceptor. It also wraps
// ErrInvalid for a model read from text in which the end has probability 0 after a context but not
// after the shorter one. O(n-grams + V) time and memory.
func BackoffAcceptor[W any](m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W) (*fst.FST[W], error) {
	nonnil.Check("ngram: BackoffAcceptor", "model", m, "ring", ring)
	weight, err := weights(ring, weight)
	if err != nil {
		return nil, err
	}
	if arcs := int64(len(m.symbol)) + int64(len(m.backoff)) + int64(m.vocabulary); arcs > math.MaxInt32 {
		return nil, nested.Errorf("ngram: %w: %d arcs, of at most %d", semiring.ErrLimit, arcs, math.MaxInt32)
	}
	state, states := make([]int32, len(m.backoff)), int32(0)
	for k := range state {
		if m.isContext(int32(k)) {
			state[k] = states
			states++
		}
	}
	b := fst.NewBuilder(ring)
	b.AllowZero()
	b.AddStates(int(states))
	b.AddStart(state[m.Start()], ring.One())
	add := func(k, w, next int32, logp float64) {
		b.AddArc(state[k], fst.Arc[W]{In: w, Out: w, To: state[next], Weight: weight(semiring.ScaledFromLog(logp))})
	}
	for k := range int32(len(m.backoff)) {
		if !m.isContext(k) {
			continue
		}
		for i := m.first[k]; i < m.first[k+1]; i++ {
			switch w := m.symbol[i]; w {
			case begin:
			case End:
				if math.IsInf(m.logp[i], -1) && k > 0 {
					return nil, nested.Errorf("ngram: %w: the end has probability 0 after %v", ErrInvalid, m.symbols(k))
				}
				b.SetFinal(state[k], weight(semiring.ScaledFromLog(m.logp[i])))
			default:
				add(k, w, m.next[i], m.logp[i])
			}
		}
		if k > 0 {
			add(k, m.vocabulary+1, m.back[k], m.backoff[k])
		}
	}
	for w := range m.vocabulary + 1 {
		if m.find(0, w) > 0 {
			continue
		}
		if w == End {
			b.SetFinal(state[0], weight(semiring.ScaledFromLog(m.unseen)))
		} else {
			add(0, w, 0, m.unseen)
		}
	}
	return b.Freeze()
}
