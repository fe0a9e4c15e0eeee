package matrix

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"example.org/pathsum/internal/benchtime"
)

// guarded returns a vector of n random numbers between NaN guards, and a function that reports
// whether the guards are intact.
func guarded(r *rand.Rand, n int) ([]float64, func() bool) {
	const guard = 9
	v := make([]float64, n+2*guard)
	for i := range v {
		v[i] = math.NaN()
	}
	in := v[guard : guard+n : guard+n]
	for i := range in {
		in[i] = r.NormFloat64()
	}
	return in, func() bool {
		for i, x := range v {
			if (i < guard || i >= guard+n) && !math.IsNaN(x) {
				return false
			}
		}
		return true
	}
}

// same reports whether numbers have the same bits.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// near reports whether numbers are equal up to rounding, given the sums of the absolute values of
// their terms.
func near(a, b, size []float64) bool {
	for i, x := range a {
		if !(math.Abs(x-b[i]) <= 1e-14*size[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestProducts: for matrices of all shapes, products equal those by hand, and to the last bit the
// loops in Go. Only the results are written.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for rows := 1; rows <= 21; rows++ {
		for cols := 1; cols <= 37; cols++ {
			what := fmt.Sprintf("%d × %d", rows, cols)
			a, okA := guarded(r, rows*cols)
			x, okX := guarded(r, rows)
			z, okZ := guarded(r, cols)
			y, okY := guarded(r, cols)
			back, okBack := guarded(r, rows)
			sum, okSum := guarded(r, rows*cols)
			factor := r.NormFloat64()

			wantY, sizeY := make([]float64, cols), make([]float64, cols)
			wantBack, sizeBack := make([]float64, rows), make([]float64, rows)
			wantSum, sizeSum := slices.Clone(sum), make([]float64, rows*cols)
			for i := range rows {
				for j := range cols {
					k := i*cols + j
					wantY[j] += x[i] * a[k]
					sizeY[j] += math.Abs(x[i] * a[k])
					wantBack[i] += a[k] * z[j]
					sizeBack[i] += math.Abs(a[k] * z[j])
					sizeSum[k] = math.Abs(sum[k]) + math.Abs(factor*x[i]*z[j])
					wantSum[k] += factor * x[i] * z[j]
				}
			}
			exactY, exactBack, exactSum := make([]float64, cols), make([]float64, rows), slices.Clone(sum)
			rowTimes(exactY, x, a)
			timesColumn(exactBack, a, z)
			addOuter(exactSum, factor, x, z)

			RowTimes(y, x, a)
			TimesColumn(back, a, z)
			AddOuter(sum, factor, x, z)
			if !near(y, wantY, sizeY) || !near(back, wantBack, sizeBack) || !near(sum, wantSum, sizeSum) {
				t.Errorf("%s: other products than by hand", what)
			}
			if !same(y, exactY) || !same(back, exactBack) || !same(sum, exactSum) {
				t.Errorf("%s: other bits than those of the loops in Go", what)
			}
			if !okA() || !okX() || !okZ() || !okY() || !okBack() || !okSum() {
				t.Errorf("%s: written outside", what)
			}
		}
	}
}

// TestEmptyProducts: an empty sum is 0, whatever the old value, and zero rows give an empty
// result.
func TestEmptyProducts(t *testing.T) {
	y := []float64{1, 2}
	if RowTimes(y, nil, nil); y[0] != 0 || y[1] != 0 {
		t.Errorf("a row of no numbers times a matrix: %v", y)
	}
	y = []float64{1, 2}
	if TimesColumn(y, nil, nil); y[0] != 0 || y[1] != 0 {
		t.Errorf("a matrix times a column of no numbers: %v", y)
	}
	RowTimes(nil, y, nil)
	TimesColumn(nil, nil, y)
	AddOuter(nil, 2, nil, y)
	AddOuter(nil, 2, y, nil)
}

// BenchmarkProducts measures each product and its counterpart in gonum.
func BenchmarkProducts(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var g gonum.Implementation
	for _, n := range []int{3, 6, 13, 16, 25, 50, 200} {
		vector := func(n int) []float64 { v, _ := guarded(r, n); return v }
		a, sum, x, z, y := vector(n*n), vector(n*n), vector(n), vector(n), vector(n)
		for _, product := range []struct {
			name string
			run  func()
		}{
			{"RowTimes", func() { RowTimes(y, x, a) }},
			{"RowTimes/Dgemv", func() { g.Dgemv(blas.Trans, n, n, 1, a, n, x, 1, 0, y, 1) }},
			{"TimesColumn", func() { TimesColumn(y, a, z) }},
			{"TimesColumn/Dgemv", func() { g.Dgemv(blas.NoTrans, n, n, 1, a, n, z, 1, 0, y, 1) }},
			{"AddOuter", func() { AddOuter(sum, 1e-9, x, z) }},
			{"AddOuter/Dger", func() { g.Dger(n, n, 1e-9, x, 1, z, 1, sum, n) }},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, product.name), func(b *testing.B) {
				defer benchtime.Per(b, n*n, "cell")()
				for b.Loop() {
					product.run()
				}
			})
		}
	}
}
