package ngram

import (
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Acceptor returns the model as a machine over ring: the weight of a string is its
// probability. Its labels are the symbols 1 … V. It is deterministic, each state
// has exactly one arc for each symbol, and from each state the weights of the arcs
// and the end sum to 1; so the path sum of the whole machine is 1.
//
// weight turns probabilities into weights; nil stands for semiring.FromScaled,
// which needs a Prober and fails with its error otherwise. The states are the
// contexts that strings lead to, state 0 is the initial one. More than 2³¹−1 arcs
// are fst.ErrLimit. O(S V n log V) time and O(S V) memory for S states.
func Acceptor[W any](m *Model, ring semiring.Semiring[W], weight func(semiring.ScaledFloat) W) (*fst.FST[W], error) {
	if weight == nil {
		var err error
		if weight, err = semiring.FromScaled(ring); err != nil {
			return nil, err
		}
	}
	states, err := m.states()
	if err != nil {
		return nil, err
	}
	b := fst.NewBuilder(ring)
	b.AddStates(len(states.contexts))
	b.AddStart(0, ring.One())
	p := make([]float64, m.vocabulary+1)
	to := make([]int32, m.vocabulary+1)
	for s, k := range states.contexts {
		m.distribution(p, k)
		states.targets(to, k)
		b.SetFinal(int32(s), weight(semiring.NewScaled(p[End])))
		for w := int32(1); w <= m.vocabulary; w++ {
			b.AddArc(int32(s), fst.Arc[W]{In: w, Out: w, To: to[w], Weight: weight(semiring.NewScaled(p[w]))})
		}
	}
	return b.Freeze()
}

// states numbers the contexts that strings lead to.
type states struct {
	model    *Model
	seen     []int32 // the symbols that are contexts by themselves
	contexts []int32 // state -> context
	number   []int32 // context -> state, −1 for none
	symbols  []int32 // scratch
}

// states returns the states of the acceptor, that of the empty string first. A
// symbol that is no context, because it was not seen or n is 1, leads to the empty
// context from everywhere.
func (m *Model) states() (*states, error) {
	t := &states{model: m, seen: m.extensions[m.extRow[0]:m.extRow[1]], number: make([]int32, m.NumContexts())}
	for k := range t.number {
		t.number[k] = -1
	}
	if len(t.seen) > 0 && t.seen[0] == begin {
		t.seen = t.seen[1:]
	}
	t.reach(m.context(nil))
	if len(t.seen) < int(m.vocabulary) {
		t.reach(0)
	}
	for s := 0; s < len(t.contexts); s++ {
		if arcs := int64(len(t.contexts)) * int64(m.vocabulary); arcs > math.MaxInt32 {
			return nil, fmt.Errorf("ngram: %w: at least %d arcs, of at most %d", fst.ErrLimit, arcs, math.MaxInt32)
		}
		t.symbols = m.symbols(t.symbols[:0], t.contexts[s])
		for _, w := range t.seen {
			t.reach(m.after(t.symbols, w))
		}
	}
	return t, nil
}

func (t *states) reach(context int32) {
	if t.number[context] < 0 {
		t.number[context] = int32(len(t.contexts))
		t.contexts = append(t.contexts, context)
	}
}

// targets sets to[w] to the state that symbol w leads to from a context.
func (t *states) targets(to []int32, context int32) {
	for w := range to {
		to[w] = t.number[0]
	}
	t.symbols = t.model.symbols(t.symbols[:0], context)
	for _, w := range t.seen {
		to[w] = t.number[t.model.after(t.symbols, w)]
	}
}
