package cascade_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// entry is an index with its count, as transferred between processes.
type entry struct {
	number        int
	count, change float64
}

// remote holds the tallies of one E step, in order.
type remote struct {
	entries []entry
	totals  []em.Tally
	layout  string
}

// tallied makes the first half of an E step.
func tallied(t *testing.T, l em.Divisible, q em.Query, without []em.Skipped) remote {
	t.Helper()
	var r remote
	next := q.Lo
	err := l.Tallies(t.Context(), q, without, func(shard int, a *em.Tally) error {
		if shard != next {
			t.Errorf("shard %d, want %d", shard, next)
		}
		next++
		r.layout = l.Layout()
		for first, d := range a.Entries() {
			for k, x := range d.Value {
				e := entry{number: int(first) + k, count: x}
				if len(d.Change) > 0 {
					e.change = d.Change[k]
				}
				r.entries = append(r.entries, e)
			}
		}
		r.totals = append(r.totals, a.Totals())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// add returns a function that adds up the tallies in the second half.
func (r remote) add(weight float64) func(sums expr.Dual, e *em.Expectations) error {
	return func(sums expr.Dual, e *em.Expectations) error {
		for _, x := range r.entries {
			sums.Value[x.number] += weight * x.count
			if sums.Change != nil {
				sums.Change[x.number] += weight * x.change
			}
		}
		for _, t := range r.totals {
			t.AddTotals(e, 0)
		}
		return nil
	}
}

// pairs returns n pairs of strings of different weights, their problem and a θ.
func pairs(t *testing.T, n int) (cascade.Problem, cascade.Data, []float64) {
	t.Helper()
	problem, examples := noisyProblem(t, em.Multinomial{})
	examples = examples[:n]
	for i := range examples {
		examples[i].Weight = em.Times(1 / float64(1+i%7))
	}
	return problem, cascade.Data{Examples: examples}, problem.Params.Random(rand.NewPCG(uint64(n), 8))
}

// same reports whether two E steps have the same bits.
func same(a, b *em.Expectations) bool {
	return a.LogLikelihood == b.LogLikelihood && slices.Equal(a.Counts, b.Counts) && slices.Equal(a.Curvature, b.Curvature) &&
		a.Examples == b.Examples && slices.Equal(a.Skipped, b.Skipped) && a.Arcs == b.Arcs && a.WithoutLattice == b.WithoutLattice &&
		a.Gap == b.Gap && slices.Equal(a.Bounds, b.Bounds)
}

// TestDivided: an E step whose tallies are added up elsewhere has the same bits as an ordinary
// one, for all kinds of queries of cascades, graphs and forests.
func TestDivided(t *testing.T) {
	made := 0
	for seed := range trials.Seeds(120) {
		rng := rand.New(rand.NewPCG(seed, 22))
		_, l, theta := visited(t, rng, int(seed%3), 0)
		divisible := l.(em.Divisible)
		q := em.Query{Theta: theta, Weight: []float64{0, 2, -.3}[rng.IntN(3)], Workers: 1 + rng.IntN(3)}
		n := l.Params().Len()
		if rng.IntN(2) == 0 {
			q.Tangent = make([]float64, n)
			for i := range q.Tangent {
				q.Tangent[i] = rng.NormFloat64()
			}
		}
		q.Lo = rng.IntN(l.Shards())
		q.Hi = q.Lo + 1 + rng.IntN(l.Shards()-q.Lo)
		bring := func() em.Query {
			brought := q
			if seed%2 == 0 {
				brought.Counts = slices.Repeat([]float64{1. / 3}, n)
			}
			return brought
		}
		var without []em.Skipped
		if rng.IntN(3) == 0 {
			without = []em.Skipped{{Index: 0}}
		}
		want, err := l.(em.Excluder).ExpectWithout(t.Context(), bring(), without)
		if err != nil {
			continue // such as a θ where a cycle diverges
		}
		made++
		r := tallied(t, divisible, q, without)
		weight := q.Weight
		if weight == 0 {
			weight = 1
		}
		// Another likelihood of the same model, which has not visited any example, adds up.
		got, err := divisible.Assemble(t.Context(), bring(), without, r.add(weight))
		if err != nil {
			t.Fatal(err)
		}
		if !same(got, want) {
			t.Errorf("seed %d: %+v\nwant %+v", seed, got, want)
		}
		if r.layout != divisible.Layout() {
			t.Errorf("seed %d: layout %q, then %q", seed, r.layout, divisible.Layout())
		}
	}
	if made < 60 {
		t.Errorf("%d E steps were made", made)
	}
}

// TestShardAlone: a shard contributes the same bits in a likelihood of its examples alone as in
// the whole, if it is one shard there, too.
func TestShardAlone(t *testing.T) {
	for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.ByBlocks} {
		problem, data, theta := pairs(t, 150)
		data.Strategy = way
		whole := likelihood(t, problem, data)
		cut := em.NewCut(len(data.Examples))
		if cut.Shards() != whole.Shards() || cut.Shards() == len(data.Examples) {
			t.Fatalf("%d shards of %d examples", whole.Shards(), len(data.Examples))
		}
		shard := func(i int) (em.Divisible, error) {
			lo, hi := cut.Shard(i)
			part := data
			part.Examples, part.ShardSize = data.Examples[lo:hi], 1<<20
			l, err := problem.Likelihood(part)
			return l.(em.Divisible), err
		}
		head, err := shard(cut.Shards() / 2)
		if err != nil {
			t.Fatal(err)
		}
		divided := likelihoodtest.Divided{Head: head, N: cut.Shards(), Shard: shard}
		for _, q := range []em.Query{{Theta: theta}, {Theta: theta, Lo: 3, Hi: 9, Weight: 1.25}, {Theta: theta, EStep: em.Viterbi, Temperature: 2}} {
			want, err := whole.Expect(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := divided.Expect(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if !same(got, want) {
				t.Errorf("%v: shards by themselves: %+v\nwant %+v", way, got, want)
			}
		}
	}
}

// TestLayout: tallies of other cells than the assembling likelihood's have another layout.
func TestLayout(t *testing.T) {
	problem, data, theta := pairs(t, 10)
	layout := func(w cascade.Strategy, change func(*cascade.Example)) string {
		data := data
		data.Strategy, data.Examples = w, slices.Clone(data.Examples)
		for i := range data.Examples {
			change(&data.Examples[i])
		}
		l, err := problem.Likelihood(data)
		if err != nil {
			t.Fatal(err)
		}
		return tallied(t, l.(em.Divisible), em.Query{Theta: theta}, nil).layout
	}
	seen := map[string]bool{
		layout(cascade.ByLattice, func(*cascade.Example) {}):                        true,
		layout(cascade.ByBlocks, func(*cascade.Example) {}):                         true,
		layout(cascade.ByBlocks, func(x *cascade.Example) { x.X = cascade.Side{} }): true,
		layout(cascade.ByBlocks, func(x *cascade.Example) { x.Y = cascade.Side{} }): true,
	}
	if len(seen) != 4 {
		t.Errorf("layouts %v, want 4", slices.Collect(maps.Keys(seen)))
	}
}

// TestDividedErrors: the halves of an E step return the errors of the whole.
func TestDividedErrors(t *testing.T) {
	problem, data, theta := pairs(t, 10)
	l, err := problem.Likelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	divisible := l.(em.Divisible)
	stop := errors.New("stop")
	nothing := func(int, *em.Tally) error { return nil }
	if err := divisible.Tallies(t.Context(), em.Query{Theta: theta[1:]}, nil, nothing); !errors.Is(err, em.ErrParameter) {
		t.Errorf("θ too short: %v", err)
	}
	calls := 0
	err = divisible.Tallies(t.Context(), em.Query{Theta: theta}, nil, func(int, *em.Tally) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("visit fails: %v after %d calls", err, calls)
	}
	_, err = divisible.Assemble(t.Context(), em.Query{Theta: theta}, nil, func(expr.Dual, *em.Expectations) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("add fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := divisible.Tallies(ctx, em.Query{Theta: theta}, nil, nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("done: %v", err)
	}
	for what, bad := range map[string]func() error{
		"Data": func() error {
			data := data
			data.ShardSize = -1
			_, err := problem.Likelihood(data)
			return err
		},
		"Derivations": func() error {
			graph := func(int) (*graph.Graph[expr.W], error) { return fsttest.Frozen(problem.Stages[0]).Graph(), nil }
			_, err := cascade.Derivations{Examples: 1, ShardSize: -1, Graph: graph}.Likelihood(problem.Params)
			return err
		},
	} {
		if err := bad(); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s with shards of −1 examples: %v", what, err)
		}
	}
}
