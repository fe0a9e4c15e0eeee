package em

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// forestWorker makes E steps of shards, one at a time; it belongs to one goroutine.
type forestWorker struct {
	t       *Forests
	planter planter
	scratch batch.Scratch
	tree    []int32

	// Per handle of an example's template.
	values   []semiring.ScaledFloat
	tangents []float64
	own      expr.Dual
	// Per argument of an example that has a template with more than arguments.
	uses expr.Dual
	// Per handle of the Params' Space, for a shard; zero between shards.
	counts  expr.Dual
	touched []expr.W
}

// forestTally is what one shard contributes to an E step, counts for the handles that
// it uses only.
type forestTally struct {
	tally
	handles []expr.W
}

// addTo adds a to the tally of all shards.
func (a *forestTally) addTo(total *tally) {
	for i, h := range a.handles {
		total.counts[h] += a.counts[i]
	}
	for i, c := range a.curvature {
		total.curvature[a.handles[i]] += c
	}
	total.logLikelihood += a.logLikelihood
	total.skipped = append(total.skipped, a.skipped...)
	total.arcs += a.arcs
}

// visit fills a with the tally of a shard.
func (w *forestWorker) visit(shard int, p pass, a *forestTally) error {
	a.logLikelihood, a.skipped, a.arcs = 0, nil, 0
	a.handles, a.counts, a.curvature = a.handles[:0], a.counts[:0], a.curvature[:0]
	n := len(p.values)
	if len(w.counts.Value) < n {
		w.counts.Value = make([]float64, n)
	}
	if p.tangents != nil && len(w.counts.Change) < n {
		w.counts.Change = make([]float64, n)
	}
	err := w.examples(shard, p, a)
	w.drain(p, a)
	return err
}

// examples adds the examples of a shard to a and to the counts.
func (w *forestWorker) examples(shard int, p pass, a *forestTally) error {
	lo, hi := w.t.shard(shard)
	for i := lo; i < hi; i++ {
		if w.t.of[i] == unseen || contains(p.without, i) {
			continue
		}
		if err := w.example(i, p, a); err != nil {
			return fmt.Errorf("em: %v: %w", w.t.trees.skipped(i), err)
		}
	}
	return nil
}

// drain moves the counts to a. A handle may have been touched twice.
func (w *forestWorker) drain(p pass, a *forestTally) {
	for _, h := range w.touched {
		a.handles = append(a.handles, h)
		a.counts = append(a.counts, w.counts.Value[h])
		w.counts.Value[h] = 0
		if p.tangents != nil {
			a.curvature = append(a.curvature, w.counts.Change[h])
			w.counts.Change[h] = 0
		}
	}
	w.touched = w.touched[:0]
}

// example adds example i to a and to the counts of the shard.
func (w *forestWorker) example(i int, p pass, a *forestTally) error {
	s, args, ok, err := w.shape(i)
	if err != nil {
		return err
	}
	total := semiring.ScaledFloat{}
	if ok {
		if total, err = w.expect(s, args, p, w.t.trees.weight(i)); err != nil {
			return err
		}
		a.arcs += int64(s.batch.NumEdgesOf(s.g))
	}
	if total.IsZero() {
		x := w.t.trees.skipped(i)
		x.Structural = !ok
		a.skipped = append(a.skipped, x)
		return nil
	}
	a.logLikelihood += w.t.trees.weight(i) * total.Log()
	return nil
}

// shape returns that of example i, with the arguments; false if it has no tree.
func (w *forestWorker) shape(i int) (s shape, args []expr.W, ok bool, err error) {
	switch number := w.t.of[i]; number {
	case treeless:
		return s, nil, false, nil
	case rebuilt:
		s, ok, err = w.planter.build(i)
		return s, w.planter.args, ok, err
	default:
		return w.t.kept[number], w.t.args[w.t.row[i]:w.t.row[i+1]], true, nil
	}
}

// expect adds to the counts of the shard weight times the expected uses of the
// arguments, and returns the total.
func (w *forestWorker) expect(s shape, args []expr.W, p pass, weight float64) (semiring.ScaledFloat, error) {
	if err := w.evaluate(s, args, p); err != nil {
		return semiring.ScaledFloat{}, err
	}
	w.own = expr.Dual{Value: zeros(w.own.Value, len(w.values)), Change: zeros(w.own.Change, len(w.tangents))}
	total, err := w.count(s, p, weight)
	if err != nil || total.IsZero() {
		return total, err
	}
	uses, changes := w.backpropagate(s, p)
	for k, h := range args {
		if w.counts.Value[h] == 0 && (changes == nil || w.counts.Change[h] == 0) {
			w.touched = append(w.touched, h)
		}
		w.counts.Value[h] += uses[k]
		if changes != nil {
			w.counts.Change[h] += changes[k]
		}
	}
	return total, nil
}

// evaluate computes the values of the template's expressions.
func (w *forestWorker) evaluate(s shape, args []expr.W, p pass) (err error) {
	w.values = append(w.values[:0], p.values[expr.Zero], p.values[expr.One])
	for _, h := range args {
		w.values = append(w.values, p.values[h])
	}
	if s.template != nil {
		// The arguments are tempered already, constants of the template are not.
		if w.values, err = s.template.EvaluateTempered(w.values, nil, p.temperature); err != nil {
			return err
		}
	}
	if p.tangents == nil {
		return nil
	}
	w.tangents = append(w.tangents[:0], 0, 0)
	for _, h := range args {
		w.tangents = append(w.tangents, p.tangents[h])
	}
	if s.template != nil {
		w.tangents = s.template.Tangents(w.tangents, w.values, nil, p.temperature)
	}
	return nil
}

// count leaves weight times the expected uses of the template's expressions in w.own.
func (w *forestWorker) count(s shape, p pass, weight float64) (semiring.ScaledFloat, error) {
	switch {
	case p.eStep == Viterbi:
		tree, total, err := s.batch.Best(s.g, w.values, w.tree[:0], &w.scratch)
		w.tree = tree
		for _, h := range tree {
			w.own.Value[h] += weight
		}
		return total, err
	case p.tangents != nil:
		return s.batch.HessianVector(s.g, w.values, w.tangents, weight, w.own.Value, w.own.Change, &w.scratch)
	}
	return s.batch.Counts(s.g, w.values, weight, w.own.Value, &w.scratch)
}

// backpropagate returns what w.own comes to per argument; changes is nil without a
// direction.
func (w *forestWorker) backpropagate(s shape, p pass) (uses, changes []float64) {
	n := s.arguments
	switch {
	case s.template == nil && p.tangents == nil:
		return w.own.Value[2 : 2+n], nil
	case s.template == nil:
		return w.own.Value[2 : 2+n], w.own.Change[2 : 2+n]
	}
	w.uses.Value = zeros(w.uses.Value, n)
	if p.tangents == nil {
		s.template.Backpropagate(w.values, w.own.Value, w.uses.Value)
		return w.uses.Value, nil
	}
	w.uses.Change = zeros(w.uses.Change, n)
	s.template.BackpropagateAlong(w.values, w.tangents, w.own, w.uses)
	return w.uses.Value, w.uses.Change
}
