package em_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
)

// vastNames returns the names of 10,000 groups, 7 bytes each. They are made once, so that their
// memory is not measured.
var vastNames = sync.OnceValue(func() string {
	var all strings.Builder
	for k := range 10_000 {
		fmt.Fprintf(&all, "w%06d", k)
	}
	return all.String()
})

// vast is a likelihood in 64 shards of groups of 100 parameters, of which each shard uses
// a hundredth: a large model with few data. watch, if not nil, is called in each visit.
func vast(groups int, watch func()) em.Likelihood {
	const each, shards = 100, 64
	p := em.NewParams()
	names := vastNames()
	for k := range groups {
		p.Group(names[7*k:7*k+7], each, em.Multinomial{}).SetNames(func(i int) string { return fmt.Sprint("meaning ", i) })
	}
	return em.Sharded[em.Query, struct{}]{
		Package:     "vast",
		Params:      p,
		Shards:      shards,
		Tempered:    true,
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, "vast ", groups) },
		Visit: func(_ context.Context, _ *struct{}, q em.Query, shard int, t *em.Tally) ([]em.Summer, error) {
			for i := shard; i < len(q.Theta); i += each {
				t.Put(int32(i), 1+q.Theta[i])
			}
			t.Examples = 1
			if watch != nil {
				watch()
			}
			return nil, nil
		},
	}.Likelihood()
}

// TestMemory: training takes two numbers per parameter, and little more for a table of many groups,
// garbage included: less than 24 bytes per parameter in total. A start that
// the caller keeps is a third number; a checkpoint adds no number. Neither does resuming, although
// θ is held in addition to the start that identifies the run.
func TestMemory(t *testing.T) {
	const groups = 10_000
	const n = 100 * groups
	vastNames()
	var l em.Likelihood
	memtest.Bound(t, n, 2, func() { l = vast(groups, nil) })
	fit := func(opts em.Options) func() {
		return func() {
			opts.Workers, opts.Tolerance = 2, -1
			r, err := em.Fit(t.Context(), l, &opts)
			if err != nil || len(r.Theta) != n || len(r.Objective) != opts.Iterations {
				t.Fatalf("%v, error %v", r, err)
			}
		}
	}
	// The remainder is a shard's tally, twice for each of two workers.
	const tallies = 2
	start := l.Params().Start()
	file := filepath.Join(t.TempDir(), "state")
	memtest.Bound(t, n, 16+tallies, fit(em.Options{Iterations: 3}))
	memtest.Bound(t, n, 16+tallies, fit(em.Options{Iterations: 3, Method: em.Anneal{}}))
	memtest.Bound(t, n, 24+tallies, fit(em.Options{Iterations: 3, Start: start, Workers: 2}))
	memtest.Bound(t, n, 16+tallies, fit(em.Options{Iterations: 3, Checkpoint: file}))
	memtest.Bound(t, n, 24+tallies, fit(em.Options{Iterations: 5, Checkpoint: file}))
	if got := l.Params().Name(n - 1); got != "w009999[meaning 99]" {
		t.Errorf("the last parameter is %q", got)
	}
}

// TestNames: each parameter has the name from its group, even if some groups are empty.
func TestNames(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := em.NewParams()
		var want []string
		for g := range 1 + rng.IntN(20) {
			group := p.Group(fmt.Sprint(g), rng.IntN(4), em.Multinomial{})
			for i := range group.Len() {
				want = append(want, group.Name(i))
			}
		}
		for i, name := range want {
			if got := p.Name(int32(i)); got != name {
				t.Errorf("seed %d: parameter %d is %q, want %q", seed, i, got, name)
			}
		}
		for _, i := range []int32{-1, int32(len(want))} {
			if got := p.Name(i); got != fmt.Sprint("?", i) {
				t.Errorf("seed %d: parameter %d of %d is %q", seed, i, len(want), got)
			}
		}
	}
}

// BenchmarkVast measures an iteration of EM by the number of parameters, with and without a
// checkpoint, and the largest heap while shards are visited.
func BenchmarkVast(b *testing.B) {
	for _, groups := range []int{1e3, 1e4, 1e5} {
		for _, kept := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/checkpoint=%v", 100*groups, kept), func(b *testing.B) {
				runtime.GC()
				var before, now runtime.MemStats
				runtime.ReadMemStats(&before)
				peak := uint64(0)
				l := vast(groups, func() {
					runtime.ReadMemStats(&now)
					peak = max(peak, now.HeapAlloc)
				})
				const iterations = 3
				for b.Loop() {
					opts := em.Options{Iterations: iterations, Tolerance: -1, Workers: 1}
					if kept {
						opts.Checkpoint = filepath.Join(b.TempDir(), "state")
					}
					if _, err := em.Fit(b.Context(), l, &opts); err != nil {
						b.Fatal(err)
					}
					runtime.GC()
				}
				n := float64(100 * groups)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/iterations/n, "ns/parameter")
				b.ReportMetric(float64(peak-before.HeapAlloc)/n, "B/parameter")
			})
		}
	}
}
