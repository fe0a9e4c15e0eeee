package beam_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/cascade"
)

// TestSameBits: training by pipelines has the bits of training in one process, for any
// method, size of blocks and number of lanes, with lines in several files.
func TestSameBits(t *testing.T) {
	const n = 300
	lines := noisy(n, 4)
	dir := t.TempDir()
	shards := surveyed(t, dir, write(t, dir, lines, 100, 60, 0, 139, 1)...)
	m := channel(t, 4)
	for _, c := range []struct {
		name   string
		way    cascade.Strategy
		kind   string
		method em.Method
		job    beam.Job
		more   em.Options
	}{
		{name: "EM by lattice", way: cascade.ByLattice, kind: byLattice, job: beam.Job{Block: 7}},
		{name: "EM by blocks", way: cascade.ByBlocks, kind: byBlocks, job: beam.Job{Block: 1, Lanes: 1}},
		{name: "Squarem", way: cascade.ByBlocks, kind: byBlocks, method: em.Squarem{}, job: beam.Job{Lanes: 3, Keep: -1}},
		{name: "Incremental", way: cascade.ByLattice, kind: byLattice, method: em.Incremental{Shards: 30}, job: beam.Job{Block: 10, Keep: 7}},
		{name: "Stepwise", way: cascade.ByBlocks, kind: byBlocks, method: em.Stepwise{Shards: 25}},
		{name: "LBFGS", way: cascade.ByLattice, kind: byLattice, method: em.LBFGS{}, job: beam.Job{Block: 9}},
		{name: "restarts", way: cascade.ByBlocks, kind: byBlocks, more: em.Options{Restarts: 2}},
		{name: "Viterbi", way: cascade.ByLattice, kind: byLattice, more: em.Options{EStep: em.Viterbi, Temperature: 1.5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := c.more
			opts.Method, opts.Iterations, opts.Tolerance, opts.Start = c.method, 5, -1, m.Theta
			opts.Rand = rand.NewPCG(1, 2)
			want, err := em.Fit(t.Context(), local(t, m, lines, cascade.Data{Strategy: c.way}), &opts)
			if err != nil {
				t.Fatal(err)
			}
			job := c.job
			job.Model, job.Saved, job.Shards, job.Dir = c.kind, save(t, m), shards, dir
			opts.Rand = rand.NewPCG(1, 2)
			got, err := em.Fit(t.Context(), remote(t, job), &opts)
			if err != nil {
				t.Fatal(err)
			}
			sameResult(t, got, want)
		})
	}
}
