package pairgram

import (
	"context"
	"encoding/binary"
	"io"
	"iter"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// evidence is the lattices of a shard of sources.
type evidence struct {
	// Graphs 2i and 2i+1 are the right sequences of chunks of source i and all of
	// them. The weight of arc n has the handle n + 2.
	batch   batch.Batch
	weights []float64 // per source
	logp    []float64 // per arc: of the chunk, given those before

	// Arcs as features see them, and where the arcs of each source end. Strengths then
	// replace them: fired[row[n]:row[n+1]] fire on arc n.
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

// resolve replaces features by strengths.
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

// handles is the ring of handles of weights, which only have to be told from 0 and 1.
var handles semiring.Semiring[expr.W] = expr.New()

// add adds the sequences of o; it reports whether a right one is among them.
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

// newDiscriminative returns the likelihood Σ ln p(right targets | source) of lattices, in
// shards whose features x numbers. Its parameters are the strengths of the features, and
// then the strength of ln p of the joint model, which fires ln p times. There are no
// best paths, temperatures or second derivatives.
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
	return em.Sharded[[]float64, differ]{
		Package: "pairgram",
		Params:  params,
		Shards:  len(shards),
		Fingerprint: func(w io.Writer) {
			for _, v := range shards {
				for _, part := range []any{v.row, v.fired, v.logp, v.weights} {
					binary.Write(w, binary.LittleEndian, part) // a hash takes all
				}
			}
		},
		Begin: func(q em.Query, _ []em.Skipped) ([]float64, error) { return q.Theta, nil },
		Hire:  func() *differ { return new(differ) },
		Visit: func(_ context.Context, w *differ, theta []float64, shard int, a *em.Tally) error {
			return w.visit(shards[shard], theta, a)
		},
	}.Likelihood(), nil
}

// differ visits shards; it belongs to one goroutine.
type differ struct {
	table   []semiring.ScaledFloat
	counts  []float64
	scratch batch.Scratch
}

// visit adds to a the firings in v at theta: those observed less those expected.
func (w *differ) visit(v *evidence, theta []float64, a *em.Tally) error {
	w.table = append(w.table[:0], semiring.ScaledFloat{}, semiring.NewScaled(1))
	for i, logp := range v.logp {
		w.table = append(w.table, semiring.ScaledFromLog(score(logp, v.fired[v.row[i]:v.row[i+1]], theta)))
	}
	w.counts = append(w.counts[:0], make([]float64, len(w.table))...)
	for i, weight := range v.weights {
		right, err := v.batch.Counts(2*i, w.table, weight, w.counts, &w.scratch)
		if err != nil {
			return nested.Errorf("pairgram: %w", err)
		}
		all, err := v.batch.Counts(2*i+1, w.table, -weight, w.counts, &w.scratch)
		if err != nil {
			return nested.Errorf("pairgram: %w", err)
		}
		a.LogLikelihood += weight * (right.Log() - all.Log())
	}
	a.Examples, a.Arcs = len(v.weights), int64(v.batch.NumEdges())
	for i, c := range w.counts[2:] {
		a.Put(int32(len(theta)-1), c*v.logp[i])
		for _, k := range v.fired[v.row[i]:v.row[i+1]] {
			a.Put(k, c)
		}
	}
	return nil
}
