package hmm

import (
	"encoding/gob"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/trellis"
)

// Likelihood returns the likelihood of data as a function of the model's parameters, for em.Fit;
// it is an em.Excluder. The policy determines the treatment of sequences of probability 0.
//
// The error wraps em.ErrInvalid and names the sequence: there are no data, or a sequence is empty
// or has an invalid observation, state or weight.
func (m *Model[O]) Likelihood(data []Sequence[O], policy em.Policy) (em.Likelihood, error) {
	c, err := m.corpus(data)
	if err != nil {
		return nil, err
	}
	return em.Sharded[*pass[O], worker[O]]{
		Package:     "hmm",
		Params:      m.Params,
		Cut:         em.NewCut(len(data)),
		Fingerprint: func(w io.Writer) { c.fingerprint(w, policy) },
		Viterbi:     true, Tempered: true,
		Underivable: policy,
		Size:        func() int { return m.Params.Len() + m.topology.States*m.topology.States },
		Begin:       c.begin,
		NewWorker:   func() *worker[O] { return &worker[O]{lattice: lattice[O]{m: m}} },
		Weight:      func(i int) float64 { return data[i].Weight.Float64() },
		Name:        func(i int) string { return data[i].Name },
		Sum: func(w *worker[O], p *pass[O], i int, weight float64, t *em.Tally) (float64, error) {
			return w.sum(p, &data[i], weight, t)
		},
		Backpropagate: func(_ *pass[O], sums, counts expr.Dual) error {
			n := len(counts.Value)
			floats.Add(counts.Value, sums.Value[:n])
			m.spread(counts.Value, sums.Value[n:])
			return nil
		},
	}.Likelihood(), nil
}

// corpus returns data as a corpus, or an error if they are invalid.
func (m *Model[O]) corpus(data []Sequence[O]) (*corpus[O], error) {
	if err := em.CheckWeights(len(data), func(i int) em.Skipped { return data[i].skipped(i) }); err != nil {
		return nil, nested.Errorf("hmm: %w", err)
	}
	for i := range data {
		if err := m.check(&data[i]); err != nil {
			return nil, nested.Errorf("hmm: %w: %v: %w", em.ErrInvalid, data[i].skipped(i), err)
		}
	}
	return &corpus[O]{m: m, data: data}, nil
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
			return nested.Errorf("position %d: %w", t, err)
		}
		if s.States != nil && int(s.States[t]) >= m.topology.States {
			return fmt.Errorf("position %d: state %d of %d", t, s.States[t], m.topology.States)
		}
	}
	return nil
}

// corpus holds training sequences.
type corpus[O any] struct {
	m    *Model[O]
	data []Sequence[O]
}

// fingerprint writes the topology and the data.
func (c *corpus[O]) fingerprint(w io.Writer, policy em.Policy) {
	fmt.Fprintf(w, "hmm %+v %v %d\n", c.m.topology, c.m.emission, policy)
	e := gob.NewEncoder(w)
	for _, s := range c.data {
		fmt.Fprintf(w, "%v %q %v\n", s.Weight, s.Name, s.States)
		if err := e.Encode(s.Observations); err != nil { // not supported by gob
			fmt.Fprintf(w, "%+v\n", s.Observations)
		}
	}
}

// pass is an E step. Its counts are the counts of the parameters, then of the
// transitions from any state to any, row by row.
type pass[O any] struct {
	*shared[O]
	step em.EStep
}

func (c *corpus[O]) begin(q em.Query) (*pass[O], error) {
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

// worker makes E steps of shards, one at a time; it belongs to one goroutine.
type worker[O any] struct {
	lattice[O]
	node []float64 // posteriors, state by state for each position
	path []int32
}

// sum adds weight times the expected counts of the sequence s to a, and returns the logarithm of
// its probability.
func (w *worker[O]) sum(p *pass[O], s *Sequence[O], weight float64, a *em.Tally) (float64, error) {
	t, err := w.of(p.shared, s)
	if err != nil {
		return 0, err
	}
	n := w.m.Params.Len()
	total, err := w.count(p, t, s, weight, a.Counts[:n], a.Counts[n:])
	a.Arcs += int64(t.NumArcs())
	return total.Log(), err
}

// count adds weight times the expected counts of s, whose trellis is t, to the counts of
// parameters and to cells, the counts of transitions.
func (w *worker[O]) count(p *pass[O], t *trellis.Trellis, s *Sequence[O], weight float64, counts, cells []float64) (semiring.ScaledFloat, error) {
	total, err := w.posteriors(t, weight, p.step, cells)
	if err != nil || total.IsZero() {
		return total, err
	}
	n := w.m.topology.States
	w.m.countSeen(p.densities, counts, s, w.node)
	w.m.countEnds(counts, w.node[:n], w.node[len(w.node)-n:])
	return total, nil
}

// posteriors sets w.node to weight times the probability of every state at every position,
// and adds weight times the expected transitions to cells.
func (w *worker[O]) posteriors(t *trellis.Trellis, weight float64, step em.EStep, cells []float64) (total semiring.ScaledFloat, err error) {
	n := w.m.topology.States
	w.node = slices.Grow(w.node[:0], t.NumNodes())[:t.NumNodes()]
	clear(w.node)
	if step == em.Marginal {
		return t.Counts(weight, trellis.Parts{Node: w.node, Block: [][]float64{cells}}, &w.scratch)
	}
	w.path, total, err = t.BestPath(w.path[:0], &w.scratch)
	for pos, i := range w.path {
		w.node[pos*n+int(i)] = weight
		if pos > 0 {
			cells[int(w.path[pos-1])*n+int(i)] += weight
		}
	}
	return total, err
}

// countSeen adds the counts of the observations of s, given the posteriors of all states.
func (m *Model[O]) countSeen(d Densities[O], counts []float64, s *Sequence[O], node []float64) {
	n := m.topology.States
	for pos, o := range s.Observations {
		if !m.emission.Missing(o) {
			d.Count(counts, o, node[pos*n:(pos+1)*n])
		}
	}
}

// countEnds adds the counts of beginning and ending, given the posteriors of the
// states at the first and the last position.
func (m *Model[O]) countEnds(counts, first, last []float64) {
	m.countStart(counts, first)
	m.countEnd(counts, last)
}

func (m *Model[O]) countStart(counts, first []float64) {
	for k, i := range m.topology.Start {
		counts[m.initial.First()+k] += first[i]
	}
}

func (m *Model[O]) countEnd(counts, last []float64) {
	for _, i := range m.topology.Ends {
		counts[m.Row(i).First()+len(m.topology.Next[i])] += last[i]
	}
}
