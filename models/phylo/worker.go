package phylo

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
)

// worker runs patterns through forests; it belongs to one goroutine.
type worker struct {
	leaf    [][]float64
	total   []semiring.ScaledFloat
	store   []float64   // of uses by pattern
	uses    [][]float64 // per entry of the table
	scratch batch.LanesScratch
}

// zeros returns n zeros in w's storage, and as many nil slices as the table has entries.
func (w *worker) zeros(n, entries int) ([]float64, [][]float64) {
	w.store, w.uses = grow(w.store, n), grow(w.uses, entries)
	clear(w.store)
	clear(w.uses)
	return w.store, w.uses
}

// visit adds to a what the patterns lo, …, hi−1 contribute.
func (w *worker) visit(s *sites, table []semiring.ScaledFloat, lo, hi int, a *em.Tally) error {
	w.leaf, w.total = s.fill(w.leaf, lo, hi), grow(w.total, hi-lo)
	err := s.lanes.Counts(table, w.leaf, 0, hi-lo, s.weight[lo:hi], a.Counts, w.total, &w.scratch)
	if err := w.check(s, lo, s.weight, err); err != nil {
		return err
	}
	a.Arcs += int64(hi-lo) * int64(s.lanes.NumEdges())
	for lane, total := range w.total {
		if s.weight[lo+lane] > 0 {
			a.LogLikelihood += s.weight[lo+lane] * total.Log()
		}
	}
	return nil
}

// byLane adds to uses, for weights whose slice is not nil, their expected uses by
// pattern, of which lo is the first. weight is as in check.
func (w *worker) byLane(s *sites, table []semiring.ScaledFloat, lo, hi int, weight []float64, uses [][]float64) error {
	w.leaf, w.total = s.fill(w.leaf, lo, hi), grow(w.total, hi-lo)
	err := s.lanes.CountsByLane(table, w.leaf, 0, hi-lo, uses, w.total, &w.scratch)
	return w.check(s, lo, weight, err)
}

// check returns err, or the error for a pattern of probability 0, of which lo is the
// first. Those of weight 0 may have it; with nil for the weights none may.
func (w *worker) check(s *sites, lo int, weight []float64, err error) error {
	if err != nil {
		return fmt.Errorf("phylo: patterns from %d: %w", lo, err)
	}
	for lane, total := range w.total {
		if total.IsZero() && (weight == nil || weight[lo+lane] > 0) {
			return fmt.Errorf("phylo: %w: column %d", em.ErrUnderivable, s.first[lo+lane])
		}
	}
	return nil
}
