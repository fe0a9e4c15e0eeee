package agree

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// worker is one goroutine at work.
type worker struct {
	*combination
	inferences []Inference // per submodel
	features   [][]float64 // likewise
	mu         []float64
}

func (c *combination) hire() *worker {
	w := &worker{combination: c}
	for _, s := range c.submodels {
		w.inferences = append(w.inferences, s.Infer())
	}
	return w
}

// tally is what a shard, or all of them, contribute to an E step.
type tally struct {
	counts        []float64
	logLikelihood float64
	examples      int
	skipped       []em.Skipped
	arcs          int64
}

func (a *tally) clear(params int) {
	if a.counts == nil {
		a.counts = make([]float64, params)
	}
	clear(a.counts)
	*a = tally{counts: a.counts}
}

func (a *tally) add(b *tally) {
	floats.Add(a.counts, b.counts)
	a.logLikelihood += b.logLikelihood
	a.examples += b.examples
	a.skipped = append(a.skipped, b.skipped...)
	a.arcs += b.arcs
}

// visit adds to a what the examples of a shard contribute.
func (w *worker) visit(shard int, without []em.Skipped, a *tally) error {
	lo := shard * w.size
	hi := min(lo+w.size, w.submodels[0].Examples())
	a.examples = hi - lo
	for i := lo; i < hi; i++ {
		if !contains(without, i) {
			if err := w.example(i, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// example adds to a what example i contributes.
func (w *worker) example(i int, a *tally) error {
	x := w.submodels[0].Example(i)
	if x.Weight == 0 {
		return nil
	}
	w.features = w.features[:0]
	derivable, logLikelihood := true, 0.0
	for m, inference := range w.inferences {
		p, err := inference.Posterior(i)
		if err != nil {
			return fmt.Errorf("agree: %v: submodel %d: %w", x, m, err)
		}
		a.arcs += p.Arcs
		w.features = append(w.features, p.Features)
		derivable = derivable && !p.Total.IsZero()
		logLikelihood += p.Total.Log()
	}
	if !derivable {
		a.skipped = append(a.skipped, x)
		return nil
	}
	n := len(w.features[0])
	for m, v := range w.features {
		if len(v) != n {
			return fmt.Errorf("agree: %w: %v has %d features in submodel %d, %d in submodel 0", em.ErrProblem, x, len(v), m, n)
		}
	}
	w.mu = slices.Grow(w.mu[:0], n)[:n]
	w.combine(w.mu, w.features)
	for _, inference := range w.inferences {
		inference.Count(w.mu, x.Weight, a.counts)
	}
	a.logLikelihood += x.Weight * logLikelihood
	return nil
}

// contains reports whether example i is in a list in ascending order.
func contains(list []em.Skipped, i int) bool {
	_, ok := slices.BinarySearchFunc(list, i, func(x em.Skipped, i int) int { return x.Index - i })
	return ok
}
