package agree

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/em"
)

// worker is one goroutine at work.
type worker struct {
	inferences []Inference // per submodel
	features   [][]float64 // likewise
	mu         []float64
}

func (c *corpus) hire() *worker {
	w := new(worker)
	for _, s := range c.submodels {
		w.inferences = append(w.inferences, s.Infer())
	}
	return w
}

// visit adds to a what the examples of a shard contribute.
func (c *corpus) visit(_ context.Context, w *worker, without pass, shard int, a *em.Tally) error {
	a.Zeros(c.submodels[0].Params().Len(), false)
	lo, hi := c.cut.Shard(shard)
	a.Examples = hi - lo
	for i := lo; i < hi; i++ {
		if !contains(without, i) {
			if err := c.example(w, i, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// example adds to a what example i contributes.
func (c *corpus) example(w *worker, i int, a *em.Tally) error {
	x := c.submodels[0].Example(i)
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
		a.Arcs += p.Arcs
		w.features = append(w.features, p.Features)
		derivable = derivable && !p.Total.IsZero()
		logLikelihood += p.Total.Log()
	}
	if !derivable {
		a.Skipped = append(a.Skipped, x)
		return nil
	}
	n := len(w.features[0])
	for m, v := range w.features {
		if len(v) != n {
			return fmt.Errorf("agree: %w: %v has %d features in submodel %d, %d in submodel 0", em.ErrInvalid, x, len(v), m, n)
		}
	}
	w.mu = slices.Grow(w.mu[:0], n)[:n]
	c.combine(w.mu, w.features)
	for _, inference := range w.inferences {
		inference.Count(w.mu, x.Weight, a.Counts)
	}
	a.LogLikelihood += x.Weight * logLikelihood
	return nil
}

// contains reports whether example i is in a list in ascending order.
func contains(list []em.Skipped, i int) bool {
	_, ok := slices.BinarySearchFunc(list, i, func(x em.Skipped, i int) int { return x.Index - i })
	return ok
}
