package beam

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// randomTally returns a tally of n numbers with zeros: dense, sparse, with runs or with PutUniform.
func randomTally(rng *rand.Rand, n int, second bool) *em.Tally {
	t := new(em.Tally)
	draw := func() float64 { return float64(rng.IntN(3)) * rng.NormFloat64() }
	if rng.IntN(3) == 0 {
		t.Zeros(n, second)
		for i := range t.Counts {
			t.Counts[i] = draw()
			if second {
				t.Curvature[i] = draw()
			}
		}
		return t
	}
	for range rng.IntN(12) {
		first := rng.IntN(n)
		switch rng.IntN(3) {
		case 0:
			t.Put(int32(first), draw())
			continue
		case 1:
			t.PutUniform([]int32{int32(first)}, 1+rng.IntN(n-first), []float64{draw()})
			continue
		}
		var counts, curvature []float64
		for range 1 + rng.IntN(n-first) {
			counts = append(counts, draw())
			if second {
				curvature = append(curvature, draw())
			}
		}
		t.Run(int32(first), counts, curvature)
	}
	return t
}

// TestBlocks: contributions, in any order and some of them twice, add up block by block to the
// bits of the tallies added in the order of the shards.
func TestBlocks(t *testing.T) {
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(30)
		q := &query{Size: n, Block: 1 + rng.IntN(12), Second: rng.IntN(2) == 0, Weight: rng.NormFloat64()}
		want := expr.Dual{Value: make([]float64, n), Change: make([]float64, n)}
		values, contributors := map[int][][]byte{}, map[int]int{}
		for shard := range 1 + rng.IntN(6) {
			b := blocks{shard: shard, size: q.Block, second: q.Second, of: map[int]contribution{}}
			for range 1 + rng.IntN(2) {
				tally := randomTally(rng, n, q.Second)
				b.add(tally)
				for first, d := range tally.Entries() {
					for k, x := range d.Value {
						want.Value[int(first)+k] += q.Weight * x
						if len(d.Change) > 0 {
							want.Change[int(first)+k] += q.Weight * d.Change[k]
						}
					}
				}
			}
			for k, c := range b.of {
				contributors[k]++
				for range 1 + rng.IntN(2) {
					values[k] = append(values[k], c)
				}
			}
		}
		got := expr.Dual{Value: make([]float64, n), Change: make([]float64, n)}
		for k, all := range values {
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			lo, hi, err := q.bounds(k)
			if err != nil {
				t.Fatal(err)
			}
			sums := make([]float64, hi-lo)
			if q.Second {
				sums = make([]float64, 2*(hi-lo))
			}
			shards, err := q.add(sums, all)
			if err != nil || shards != contributors[k] {
				t.Fatalf("seed %d: %d shards, want %d; error %v", seed, shards, contributors[k], err)
			}
			copy(got.Value[lo:], sums[:hi-lo])
			copy(got.Change[lo:], sums[hi-lo:])
		}
		if !slices.Equal(got.Value, want.Value) || !slices.Equal(got.Change, want.Change) {
			t.Errorf("seed %d: %v\nwant %v", seed, got, want)
		}
	}
}

// TestTwice: a shard whose second contribution differs from the first is an error.
func TestTwice(t *testing.T) {
	q := &query{Size: 4, Block: 4, Weight: 1}
	one, other := newContribution(3).appendRun(1, []float64{2}, nil), newContribution(3).appendRun(1, []float64{2.5}, nil)
	if _, err := q.add(make([]float64, 4), [][]byte{one, other}); err == nil {
		t.Error("no error")
	}
}

// FuzzWire: damaged bytes are errors, and do not cause excessive allocations.
func FuzzWire(f *testing.F) {
	f.Add([]byte(newContribution(3).appendRun(1, []float64{2, 3}, nil)))
	f.Add([]byte(newContribution(1<<20).appendRun(0, []float64{2}, []float64{1})))
	q := &query{Size: 9, Block: 4, Second: true, Weight: 2, theta: []float64{1, 2}, tangent: []float64{3, 4}}
	b, err := q.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		q.add(make([]float64, 8), [][]byte{b, b})
		if d, err := decodeQuery(b); err == nil && 8*(len(d.theta)+len(d.tangent)) > len(b) {
			t.Errorf("%d bytes hold %d and %d numbers", len(b), len(d.theta), len(d.tangent))
		}
	})
}

// TestQuery: decoding an encoded query restores it.
func TestQuery(t *testing.T) {
	q := &query{EStep: em.Viterbi, Temperature: 1. / 3, Weight: -.1, Without: []em.Skipped{{Part: "a", Index: 7, Weight: .3}, {Index: 9}},
		Size: 100, Block: 7, Based: []int{1, 3}, theta: []float64{.1, math.Inf(1), 0}}
	for _, tangent := range [][]float64{nil, {1, -2, math.Copysign(0, -1)}} {
		q.tangent, q.Second = tangent, tangent != nil
		b, err := q.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeQuery(b)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(q) {
			t.Errorf("%+v\nwant %+v", got, q)
		}
		for n := range 20 {
			if _, err := decodeQuery(b[:n]); err == nil {
				t.Errorf("the first %d bytes are a query", n)
			}
		}
	}
	if got := q.without(7, 9); len(got) != 1 || got[0].Index != 0 || got[0].Part != "a" {
		t.Errorf("without %+v", got)
	}
}

// TestFailure: an error keeps its text and the verdicts that it wraps, or is no failure.
func TestFailure(t *testing.T) {
	err := fmt.Errorf("shard 3: %w: %w", em.ErrInvalid, semiring.ErrDiverges)
	want := em.Tally{LogLikelihood: math.Inf(-1), Examples: 3, Arcs: 7, WithoutLattice: 1, Gap: math.Inf(1),
		Skipped: []em.Skipped{{Index: 2, Name: "a", Weight: 1. / 3}}, Bounds: []em.Bound{{Index: 1, Lower: -1. / 3, Upper: math.Inf(1)}}}
	b, fault := toGob(report{Shard: 4, Layout: "x", Blocks: []int{2}, Failure: failureOf(err), Tallies: []em.Tally{want, {}}})
	if fault != nil {
		t.Fatal(fault)
	}
	var r report
	if err := fromGob(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Shard != 4 || r.Layout != "x" || len(r.Tallies) != 2 || fmt.Sprint(r.Tallies[0]) != fmt.Sprint(want) {
		t.Errorf("%+v", r)
	}
	if !errors.Is(r.Failure, em.ErrInvalid) || !errors.Is(r.Failure, semiring.ErrDiverges) || errors.Is(r.Failure, em.ErrParameter) || r.Failure.Error() != err.Error() {
		t.Errorf("%v", r.Failure)
	}
	if f := failureOf(errors.New("no route to host")); f != nil {
		t.Errorf("a fault of a worker is a verdict: %v", f)
	}
}

// TestCache: a value is created once, by any goroutine, and again after an error. The cache keeps
// at most the requested number of values.
func TestCache(t *testing.T) {
	var c cache[int]
	made := 0
	get := func(key string, err error) (int, error) {
		return c.get(key, 2, func() (int, error) { made++; return made, err })
	}
	for _, step := range []struct {
		key  string
		err  error
		want int
	}{
		{"a", nil, 1}, {"a", nil, 1}, {"b", errWire, 0}, {"b", nil, 3}, {"b", nil, 3}, {"c", nil, 4}, {"b", nil, 3}, {"a", nil, 5},
	} {
		got, err := get(step.key, step.err)
		if !errors.Is(err, step.err) || err == nil && got != step.want {
			t.Errorf("%s: %d, %v, want %d, %v", step.key, got, err, step.want, step.err)
		}
	}
	var p pool
	for i := range 5 {
		p.put(idle{"m", i, nil}, 3)
	}
	if len(p.idle) != 3 || p.idle[0].shard != 2 {
		t.Errorf("kept %v", p.idle)
	}
	p.take("m", 3)
	if p.take("n", 2); len(p.idle) != 2 {
		t.Errorf("kept %v", p.idle)
	}
}
