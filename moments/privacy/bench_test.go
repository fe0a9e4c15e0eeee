package privacy

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkRelease: records of 100 statistics from predictable and from secure
// randomness, beside a loop over floating-point draws.
func BenchmarkRelease(b *testing.B) {
	const n = 100
	d := must(NewDomain(repeat(n, Range{-1, 1})...))
	x := make([]float64, n)
	for j := range x {
		x[j] = float64(j) / n
	}
	s := must(d.Check(x))
	perStatistic := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/statistic")
	}
	release := func(m Mechanism[Statistics], source *Source) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(m.Release(s, source))
			}
			perStatistic(b)
		}
	}
	v, c := must(NewPerValue(d, 1, Tight)), must(NewCoordinateRelease(d, nil, 1, Tight))
	b.Run("pervalue/crypto", release(v, nil))
	b.Run("pervalue/pcg", release(v, NotPrivate(rand.NewPCG(1, 2))))
	b.Run("pervalue/loop", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(1, 2))
		for b.Loop() {
			bits := make([]bool, n)
			for j, v := range x {
				bits[j] = rng.Float64() < .495+.01*(v+1)/2
			}
		}
		perStatistic(b)
	})
	b.Run("coordinate/crypto", release(c, nil))
	b.Run("coordinate/pcg", release(c, NotPrivate(rand.NewPCG(1, 2))))
	b.Run("clip", func(b *testing.B) {
		for b.Loop() {
			must(d.Clip(x))
		}
		perStatistic(b)
	})
}
