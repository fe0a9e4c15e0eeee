package pairgram

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
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

	// The arcs with the context of their features, and the end of each source's arcs. Strengths
	// then replace them: fired[row[n]:row[n+1]] fire on arc n.
	arcs    []arc
	sources []int32
	ends    []int32
	row     []int32
	fired   []int32
}

// bySource yields the arcs of each source.
func (v *evidence) bySource() iter.Seq2[int, []arc] {
	return func(yield func(int, []arc) bool) {
		first := int32(0)
		for i, end := range v.ends {
			if !yield(i, v.arcs[first:end]) {
				return
			}
			first = end
		}
	}
}

// resolve replaces features by the indices of strengths.
func (v *evidence) resolve(x *index) {
	v.row = append(make([]int32, 0, len(v.arcs)+1), 0)
	for i := range v.arcs {
		v.fired = v.arcs[i].appendFired(v.fired, v.sources, x)
		v.row = append(v.row, int32(len(v.fired)))
	}
	v.fired = slices.Clip(v.fired)
	v.arcs, v.sources, v.ends = nil, nil, nil
}

// appendFired appends the strengths that fire on a.
func (a *arc) appendFired(dst []int32, sources []int32, x *index) []int32 {
	var h [features]uint64
	a.hashes(&h, sources)
	for _, hash := range h {
		if k := x.Find(hash); k >= 0 {
			dst = append(dst, k)
		}
	}
	return dst
}

// score returns the ln of the weight of an arc: ln p of the generative model and the
// strengths that fire. The last of theta is the strength of ln p.
func score(logp float64, fired []int32, theta []float64) float64 {
	sum := logp * theta[len(theta)-1]
	for _, k := range fired {
		sum += theta[k]
	}
	return sum
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
	v.arcs, v.logp = o.appendArcs(v.arcs, v.logp, names, len(v.sources))
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
				for _, part := range []any{v.row, v.fired, v.logp, v.weights} {
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
	table   []semiring.ScaledFloat
	counts  []float64
	scratch batch.Scratch
}

// open sets the weights of the arcs of v, whose first source has index first.
func (w *differ) open(v *evidence, first int, theta []float64) {
	w.evidence, w.first = v, first
	w.table = append(w.table[:0], semiring.ScaledFloat{}, semiring.NewScaled(1))
	for i, logp := range v.logp {
		w.table = append(w.table, semiring.ScaledFromLog(score(logp, v.fired[v.row[i]:v.row[i+1]], theta)))
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
	last := int32(len(q.Theta) - 1)
	for i, c := range w.counts[2:] {
		a.Put(last, c*w.logp[i])
		for _, k := range w.fired[w.row[i]:w.row[i+1]] {
			a.Put(k, c)
		}
	}
	return nil
}
