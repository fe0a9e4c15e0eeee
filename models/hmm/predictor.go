package hmm

import (
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// Predictor is a model frozen at the parameters that it had when the Predictor was made. It is
// safe for concurrent use. Methods for a sequence take time proportional to length · States², and
// their errors name the fault of the sequence. They respect the known states of the sequence.
type Predictor[O any] struct {
	m      *Model[O]
	theta  []float64
	shared *shared[O]
}

// Predictor returns a predictor for the current parameters of the model.
func (m *Model[O]) Predictor() (*Predictor[O], error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, err
	}
	w, err := m.weights(m.Theta, 1)
	if err != nil {
		return nil, err
	}
	shared, err := share(w)
	if err != nil {
		return nil, err
	}
	return &Predictor[O]{m, slices.Clone(m.Theta), shared}, nil
}

// LogProb returns ln P(observations), summed over all sequences of states; −Inf if there is no
// such sequence. If the model does not end by itself, the probability is given the length. For
// densities it is the log density.
func (p *Predictor[O]) LogProb(seq Sequence[O]) (float64, error) {
	l, t, err := p.trellis(&seq)
	if err != nil {
		return 0, err
	}
	return clamp.LogProb(t.PathSum(&l.scratch).Log(), len(seq.Observations)), nil
}

// Best returns the most probable sequence of states and ln P(observations, states). The error
// wraps em.ErrUnderivable if there is no sequence of states.
func (p *Predictor[O]) Best(seq Sequence[O]) ([]int32, float64, error) {
	l, t, err := p.trellis(&seq)
	if err != nil {
		return nil, 0, err
	}
	path, total, err := t.BestPath(nil, &l.scratch)
	if err != nil {
		return nil, 0, nested.Errorf("hmm: %w", err)
	}
	if total.IsZero() {
		return nil, 0, nested.Errorf("hmm: %w", em.ErrUnderivable)
	}
	return path, clamp.LogProb(total.Log(), len(seq.Observations)), nil
}

// Posteriors returns for every position the probability of every state given all
// observations. The error wraps em.ErrUnderivable if there is no sequence of states.
func (p *Predictor[O]) Posteriors(seq Sequence[O]) ([][]float64, error) {
	l, t, err := p.trellis(&seq)
	if err != nil {
		return nil, err
	}
	node := make([]float64, t.NumNodes())
	total, err := t.Counts(1, trellis.Parts{Node: node}, &l.scratch)
	if err != nil {
		return nil, nested.Errorf("hmm: %w", err)
	}
	if total.IsZero() {
		return nil, nested.Errorf("hmm: %w", em.ErrUnderivable)
	}
	if err := clamp.Probabilities(node); err != nil {
		return nil, nested.Errorf("hmm: %w", err)
	}
	return rows(node, p.m.topology.States), nil
}

// Filter returns for every position the probability of every state given the observations up to
// this position, for any end of the sequence. Errors are as for Posteriors and name the first
// position up to which there is no sequence of states.
func (p *Predictor[O]) Filter(seq Sequence[O]) ([][]float64, error) {
	l, t, err := p.trellis(&seq)
	if err != nil {
		return nil, err
	}
	n := p.m.topology.States
	alpha := t.Forward(nil, &l.scratch)
	node := make([]float64, len(alpha))
	for pos := range seq.Observations {
		here := alpha[pos*n : (pos+1)*n]
		var sum semiring.ScaledFloat
		for _, a := range here {
			sum = sum.Add(a)
		}
		if sum.IsZero() {
			return nil, nested.Errorf("hmm: %w: up to position %d", em.ErrUnderivable, pos)
		}
		for i, a := range here {
			node[pos*n+i] = a.Div(sum).Float64()
		}
	}
	if err := clamp.Probabilities(node); err != nil {
		return nil, nested.Errorf("hmm: %w", err)
	}
	return rows(node, n), nil
}

// Sample draws a sequence with its states, which Fit and Best treat as known; use Hide to remove
// them. If the model ends by itself, length bounds the length of the sequence; otherwise it is
// the length. The error wraps ErrInvalid if the sequence is longer, or reaches a state without
// successors too early.
func (p *Predictor[O]) Sample(length int, src rand.Source) (Sequence[O], error) {
	nonnil.Check("hmm: Sample", "source of randomness", src)
	var seq Sequence[O]
	m, rng := p.m, rand.New(src)
	state := m.topology.Start[draw(m.initial.In(p.theta), rng)]
	for {
		o, err := m.emission.Sample(p.theta, state, rng)
		if err != nil {
			return seq, nested.Errorf("hmm: %w", err)
		}
		seq.States, seq.Observations = append(seq.States, int32(state)), append(seq.Observations, o)
		if m.topology.Ends == nil && len(seq.States) == length {
			return seq, nil
		}
		row := m.Row(state).In(p.theta)
		if len(row) == 0 {
			return seq, nested.Errorf("hmm: %w: state %d has no successor", ErrInvalid, state)
		}
		next := m.topology.Next[state]
		k := draw(row, rng)
		if k == len(next) {
			return seq, nil
		}
		if len(seq.States) >= length {
			return seq, nested.Errorf("hmm: %w: a random sequence is longer than %d", ErrInvalid, length)
		}
		state = next[k]
	}
}

// Trellis returns the trellis of a sequence for other queries. Its Graph provides random
// sequences of states, the best k sequences, and so on.
func (p *Predictor[O]) Trellis(seq Sequence[O]) (*trellis.Trellis, error) {
	_, t, err := p.trellis(&seq)
	return t, err
}

func (p *Predictor[O]) trellis(seq *Sequence[O]) (*lattice[O], *trellis.Trellis, error) {
	if err := p.m.check(seq); err != nil {
		return nil, nil, nested.Errorf("hmm: %w: %w", em.ErrInvalid, err)
	}
	l := &lattice[O]{m: p.m}
	t, err := l.of(p.shared, seq)
	if err != nil {
		return nil, nil, nested.Errorf("hmm: %w", err)
	}
	return l, t, nil
}

// rows cuts v into rows of n.
func rows(v []float64, n int) [][]float64 {
	out := make([][]float64, len(v)/n)
	for i := range out {
		out[i] = v[i*n : (i+1)*n : (i+1)*n]
	}
	return out
}
