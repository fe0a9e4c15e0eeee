package edit

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Model is a stochastic edit transducer, the only machine of its cascade, and its
// parameters. Fit, of em.Model, trains it.
type Model struct{ em.Model }

// Edit is one step: In becomes Out; either may be fst.Epsilon.
type Edit struct{ In, Out int32 }

// Scorer answers questions about a model with the parameters that it had when
// the Scorer was made. It may be used by many goroutines.
type Scorer struct {
	machine *fst.FST[semiring.ScaledFloat]
	edits   map[Edit]int // arc of machine
}

// Scorer returns a scorer for the model as it is now.
func (m *Model) Scorer() (*Scorer, error) {
	f, err := em.Instantiate(m.Params, m.Cascade[0], m.Theta, semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{}))
	if err != nil {
		return nil, err
	}
	s := &Scorer{machine: f, edits: map[Edit]int{}}
	for e, in := range f.In() {
		s.edits[Edit{in, f.Out()[e]}] = e
	}
	return s, nil
}

// Prob returns the probability of one edit, 0 if the model has no such edit. In a
// joint model those of all edits and of the end sum to 1; in a conditional one
// those of all insertions and of all edits of one input symbol do.
func (s *Scorer) Prob(e Edit) float64 {
	arc, ok := s.edits[e]
	if !ok {
		return 0
	}
	return s.machine.Graph().Weights()[arc].Float64()
}

// LogProb returns ln of the probability of (x, y), summed over all ways to edit x
// into y: joint, or conditional on x; −Inf if there is none. The stochastic edit
// distance is its negative. Time is proportional to |x|·|y|.
func (s *Scorer) LogProb(x, y []int32) (float64, error) {
	l, err := lattice(s.machine, x, y)
	if err != nil {
		return 0, err
	}
	total, err := graph.PathSum(l.Graph())
	if err != nil {
		return 0, fmt.Errorf("edit: %w", err)
	}
	return total.Log(), nil
}

// Best returns the most probable way to edit x into y and ln of its
// probability; −Inf and no edits if there is none.
func (s *Scorer) Best(x, y []int32) ([]Edit, float64, error) {
	l, err := lattice(s.machine.WithSemiring(semiring.Viterbi{}), x, y)
	if err != nil {
		return nil, 0, err
	}
	path, err := graph.BestPath(l.Graph())
	if err != nil {
		return nil, 0, fmt.Errorf("edit: %w", err)
	}
	edits := make([]Edit, len(path.Arcs))
	for i, e := range path.Arcs {
		edits[i] = Edit{l.In()[e], l.Out()[e]}
	}
	return edits, path.Weight.Log(), nil
}

// lattice returns x ∘ m ∘ y.
func lattice(m *fst.FST[semiring.ScaledFloat], x, y []int32) (*fst.FST[semiring.ScaledFloat], error) {
	k := m.Semiring()
	left, err := fst.Compose[semiring.ScaledFloat](fst.FromString(k, x), m)
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	both, err := fst.Compose[semiring.ScaledFloat](left, fst.FromString(k, y))
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	return fst.Expand[semiring.ScaledFloat](both, 0)
}
