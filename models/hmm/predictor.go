package hmm

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Predictor answers questions about a model with the parameters that it had when the
// Predictor was made. It may be used by many goroutines. All of its methods take time
// proportional to length · States², and their errors name what is wrong with the
// sequence. States that the sequence knows are respected.
type Predictor[O any] struct {
	m               *Model[O]
	scaled, viterbi *shared[O]
}

// Predictor returns a predictor for the model as it is now.
func (m *Model[O]) Predictor() (*Predictor[O], error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, err
	}
	w, err := m.weights(m.Theta, 1)
	if err != nil {
		return nil, err
	}
	s := &Predictor[O]{m: m}
	if s.scaled, err = share(w, semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{})); err != nil {
		return nil, err
	}
	s.viterbi, err = share(w, semiring.Semiring[semiring.ScaledFloat](semiring.Viterbi{}))
	return s, err
}

// LogProb returns ln P(observations), summed over all sequences of states; −Inf if
// there is none. Where the length is given, it is the probability given the length;
// for densities, it is the log density.
func (s *Predictor[O]) LogProb(seq Sequence[O]) (float64, error) {
	l, t, err := s.trellis(s.scaled, &seq)
	if err != nil {
		return 0, err
	}
	return t.PathSum(&l.scratch).Log(), nil
}

// Best returns the most probable sequence of states and ln P(observations, states);
// no states and −Inf if there is none.
func (s *Predictor[O]) Best(seq Sequence[O]) ([]int32, float64, error) {
	l, t, err := s.trellis(s.viterbi, &seq)
	if err != nil {
		return nil, 0, err
	}
	path, total, err := t.BestPath(nil, &l.scratch)
	if err != nil {
		return nil, 0, fmt.Errorf("hmm: %w", err)
	}
	return path, total.Log(), nil
}

// Posteriors returns for every position the probability of every state given all
// observations. It is an error, wrapping em.ErrUnderivable, if there is no sequence of
// states.
func (s *Predictor[O]) Posteriors(seq Sequence[O]) ([][]float64, error) {
	l, t, err := s.trellis(s.scaled, &seq)
	if err != nil {
		return nil, err
	}
	node := make([]float64, t.NumNodes())
	total, err := t.Counts(1, node, nil, &l.scratch)
	if err != nil {
		return nil, fmt.Errorf("hmm: %w", err)
	}
	if total.IsZero() {
		return nil, fmt.Errorf("hmm: %w", em.ErrUnderivable)
	}
	return rows(node, s.m.topology.States), nil
}

// Filter returns for every position the probability of every state given the
// observations up to there, without regard to where the sequence ends. Errors are
// those of Posteriors, with the first position up to which there is no sequence of
// states.
func (s *Predictor[O]) Filter(seq Sequence[O]) ([][]float64, error) {
	l, t, err := s.trellis(s.scaled, &seq)
	if err != nil {
		return nil, err
	}
	n := s.m.topology.States
	alpha := t.Forward(nil, &l.scratch)
	node := make([]float64, len(alpha))
	for pos := range seq.Observations {
		here := alpha[pos*n : (pos+1)*n]
		var sum semiring.ScaledFloat
		for _, a := range here {
			sum = sum.Add(a)
		}
		if sum.IsZero() {
			return nil, fmt.Errorf("hmm: %w: up to position %d", em.ErrUnderivable, pos)
		}
		for i, a := range here {
			node[pos*n+i] = a.Div(sum).Float64()
		}
	}
	return rows(node, n), nil
}

// Trellis returns the trellis of a sequence over Scaled, for all other questions:
// random sequences of states (NewSampler), the best k (Graph), and so on.
func (s *Predictor[O]) Trellis(seq Sequence[O]) (*graph.Trellis[semiring.ScaledFloat], error) {
	_, t, err := s.trellis(s.scaled, &seq)
	return t, err
}

func (s *Predictor[O]) trellis(w *shared[O], seq *Sequence[O]) (*lattice[O], *graph.Trellis[semiring.ScaledFloat], error) {
	if err := s.m.check(seq); err != nil {
		return nil, nil, fmt.Errorf("hmm: %w: %w", em.ErrProblem, err)
	}
	l := &lattice[O]{m: s.m}
	t, err := l.of(w, seq)
	if err != nil {
		return nil, nil, fmt.Errorf("hmm: %w", err)
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
