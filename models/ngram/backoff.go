package ngram

import (
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// BackoffAcceptor returns the model as a machine over ring with an arc for each n-gram
// only, and one of label V+1 from each context to the longest shorter one, which carries
// the back-off weight. It is Acceptor, but for the numbers of states, if those arcs are
// followed where nothing else matches:
//
//	fst.Match(a, fst.Matching{Tape: fst.Input, Failure: m.Vocabulary() + 1})
//
// Taken as plain arcs they would add paths of less weight. weight is as in Acceptor. The
// states are the contexts, also those that no string leads to. The error is that of
// Acceptor; it wraps ErrInvalid if the end has the probability 0 after a context where
// that does not follow from the shorter one, which only a model read from text may have.
// O(n-grams + V) time and memory.
func BackoffAcceptor[W any](m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W) (*fst.FST[W], error) {
	nonnil.Check("ngram: BackoffAcceptor", "model", m, "ring", ring)
	weight, err := weights(ring, weight)
	if err != nil {
		return nil, err
	}
	if arcs := int64(len(m.symbol)) + int64(len(m.backoff)) + int64(m.vocabulary); arcs > math.MaxInt32 {
		return nil, fmt.Errorf("ngram: %w: %d arcs, of at most %d", semiring.ErrLimit, arcs, math.MaxInt32)
	}
	state, states := make([]int32, len(m.backoff)), int32(0)
	for k := range state {
		if m.isContext(int32(k)) {
			state[k] = states
			states++
		}
	}
	b := fst.NewBuilder(ring)
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
					return nil, fmt.Errorf("ngram: %w: the end has probability 0 after %v", ErrInvalid, m.symbols(k))
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
