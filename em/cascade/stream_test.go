package cascade_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// stream yields the examples and counts its calls.
func stream(data []cascade.Example, calls *int) *cascade.Stream {
	return cascade.Sequence(func(yield func(cascade.Example, error) bool) {
		*calls++
		for _, x := range data {
			if !yield(x, nil) {
				return
			}
		}
	})
}

// TestStream: a stream gives the same bits as a slice, for any cache and any number of workers,
// and is not read if every example has a kept lattice.
func TestStream(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	data[7] = cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(99), Name: "unknown symbol"}
	opts := func(workers int) *em.Options { return &em.Options{Iterations: 6, Workers: workers} }
	for _, c := range []struct {
		way     cascade.Strategy
		cache   int64
		workers int
		calls   int
	}{
		{cascade.ByLattice, 0, 1, 2}, {cascade.ByLattice, 0, 3, 2}, {cascade.ByLattice, -1, 1, 7}, {cascade.ByLattice, -1, 2, 7},
		{cascade.ByLattice, 20000, 3, 7}, {cascade.ByBlocks, 0, 1, 7}, {cascade.ByBlocks, 0, 3, 7}, {cascade.ByBlocks, -1, 2, 7},
	} {
		want, err := problem.Fit(context.Background(), cascade.Data{Examples: data, Underivable: em.Skip, Strategy: c.way}, opts(2))
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		got, err := problem.Fit(context.Background(),
			cascade.Data{Stream: stream(data, &calls), CacheBytes: c.cache, Underivable: em.Skip, Strategy: c.way}, opts(c.workers))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) || !slices.Equal(got.Skipped, want.Skipped) {
			t.Errorf("%+v: other bits", c)
		}
		if calls != c.calls {
			t.Errorf("%+v: read %d times", c, calls)
		}
	}
}

// TestStreamMemory: the memory of a run during reading does not grow with the number of examples
// of a stream, except by a few bytes for each shard of thousands.
func TestStreamMemory(t *testing.T) {
	held := func(n int) (most uint64) {
		problem, _ := noisyProblem(t, em.Multinomial{})
		one := cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(2)}
		l := likelihood(t, problem, cascade.Data{CacheBytes: -1, Stream: cascade.Sequence(func(yield func(cascade.Example, error) bool) {
			for i := range n {
				if i%(n/4) == n/4-1 {
					runtime.GC()
					var now runtime.MemStats
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapAlloc)
				}
				if !yield(one, nil) {
					return
				}
			}
		})})
		if e, err := l.Expect(t.Context(), em.Query{Theta: problem.Params.Start(), Workers: 1}); err != nil || e.Examples != n {
			t.Fatalf("%v, error %v", e, err)
		}
		return most
	}
	const n = 300_000
	held(n / 10) // allocates everything that is allocated once
	few, many := held(n), held(2*n)
	if most := few + n/10; many > most {
		t.Errorf("%d bytes for %d examples, %d for %d, want at most %d", few, n, many, 2*n, most)
	}
}

// TestShardsOfAStream: a query for some shards skips the others.
func TestShardsOfAStream(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	calls := 0
	for _, cache := range []int64{0, -1} {
		whole := likelihood(t, problem, cascade.Data{Examples: data, CacheBytes: cache})
		part := likelihood(t, problem, cascade.Data{Stream: stream(data, &calls), CacheBytes: cache})
		for _, q := range []em.Query{{Lo: 3, Hi: 9}, {Lo: 5, Hi: 6}, {Lo: 0, Hi: 64}, {Lo: 40}} {
			q.Theta, q.Workers = problem.Params.Start(), 2
			if q.Hi > whole.Shards() {
				q.Hi = whole.Shards()
			}
			want, err := whole.Expect(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := part.Expect(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if got.LogLikelihood != want.LogLikelihood || got.Examples != want.Examples || !slices.Equal(got.Counts, want.Counts) {
				t.Errorf("shards %d to %d: other bits", q.Lo, q.Hi)
			}
		}
	}
}

// TestDifferencesOfAStream: conditional and normalized likelihoods of a stream equal the
// likelihoods of the examples, without skipped ones.
func TestDifferencesOfAStream(t *testing.T) {
	problem, data := noisyProblem(t, em.Fixed{})
	theta := problem.Params.Start()
	for i := range theta {
		theta[i] = .02 // so that the sum over all strings converges
	}
	data[7] = cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(99), Weight: em.Times(5)}
	calls := 0
	for name, of := range map[string]func(cascade.Data) (*em.Difference, error){
		"conditional": problem.ConditionalLikelihood,
		"normalized":  problem.NormalizedLikelihood,
	} {
		expect := func(d cascade.Data) *em.Expectations {
			d.Underivable = em.Skip
			l, err := of(d)
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.Expect(context.Background(), em.Query{Theta: theta})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		want := expect(cascade.Data{Examples: data})
		got := expect(cascade.Data{Stream: stream(data, &calls)})
		if got.LogLikelihood != want.LogLikelihood || !slices.Equal(got.Counts, want.Counts) || !slices.Equal(got.Skipped, want.Skipped) {
			t.Errorf("%s: other bits", name)
		}
		if len(want.Skipped) != 1 || want.Skipped[0].Weight != 5 {
			t.Errorf("%s: skipped %+v", name, want.Skipped)
		}
	}
}

func TestBadStream(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	broken := errors.New("disk on fire")
	calls := 0
	later := func(n int, x cascade.Example, err error) iter.Seq2[cascade.Example, error] {
		return func(yield func(cascade.Example, error) bool) {
			calls++
			for i, y := range data {
				if calls > 1 && i == n {
					if err == nil && x.Weight == (em.Multiplicity{}) {
						return // ends early
					}
					if !yield(x, err) {
						return
					}
				}
				if !yield(y, nil) {
					return
				}
			}
		}
	}
	for name, c := range map[string]struct {
		stream iter.Seq2[cascade.Example, error]
		want   error
		says   string
	}{
		"an error":    {later(20, cascade.Example{}, broken), broken, "disk"},
		"ends early":  {later(20, cascade.Example{}, nil), em.ErrInvalid, "20 examples, but 300 the first time"},
		"bad example": {later(20, cascade.Example{Weight: em.Times(-1)}, nil), em.ErrInvalid, "example 20 has weight -1"},
	} {
		calls = 0
		l, err := problem.Likelihood(cascade.Data{Stream: cascade.Sequence(c.stream), CacheBytes: -1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = em.Fit(context.Background(), l, &em.Options{Start: problem.Params.Start(), Iterations: 2, Workers: 3})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v", name, err)
		}
		wantIn(t, err, c.says)
	}
	if _, err := problem.Likelihood(cascade.Data{Stream: stream(nil, &calls)}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("empty: error %v", err)
	}
	if _, err := problem.Likelihood(cascade.Data{Stream: stream(data, &calls), Examples: data}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("two sources: error %v", err)
	}
}
