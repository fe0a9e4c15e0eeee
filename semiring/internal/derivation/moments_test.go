package derivation_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// withFinite calls check for n random structures of each storage that have derivations, with all
// derivations of each and their masses divided by the total.
func withFinite(t *testing.T, n uint64, check func(t *testing.T, r *rand.Rand, s *structure, all []outcome)) {
	for _, storage := range storages {
		t.Run(storage.name, func(t *testing.T) {
			checked := 0
			for seed := range trials.Seeds(n) {
				r := graphtest.Rand(seed)
				s := storage.finite(r)
				all := divided(s.outcomes(s.weights))
				if len(all) == 0 {
					if _, _, err := s.in("Real").along(make([]float64, s.parts())); !errors.Is(err, storage.empty) {
						t.Fatalf("seed %d: error %v, want %v", seed, err, storage.empty)
					}
					continue
				}
				checked++
				if check(t, r, s, all); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			if checked < int(n)/4 {
				t.Errorf("only %d of %d have a derivation", checked, n)
			}
		})
	}
}

// divided divides masses by their sum.
func divided(all []outcome) []outcome {
	total := 0.0
	for _, x := range all {
		total += x.mass
	}
	for i := range all {
		all[i].mass /= total
	}
	return all
}

// withCyclic calls check for n random structures of each storage that have derivations and a sum.
func withCyclic(t *testing.T, n uint64, check func(t *testing.T, r *rand.Rand, s *structure)) {
	for _, storage := range storages {
		t.Run(storage.name, func(t *testing.T) {
			checked := 0
			for seed := range trials.Seeds(n) {
				r := graphtest.Rand(seed)
				s := storage.cyclic(r)
				if z, err := s.in("Scaled").total(); err != nil || z.IsZero() {
					continue
				}
				checked++
				if check(t, r, s); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			if checked < int(n)/4 {
				t.Errorf("only %d of %d have a sum", checked, n)
			}
		})
	}
}

// moments returns mean and covariance of the uses of parts.
func moments(all []outcome, n int) ([]float64, *mat.Dense) {
	mean, c := make([]float64, n), mat.NewDense(n, n, nil)
	for _, x := range all {
		floats.AddScaled(mean, x.mass, x.uses)
	}
	d := make([]float64, n)
	for _, x := range all {
		floats.SubTo(d, x.uses, mean)
		v := mat.NewVecDense(n, d)
		c.RankOne(c, x.mass, v, v)
	}
	return mean, c
}

// randomValues returns values of dim components, some of them repeated, and the matrix of part
// by component.
func randomValues(r *rand.Rand, s *structure, dim int) (values, *mat.Dense) {
	v, m := values{dim: dim}, mat.NewDense(s.parts(), dim, nil)
	part := 0
	for kind, n := range s.sizes {
		if r.IntN(4) == 0 || n == 0 {
			part += n // no rows: zeros
			continue
		}
		for range n {
			var index []int32
			var value []float64
			for range r.IntN(dim + 2) {
				i, y := r.IntN(dim), r.NormFloat64()
				index, value = append(index, int32(i)), append(value, y)
				m.Set(part, i, m.At(part, i)+y)
			}
			v.rows[kind].Append(index, value)
			part++
		}
	}
	return v, m
}

// checkClose fails unless all components agree to 1e-10 of the greatest.
func checkClose(t *testing.T, what string, got, want []float64, scale float64) {
	t.Helper()
	if len(got) != len(want) || !floats.EqualApprox(got, want, 1e-10*max(scale, floats.Norm(want, math.Inf(1)))) {
		t.Errorf("%s %v, want %v", what, got, want)
	}
}

// Counts, means, covariances and products with the Hessian equal the results of the enumeration,
// in any ring of masses.
func TestMoments(t *testing.T) {
	withFinite(t, 600, func(t *testing.T, r *rand.Rand, s *structure, all []outcome) {
		n, dim := s.parts(), 1+r.IntN(4)
		uses, covariance := moments(all, n)
		scale := floats.Norm(uses, 1)
		v := normal(r, n)
		if r.IntN(3) == 0 {
			clear(v[:s.sizes[0]])
		}
		product, mean, square := mat.NewVecDense(n, nil), mat.NewVecDense(dim, nil), new(mat.Dense)
		product.MulVec(covariance, mat.NewVecDense(n, v))
		values, m := randomValues(r, s, dim)
		mean.MulVec(m.T(), mat.NewVecDense(n, uses))
		square.Product(m.T(), covariance, m)
		for _, ring := range rings {
			f := s.in(ring)
			counts, along, err := f.along(v)
			if err != nil {
				t.Fatal(err)
			}
			checkClose(t, "counts in "+ring, counts, uses, scale)
			checkClose(t, "derivatives in "+ring, along, product.RawVector().Data, scale)
			checkClose(t, "H·v in "+ring, must(f.hessianVector(v)), along, 0)
			checkClose(t, "mean in "+ring, must(f.mean(values)), mean.RawVector().Data, scale)
			again, c, err := f.covariance(values)
			if err != nil {
				t.Fatal(err)
			}
			checkClose(t, "mean in "+ring, again, mean.RawVector().Data, scale)
			if !mat.EqualApprox(c, square, 1e-10*max(scale, mat.Max(square))) {
				t.Errorf("covariance in %s %v, want %v", ring, mat.Formatted(c), mat.Formatted(square))
			}
		}
	})
}

// tilted returns the structure with weights multiplied by exp(x·v), in Scaled.
func tilted(s *structure, v []float64, x float64) machine {
	w := make([]semiring.ScaledFloat, s.parts())
	for i := range w {
		w[i] = semiring.NewScaled(s.weights[i]).Mul(semiring.ScaledFromLog(x * v[i]))
	}
	return s.weighted("Scaled", w)
}

// Counts are the gradient of ln Z, and products with the Hessian are derivatives of the counts,
// by differences that are extrapolated to steps of 0. This includes cycles.
func TestDerivatives(t *testing.T) {
	withCyclic(t, 200, func(t *testing.T, r *rand.Rand, s *structure) {
		v := normal(r, s.parts())
		at := func(x float64) []float64 { // ln Z, then all counts
			f := tilted(s, v, x)
			counts, _, err := f.along(v)
			if err != nil {
				t.Fatal(err)
			}
			return append([]float64{must(f.total()).Log()}, counts...)
		}
		derivative := func(h float64) []float64 {
			d := at(h)
			floats.Sub(d, at(-h))
			floats.Scale(1/(2*h), d)
			return d
		}
		// Richardson: the error of a step h is a series in h².
		const h = 1. / 128
		a, b, c := derivative(h), derivative(h/2), derivative(h/4)
		want := make([]float64, len(a))
		for i := range want {
			ab, bc := (4*b[i]-a[i])/3, (4*c[i]-b[i])/3
			want[i] = (16*bc - ab) / 15
		}
		product := must(s.in("Real").hessianVector(v))
		got := append([]float64{floats.Dot(at(0)[1:], v)}, product...)
		if !floats.EqualApprox(got, want, 1e-9*(1+floats.Norm(want, 1))) {
			t.Errorf("derivatives %v, want %v", got, want)
		}
	})
}

// A great mean does not cost small deviations any digits, and a value of all derivations has no
// variance.
func TestVarianceOfConstant(t *testing.T) {
	withFinite(t, 300, func(t *testing.T, r *rand.Rand, s *structure, all []outcome) {
		v := make([]float64, s.parts())
		for i := range v[:s.sizes[0]] {
			v[i] = 1e12
		}
		mean, c, err := s.in("Real").covariance(s.scalars(v))
		if err != nil || !near(mean[0], 1e12) || math.Abs(c.At(0, 0)) > 1e-6 {
			t.Errorf("mean %v, variance %v (%v)", mean, c.At(0, 0), err)
		}
		small := make([]float64, s.parts())
		for i := range small {
			small[i] = float64(r.IntN(3))
			v[i] += small[i]
		}
		_, c, err = s.in("Real").covariance(s.scalars(v))
		_, want, err2 := s.in("Real").covariance(s.scalars(small))
		if err != nil || err2 != nil || math.Abs(c.At(0, 0)-want.At(0, 0)) > 1e-3*(1+want.At(0, 0)) {
			t.Errorf("variance %v (%v), want %v (%v)", c.At(0, 0), err, want.At(0, 0), err2)
		}
	})
}
