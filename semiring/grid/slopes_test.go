package grid

import (
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
)

// TestSlopes: loops that leave out what is rounded off, or too small to matter, compute what those
// over complex numbers do.
func TestSlopes(t *testing.T) {
	r := graphtest.Rand(1)
	for _, c := range []struct {
		states int32
		length int
	}{{1, 9}, {1, 200}, {3, 9}, {3, 120}} {
		const letters = 6
		var arcs []Arc
		for x := range int32(letters + 1) {
			for y := range int32(letters + 1) {
				for pq := range c.states * c.states {
					if x+y > 0 && (x == 0 || y == 0 || r.IntN(4) > 0) {
						arcs = append(arcs, Arc{From: pq / c.states, To: pq % c.states, X: x, Y: y})
					}
				}
			}
		}
		m, err := New(int(c.states), arcs)
		if err != nil {
			t.Fatal(err)
		}
		random := func(n int) (w []semiring.ScaledFloat, v []float64) {
			w, v = make([]semiring.ScaledFloat, n), make([]float64, n)
			for k := range w {
				w[k], v[k] = semiring.ScaledFromLog(-3-9*r.Float64()), r.NormFloat64()
			}
			return w, v
		}
		var w Weights
		var v Parts
		w.Initial, v.Initial = random(m.states)
		w.Arc, v.Arc = random(len(arcs))
		w.Final, v.Final = random(m.states)
		if err := m.SetWeights(w); err != nil {
			t.Fatal(err)
		}
		x, y := make([]int32, c.length), make([]int32, c.length)
		for i := range x {
			x[i], y[i] = 1+r.Int32N(letters), 1+r.Int32N(letters)
		}
		var s scratch
		var got, want [2]Parts // count and change
		for way, parts := range map[loops[complex128]]*[2]Parts{nil: &want, slopes{}: &got} {
			for i := range parts {
				parts[i] = Parts{make([]float64, m.states), make([]float64, len(arcs)), make([]float64, m.states)}
			}
			s.pair.take(m, x, y)
			s.tangent.take(&s.pair, v)
			s.tangent.loops = way
			if _, ok := s.tangent.derivatives(&s.pair, 2, parts[0], parts[1]); !ok {
				t.Fatalf("%d states: numbers do not represent the sums", c.states)
			}
		}
		for i := range got {
			for kind, values := range [][2][]float64{
				{got[i].Initial, want[i].Initial}, {got[i].Arc, want[i].Arc}, {got[i].Final, want[i].Final},
			} {
				for k, x := range values[0] {
					if y := values[1][k]; !(math.Abs(x-y) <= 1e-12*max(1, math.Abs(y))) {
						t.Errorf("%d states, length %d: %v, want %v (result %d, parts %d, %d)", c.states, c.length, x, y, i, kind, k)
					}
				}
			}
		}
	}
}
