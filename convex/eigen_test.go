package convex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/trials"
)

// withSpectrum returns a random symmetric matrix with the given eigenvalues.
func withSpectrum(rng *rand.Rand, values []float64) []float64 {
	n := len(values)
	a := mat.NewDense(n, n, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	var q, x mat.Dense
	qr.QTo(&q)
	x.Mul(&q, mat.NewDiagDense(n, values))
	x.Mul(&x, q.T())
	for i := range n {
		for j := range i {
			x.Set(i, j, x.At(j, i))
		}
	}
	return x.RawMatrix().Data
}

// TestProject compares with the projection by a full decomposition, with few and many
// positive eigenvalues, alone, close to each other and equal, and checks the factor.
func TestProject(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 23))
		n := 1 + rng.IntN(30)
		values := make([]float64, n)
		positive := rng.IntN(n + 1)
		for i := range values {
			values[i] = -rng.Float64()
			if i < positive {
				values[i] = math.Exp(3 * rng.NormFloat64())
				if i > 0 && rng.IntN(2) == 0 {
					values[i] = values[i-1] * (1 + math.Pow(10, -float64(rng.IntN(18))))
				}
			}
			if rng.IntN(10) == 0 {
				values[i] = 0
			}
		}
		x := withSpectrum(rng, values)
		if seed%4 == 0 { // of ones in blocks: multiple eigenvalues, and T falls apart
			for i := range n {
				for j := range n {
					x[i*n+j] = 0
					if i%3 == j%3 {
						x[i*n+j] = 1
					}
				}
			}
		}
		b := make([]float64, n*n)
		l := exact(n, x, b)
		var full mat.EigenSym
		if !full.Factorize(mat.NewSymDense(n, x), true) {
			t.Fatal("no eigenvalues")
		}
		var u mat.Dense
		full.VectorsTo(&u)
		want := mat.NewDense(n, n, nil)
		for k, w := range full.Values(nil) {
			if w > 0 {
				var outer mat.Dense
				outer.Outer(w, u.ColView(k), u.ColView(k))
				want.Add(want, &outer)
			}
		}
		scale := math.Max(1, floats.Norm(x, 2))
		if d := floats.Distance(b, want.RawMatrix().Data, math.Inf(1)); !(d <= 1e-11*scale) {
			t.Errorf("seed %d: the projection is off by %g of %g", seed, d, scale)
		}
		product := make([]float64, n*n)
		symmetric(n, 1, l, product)
		if d := floats.Distance(b, product, math.Inf(1)); !(d <= 1e-11*scale) {
			t.Errorf("seed %d: the factor is off by %g of %g", seed, d, scale)
		}
		for i := range l.Rows {
			for j := range i {
				if p := floats.Dot(l.Data[i*n:(i+1)*n], l.Data[j*n:(j+1)*n]); math.Abs(p) > 1e-10*scale {
					t.Errorf("seed %d: rows %d and %d have the product %g", seed, i, j, p)
				}
			}
		}
		if least := least(n, x); least > full.Values(nil)[0]+1e-14*scale || least < full.Values(nil)[0]-1e-12*scale {
			t.Errorf("seed %d: least eigenvalue %g, want %g", seed, least, full.Values(nil)[0])
		}
	}
}

// BenchmarkProject: rank 10, one by one, beside a full decomposition.
func BenchmarkProject(b *testing.B) {
	for _, n := range []int{50, 100, 200} {
		rng := rand.New(rand.NewPCG(1, 24))
		values := make([]float64, n)
		for i := range values {
			values[i] = -rng.Float64()
			if i < 10 {
				values[i] = rng.ExpFloat64()
			}
		}
		x := withSpectrum(rng, values)
		dst := make([]float64, n*n)
		b.Run(fmt.Sprintf("few/%d", n), func(b *testing.B) {
			for b.Loop() {
				near(n, x, dst)
			}
		})
		b.Run(fmt.Sprintf("all/%d", n), func(b *testing.B) {
			m := mat.NewSymDense(n, x)
			var e mat.EigenSym
			for b.Loop() {
				e.Factorize(m, true)
			}
		})
	}
}

// TestKrylov: few positive eigenvalues, near to each other or not, above many that are
// negative, give the projection; too many give none.
func TestKrylov(t *testing.T) {
	for seed := range trials.Seeds(6) {
		rng := rand.New(rand.NewPCG(seed, 29))
		n := 160 + rng.IntN(60)
		values := make([]float64, n)
		r := 1 + rng.IntN(6)
		for i := range values {
			values[i] = -rng.Float64()
			if i < r {
				values[i] = 1 + 3*rng.Float64()
			}
		}
		if seed%2 == 0 && r > 1 {
			values[1] = values[0] * (1 + 1e-2)
		}
		x := withSpectrum(rng, values)
		l, ok := krylov(n, x)
		if !ok || l.Rows != r {
			t.Fatalf("seed %d: %d of %d eigenvalues, %v", seed, l.Rows, r, ok)
		}
		got, want := make([]float64, n*n), make([]float64, n*n)
		symmetric(n, 1, l, got)
		exact(n, x, want)
		if d := floats.Distance(got, want, 2); d > 1e-5 {
			t.Errorf("seed %d: projections %g apart", seed, d)
		}
		for i := range values {
			values[i] = rng.Float64()
		}
		if _, ok := krylov(n, withSpectrum(rng, values)); ok {
			t.Errorf("seed %d: a positive definite matrix in a small space", seed)
		}
	}
}
