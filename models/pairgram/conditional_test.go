package pairgram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// randomConditional returns a random model without features.
func randomConditional(t testing.TB, rng *rand.Rand, seed uint64) *Conditional {
	t.Helper()
	m := randomModel(t, rng, inventories[seed%4], seed/4%2 == 1)
	d, err := m.Predictor(&PredictorOptions{Width: 4, Insertions: 1})
	if err != nil {
		t.Fatal(err)
	}
	return newConditional(d, 1e-6, new(index), nil)
}

// strengthen gives c random strengths for most of the features of a source.
func (c *Conditional) strengthen(t testing.TB, rng *rand.Rand, xs ...[]int32) {
	t.Helper()
	for _, x := range xs {
		part, err := c.predictor.Lattice(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		o := new(outlooks)
		if _, err := o.set(c.predictor.model, part, c.least, nil); err != nil {
			t.Fatal(err)
		}
		arcs, _ := o.appendArcs(nil, nil, c.names, 0)
		for i := range arcs {
			var h [features]uint64
			arcs[i].hashes(&h, c.predictor.model.appendSource(nil, x))
			for _, hash := range h {
				if rng.IntN(8) > 0 {
					c.index.Number(hash)
				}
			}
		}
	}
	c.theta = make([]float64, len(c.index.Keys())+1)
	for i := range c.theta {
		c.theta[i] = .3 * rng.NormFloat64()
	}
	c.theta[len(c.theta)-1] = .8
}

// scoreByHand returns the ln of the weight of a sequence of chunks, in the order of the
// model.
func scoreByHand(c *Conditional, x, chunks []int32) float64 {
	m := c.predictor.model
	source := slices.Concat(make([]int32, reach), x, make([]int32, reach))
	if m.reversed {
		slices.Reverse(source)
	}
	total, read := c.theta[len(c.theta)-1]*m.grams.LogProb(chunks), 0
	for i, n := range append(slices.Clip(chunks), ngram.End) {
		a := arc{
			names: [order]uint32{c.names.chunk[n], beginning, beginning, beginning}, target: c.names.target[n],
			said: [order - 1]uint32{beginning, beginning, beginning},
		}
		for k := 1; k < order && k <= i; k++ {
			a.names[k] = c.names.chunk[chunks[i-k]]
		}
		writing := slices.DeleteFunc(slices.Clone(chunks[:i]), func(n int32) bool { return len(m.chunks.chunk(n).Target) == 0 })
		slices.Reverse(writing)
		for k, n := range writing[:min(len(writing), order-1)] {
			a.said[k] = c.names.target[n]
		}
		if n != ngram.End {
			a.size = int32(len(m.chunks.chunk(n).Source))
		}
		read += int(a.size)
		a.after = int32(reach + read)
		var h [features]uint64
		a.hashes(&h, source)
		for _, hash := range h {
			if k := c.index.Find(hash); k >= 0 {
				total += c.theta[k]
			}
		}
	}
	return total
}

// sequencesByHand yields the sequences of chunks in a graph, and what they write.
func sequencesByHand(m *Model, part *graph.Expansion[semiring.ScaledFloat], yield func(chunks, y []int32)) {
	g := part.Graph
	var walk func(s int32, chunks []int32)
	walk = func(s int32, chunks []int32) {
		if !g.Finals()[s].IsZero() {
			var y []int32
			for _, n := range chunks {
				if m.reversed {
					y = slices.Concat(m.chunks.chunk(n).Target, y)
				} else {
					y = append(y, m.chunks.chunk(n).Target...)
				}
			}
			yield(chunks, y)
		}
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			walk(g.To()[e], append(slices.Clip(chunks), part.Out[e]))
		}
	}
	walk(g.Starts()[0].State, nil)
}

// prunedByHand returns the lattice of x that c looks at.
func prunedByHand(t testing.TB, c *Conditional, x []int32) *graph.Expansion[semiring.ScaledFloat] {
	t.Helper()
	part, err := c.predictor.Lattice(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	pruned, err := graph.PrunePosterior(part.Graph, c.least)
	if err != nil {
		t.Fatal(err)
	}
	small := &graph.Expansion[semiring.ScaledFloat]{Graph: pruned.Graph}
	for _, e := range pruned.Arc {
		small.Out = append(small.Out, part.Out[e])
	}
	return small
}

// TestConditionalByEnumeration: p(y | x) is the sum over the sequences that write y of
// products of strengths, divided by that over all.
func TestConditionalByEnumeration(t *testing.T) {
	several := 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 6))
		c := randomConditional(t, rng, seed)
		x := []int32{1 + rng.Int32N(3), 1 + rng.Int32N(3)}[:1+rng.IntN(2)]
		c.strengthen(t, rng, x)
		part := prunedByHand(t, c, x)
		want, total := map[string]float64{}, 0.0
		if part.Graph.NumStates() > 0 {
			sequencesByHand(c.predictor.model, part, func(chunks, y []int32) {
				w := math.Exp(scoreByHand(c, x, chunks))
				want[fmt.Sprint(y)] += w
				total += w
			})
		}
		found, err := c.Best(t.Context(), x, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != len(want) {
			t.Fatalf("seed %d: %d targets, want %d", seed, len(found), len(want))
		}
		ys := [][]int32{{1, 1, 1, 1, 1, 1, 1, 1, 1}} // in no lattice
		for _, y := range found {
			ys = append(ys, y.Labels)
		}
		together, err := c.LogProbs(t.Context(), x, ys)
		if err != nil || !math.IsInf(together[0], -1) {
			t.Fatalf("seed %d: %v, %v", seed, together, err)
		}
		last := 0.0
		for i, y := range found {
			if math.Abs(together[i+1]-y.LogProb) > 1e-9 {
				t.Fatalf("seed %d: %v has ln p %g among others, %g by itself", seed, y.Labels, together[i+1], y.LogProb)
			}
			if w := math.Log(want[fmt.Sprint(y.Labels)] / total); !(math.Abs(y.LogProb-w) <= 1e-9) || y.LogProb > last+1e-12 {
				t.Fatalf("seed %d: %v after %g, want %g", seed, y, last, w)
			}
			last = y.LogProb
			if again, err := c.LogProb(x, y.Labels); err != nil || !(math.Abs(again-y.LogProb) <= 1e-9) {
				t.Fatalf("seed %d: %v has ln p %g by itself (%v)", seed, y, again, err)
			}
		}
		if p, err := c.LogProb(x, []int32{1, 1, 1, 1, 1, 1, 1, 1, 1}); err != nil || !math.IsInf(p, -1) {
			t.Fatalf("seed %d: what is not in the lattice has ln p %g (%v)", seed, p, err)
		}
		if len(found) > 1 {
			several++
		}
	}
	if several < 20 {
		t.Errorf("only %d sources have several targets", several)
	}
}

// TestConditionalGradient: the objective is Σ ln p(Y | x) of the sources that have a right
// target, and its counts are its derivatives.
func TestConditionalGradient(t *testing.T) {
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := randomConditional(t, rng, seed)
		shards := []*evidence{{}, {}}
		all := questions(append(randomPairs(rng, 8, 2), Pair{Source: []int32{1, 2, 3}, Target: []int32{1, 2, 3}, Weight: em.Times(2.5)}))
		for _, q := range all {
			c.strengthen(t, rng, q.x)
		}
		want, o := 0.0, new(outlooks)
		for i, q := range all {
			if err := shards[i%2].learn(t.Context(), o, c.predictor, &q, c.names, c.least); err != nil {
				t.Fatal(err)
			}
			right := 0.0
			for k, y := range q.ys {
				if slices.ContainsFunc(q.ys[:k], func(r []int32) bool { return slices.Equal(r, y) }) {
					continue
				}
				logp, err := c.LogProb(q.x, y)
				if err != nil {
					t.Fatal(err)
				}
				right += math.Exp(logp)
			}
			if right > 0 {
				want += q.weight * math.Log(right)
			}
		}
		for _, v := range shards {
			for chain := range v.bundles {
				v.bundles[chain].number(chain, v.arcs, v.sources, c.index, nil)
				v.bundles[chain].reduce()
			}
			v.numbered()
		}
		d, err := newDiscriminative(shards, c.index, 0)
		if err != nil {
			t.Fatal(err)
		}
		expect := func(theta []float64, workers int) *em.Expectations {
			e, err := d.Expect(t.Context(), em.Query{Theta: theta, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		got := expect(c.theta, 1)
		if math.Abs(got.LogLikelihood-want) > 1e-9*(1+math.Abs(want)) || got.Examples == 0 {
			t.Errorf("seed %d: log likelihood %g of %d sources, want %g", seed, got.LogLikelihood, got.Examples, want)
		}
		if again := expect(c.theta, 3); again.LogLikelihood != got.LogLikelihood || !slices.Equal(again.Counts, got.Counts) {
			t.Errorf("seed %d: other bits with 3 workers", seed)
		}
		for range 40 {
			k := rng.IntN(len(c.theta))
			if rng.IntN(8) == 0 {
				k = len(c.theta) - 1
			}
			const h = 1e-4
			at := func(step float64) float64 {
				theta := slices.Clone(c.theta)
				theta[k] += step
				return expect(theta, 1).LogLikelihood
			}
			want := (8*(at(h)-at(-h)) - at(2*h) + at(-2*h)) / (12 * h)
			if math.Abs(got.Counts[k]-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("seed %d: count of strength %d is %.10g, finite difference %.10g", seed, k, got.Counts[k], want)
			}
		}
	}
}

// TestFeatures: each looks at what it should and at nothing else.
func TestFeatures(t *testing.T) {
	source := make([]int32, 20)
	for i := range source {
		source[i] = int32(100 + i)
	}
	a := arc{names: [order]uint32{1, 2, 3, 4}, target: 5, said: [order - 1]uint32{6, 7, 8}, after: 10, size: 2}
	of := func(a arc, change int) [features]uint64 {
		s := slices.Clone(source)
		if change >= 0 {
			s[change] = 7
		}
		var h [features]uint64
		a.hashes(&h, s)
		return h
	}
	before := of(a, -1)
	if distinct := slices.Compact(slices.Sorted(slices.Values(before[:]))); len(distinct) != features {
		t.Errorf("%d different features, want %d", len(distinct), features)
	}
	count := func(now [features]uint64) int {
		changed := 0
		for i, k := range now {
			if k != before[i] {
				changed++
			}
		}
		return changed
	}
	// A symbol at distance d on one side is in the 5 − d longest contexts of that side
	// and of both sides, and after the chunk in those of two chunks. Beyond the next one it is
	// in those of symbols with a gap before them. The next two are in one or two features together
	// with what was written.
	for at, want := range map[int]int{
		10: 2*4 + 2 + 2, 11: 2*3 + 1 + 2 + 1, 12: 2*2 + 3, 13: 2*1 + 1, 14: 0,
		9: 0, 8: 0, 7: 2 * 4, 6: 2 * 3, 5: 2 * 2, 4: 2 * 1, 3: 0,
	} {
		if got := count(of(a, at)); got != want {
			t.Errorf("symbol %d changes %d features, want %d", at, got, want)
		}
	}
	for i, want := range []int{features - len(a.said), 3 + ahead, 2, 1} {
		b := a
		b.names[i] = 9
		if got := count(of(b, -1)); got != want {
			t.Errorf("chunk %d before changes %d features, want %d", i, got, want)
		}
	}
	for i, want := range []int{2*3 + ahead, 2*2 + 1, 2*1 + 1} {
		b := a
		b.said[i] = 9
		if got := count(of(b, -1)); got != want {
			t.Errorf("what was written %d before changes %d features, want %d", i+1, got, want)
		}
	}
	b := a
	if b.target = 9; count(of(b, -1)) != len(a.said) {
		t.Errorf("the target changes %d features, want %d", count(of(b, -1)), len(a.said))
	}
}

// softening are words of two letters in which 1 is written 2 if the third letter after
// it is 2, and as it is otherwise: what a bigram of chunks cannot know.
func softening(rng *rand.Rand, n int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		x := make([]int32, 4+rng.IntN(5))
		for j := range x {
			x[j] = 1 + rng.Int32N(2)
		}
		y := slices.Clone(x)
		for j := range y {
			if j+3 < len(x) && x[j] == 1 && x[j+3] == 2 {
				y[j] = 2
			}
		}
		pairs[i] = Pair{Source: x, Target: y}
	}
	return pairs
}

// trainBigrams returns a predictor of bigrams of chunks of these sizes, one symbol with one if
// there are none.
func trainBigrams(reversed bool, sizes ...Size) func(context.Context, []Pair) (*Predictor, error) {
	if len(sizes) == 0 {
		sizes = []Size{{1, 1}}
	}
	return func(ctx context.Context, pairs []Pair) (*Predictor, error) {
		a, err := NewAligner(pairs, &AlignerOptions{Sizes: sizes})
		if err != nil {
			return nil, err
		}
		counts, err := a.Count(ctx, pairs, &CountOptions{Order: 2, Reversed: reversed})
		if err != nil {
			return nil, err
		}
		m, err := counts.Model(nil)
		if err != nil {
			return nil, err
		}
		return m.Predictor(nil)
	}
}

// wrong returns the fraction of pairs whose target is not the best.
func wrong(t testing.TB, pairs []Pair, best func(context.Context, []int32, int) ([]nbest.Candidate, error)) float64 {
	t.Helper()
	n := 0.0
	for _, p := range pairs {
		found, err := best(t.Context(), p.Source, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 || !slices.Equal(found[0].Labels, p.Target) {
			n++
		}
	}
	return n / float64(len(pairs))
}

// TestFitConditional: the symbols of the source say what chunks cannot, in both
// directions, and any number of workers finds the same.
func TestFitConditional(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	train, test := softening(rng, 600), softening(rng, 200)
	for _, reversed := range []bool{false, true} {
		o := ConditionalOptions{Sigma: 3, MinPosterior: 1e-9, Fit: em.Options{Workers: 1}}
		c, r, err := FitConditional(t.Context(), train, trainBigrams(reversed), &o)
		if err != nil {
			t.Fatal(err)
		}
		before, after := wrong(t, test, c.Joint().Best), wrong(t, test, c.Best)
		if before < .5 || after > .02 {
			t.Errorf("reversed %v: %g of the words are wrong, %g with features", reversed, before, after)
		}
		o.Fit.Workers = 3
		if _, again, err := FitConditional(t.Context(), train, trainBigrams(reversed), &o); err != nil || !slices.Equal(again.Theta, r.Theta) {
			t.Errorf("%v: other strengths with 3 workers, error %v", reversed, err)
		}
	}
}

// harmony are words of 1 and 2, with none or three letters 3 between that nothing stands for. 1 is
// written as it is or as 2: as the symbol before, or 1 if it is the first.
func harmony(rng *rand.Rand, n int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		p := &pairs[i]
		last := int32(1)
		for range 2 + rng.IntN(2) {
			letter := 1 + rng.Int32N(2)
			p.Source = append(append(p.Source, letter), slices.Repeat([]int32{3}, 3*rng.IntN(2))...)
			last = max(last, letter)
			p.Target = append(p.Target, last)
		}
	}
	return pairs
}

// TestHarmony: what was written last is known however many silent letters were read since, with
// which n-grams of chunks and the symbols around a chunk have been filled.
func TestHarmony(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	train, test := harmony(rng, 80), harmony(rng, 80)
	for _, reversed := range []bool{false, true} {
		o := ConditionalOptions{Sigma: 3, MinPosterior: 1e-3, Fit: em.Options{Workers: 1}}
		c, _, err := FitConditional(t.Context(), train, trainBigrams(reversed, Size{1, 0}, Size{1, 1}), &o)
		if err != nil {
			t.Fatal(err)
		}
		if before, after := wrong(t, test, c.Joint().Best), wrong(t, test, c.Best); before < .2 || after > .02 {
			t.Errorf("reversed %v: %g of the words are wrong, %g with features", reversed, before, after)
		}
	}
}

func TestFitConditionalErrors(t *testing.T) {
	train := trainBigrams(false)
	pairs := softening(rand.New(rand.NewPCG(1, 9)), 20)
	for _, o := range []ConditionalOptions{
		{MinPosterior: 1}, {MinPosterior: math.NaN()}, {Sigma: -1},
	} {
		if _, _, err := FitConditional(t.Context(), pairs, train, &o); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: error %v, want ErrInvalid", o, err)
		}
	}
	if _, _, err := FitConditional(t.Context(), nil, train, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no pairs: error %v, want ErrInvalid", err)
	}
	failed := errors.New("failed")
	fail := func(context.Context, []Pair) (*Predictor, error) { return nil, failed }
	if _, _, err := FitConditional(t.Context(), pairs, fail, nil); !errors.Is(err, failed) {
		t.Errorf("error %v, want that of training", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := FitConditional(done, pairs, train, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
	// Sources whose symbols a fold has not seen are left out.
	c, _, err := FitConditional(t.Context(), append(pairs, Pair{Source: []int32{3}, Target: []int32{3}}), train, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Best(t.Context(), []int32{4}, 1); !errors.Is(err, nbest.ErrUnknown) {
		t.Errorf("error %v, want nbest.ErrUnknown", err)
	}
}

// TestSaveConditional: a loaded model gives the same bits, also to many at once, and takes
// nothing of what follows it.
func TestSaveConditional(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 10))
		c := randomConditional(t, rng, seed)
		var xs [][]int32
		for _, p := range randomPairs(rng, 10, 4) {
			xs = append(xs, p.Source)
		}
		c.strengthen(t, rng, xs...)
		var file bytes.Buffer
		if err := c.Save(&file); err != nil {
			t.Fatal(err)
		}
		file.WriteString("more")
		loaded, err := LoadConditional(&file)
		if err != nil || file.String() != "more" {
			t.Fatalf("seed %d: %v, %q is left", seed, err, file.String())
		}
		var wait sync.WaitGroup
		for _, x := range xs {
			want, err := c.Best(t.Context(), x, 10)
			if err != nil {
				t.Fatal(err)
			}
			wait.Go(func() {
				if got, err := loaded.Best(t.Context(), x, 10); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("seed %d: %v: %v (%v), want %v", seed, x, got, err, want)
				}
			})
		}
		wait.Wait()
	}
}
