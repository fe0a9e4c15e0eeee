package beam_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/cascade"
)

// BenchmarkEStep measures E steps of 4,000 pairs of strings in this process and by a pipeline
// on the prism runner within it, after lattices have been made. The difference is the overhead of
// a pipeline for its shards.
func BenchmarkEStep(b *testing.B) {
	const n = 4000
	m, lines := channel(b, 5), noisy(n, 5)
	dir := b.TempDir()
	text, err := beam.Survey(b.Context(), dir, nil, write(b, dir, lines, n)...)
	if err != nil {
		b.Fatal(err)
	}
	for _, shards := range []int{10, 100, 1000} {
		for _, c := range []struct {
			name string
			of   em.Likelihood
		}{
			{"process", local(b, m, lines, cascade.Data{Strategy: cascade.ByLattice, ShardSize: n / shards})},
			{"beam", remote(b, beam.Job{Model: byLattice, Saved: save(b, m), Dir: dir, Keep: shards,
				Shards: text.Cut(em.NewCutBySize(n, n/shards))})},
		} {
			b.Run(fmt.Sprintf("%d/%s", shards, c.name), func(b *testing.B) { benchmarkEStep(b, c.of, m.Theta) })
		}
	}
}

func benchmarkEStep(b *testing.B, l em.Likelihood, theta []float64) {
	b.Helper()
	q := em.Query{Theta: theta}
	if _, err := l.Expect(b.Context(), q); err != nil { // makes the lattices that are kept
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Expect(b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLanes measures E steps that rebuild all lattices, by one lane of the prism
// runner and by two, with one processor each.
func BenchmarkLanes(b *testing.B) {
	const n = 20000
	m, lines := channel(b, 8), noisy(n, 8)
	dir := b.TempDir()
	job := beam.Job{Model: byLattice, Saved: save(b, m), Dir: dir, Keep: -1, Shards: surveyed(b, dir, write(b, dir, lines, n)...)}
	for _, job.Lanes = range []int{1, 2} {
		b.Run(fmt.Sprint(job.Lanes), func(b *testing.B) { benchmarkEStep(b, remote(b, job), m.Theta) })
	}
}
