package pairgram

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// evidence is the lattices of a shard of sources.
type evidence struct {
	// Graphs 2i and 2i+1 are the right sequences of chunks of source i and all of
	// them. The weight of arc n has the handle n + 2.
	batch   graph.Batch
	weights []float64 // per source
	logp    []float64 // per arc: of the chunk, given those before

	// Arcs as features see them, and the end of those of each source; until they are
	// replaced by the strengths that fire: those of arc n are fired[row[n]:row[n+1]].
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
func (v *evidence) add(o *outlooks, x []int32, weight float64, names []uint32) (bool, error) {
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
		g, err := graph.New(handles, o.row, o.to, weights, start, final)
		if err != nil {
			return false, err
		}
		return graph.Append(&v.batch, g)
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

// discriminative is the likelihood Σ ln p(right targets | source) of lattices, for
// package em. Its parameters are the strengths of features, and after them that of ln p
// of the generative model, which fires ln p times.
type discriminative struct {
	params  *em.Params
	shards  []*evidence
	reducer *em.Reducer[differ, firings]
}

// newDiscriminative returns the likelihood of the shards, whose features are those of x.
func newDiscriminative(shards []*evidence, x *index, sigma float64) (*discriminative, error) {
	n := len(x.Keys()) + 1
	law, err := em.NewLogLinear(n, nil, em.LogLinearOptions{Sigma: sigma})
	if err != nil {
		return nil, err
	}
	d := &discriminative{params: em.NewParams(), shards: shards}
	start := make([]float64, n)
	start[n-1] = 1
	d.params.Group("strength", n, law).SetStart(start)
	for _, v := range shards {
		v.resolve(x)
	}
	d.reducer = em.NewReducer[differ, firings](func() *differ { return new(differ) })
	return d, nil
}

// Params, Shards, Fingerprint and Expect are those of em.Likelihood. There are no best
// paths, temperatures or second derivatives.
func (d *discriminative) Params() *em.Params { return d.params }

func (d *discriminative) Shards() int { return len(d.shards) }

func (d *discriminative) Fingerprint(w io.Writer) {
	for _, v := range d.shards {
		for _, part := range []any{v.row, v.fired, v.logp, v.weights} {
			binary.Write(w, binary.LittleEndian, part) // a hash takes all
		}
	}
}

func (d *discriminative) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(d)
	if err != nil {
		return nil, err
	}
	if q.EStep != em.Marginal || q.Temperature != 1 || q.Direction != nil {
		return nil, fmt.Errorf("pairgram: %w to a conditional model of chunks", em.ErrMethod)
	}
	total := &em.Expectations{Counts: make([]float64, d.params.Len())}
	err = d.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi,
		func(w *differ, shard int, f *firings) error { return w.visit(d.shards[shard], q.Theta, f) },
		func(shard int, f *firings) {
			v := d.shards[shard]
			total.LogLikelihood += f.logLikelihood
			total.Examples += len(v.weights)
			total.Arcs += int64(v.batch.NumArcs())
			last := len(total.Counts) - 1
			for i, c := range f.counts {
				total.Counts[last] += c * v.logp[i]
				for _, k := range v.fired[v.row[i]:v.row[i+1]] {
					total.Counts[k] += c
				}
			}
		})
	if err != nil {
		return nil, err
	}
	return total, nil
}

// firings is what an E step finds in a shard: how often each arc is used, observed less
// expected.
type firings struct {
	counts        []float64
	logLikelihood float64
}

// differ visits shards; it belongs to one goroutine.
type differ struct {
	table   []semiring.ScaledFloat
	counts  []float64
	scratch graph.Scratch
}

// visit fills f with the firings in v at theta.
func (w *differ) visit(v *evidence, theta []float64, f *firings) error {
	w.table = append(w.table[:0], semiring.ScaledFloat{}, semiring.NewScaled(1))
	for i, logp := range v.logp {
		w.table = append(w.table, semiring.ScaledFromLog(score(logp, v.fired[v.row[i]:v.row[i+1]], theta)))
	}
	w.counts = append(w.counts[:0], make([]float64, len(w.table))...)
	f.logLikelihood = 0
	for i, weight := range v.weights {
		right, err := v.batch.Counts(2*i, w.table, weight, w.counts, &w.scratch)
		if err != nil {
			return fmt.Errorf("pairgram: %w", err)
		}
		all, err := v.batch.Counts(2*i+1, w.table, -weight, w.counts, &w.scratch)
		if err != nil {
			return fmt.Errorf("pairgram: %w", err)
		}
		f.logLikelihood += weight * (right.Log() - all.Log())
	}
	f.counts = append(f.counts[:0], w.counts[2:]...)
	return nil
}
