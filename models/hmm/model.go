package hmm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Model is a hidden Markov model with observations of type O. Its parameters are the
// emission's, then the group "initial", then "transition/0", …, one for each row of the
// topology. The outcomes of a row are the states that may follow, in the order of
// Topology.Next, and ending, where that is possible: "transition/0[→2]", "transition/0[end]".
// Of a second model over the same Params they are "model 2/initial" and so on.
type Model[O any] struct {
	// Params is the table of the parameters, Theta their values.
	Params *em.Params
	Theta  []float64

	topology Topology
	emission Emission[O]
	initial  *em.Group
	rows     []*em.Group
	prefix   string // of the names of its groups
}

// Sequence is a sequence of observations. Any of its states may be known.
type Sequence[O any] struct {
	Observations []O
	// States, if not nil, has one entry per observation: the number of the state
	// there, or −1 where it is not known.
	States []int32
	// Weight says how often the sequence was seen, a finite number ≥ 0; the zero
	// value of the field means once, em.Times(0) that it has no part in training.
	Weight em.Multiplicity
	// Name appears in errors and reports; without one the index does.
	Name string
}

// Hide returns the sequences without what is known of their states. They share observations.
func Hide[O any](data ...Sequence[O]) []Sequence[O] {
	hidden := slices.Clone(data)
	for i := range hidden {
		hidden[i].States = nil
	}
	return hidden
}

// skipped returns sequence i as it is called in reports.
func (s *Sequence[O]) skipped(i int) em.Skipped {
	return em.Skipped{Index: i, Name: s.Name, Weight: s.Weight.Float64()}
}

// New returns an untrained model of a topology, whose distributions are estimated by law,
// with an emission whose parameters are in p. It starts uniform, unless a group says
// otherwise. Training cannot break the symmetry of a uniform start (see Fit): begin with
// StartRandom or StartKMeans.
//
// Theta is p.Start() as it is now: it lacks the groups that are added to p later, and does not
// know of a later em.Group.SetStart. Where several models are made over one p, make all of
// them, and then set the Theta of each.
//
// The error wraps ErrInvalid, also where the emission has parameters of another em.Params
// (see Emission).
func New[O any](p *em.Params, t Topology, law em.Law, emission Emission[O]) (*Model[O], error) {
	nonnil.Check("hmm: New", "parameters", p, "law", law, "emission", emission)
	t, err := t.complete()
	if err != nil {
		return nil, err
	}
	if n := emission.States(); n != t.States {
		return nil, nested.Errorf("hmm: %w: emissions of %d states, transitions of %d", ErrInvalid, n, t.States)
	}
	if err := checkGroups(p, emission); err != nil {
		return nil, err
	}
	m := &Model[O]{Params: p, topology: t, emission: emission, prefix: prefixOf(p)}
	m.initial = p.Distribution(m.prefix+"initial", len(t.Start), law)
	m.initial.SetNames(func(k int) string { return fmt.Sprint(t.Start[k]) })
	for i, r := range t.Row {
		if r < len(m.rows) && m.rows[r] != nil {
			continue
		}
		for len(m.rows) <= r {
			m.rows = append(m.rows, nil)
		}
		m.rows[r] = m.row(r, i, law)
	}
	m.Theta = p.Start()
	return m, nil
}

// prefixOf returns what the names of a new model's groups begin with: nothing for the first model
// over p.
func prefixOf(p *em.Params) string {
	prefix := ""
	for k := 2; slices.ContainsFunc(p.Groups(), func(g *em.Group) bool {
		name, ok := strings.CutPrefix(g.String(), prefix)
		return ok && (name == "initial" || strings.HasPrefix(name, "transition/"))
	}); k++ {
		prefix = fmt.Sprintf("model %d/", k)
	}
	return prefix
}

// row makes the group of row r, whose first state is i.
func (m *Model[O]) row(r, i int, law em.Law) *em.Group {
	next := m.topology.Next[i]
	n := len(next)
	if m.topology.ends(i) {
		n++
	}
	g := m.Params.Distribution(fmt.Sprintf("%stransition/%d", m.prefix, r), n, law)
	g.SetNames(func(k int) string {
		if k == len(next) {
			return "end"
		}
		return fmt.Sprintf("→%d", next[k])
	})
	return g
}

// Initial returns the group of the initial probabilities, in the order of
// Topology.Start.
func (m *Model[O]) Initial() *em.Group { return m.initial }

// Row returns the group of the transitions of state i, in the order of its successors
// in Topology.Next; ending comes last if it may end.
func (m *Model[O]) Row(i int) *em.Group { return m.rows[m.topology.Row[i]] }

// Fit trains the model, from Theta unless opts says otherwise, and leaves the result
// in Theta. It returns what em.Fit does; a canceled run keeps what it has reached.
// A sequence of probability 0 is an error that names it.
//
// The error wraps em.ErrSymmetric if two states, or two blocks of sub-states, are alike at the
// start and would remain so, as in a uniform start: begin with StartRandom or StartKMeans, or
// use restarts. em.Fit of the Likelihood does without this check.
func (m *Model[O]) Fit(ctx context.Context, data []Sequence[O], opts *em.Options) (*em.Result, error) {
	l, err := m.Likelihood(data, em.Fail)
	if err != nil {
		return nil, err
	}
	if opts == nil || opts.Restarts == 0 {
		start := m.Theta
		if opts != nil && opts.Start != nil {
			start = opts.Start
		}
		if err := m.checkStart(ctx, data, start); err != nil {
			return nil, err
		}
	}
	return em.FitFrom(ctx, l, &m.Theta, opts)
}

// weights are the weights of trellises under fixed parameters.
type weights[O any] struct {
	initial   []semiring.ScaledFloat
	cells     []semiring.ScaledFloat // transitions, row by row
	final     []semiring.ScaledFloat // nil: 1 everywhere
	densities Densities[O]
	beta      float64
}

// weights returns the weights at theta, each to the power beta.
func (m *Model[O]) weights(theta []float64, beta float64) (*weights[O], error) {
	t, n := m.topology, m.topology.States
	values := m.Params.Values(theta)
	d, err := m.emission.At(theta, values)
	if err != nil {
		return nil, nested.Errorf("hmm: %w", err)
	}
	w := &weights[O]{initial: make([]semiring.ScaledFloat, n), cells: make([]semiring.ScaledFloat, n*n), densities: d, beta: beta}
	if t.Ends != nil {
		w.final = make([]semiring.ScaledFloat, n)
	}
	for k, i := range t.Start {
		w.initial[i] = temper(values[m.initial.First()+k], beta)
	}
	for i, next := range t.Next {
		first := m.Row(i).First()
		for k, j := range next {
			w.cells[i*n+j] = temper(values[first+k], beta)
		}
		if t.ends(i) {
			w.final[i] = temper(values[first+len(next)], beta)
		}
	}
	return w, nil
}

func temper(w semiring.ScaledFloat, beta float64) semiring.ScaledFloat {
	if beta == 1 {
		return w
	}
	return w.Pow(beta)
}
