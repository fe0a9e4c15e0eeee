package expr

import (
	"testing"

	"example.org/pathsum/semiring"
)

// The work of a composition is products of weights that were multiplied before.
func BenchmarkTimes(b *testing.B) {
	const n = 256
	setup := func() (*Space, []W) {
		s := New()
		ws := make([]W, n)
		for p := range ws {
			ws[p] = s.Param(int32(p))
		}
		return s, ws
	}
	perOperation := func(b *testing.B, operations int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*operations), "ns/product")
	}
	b.Run("one", func(b *testing.B) {
		s, ws := setup()
		for b.Loop() {
			for _, x := range ws {
				s.Times(One, x)
			}
		}
		perOperation(b, n)
	})
	b.Run("known", func(b *testing.B) {
		s, ws := setup()
		for b.Loop() {
			for _, x := range ws {
				for _, y := range ws[:n/4] {
					s.Times(x, y)
				}
			}
		}
		perOperation(b, n*n/4)
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			s, ws := setup()
			for i, x := range ws {
				for _, y := range ws[:i] {
					s.Times(x, y)
				}
			}
		}
		perOperation(b, n*(n-1)/2)
	})
	b.Run("fork", func(b *testing.B) { // known to the parent, new to the fork
		s, ws := setup()
		for i, x := range ws {
			for _, y := range ws[:i] {
				s.Times(x, y)
			}
		}
		for b.Loop() {
			f := s.Fork()
			for i, x := range ws {
				for _, y := range ws[:i] {
					f.Times(x, y)
				}
			}
		}
		perOperation(b, n*(n-1)/2)
	})
	// Baseline: the least that hash-consing could do, Go's map from pair to handle.
	b.Run("baseline-map", func(b *testing.B) {
		_, ws := setup()
		known := map[uint64]W{}
		for b.Loop() {
			for _, x := range ws {
				for _, y := range ws[:n/4] {
					key := uint64(x)<<32 | uint64(y)
					if _, ok := known[key]; !ok {
						known[key] = W(len(known))
					}
				}
			}
		}
		perOperation(b, n*n/4)
	})
}

// A table of products c·θᵢ·θⱼ, its values and its counts, and a loop that does
// nothing else.
func BenchmarkTable(b *testing.B) {
	const n = 400
	s := New()
	theta, grad := make([]semiring.ScaledFloat, n), make([]float64, n)
	var first, second []int32
	constant := s.Const(semiring.NewScaled(0.25))
	for p := range int32(n) {
		theta[p] = semiring.NewScaled(1 / float64(p+2))
		s.Param(p)
	}
	for p := range int32(n) {
		x := s.Times(constant, s.Param(p))
		for q := range p {
			s.Times(x, s.Param(q))
			first, second = append(first, p), append(second, q)
		}
	}
	perHandle := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*s.Len()), "ns/handle")
	}
	values := make([]semiring.ScaledFloat, 0, s.Len())
	count := make([]float64, s.Len())
	b.Run("evaluate", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Evaluate(values[:0], theta); err != nil {
				b.Fatal(err)
			}
		}
		perHandle(b)
	})
	b.Run("evaluate-baseline", func(b *testing.B) {
		out := make([]semiring.ScaledFloat, len(first))
		c := semiring.NewScaled(0.25)
		for b.Loop() {
			for i, p := range first {
				out[i] = c.Mul(theta[p]).Mul(theta[second[i]])
			}
		}
		perHandle(b)
	})
	b.Run("backpropagate", func(b *testing.B) {
		values, _ := s.Evaluate(values[:0], theta)
		for b.Loop() {
			for i := range count {
				count[i] = 0.5
			}
			s.Backpropagate(values, count, grad)
		}
		perHandle(b)
	})
	b.Run("backpropagate-baseline", func(b *testing.B) {
		for b.Loop() {
			for i := range count {
				count[i] = 0.5
			}
			for i, p := range first {
				grad[p] += count[i]
				grad[second[i]] += count[i]
			}
		}
		perHandle(b)
	})
}
