package em

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// worker makes E steps of shards, one at a time; it belongs to one goroutine.
type worker struct {
	t       *trainer
	builder *builder
	base    []semiring.ScaledFloat // values of the problem's handles, shared
	values  []semiring.ScaledFloat // followed by those of a shard's own
	scratch graph.Scratch
	path    []int32
}

// visit fills a with the tally of shard s.
func (w *worker) visit(ctx context.Context, s *shard, a *tally) {
	if err := ctx.Err(); err != nil {
		a.reset(0)
		a.err = err
		return
	}
	l := s.lattices
	if l == nil {
		var err error
		if l, err = w.builder.build(s); err != nil {
			a.reset(0)
			a.err = err
			return
		}
	}
	a.reset(l.space.Len())
	a.err = w.tally(l, a)
}

func (w *worker) tally(l *lattices, a *tally) error {
	a.skipped = append(a.skipped, l.skipped...)
	if len(l.example) == 0 {
		return nil
	}
	values, err := w.extend(l)
	if err != nil {
		return err
	}
	a.arcs = int64(l.batch.NumArcs())
	for g, i := range l.example {
		x := &w.t.data[i]
		weight := x.Weight
		if weight == 0 {
			weight = 1
		}
		total, err := w.count(l.batch, g, values, weight, a.counts)
		if err != nil {
			return fmt.Errorf("em: %v: %w", Skipped{Index: int(i), Name: x.Name}, err)
		}
		if total.Mant == 0 {
			a.skipped = append(a.skipped, Skipped{Index: int(i), Name: x.Name})
			continue
		}
		a.logLikelihood += weight * total.Log()
	}
	slices.SortFunc(a.skipped, func(x, y Skipped) int { return x.Index - y.Index })
	l.space.Backpropagate(values, a.counts, nil)
	return nil
}

// extend returns the values of all handles of l's space.
func (w *worker) extend(l *lattices) ([]semiring.ScaledFloat, error) {
	if l.space.Len() == len(w.base) {
		return w.base, nil
	}
	w.values = append(w.values[:0], w.base...)
	values, err := l.space.EvaluateTempered(w.values, nil, w.t.opts.Temperature)
	if err != nil {
		return nil, fmt.Errorf("em: examples %d to %d: %w", l.example[0], l.example[len(l.example)-1], err)
	}
	w.values = values
	return values, nil
}

// count adds weight times the expected uses of each handle in graph g of b.
func (w *worker) count(b *graph.Batch, g int, values []semiring.ScaledFloat, weight float64, counts []float64) (semiring.ScaledFloat, error) {
	if w.t.opts.EStep == Marginal {
		return b.Counts(g, values, weight, counts, &w.scratch)
	}
	path, total, err := b.BestPath(g, values, w.path[:0], &w.scratch)
	w.path = path
	for _, h := range path {
		counts[h] += weight
	}
	return total, err
}
