package pairgram

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// evidence contains the lattices of a shard of sources.
type evidence struct {
	// Graphs 2i and 2i+1 are the right sequences of chunks of source i and all its sequences. The
	// weight of arc n has the handle n + 2.
	batch   batch.Batch
	weights []float64 // per source
	logp    []float64 // per arc: of the chunk, given those before

	bundles [chains]bundles // of features

	// The arcs with the context of their features, and the end of each source's arcs, until
	// strengths replace features.
	arcs    []arc
	sources []int32
	ends    []int32
}

// resolve replaces features by the indices of strengths.
func (v *evidence) resolve(x *index) {
	for chain := range v.bundles {
		b := &v.bundles[chain]
		b.resolve(chain, v.arcs, v.sources, x)
		b.new, b.before, b.row, b.fired = nil, slices.Clip(b.before), slices.Clip(b.row), slices.Clip(b.fired)
	}
	v.arcs, v.sources, v.ends = nil, nil, nil
}

// scores contains the ln of the weights of arcs.
type scores struct {
	sums [chains][]float64 // of the strengths of bundles
	ln   []float64
}

// set sets the scores of arcs with these features and ln p in the generative model. The last of
// theta is the strength of ln p.
func (s *scores) set(all *[chains]bundles, logp, theta []float64) {
	for chain := range all {
		s.sums[chain] = all[chain].appendSums(s.sums[chain][:0], theta)
	}
	power, chunks, targets := theta[len(theta)-1], s.sums[chainChunks], s.sums[chainTargets]
	s.ln = s.ln[:0]
	for i, logp := range logp {
		s.ln = append(s.ln, logp*power+chunks[all[chainChunks].last[i]+1]+targets[all[chainTargets].last[i]+1])
	}
}

// handles is the ring of handles of weights, which only need to be distinguished from 0 and 1.
var handles semiring.Semiring[expr.W] = expr.New()

// add adds the sequences of o; it reports whether they include a right one.
func (v *evidence) add(o *outlooks, x []int32, weight float64, names names) (bool, error) {
	n := len(o.to)
	weights := make([]expr.W, n)
	for e := range weights {
		weights[e] = expr.W(len(v.arcs) + e + 2)
	}
	start := []graph.Start[expr.W]{{State: 0, Weight: expr.One}}
	final := make([]expr.W, len(o.states.Keys()))
	keep := func(which func(s int) bool) (bool, error) {
		for s := range final {
			final[s] = expr.Zero
			if which(s) {
				final[s] = expr.One
			}
		}
		g, err := machines.ExprGraph(handles, o.row, o.to, weights, start, final)
		if err != nil {
			return false, err
		}
		return batch.AppendGraph(&v.batch, g)
	}
	if ok, err := keep(o.isRight); !ok || err != nil {
		return false, err
	}
	if _, err := keep(o.isEnd); err != nil {
		return false, err
	}
	first := len(v.arcs)
	v.arcs, v.logp = o.appendArcs(v.arcs, v.logp, names, len(v.sources))
	o.divider.divide(&v.bundles, v.arcs[first:], o.chunk, int32(first))
	v.ends = append(v.ends, int32(len(v.arcs)))
	v.sources = o.model.appendSource(v.sources, x)
	v.weights = append(v.weights, weight)
	return true, nil
}

// newDiscriminative returns the likelihood Σ ln p(right targets | source) of lattices, in shards
// whose features x numbers. Its parameters are the strengths of the features, and then the strength
// of ln p of the joint model, which fires ln p times. It does not support best paths, temperatures
// or second derivatives.
func newDiscriminative(shards []*evidence, x *index, sigma float64) (em.Likelihood, error) {
	n := len(x.Keys()) + 1
	law, err := em.NewLogLinear(n, nil, em.LogLinearOptions{Sigma: sigma})
	if err != nil {
		return nil, err
	}
	params := em.NewParams()
	start := make([]float64, n)
	start[n-1] = 1
	params.Group("strength", n, law).SetStart(start)
	for _, v := range shards {
		v.resolve(x)
	}
	var ends []int
	var weights []float64
	for _, v := range shards {
		weights = append(weights, v.weights...)
		ends = append(ends, len(weights))
	}
	return em.Sharded[em.Query, differ]{
		Package: "pairgram",
		Params:  params,
		Cut:     em.NewCutAt(ends),
		Fingerprint: func(w io.Writer) {
			for _, v := range shards {
				parts := []any{v.logp, v.weights}
				for _, b := range v.bundles {
					parts = append(parts, b.last, b.before, b.row, b.fired)
				}
				for _, part := range parts {
					binary.Write(w, binary.LittleEndian, part) // a hash never returns an error
				}
			}
		},
		Open: func(_ context.Context, w *differ, q em.Query, shard int, _ *em.Tally) error {
			v := shards[shard]
			w.open(v, ends[shard]-len(v.weights), q.Theta)
			return nil
		},
		Weight: func(i int) float64 { return weights[i] },
		Sum:    (*differ).sum,
		Drain:  (*differ).drain,
	}.Likelihood(), nil
}

// differ performs E steps of shards, one at a time; it is not safe for concurrent use.
type differ struct {
	*evidence
	first   int // the index of its first source
	scores  scores
	table   []semiring.ScaledFloat
	counts  []float64
	scratch batch.Scratch

	firings struct {
		numbers         []int32
		counts, scratch []float64
	}
}

// open sets the weights of the arcs of v, whose first source has index first.
func (w *differ) open(v *evidence, first int, theta []float64) {
	w.evidence, w.first = v, first
	w.scores.set(&v.bundles, v.logp, theta)
	w.table = append(w.table[:0], semiring.ScaledFloat{}, semiring.NewScaled(1))
	for _, ln := range w.scores.ln {
		w.table = append(w.table, semiring.ScaledFromLog(ln))
	}
	w.counts = append(w.counts[:0], make([]float64, len(w.table))...)
}

// sum counts the uses of arcs in the right sequences of source i, minus their uses in all
// sequences. It returns ln p(right targets | source).
func (w *differ) sum(_ em.Query, i int, weight float64, a *em.Tally) (float64, error) {
	g := 2 * (i - w.first)
	right, err := w.batch.Counts(g, w.table, weight, w.counts, &w.scratch)
	if err != nil {
		return 0, err
	}
	all, err := w.batch.Counts(g+1, w.table, -weight, w.counts, &w.scratch)
	if err == nil && right.IsZero() { // underflow by strengths: a derivation exists
		err = fmt.Errorf("%w: the weight of all right targets is 0", em.ErrInvalid)
	}
	a.Arcs += int64(w.batch.NumEdgesOf(g) + w.batch.NumEdgesOf(g+1))
	return right.Log() - all.Log(), err
}

// drain adds to a the firings of features, given the uses of arcs.
func (w *differ) drain(q em.Query, _ int, a *em.Tally) error {
	uses, f, power := w.counts[2:], &w.firings, 0.0
	for i, c := range uses {
		power += c * w.logp[i]
	}
	a.Put(int32(len(q.Theta)-1), power)
	for chain := range w.bundles {
		f.numbers, f.counts, f.scratch = w.bundles[chain].appendFirings(f.numbers, f.counts, uses, f.scratch)
	}
	f.numbers, f.counts = a.PutAlike(f.numbers, 1, f.counts)
	return nil
}
