package hmm

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
)

// Likelihood returns the likelihood of data as a function of the model's parameters,
// for em.Fit. The policy says what to do with sequences of probability 0.
//
// The error wraps em.ErrProblem and names the sequence: no data, an empty sequence,
// an illegal observation, state or weight.
func (m *Model[O]) Likelihood(data []Sequence[O], policy em.Policy) (em.Likelihood, error) {
	if err := em.CheckWeights(len(data), func(i int) em.Skipped { return data[i].skipped(i) }); err != nil {
		return nil, fmt.Errorf("hmm: %w", err)
	}
	for i := range data {
		if err := m.check(&data[i]); err != nil {
			return nil, fmt.Errorf("hmm: %w: %v: %w", em.ErrProblem, data[i].skipped(i), err)
		}
	}
	hire := func() *worker[O] { return &worker[O]{lattice: lattice[O]{m: m}} }
	return &corpus[O]{m: m, data: data, policy: policy, size: em.ShardSize(len(data)), reducer: em.NewReducer[worker[O], tally](hire)}, nil
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

// corpus is the likelihood of sequences.
type corpus[O any] struct {
	m       *Model[O]
	data    []Sequence[O]
	policy  em.Policy
	size    int // of a shard
	reducer *em.Reducer[worker[O], tally]
}

// tally is what a shard, or all of them, contribute to an E step.
type tally struct {
	counts        []float64 // per parameter
	cells         []float64 // per transition, row by row
	logLikelihood float64
	skipped       []em.Skipped
	arcs          int64
}

// clear empties a.
func (m *Model[O]) clear(a *tally) {
	n := m.topology.States
	if a.counts == nil {
		a.counts, a.cells = make([]float64, m.Params.Len()), make([]float64, n*n)
	}
	clear(a.counts)
	clear(a.cells)
	a.logLikelihood, a.skipped, a.arcs = 0, nil, 0
}

func (a *tally) add(b *tally) {
	for i, c := range b.counts {
		a.counts[i] += c
	}
	for i, c := range b.cells {
		a.cells[i] += c
	}
	a.logLikelihood += b.logLikelihood
	a.skipped = append(a.skipped, b.skipped...)
	a.arcs += b.arcs
}

// Params returns the model's parameters.
func (c *corpus[O]) Params() *em.Params { return c.m.Params }

// Shards returns the number of shards.
func (c *corpus[O]) Shards() int { return (len(c.data) + c.size - 1) / c.size }

// Fingerprint writes the topology and the data.
func (c *corpus[O]) Fingerprint(w io.Writer) {
	fmt.Fprintf(w, "hmm %+v %v %d\n", c.m.topology, c.m.emission, c.policy)
	e := gob.NewEncoder(w)
	for _, s := range c.data {
		fmt.Fprintf(w, "%v %q %v\n", s.Weight, s.Name, s.States)
		if err := e.Encode(s.Observations); err != nil { // that gob does not know
			fmt.Fprintf(w, "%+v\n", s.Observations)
		}
	}
}

// Expect makes an E step; see em.Likelihood. It has no second derivatives: a
// Direction is an error that wraps semiring.ErrCapability.
func (c *corpus[O]) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(c)
	if err != nil {
		return nil, err
	}
	if q.Direction != nil {
		return nil, fmt.Errorf("hmm: %w: second derivatives", semiring.ErrCapability)
	}
	var ring semiring.Semiring[semiring.ScaledFloat] = semiring.Scaled{}
	if q.EStep == em.Viterbi {
		ring = semiring.Viterbi{}
	}
	weights, err := c.m.weights(q.Theta, q.Temperature)
	if err != nil {
		return nil, err
	}
	w, err := share(weights, ring)
	if err != nil {
		return nil, err
	}
	total := new(tally)
	c.m.clear(total)
	err = c.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi, func(by *worker[O], shard int, a *tally) error {
		c.m.clear(a)
		lo, hi := c.shard(shard)
		return by.visit(w, c.data[lo:hi], lo, q.EStep, a)
	}, func(_ int, a *tally) { total.add(a) })
	if err != nil {
		return nil, err
	}
	lo, _ := c.shard(q.Lo)
	_, hi := c.shard(q.Hi - 1)
	if n := len(total.skipped); n > 0 && c.policy == em.Fail {
		return nil, fmt.Errorf("hmm: %w: %d of %d sequences, the first is %v", em.ErrUnderivable, n, hi-lo, total.skipped[0])
	}
	c.m.spread(total)
	return &em.Expectations{LogLikelihood: total.logLikelihood, Counts: total.counts, Examples: hi - lo,
		Skipped: total.skipped, Arcs: total.arcs}, nil
}

// shard returns the sequences of a shard.
func (c *corpus[O]) shard(i int) (lo, hi int) {
	return i * c.size, min((i+1)*c.size, len(c.data))
}

// spread adds the counts of transitions to those of the parameters.
func (m *Model[O]) spread(a *tally) {
	n := m.topology.States
	for i, next := range m.topology.Next {
		first := m.Row(i).First()
		for k, j := range next {
			a.counts[first+k] += a.cells[i*n+j]
		}
	}
}
