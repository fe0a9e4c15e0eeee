package semiring_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
)

// The number of rounds of a loop taken with probability p is geometric.
func TestExpectationOfALoop(t *testing.T) {
	reals := Semiring[float64](Real{})
	ring := Expectation(reals, Scalar(reals))
	closed, _ := As[Closed[Expected[float64, float64]]](ring)
	const p = 0.7
	star, ok := closed.Star(Expected[float64, float64]{p, p * 1})
	total := ring.Times(star, Expected[float64, float64]{1 - p, 0})
	if want := p / (1 - p); !ok || math.Abs(total.P-1) > 1e-15 || math.Abs(total.V-want) > 1e-14 {
		t.Errorf("⟨%v, %v⟩, want ⟨1, %v⟩", total.P, total.V, want)
	}
}

// The star is the limit of its series, on the proper sides of ⊗.
func TestExpectationStarIsItsSeries(t *testing.T) {
	square := Semiring[matrix](matrices{})
	ring := Expectation(square, Scalar(square))
	type weight = Expected[matrix, matrix]
	closed, _ := As[Closed[weight]](ring)
	r := rand.New(rand.NewPCG(5, 1))
	for range 20 {
		a := weight{randomMatrix(r), randomMatrix(r)}
		sum, power := ring.One(), ring.One()
		for range 200 {
			power = ring.Times(power, a)
			sum = ring.Plus(sum, power)
		}
		if star, ok := closed.Star(a); !ok || !nearMatrix(star.P, sum.P) || !nearMatrix(star.V, sum.V) {
			t.Fatalf("%v* = %v, want %v", a, star, sum)
		}
	}
}

// Expectations of counts along random paths, against enumeration.
func TestExpectationCounts(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	dense := Expectation(reals, Dense(reals, 2))
	sparse := Expectation(reals, Sparse(reals))
	shared := Expectation(scaled, Dense(scaled, 2))
	// A path takes one of two arcs, each of three times: arc j has weight p[j] and counts component j.
	p := []float64{0.3, 0.5}
	d, s, v := dense.One(), sparse.One(), shared.One()
	for range 3 {
		ds, ss, vs := dense.Zero(), sparse.Zero(), shared.Zero()
		for j, pj := range p {
			unit := []float64{0, 0}
			unit[j] = pj
			ds = dense.Plus(ds, Expected[float64, []float64]{pj, unit})
			ss = sparse.Plus(ss, Expected[float64, SparseVector[float64]]{pj, SparseVector[float64]{[]int32{int32(j)}, []float64{pj}}})
			vs = shared.Plus(vs, Expected[ScaledFloat, []ScaledFloat]{NewScaled(pj), scaledOf(unit...)})
		}
		d, s, v = dense.Times(d, ds), sparse.Times(s, ss), shared.Times(v, vs)
	}
	for j, pj := range p {
		want := 3 * pj / (p[0] + p[1])
		for name, got := range map[string]float64{
			"Dense": d.V[j] / d.P, "Sparse": s.V.Value[j] / s.P, "Dense Scaled": v.V[j].Div(v.P).Float64(),
		} {
			if math.Abs(got-want) > 1e-15*8 {
				t.Errorf("%s: expected count %d is %v, want %v", name, j, got, want)
			}
		}
	}
}

// scaledOf returns numbers as a vector over Scaled.
func scaledOf(x ...float64) []ScaledFloat {
	v := make([]ScaledFloat, len(x))
	for i := range x {
		v[i] = NewScaled(x[i])
	}
	return v
}
