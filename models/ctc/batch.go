package ctc

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Gradients are arrays of the caller to which Batch adds the derivatives of the loss of a batch.
// If an array is nil, its derivatives are not computed. Arrays must not overlap.
type Gradients struct {
	// Numbers holds the derivatives with respect to the numbers from which emissions were made,
	// such as scores: per example frames × symbols numbers, frame by frame, or nil.
	Numbers [][]float64
	// Logs holds the derivatives with respect to the logarithms of the weights of emissions, in
	// the same layout. For plain CTC that is −γ_t(v): minus the probability that column v is read
	// in frame t.
	Logs [][]float64
	// Topology, Denominator and Smoothing hold the derivatives with respect to the logarithms of
	// the weights of these machines: for starting in each state, for each arc and for ending in
	// each state. The derivatives are differences of expected uses. States and arcs are numbered
	// as by fst.Expand of the machine.
	Topology, Denominator, Smoothing frames.Parts
}

// Result is the loss of a batch.
type Result struct {
	// Loss is the sum over the examples, times their weights; with Options.Mean divided by the
	// sum of the weights.
	Loss float64
	// Losses are the losses of the examples, without weights, +Inf for an example that no path
	// reads. An example of weight 0 is skipped and has the loss 0 here.
	Losses []float64
	// Skipped are the examples that no path reads, with reasons. Loss does not include them, and
	// their gradients are unchanged.
	Skipped []em.Skipped
}

// Batch returns the loss of examples, and adds its derivatives to the arrays in gradients; nil
// stands for no arrays.
//
// Several goroutines process the examples. The result is bit-identical for any number of
// goroutines. Errors are as for Eval and name the example; after an error the contents of the
// arrays are undefined. If ctx is done, the error is the context's. The error wraps ErrInvalid
// for invalid weights, and semiring.ErrShape for arrays of the wrong length.
func (l *Loss) Batch(ctx context.Context, examples []Example, gradients *Gradients) (*Result, error) {
	nonnil.Check("ctc: Batch", "context", ctx)
	if gradients == nil {
		gradients = new(Gradients)
	}
	if err := l.checkBatch(examples, gradients); err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	examples, err := frozen(examples)
	if err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	b := &batch{Loss: l, examples: examples, gradients: gradients, scale: 1, wanted: newUses(l, gradients)}
	if l.opts.Mean && len(examples) > 0 {
		sum := 0.0
		for i := range examples {
			sum += examples[i].Weight.Float64()
		}
		b.scale = 1 / sum
	}
	r := &Result{Losses: make([]float64, len(examples))}
	cut := em.NewCut(len(examples))
	var mu sync.Mutex
	var hired []*worker
	reducer := em.NewReducer[worker, tally](func() *worker {
		mu.Lock()
		defer mu.Unlock()
		hired = append(hired, l.workers.Get().(*worker))
		return hired[len(hired)-1]
	})
	err = reducer.Sum(ctx, l.opts.Workers, 0, cut.Shards(), func(w *worker, shard int, t *tally) error {
		lo, hi := cut.Shard(shard)
		return b.visit(ctx, w, lo, hi, t, r.Losses)
	}, func(_ int, t *tally) {
		r.Loss += t.loss
		r.Skipped = append(r.Skipped, t.skipped...)
		t.uses.addTo(gradients)
	})
	for _, w := range hired {
		l.workers.Put(w)
	}
	if err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	r.Loss *= b.scale
	return r, nil
}

// batch is the state that the goroutines of Batch share.
type batch struct {
	*Loss
	examples  []Example
	gradients *Gradients
	scale     float64 // of gradients
	wanted    *uses
}

// tally is the contribution of a shard.
type tally struct {
	loss    float64
	skipped []em.Skipped
	uses    *uses
}

// visit sums over the examples lo … hi − 1.
func (b *batch) visit(ctx context.Context, w *worker, lo, hi int, t *tally, losses []float64) error {
	t.loss, t.skipped, t.uses = 0, nil, b.wanted.zeros(t.uses)
	for i := lo; i < hi; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		x := &b.examples[i]
		weight := x.Weight.Float64()
		if weight == 0 {
			continue
		}
		skipped := em.Skipped{Index: i, Name: x.Name, Weight: weight}
		numbers, logs := at(b.gradients.Numbers, i), at(b.gradients.Logs, i)
		loss, err := b.eval(w, x, numbers != nil || logs != nil || t.uses != nil, weight*b.scale, t.uses)
		var u *underivable
		switch {
		case errors.As(err, &u) && b.opts.Underivable == em.Skip:
			skipped.Structural, skipped.Reason = u.structural, u.reason
			t.skipped = append(t.skipped, skipped)
			losses[i] = math.Inf(1)
			continue
		case err != nil:
			return nested.Errorf("%v: %w", skipped, err)
		}
		losses[i] = loss
		t.loss += weight * loss
		if numbers != nil {
			x.Emissions.Gradient(numbers, 1, w.gamma)
		}
		for k := range logs {
			logs[k] += w.gamma[k]
		}
	}
	return nil
}

func at(x [][]float64, i int) []float64 {
	if x == nil {
		return nil
	}
	return x[i]
}

// frozen returns the examples with lattices that goroutines can share.
func frozen(examples []Example) ([]Example, error) {
	copied := false
	for i := range examples {
		if examples[i].Lattice == nil {
			continue
		}
		f, err := machines.Scaled.Expand(examples[i].Lattice, nil)
		if err != nil {
			return nil, nested.Errorf("%v: lattice: %w", em.Skipped{Index: i, Name: examples[i].Name}, err)
		}
		if machine(f) != examples[i].Lattice {
			if !copied {
				examples, copied = slices.Clone(examples), true
			}
			examples[i].Lattice = f
		}
	}
	return examples, nil
}

// checkBatch checks weights and the lengths of arrays.
func (l *Loss) checkBatch(examples []Example, g *Gradients) error {
	if len(examples) > 0 {
		if err := em.CheckWeights(len(examples), func(i int) em.Skipped {
			return em.Skipped{Index: i, Name: examples[i].Name, Weight: examples[i].Weight.Float64()}
		}); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		name   string
		arrays [][]float64
	}{{"Numbers", g.Numbers}, {"Logs", g.Logs}} {
		if x.arrays == nil {
			continue
		}
		if len(x.arrays) != len(examples) {
			return nested.Errorf("%w: %s has %d arrays for %d examples", semiring.ErrShape, x.name, len(x.arrays), len(examples))
		}
		for i, array := range x.arrays {
			e := examples[i].Emissions
			if array != nil && e != nil && len(array) != e.Frames()*e.Symbols() {
				return nested.Errorf("%v: %w: %s has %d numbers for %d frames of %d columns",
					em.Skipped{Index: i, Name: examples[i].Name}, semiring.ErrShape, x.name, len(array), e.Frames(), e.Symbols())
			}
		}
	}
	return l.checkParts(g)
}
