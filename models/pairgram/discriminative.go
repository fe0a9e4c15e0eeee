package pairgram

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
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

	bundles [chains]bundles // of features, and then of indices in strengths

	// strengths are the numbers of the features of the bundles, in order.
	strengths []int32

	// The arcs with the context of their features, and the end of each source's arcs, until
	// features are numbered.
	arcs    []arc
	sources []int32
	ends    []int32
}

// numbered drops the context of features.
func (v *evidence) numbered() {
	for chain := range v.bundles {
		v.bundles[chain].new = nil
	}
	v.arcs, v.sources, v.ends = nil, nil, nil
}

// collector collects the strengths of shards.
type collector struct {
	fire  []uint64 // a bit for each strength that fires
	place []int32
}

func newCollector(n int) *collector { return &collector{make([]uint64, n/64+1), make([]int32, n)} }

// collect sets the strengths of v, and replaces the features of its bundles by indices in
// strengths.
func (c *collector) collect(v *evidence) {
	for chain := range v.bundles {
		for _, k := range v.bundles[chain].fired {
			c.fire[k/64] |= 1 << (k % 64)
		}
	}
	for i, word := range c.fire {
		for c.fire[i] = 0; word != 0; word &= word - 1 {
			k := int32(64*i + bits.TrailingZeros64(word))
			c.place[k] = int32(len(v.strengths))
			v.strengths = append(v.strengths, k)
		}
	}
	v.strengths = slices.Clip(v.strengths)
	for chain := range v.bundles {
		b := &v.bundles[chain]
		for i, k := range b.fired {
			b.fired[i] = c.place[k]
		}
		b.before, b.row, b.fired = slices.Clone(b.before), slices.Clone(b.row), slices.Clone(b.fired)
	}
}

// scores contains the ln of the weights of arcs.
type scores struct {
	sums [chains][]float64 // of the strengths of bundles
	ln   []float64
}

// set sets the scores of arcs with features of these strengths, and with ln p in the joint model,
// whose strength is power.
func (s *scores) set(all *[chains]bundles, logp, strength []float64, power float64) {
	for chain := range all {
		s.sums[chain] = all[chain].appendSums(s.sums[chain][:0], strength)
	}
	chunks, targets := s.sums[chainChunks], s.sums[chainTargets]
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
// whose features have their numbers in x. Its parameters are the strengths of the features, and
// then the strength of ln p of the joint model, which fires ln p times. It does not support best
// paths, temperatures or second derivatives.
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
	c := newCollector(n - 1)
	for _, v := range shards {
		c.collect(v)
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
				parts := []any{v.logp, v.weights, v.strengths}
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

	strength []float64 // of each of the strengths
	uses     []float64 // of bundles
	numbers  []int32   // of strengths, with their firings
	firings  []float64
}

// open sets the weights of the arcs of v, whose first source has index first.
func (w *differ) open(v *evidence, first int, theta []float64) {
	w.evidence, w.first = v, first
	w.strength = w.strength[:0]
	for _, k := range v.strengths {
		w.strength = append(w.strength, theta[k])
	}
	w.scores.set(&v.bundles, v.logp, w.strength, theta[len(theta)-1])
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
	uses, power := w.counts[2:], 0.0
	for i, c := range uses {
		power += c * w.logp[i]
	}
	a.Put(int32(len(q.Theta)-1), power)
	w.numbers = append(w.numbers[:0], w.strengths...)
	w.firings = append(w.firings[:0], make([]float64, len(w.strengths))...)
	for chain := range w.bundles {
		w.uses = w.bundles[chain].addFirings(w.firings, uses, w.uses)
	}
	w.numbers, w.firings = a.PutUniform(w.numbers, 1, w.firings)
	return nil
}
