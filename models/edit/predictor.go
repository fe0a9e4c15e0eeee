package edit

import (
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Edit is one step: Source becomes Target; either may be fst.Epsilon.
type Edit struct{ Source, Target int32 }

// Predictor is a model frozen at the parameters that it had when the Predictor was made. It is safe
// for concurrent use.
type Predictor struct {
	model   *Model
	machine *machine
	edits   map[Edit]int // arc of machine; for chunks, of one symbol
}

type machine = fst.FST[semiring.ScaledFloat]

// Predictor returns a predictor for the model at its current parameters.
func (m *Model) Predictor() (*Predictor, error) {
	f, err := m.instance()
	if err != nil {
		return nil, err
	}
	p := &Predictor{model: m, machine: f}
	if m.contexts == nil {
		p.edits = make(map[Edit]int, f.NumArcs())
		for e, to := range f.Graph().To()[:f.Graph().Row()[1]] {
			if to == 0 {
				p.edits[Edit{f.In()[e], f.Out()[e]}] = e
			}
		}
	}
	return p, nil
}

// instance returns the machine at the current parameters.
func (m *Model) instance() (*machine, error) {
	return cascade.Instantiate(m.Params, m.Stages[0], m.Theta, scaled)
}

// Prob returns the probability of one edit of a memoryless model, 0 if the model has no such edit.
// In a joint model the probabilities of all edits and of the end sum to 1; in a conditional model,
// of all insertions and all edits of one source symbol. In a model of chunks it is the probability
// of a chunk of one symbol. In a contextual model, an edit has no probability by itself and Prob
// returns 0: see Posteriors.
func (p *Predictor) Prob(e Edit) float64 {
	arc, ok := p.edits[e]
	if !ok {
		return 0
	}
	return p.machine.Graph().Weights()[arc].Float64()
}

// LogProb returns ln of the probability of (x, y), summed over all ways to edit x into y: joint, or
// conditional on x. It is −Inf if there is no way. The stochastic edit distance is its negative.
// Time is proportional to |x|·|y|.
func (p *Predictor) LogProb(x, y []int32) (float64, error) {
	l, err := p.lattice(semiring.Scaled{}, x, y)
	if err != nil || l == nil {
		return math.Inf(-1), err
	}
	total, err := graphs.PathSum(l.Graph())
	if err != nil {
		return 0, nested.Errorf("edit: %w", err)
	}
	return clamp.LogProb(total.Log(), len(x)+len(y)), nil
}

// Script is a way to edit one string into another, its edits in order, and the natural logarithm of
// its probability: joint or conditional on the source, depending on the model.
type Script struct {
	Edits   []Edit
	LogProb float64
}

// Prob returns exp LogProb.
func (s Script) Prob() float64 { return math.Exp(s.LogProb) }

// Best returns the most probable way to edit x into y. The error wraps em.ErrUnderivable if there
// is none. A swap is returned as two edits, of the first symbol to the second and of the second to
// the first. A chunk is returned as one edit for each pair of symbols at the same position. Time is
// proportional to |x|·|y|.
func (p *Predictor) Best(x, y []int32) (Script, error) {
	l, err := p.lattice(semiring.Viterbi{}, x, y)
	if err != nil {
		return Script{}, err
	}
	if l == nil {
		return Script{}, underivable()
	}
	path, err := graphs.BestPath(l.Graph())
	if err != nil {
		return Script{}, nested.Errorf("edit: %w", err)
	}
	if path.Start < 0 {
		return Script{}, underivable()
	}
	script := Script{LogProb: clamp.LogProb(path.Weight.Log(), len(path.Arcs))}
	for _, e := range path.Arcs {
		if edit := p.edit(l, int(e)); edit != (Edit{}) {
			script.Edits = append(script.Edits, edit)
		}
	}
	return script, nil
}

func underivable() error {
	return nested.Errorf("edit: %w: no sequence of edits turns the source into the target", em.ErrUnderivable)
}

// Posteriors returns the expected number of times that each edit is used in the ways to edit x into
// y, drawn in proportion to their probability. The error wraps em.ErrUnderivable if there is no
// way. Summed over edits, each symbol of x is a Source and each symbol of y a Target as often as it
// occurs. Time is proportional to |x|·|y|.
func (p *Predictor) Posteriors(x, y []int32) (map[Edit]float64, error) {
	l, err := p.lattice(semiring.Scaled{}, x, y)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, underivable()
	}
	posterior, err := graphs.Posteriors(l.Graph())
	if err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	if posterior.Total.IsZero() {
		return nil, underivable()
	}
	expected := map[Edit]float64{}
	for e, times := range posterior.Arc {
		if edit := p.edit(l, e); edit != (Edit{}) && times > 0 {
			expected[edit] += times
		}
	}
	return expected, nil
}

// edit returns the edit of arc e of a lattice. For the mark of the beginning both sides are
// fst.Epsilon.
func (p *Predictor) edit(l *machine, e int) Edit {
	edit := Edit{l.In()[e], l.Out()[e]}
	if c := p.model.contexts; c != nil {
		edit.Source = c.symbol[edit.Source]
	}
	return edit
}

// lattice returns x ∘ m ∘ y over a ring, nil if the model does not know a symbol of x.
func (p *Predictor) lattice(k semiring.Semiring[semiring.ScaledFloat], x, y []int32) (*machine, error) {
	labels, ok := p.model.Labels(x)
	if !ok {
		return nil, nil
	}
	edited := machines.Scaled.Compose(machines.Scaled.FromString(k, labels), p.machine.WithSemiring(k))
	f, err := machines.Scaled.Expand(machines.Scaled.Compose(edited, machines.Scaled.FromString(k, y)), nil)
	if err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	return f, nil
}
