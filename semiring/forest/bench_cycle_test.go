package forest_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// ladder returns a forest of n cycles, one above the other, of size nodes each: every node
// is derived from the next ones of its cycle, by two edges of two tails and one of one, and
// from the cycle below or from nothing.
func ladder(tb testing.TB, n, size int) *forest.Forest[semiring.ScaledFloat] {
	tb.Helper()
	edge, tail, tails, weight := []int32{0, 1}, []int32{0, 0}, []int32{}, []semiring.ScaledFloat{semiring.NewScaled(1)}
	add := func(w float64, nodes ...int) {
		for _, u := range nodes {
			tails = append(tails, int32(u))
		}
		tail, weight = append(tail, int32(len(tails))), append(weight, semiring.NewScaled(w))
	}
	for c := range n {
		first := 1 + c*size
		for i := range size {
			next, second := first+(i+1)%size, first+(i+2)%size
			add(.2, next, second)
			add(.1, next, next)
			add(.2, next)
			add(.4)
			add(.1, max(0, first-size))
			edge = append(edge, int32(len(weight)))
		}
	}
	f, err := forest.New(semiring.Scaled{}, edge, tail, tails, weight, []forest.Root[semiring.ScaledFloat]{{Node: int32(n * size), Weight: semiring.NewScaled(1)}})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// Nanoseconds per edge of forests that are nothing but cycles.
func BenchmarkCycles(b *testing.B) {
	for _, size := range []int{1, 4, 64, 1024} {
		f := ladder(b, 4096/size, size)
		for name, ask := range map[string]func() error{
			"Inside":     func() error { _, err := forest.Inside(f); return err },
			"Posteriors": func() error { _, err := forest.Posteriors(f); return err },
		} {
			b.Run(fmt.Sprintf("%s/size=%d", name, size), func(b *testing.B) {
				for b.Loop() {
					if err := ask(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.NumEdges()), "ns/edge")
			})
		}
	}
}
