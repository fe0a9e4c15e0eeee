package fst_test

import (
	"math"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkApply finds the best output of strings of eight letters through a channel that
// mostly copies them and may replace, insert and leave out any of 26: with memory of its
// own for each, in one Arena, and as far as the path sum of the same lattice by hand.
func BenchmarkApply(b *testing.B) {
	b.Run("Tropical", func(b *testing.B) {
		benchmarkApply(b, costs, func(p float64) semiring.Cost { return semiring.Cost(-math.Log(p)) })
	})
	b.Run("Real", func(b *testing.B) { benchmarkApply(b, reals, func(p float64) float64 { return p }) })
}

func benchmarkApply[W any](b *testing.B, ring semiring.Semiring[W], weight func(float64) W) {
	r := fsttest.Rand(1)
	build := fst.NewBuilder(ring)
	build.AddStart(build.AddState(), ring.One())
	build.SetFinal(0, ring.One())
	for in := range int32(27) {
		for out := range int32(27) {
			p := (.5 + r.Float64()) / 300
			switch {
			case in == 0 && out == 0:
				continue
			case in == out:
				p = .8
			}
			build.AddArc(0, fst.Arc[W]{In: in, Out: out, Weight: weight(p)})
		}
	}
	f := must(build.Freeze())(b)
	x := make([]int32, 8)
	arena := fst.NewArena(ring)
	each := func(name string, best func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for i := range x {
					x[i] = 1 + r.Int32N(26)
				}
				arena.Reset()
				best()
			}
		})
	}
	each("each", func() { take(b, 1, fst.Apply(f, x, nil)) })
	each("arena", func() { take(b, 1, arena.Apply(f, x, nil)) })
	each("sum", func() {
		lattice := must(arena.Expand(arena.Compose(arena.String(x), f), nil))(b)
		must(graph.PathSum(lattice.Graph()))(b)
	})
}
