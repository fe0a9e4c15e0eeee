package em_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// spread is a likelihood of 5 parameters in 7 shards; visit adds the contribution of each.
func spread(visit func(shard int, t *em.Tally)) em.Sharded[em.Query, struct{}] {
	p := em.NewParams()
	p.Group("g", 5, em.Multinomial{})
	return em.Sharded[em.Query, struct{}]{
		Package:     "spread",
		Params:      p,
		Shards:      7,
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, "spread") },
		Viterbi:     true, Tempered: true, Curved: true,
		Visit: func(_ context.Context, _ *struct{}, _ em.Query, shard int, t *em.Tally) ([]em.Summer, error) {
			visit(shard, t)
			return nil, nil
		},
	}
}

// TestShardedForms: counts have the same bits whether they are dense, by index, or by
// runs of indices, for any number of workers.
func TestShardedForms(t *testing.T) {
	count := func(shard, i int) float64 { return 1 / float64(3+5*shard+i) }
	forms := []func(shard int, t *em.Tally){
		func(shard int, t *em.Tally) {
			t.Zeros(5, true)
			for i := range 5 {
				t.Counts[i], t.Curvature[i] = count(shard, i), -count(shard, i)
			}
		},
		func(shard int, t *em.Tally) {
			for i := 4; i >= 0; i-- {
				t.Run(int32(i), []float64{count(shard, i)}, []float64{-count(shard, i)})
			}
		},
		func(shard int, t *em.Tally) {
			t.Runs([]int32{3, 0}, []int32{0, 2, 5}, true)
			for k, i := range []int{3, 4, 0, 1, 2} {
				t.Counts[k], t.Curvature[k] = count(shard, i), -count(shard, i)
			}
		},
	}
	for n, form := range forms {
		l := spread(func(shard int, t *em.Tally) {
			form(shard, t)
			t.Examples, t.Arcs, t.LogLikelihood = 2, 3, 2
		}).Likelihood()
		likelihoodtest.Check(t, l, em.Query{Theta: l.Params().Start(), Tangent: make([]float64, 5)})
		for _, workers := range []int{1, 2, 3, 7} {
			q := em.Query{Theta: l.Params().Start(), Tangent: make([]float64, 5), Lo: 1, Workers: workers}
			e, err := l.Expect(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, 5)
			for shard := 1; shard < 7; shard++ {
				for i := range want {
					want[i] += count(shard, i)
				}
			}
			for i := range e.Curvature {
				e.Curvature[i] = -e.Curvature[i]
			}
			if !slices.Equal(e.Counts, want) || !slices.Equal(e.Curvature, want) || e.Examples != 12 || e.Arcs != 18 || e.LogLikelihood != 12 {
				t.Errorf("form %d, %d workers: %+v, want counts %v", n, workers, e, want)
			}
		}
	}
}

func wantIs(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func wantIn(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

// TestShardedRefuses: queries for unsupported features are errors, and examples without a
// derivation are an error or skipped.
func TestShardedRefuses(t *testing.T) {
	s := spread(func(shard int, t *em.Tally) {
		if t.Examples = 1; shard%3 == 0 {
			t.Skipped = append(t.Skipped, em.Skipped{Index: shard, Weight: 1})
		}
	})
	expect := func(q em.Query) (*em.Expectations, error) {
		q.Theta = s.Params.Start()
		return s.Likelihood().Expect(t.Context(), q)
	}
	_, err := expect(em.Query{})
	wantIs(t, err, em.ErrUnderivable)
	wantIn(t, err, "spread: ", "3 of 7 examples (numbered from 0), the first is example 0")
	s.Underivable = em.Skip
	e, err := expect(em.Query{})
	if err != nil || len(e.Skipped) != 3 || e.Skipped[2].Index != 6 {
		t.Errorf("%+v, error %v", e, err)
	}
	s.Viterbi, s.Tempered, s.Curved = false, false, false
	for _, q := range []em.Query{{EStep: em.Viterbi}, {Temperature: .5}, {Tangent: make([]float64, 5)}} {
		_, err := expect(q)
		wantIs(t, err, semiring.ErrCapability)
	}
	s.Finish = func(_ em.Query, e *em.Expectations) error {
		e.LogLikelihood = math.Inf(1)
		return nil
	}
	_, err = expect(em.Query{})
	wantIs(t, err, em.ErrInvalid)
}

// TestCut: shards are consecutive and contain all examples; by cost, each shard costs at most
// little more than its share, or than its most expensive example.
func TestCut(t *testing.T) {
	costs := map[string]func(i int) int{
		"one": nil, "zero": func(int) int { return 0 }, "rising": func(i int) int { return i },
		"some": func(i int) int { return i % 7 * (i % 5) },
		"dear": func(i int) int { return 1 + i%500/499*1000 },
		"last": func(i int) int { return i / 299_999 },
	}
	for name, cost := range costs {
		for _, n := range []int{0, 1, 63, 64, 65, 1000, 300_000} {
			c, at, total, shares := em.NewCut(n), 0, 0, 64
			if cost != nil {
				c = em.NewCutByCost(n, cost)
				for i := range n {
					total += cost(i)
				}
				shares = max(64, min(total>>15, n/64))
			}
			for i := range c.Shards() {
				lo, hi := c.Shard(i)
				if lo != at || hi <= lo || hi > lo+4096 {
					t.Fatalf("%s, %d examples: shard %d is %d to %d, want it from %d", name, n, i, lo, hi, at)
				}
				at = hi
				if total == 0 {
					continue
				}
				sum, dearest := 0, 0
				for i := lo; i < hi; i++ {
					sum, dearest = sum+cost(i), max(dearest, cost(i))
				}
				if sum > total/shares+dearest+1 {
					t.Errorf("%s, %d examples: shard %d costs %d of %d, its dearest example %d", name, n, i, sum, total, dearest)
				}
			}
			if at != n || c.Shards() > shares+n/4096+1 {
				t.Errorf("%s, %d examples: %d shards of %d", name, n, c.Shards(), at)
			}
		}
	}
}

// TestTally: counts of Put, Run and Zeros add up, in any order and with any storage of
// the previous shard.
func TestTally(t *testing.T) {
	const n = 6
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		second := rng.IntN(2) == 0
		want, slope := make([]float64, n), make([]float64, n)
		add := func(i int, x, d float64) (float64, float64) {
			want[i] += x
			if second {
				slope[i] += d
			}
			return x, d
		}
		some := func() (float64, float64) { return float64(rng.IntN(9)), float64(rng.IntN(9)) }
		var sums em.Accumulator
		var numbers []int32
		var counts []float64
		l := spread(func(_ int, t *em.Tally) {
			switch rng.IntN(3) {
			case 0:
				t.Zeros(rng.IntN(n+1), second)
				for i := range t.Counts {
					x, d := some()
					if t.Counts[i], d = add(i, x, d); second {
						t.Curvature[i] = d
					}
				}
			case 1:
				from, row := []int32{3, 1, 4}, []int32{0, 2, 3, 3}
				t.Runs(from, row, second)
				for k, i := range []int{3, 4, 1} {
					x, d := some()
					if t.Counts[k], d = add(i, x, d); second {
						t.Curvature[k] = d
					}
				}
				defer func() {
					if !slices.Equal(from, []int32{3, 1, 4}) || !slices.Equal(row, []int32{0, 2, 3, 3}) {
						panic("borrowed slices were written to")
					}
				}()
			}
			for range rng.IntN(6) {
				first := rng.IntN(n)
				switch rng.IntN(4) {
				case 3:
					width := 1 + rng.IntN(3)
					for range rng.IntN(3) {
						first, x := rng.IntN(n-width+1), float64(rng.IntN(9))
						numbers, counts = append(numbers, int32(first)), append(counts, x)
						for k := range width {
							add(first+k, x, 0)
						}
					}
					if numbers, counts = t.PutUniform(numbers, width, counts); len(numbers)+len(counts) > 0 {
						panic("what came in exchange is not empty")
					}
				case 0:
					x, _ := some()
					add(first, x, 0)
					t.Put(int32(first), x)
				case 1:
					var counts, slopes []float64
					for i := first; i < n; i++ {
						x, d := add(i, float64(rng.IntN(9)), float64(rng.IntN(9)))
						counts, slopes = append(counts, x), append(slopes, d)
					}
					if !second {
						slopes = nil
					}
					t.Run(int32(first), counts, slopes)
				case 2:
					sums.Grow(n, second)
					for range rng.IntN(4) {
						i := rng.IntN(n)
						x, d := some()
						add(i, x, d)
						if second {
							sums.AddDual(int32(i), x, d)
						} else {
							sums.Add(int32(i), x)
						}
					}
					sums.Drain(t)
				}
			}
		})
		l.Params = em.NewParams()
		l.Params.Group("g", n, em.Multinomial{})
		q := em.Query{Theta: l.Params.Start(), Workers: 1}
		if second {
			q.Tangent = make([]float64, n)
		}
		e, err := l.Likelihood().Expect(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.Counts, want) || second && !slices.Equal(e.Curvature, slope) {
			t.Fatalf("seed %d: counts %v, %v, want %v, %v", seed, e.Counts, e.Curvature, want, slope)
		}
	}
}

// TestTallyMisfits: a tally whose counts and indices do not match is rejected.
func TestTallyMisfits(t *testing.T) {
	for i, visit := range []func(t *em.Tally){
		func(t *em.Tally) { t.Zeros(6, false) },
		func(t *em.Tally) { t.Zeros(5, true) },
		func(t *em.Tally) { t.Put(1, 1); t.Counts = append(t.Counts, 1) },
		func(t *em.Tally) { t.Runs([]int32{0}, []int32{0, 2}, false); t.Counts = t.Counts[:1] },
		func(t *em.Tally) { t.Run(0, []float64{1}, []float64{1}) },
	} {
		l := spread(func(_ int, t *em.Tally) { visit(t) })
		_, err := l.Likelihood().Expect(t.Context(), em.Query{Theta: l.Params.Start()})
		wantIs(t, err, em.ErrInvalid)
		wantIn(t, err, "spread: shard 0: ", "a tally of")
		if err == nil {
			t.Errorf("tally %d is not refused", i)
		}
	}
}
