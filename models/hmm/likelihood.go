package hmm

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"

	"example.org/pathsum/em"
)

// Likelihood returns the likelihood of data as a function of the model's parameters,
// for em.Fit. The policy says what to do with sequences of probability 0.
//
// The error wraps em.ErrInvalid and names the sequence: no data, an empty sequence,
// an illegal observation, state or weight.
func (m *Model[O]) Likelihood(data []Sequence[O], policy em.Policy) (em.Likelihood, error) {
	if err := em.CheckWeights(len(data), func(i int) em.Skipped { return data[i].skipped(i) }); err != nil {
		return nil, fmt.Errorf("hmm: %w", err)
	}
	for i := range data {
		if err := m.check(&data[i]); err != nil {
			return nil, fmt.Errorf("hmm: %w: %v: %w", em.ErrInvalid, data[i].skipped(i), err)
		}
	}
	c := &corpus[O]{m: m, data: data, cut: em.NewCut(len(data))}
	return em.Sharded[*pass[O], worker[O]]{
		Package:     "hmm",
		Params:      m.Params,
		Shards:      c.cut.Shards(),
		Fingerprint: func(w io.Writer) { c.fingerprint(w, policy) },
		Viterbi:     true, Tempered: true,
		Underivable: policy,
		Size:        func() int { return m.Params.Len() + m.topology.States*m.topology.States },
		Begin:       c.begin,
		Hire:        func() *worker[O] { return &worker[O]{lattice: lattice[O]{m: m}} },
		Visit:       c.visit,
		Finish:      c.finish,
	}.Likelihood(), nil
}

func (m *Model[O]) check(s *Sequence[O]) error {
	switch {
	case len(s.Observations) == 0:
		return fmt.Errorf("it is empty")
	case s.States != nil && len(s.States) != len(s.Observations):
		return fmt.Errorf("%d states for %d observations", len(s.States), len(s.Observations))
	}
	for t, o := range s.Observations {
		if err := m.emission.Check(o); err != nil {
			return fmt.Errorf("position %d: %w", t, err)
		}
		if s.States != nil && int(s.States[t]) >= m.topology.States {
			return fmt.Errorf("position %d: state %d of %d", t, s.States[t], m.topology.States)
		}
	}
	return nil
}

// corpus is sequences to learn from.
type corpus[O any] struct {
	m    *Model[O]
	data []Sequence[O]
	cut  em.Cut
}

// fingerprint writes the topology and the data.
func (c *corpus[O]) fingerprint(w io.Writer, policy em.Policy) {
	fmt.Fprintf(w, "hmm %+v %v %d\n", c.m.topology, c.m.emission, policy)
	e := gob.NewEncoder(w)
	for _, s := range c.data {
		fmt.Fprintf(w, "%v %q %v\n", s.Weight, s.Name, s.States)
		if err := e.Encode(s.Observations); err != nil { // that gob does not know
			fmt.Fprintf(w, "%+v\n", s.Observations)
		}
	}
}

// pass is an E step. Its counts are those of the parameters, and after them those of
// transitions from any state to any, row by row.
type pass[O any] struct {
	*shared[O]
	step em.EStep
}

func (c *corpus[O]) begin(q em.Query, _ []em.Skipped) (*pass[O], error) {
	weights, err := c.m.weights(q.Theta, q.Temperature)
	if err != nil {
		return nil, err
	}
	w, err := share(weights)
	if err != nil {
		return nil, err
	}
	return &pass[O]{w, q.EStep}, nil
}

// visit adds to a what the sequences of a shard contribute.
func (c *corpus[O]) visit(_ context.Context, w *worker[O], p *pass[O], shard int, a *em.Tally) error {
	n := c.m.topology.States
	a.Zeros(c.m.Params.Len()+n*n, false)
	lo, hi := c.cut.Shard(shard)
	a.Examples = hi - lo
	for i := lo; i < hi; i++ {
		if err := w.visit(p, &c.data[i], c.data[i].skipped(i), a); err != nil {
			return fmt.Errorf("hmm: %v: %w", c.data[i].skipped(i), err)
		}
	}
	return nil
}

func (c *corpus[O]) finish(_ *pass[O], e *em.Expectations) error {
	n := c.m.Params.Len()
	c.m.spread(e.Counts[:n], e.Counts[n:])
	e.Counts = e.Counts[:n:n]
	return nil
}

// spread adds the counts of transitions, row by row, to the counts of the parameters.
func (m *Model[O]) spread(counts, cells []float64) {
	n := m.topology.States
	for i, next := range m.topology.Next {
		first := m.Row(i).First()
		for k, j := range next {
			counts[first+k] += cells[i*n+j]
		}
	}
}
