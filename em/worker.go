package em

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
)

// worker makes E steps of shards, one at a time; it belongs to one goroutine.
type worker struct {
	t       *Lattices
	builder *builder
	scratch batch.Scratch
	path    []int32

	// Those of the problem's handles, followed by those of a shard's own.
	values   []semiring.ScaledFloat
	tangents []float64
}

// visit fills a with the tally of shard i.
func (w *worker) visit(i int, feed *feeder, p pass, a *tally) error {
	s := &w.t.shards[i]
	l := s.lattices
	if l == nil {
		var err error
		if l, err = w.build(s, i, feed); err != nil {
			return err
		}
	}
	a.reset(p, l.space.Len())
	return w.tally(l, p, a)
}

// build returns the lattices of shard i.
func (w *worker) build(s *shard, i int, feed *feeder) (*lattices, error) {
	if w.t.graphs != nil {
		return w.builder.copy(s, w.t.graphs)
	}
	examples, err := feed.shard(i)
	if err != nil {
		return nil, err
	}
	return w.builder.build(s, examples)
}

func (w *worker) tally(l *lattices, p pass, a *tally) error {
	for _, s := range l.skipped {
		if !contains(p.without, s.Index) {
			a.skipped = append(a.skipped, s)
		}
	}
	if len(l.of) == 0 {
		return nil
	}
	p, err := w.extend(l, p)
	if err != nil {
		return err
	}
	a.arcs = int64(l.batch.NumEdges())
	for g, x := range l.of {
		if contains(p.without, x.Index) {
			continue
		}
		total, err := w.count(l.batch, g, p, x.Weight, a)
		if err != nil {
			return fmt.Errorf("em: %v: %w", x, w.t.explain(x.Index, err))
		}
		if total.Mant == 0 {
			a.skipped = append(a.skipped, x)
			continue
		}
		a.logLikelihood += x.Weight * total.Log()
	}
	slices.SortFunc(a.skipped, func(x, y Skipped) int { return x.Index - y.Index })
	a.backpropagate(l.space, p.values, p.tangents, nil, nil)
	return nil
}

// extend returns p with the values of all handles of l's space.
func (w *worker) extend(l *lattices, p pass) (pass, error) {
	if l.space.Len() == len(p.values) {
		return p, nil
	}
	w.values = append(w.values[:0], p.values...)
	values, err := l.space.EvaluateTempered(w.values, nil, p.temperature)
	if err != nil {
		return p, fmt.Errorf("em: examples %d to %d: %w", l.of[0].Index, l.of[len(l.of)-1].Index, err)
	}
	w.values, p.values = values, values
	if p.tangents != nil {
		w.tangents = l.space.Tangents(append(w.tangents[:0], p.tangents...), values, nil, p.temperature)
		p.tangents = w.tangents
	}
	return p, nil
}

// count adds to a weight times the expected uses of each handle in graph g of b.
func (w *worker) count(b *batch.Batch, g int, p pass, weight float64, a *tally) (semiring.ScaledFloat, error) {
	switch {
	case p.eStep == Viterbi:
		path, total, err := b.Best(g, p.values, w.path[:0], &w.scratch)
		w.path = path
		for _, h := range path {
			a.counts[h] += weight
		}
		return total, err
	case p.tangents != nil:
		return b.HessianVector(g, p.values, p.tangents, weight, a.counts, a.curvature, &w.scratch)
	}
	return b.Counts(g, p.values, weight, a.counts, &w.scratch)
}
