package hmm

import (
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
)

// Submodel returns the model and its data as a submodel that agrees with others on the hidden
// states: models of one chain that see different observations of it, in sequences of the same
// lengths. The models must have the same number of states and the same Params. They agree on the
// features "state i at position t", number t·States + i. Emissions and initial probabilities are
// counted by the features, transitions and ending by the model's own posterior.
//
// Averaged, ProductOfPosteriors and Likelihood of package agree accept it, and so do Independent
// and ParameterApproximate, by Likelihood. LoopyBelief does not: it accepts submodels of
// agree.Marked. Exact requires machines.
//
// Errors are as in Likelihood.
func (m *Model[O]) Submodel(data []Sequence[O]) (agree.Submodel, error) {
	c, err := m.corpus(data)
	if err != nil {
		return nil, err
	}
	return &submodel[O]{corpus: c}, nil
}

// submodel is an agree.Submodel.
type submodel[O any] struct {
	*corpus[O]
	pass *pass[O]
}

// Params returns the model's parameters.
func (s *submodel[O]) Params() *em.Params { return s.m.Params }

// Examples returns the number of sequences.
func (s *submodel[O]) Examples() int { return len(s.data) }

// Example returns the description of sequence i for reports.
func (s *submodel[O]) Example(i int) em.Skipped { return s.data[i].skipped(i) }

// Cost returns the number of nodes of sequence i.
func (s *submodel[O]) Cost(i int) int { return len(s.data[i].Observations) * s.m.topology.States }

// Begin begins an E step.
func (s *submodel[O]) Begin(q em.Query) (err error) {
	s.pass, err = s.begin(q)
	return err
}

// Fingerprint writes the topology and the data.
func (s *submodel[O]) Fingerprint(w io.Writer) {
	fmt.Fprintln(w, "submodel")
	s.fingerprint(w, em.Fail)
}

// Infer returns a new inference.
func (s *submodel[O]) Infer() agree.Inference {
	n := s.m.topology.States
	return &inference[O]{all: s, worker: worker[O]{lattice: lattice[O]{m: s.m}},
		cell: make([]float64, n*n), counts: make([]float64, s.m.Params.Len()), cells: make([]float64, n*n)}
}

// inference is one goroutine's part of the E steps of a submodel.
type inference[O any] struct {
	all *submodel[O]
	worker[O]
	sequence *Sequence[O] // the last requested sequence; its posteriors are in node
	cell     []float64    // its expected transitions, row by row
	mu       []float64

	counts, cells []float64 // since the last Drain
}

// Posterior returns the posterior of sequence i.
func (f *inference[O]) Posterior(i int) (agree.Posterior, error) {
	f.sequence = &f.all.data[i]
	t, err := f.lattice.of(f.all.pass.shared, f.sequence)
	if err != nil {
		return agree.Posterior{}, err
	}
	clear(f.cell)
	total, err := f.posteriors(t, 1, f.all.pass.step, f.cell)
	return agree.Posterior{Features: f.node, Total: total, Arcs: int64(t.NumArcs())}, err
}

// Count counts emissions and the initial state by mu, transitions and ending by the
// model's own posterior.
func (f *inference[O]) Count(mu []float64, weight float64) {
	n := f.m.topology.States
	f.mu = slices.Grow(f.mu[:0], len(mu))[:len(mu)]
	floats.ScaleTo(f.mu, weight, mu)
	f.m.countSeen(f.all.pass.densities, f.counts, f.sequence, f.mu)
	f.m.countStart(f.counts, f.mu[:n])
	floats.AddScaled(f.cells, weight, f.cell)
	last := f.mu[:n] // no longer needed
	floats.ScaleTo(last, weight, f.node[len(f.node)-n:])
	f.m.countEnd(f.counts, last)
}

// Drain moves the counts to t.
func (f *inference[O]) Drain(t *em.Tally) {
	f.m.spread(f.counts, f.cells)
	for p, x := range f.counts {
		if x != 0 {
			t.Put(int32(p), x)
		}
	}
	clear(f.counts)
	clear(f.cells)
}
