package hmm

import (
	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// worker makes E steps of shards, one at a time; it belongs to one goroutine.
type worker[O any] struct {
	lattice[O]
	node []float64 // posteriors, state by state for each position
	path []int32
}

// visit adds to a what the sequence s, called x in reports, contributes.
func (w *worker[O]) visit(p *pass[O], s *Sequence[O], x em.Skipped, a *em.Tally) error {
	if x.Weight == 0 {
		return nil
	}
	t, err := w.of(p.shared, s)
	if err != nil {
		return err
	}
	n := w.m.Params.Len()
	total, err := w.count(t, s, x.Weight, p.step, a.Counts[:n], a.Counts[n:])
	if err != nil {
		return err
	}
	a.Arcs += int64(t.NumArcs())
	a.Add(x, total)
	return nil
}

// count adds weight times the expected counts of s, whose trellis is t, to those of the
// parameters and of the cells of transitions.
func (w *worker[O]) count(t *trellis.Trellis, s *Sequence[O], weight float64, step em.EStep, counts, cells []float64) (semiring.ScaledFloat, error) {
	n := w.m.topology.States
	w.node = grow(w.node, t.NumNodes())
	clear(w.node)
	var total semiring.ScaledFloat
	var err error
	if step == em.Marginal {
		total, err = t.Counts(weight, trellis.Parts{Node: w.node, Block: [][]float64{cells}}, &w.scratch)
	} else {
		w.path, total, err = t.BestPath(w.path[:0], &w.scratch)
		for pos, i := range w.path {
			w.node[pos*n+int(i)] = weight
			if pos > 0 {
				cells[int(w.path[pos-1])*n+int(i)] += weight
			}
		}
	}
	if err != nil || total.IsZero() {
		return total, err
	}
	for pos, o := range s.Observations {
		if !w.m.emission.Missing(o) {
			w.m.emission.Count(counts, o, w.node[pos*n:(pos+1)*n])
		}
	}
	w.m.countEnds(counts, w.node[:n], w.node[len(w.node)-n:])
	return total, nil
}

// countEnds adds the counts of beginning and ending, given the posteriors of the
// states at the first and the last position.
func (m *Model[O]) countEnds(counts, first, last []float64) {
	for k, i := range m.topology.Start {
		counts[m.initial.First()+k] += first[i]
	}
	for _, i := range m.topology.Ends {
		counts[m.Row(i).First()+len(m.topology.Next[i])] += last[i]
	}
}

func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
