package simplex_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/simplex"
	"example.org/pathsum/internal/trials"
)

// sorted is the projection by sorting (Held, Wolfe and Crowder 1974).
func sorted(row []float64) []float64 {
	down := slices.Clone(row)
	slices.Sort(down)
	slices.Reverse(down)
	sum, shift := 0.0, 0.0
	for k, x := range down {
		sum += x
		if t := (sum - 1) / float64(k+1); x > t {
			shift = t
		}
	}
	out := make([]float64, len(row))
	for i, x := range row {
		out[i] = max(0, x-shift)
	}
	return out
}

func TestProject(t *testing.T) {
	for seed := range trials.Seeds(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		row := make([]float64, 1+r.IntN(8))
		for i := range row {
			row[i] = math.Pow(10, float64(r.IntN(4)-2)) * r.NormFloat64()
			if r.IntN(4) == 0 {
				row[i] = row[0] // ties
			}
		}
		want := sorted(row)
		simplex.Project(row)
		if d := floats.Distance(row, want, math.Inf(1)); d > 1e-12 || math.Abs(floats.Sum(row)-1) > 1e-12 {
			t.Fatalf("seed %d: %v, want %v", seed, row, want)
		}
	}
}

// The nearest rows to given ones, in a metric, are the projections, and the gap bounds the
// excess over the minimum.
func TestMinimize(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		rows, columns := 1+r.IntN(3), 1+r.IntN(5)
		target, w, want := make([]float64, rows*columns), make([]float64, rows*columns), []float64(nil)
		curve, bound := make([]float64, rows), make([]float64, rows)
		for i := range target {
			target[i], w[i] = r.NormFloat64(), 1/float64(columns)
		}
		for i := range curve {
			curve[i] = math.Exp(3 * r.NormFloat64())
			bound[i] = curve[i] * (1 + r.Float64())
			want = append(want, sorted(target[i*columns:(i+1)*columns])...)
		}
		value := func(w []float64) float64 {
			sum := 0.0
			for i, x := range w {
				sum += curve[i/columns] / 2 * (x - target[i]) * (x - target[i])
			}
			return sum
		}
		gap := 1e-12 * (1 + slices.Max(curve)) // at least its rounding error
		s := simplex.Minimize(w, columns, simplex.Stop{Gap: gap, Iterations: 2000}, bound, func(g, w []float64) {
			for i, x := range w {
				g[i] = curve[i/columns] * (x - target[i])
			}
		})
		if x := value(w) - value(want); x > s.Gap+1e-9 || s.Gap > gap || s.Iterations == 2000 {
			t.Fatalf("seed %d: %v is %g above %v, with the gap %g after %d iterations", seed, w, x, want, s.Gap, s.Iterations)
		}
	}
}
