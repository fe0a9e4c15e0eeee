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

// Model is a hidden Markov model with observations of type O. Its parameters are the emission's,
// then the group "initial", then "transition/0", …, one for each row of the topology. The
// outcomes of a row are the states that may follow, in the order of Topology.Next, and ending, if
// that is possible: "transition/0[→2]", "transition/0[end]". A second model over the same Params
// has the names "model 2/initial" and so on.
type Model[O any] struct {
	// Params is the table of the parameters, Theta their values.
	Params *em.Params
	Theta  []float64

	topology Topology
	emission Emission[O]
	initial  *em.Group
	rows     []*em.Group
	prefix   string // prefix of the names of its groups
}

// Sequence is a sequence of observations. Some or all of its states may be known.
type Sequence[O any] struct {
	Observations []O
	// States, if not nil, has one entry per observation: the number of the state, or −1 if the
	// state is not known.
	States []int32
	// Weight is the number of times that the sequence was observed, a finite number ≥ 0. The zero
	// value of the field means once; em.Times(0) excludes the sequence from training.
	Weight em.Multiplicity
	// Name appears in errors and reports; if it is empty, the index does.
	Name string
}

// Hide returns the sequences without known states. They share the observations of data.
func Hide[O any](data ...Sequence[O]) []Sequence[O] {
	hidden := slices.Clone(data)
	for i := range hidden {
		hidden[i].States = nil
	}
	return hidden
}

// skipped returns the description of sequence i for reports.
func (s *Sequence[O]) skipped(i int) em.Skipped {
	return em.Skipped{Index: i, Name: s.Name, Weight: s.Weight.Float64()}
}

// New returns an untrained model of a topology, whose distributions are estimated by law, with an
// emission whose parameters are in p. It starts uniform, unless a group has another start.
// Training cannot break the symmetry of a uniform start (see Fit): call StartRandom or
// StartKMeans first.
//
// Theta is p.Start() at the time of the call: it does not include groups that are added to p
// later, or the effect of a later em.Group.SetStart. To make several models over one p, first
// make all of them, then set the Theta of each.
//
// The error wraps ErrInvalid, for example if the emission has parameters of another em.Params
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

// prefixOf returns the prefix of the names of a new model's groups: "" for the first model over
// p.
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

// Fit trains the model, from Theta unless opts says otherwise, and leaves the result in Theta. It
// returns the results of em.Fit; a canceled run keeps the parameters reached so far. If a
// sequence has probability 0, the error names it.
//
// The error wraps em.ErrSymmetric if two states, or two blocks of sub-states, are equal at the
// start and would remain equal, as in a uniform start: call StartRandom or StartKMeans first, or
// use restarts. em.Fit of the Likelihood does not perform this check.
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
	final     []semiring.ScaledFloat // nil if all are 1
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
