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
	shared := Expectation(scaled, DenseScaled(2))
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
			vs = shared.Plus(vs, Expected[ScaledFloat, ScaledVector]{NewScaled(pj), NewScaledVector(unit)})
		}
		d, s, v = dense.Times(d, ds), sparse.Times(s, ss), shared.Times(v, vs)
	}
	for j, pj := range p {
		want := 3 * pj / (p[0] + p[1])
		for name, got := range map[string]float64{
			"Dense": d.V[j] / d.P, "Sparse": s.V.Value[j] / s.P, "DenseScaled": v.V.At(j).Div(v.P).Float64(),
		} {
			if math.Abs(got-want) > 1e-15*8 {
				t.Errorf("%s: expected count %d is %v, want %v", name, j, got, want)
			}
		}
	}
}

func TestScaledVector(t *testing.T) {
	m := DenseScaled(3)
	acc := m.(Accumulator[ScaledFloat, ScaledVector])
	r := rand.New(rand.NewPCG(5, 2))
	for range 2000 {
		var sum ScaledVector
		var want [3]ScaledFloat
		var size ScaledFloat
		for range 1 + r.IntN(5) {
			a := randomScaled(r, 3)
			v := NewScaledVector([]float64{r.Float64() - 0.5, r.Float64(), math.Ldexp(r.Float64(), -r.IntN(200))})
			v.Exp += int64(r.IntN(5) - 2)
			acc.AddScaled(&sum, a, v)
			for i := range want {
				product := a.Mul(v.At(i))
				want[i] = want[i].Add(product)
				if positive(product).Cmp(size) > 0 {
					size = positive(product)
				}
			}
		}
		for i := range want { // errors are small in terms of the greatest summand
			if d := positive(sum.At(i).Sub(want[i])); d.Cmp(size.Mul(NewScaled(1e-15))) > 0 {
				t.Fatalf("component %d is %v, want %v", i, sum.At(i), want[i])
			}
		}
		if len(sum.Mant) > 0 && !m.IsZero(sum) {
			if top := max(math.Abs(sum.Mant[0]), math.Abs(sum.Mant[1]), math.Abs(sum.Mant[2])); top < 0x1p-256 || top >= 0x1p256 {
				t.Fatalf("%v is not normalized", sum)
			}
		}
	}
	v := NewScaledVector([]float64{1, 2, 3})
	if w := m.Left(NewScaled(math.NaN()), v); !math.IsNaN(w.Mant[0]) {
		t.Errorf("NaN·v = %v", w)
	}
	if w := m.Plus(v, NewScaledVector([]float64{-1, -2, -3})); !m.IsZero(w) {
		t.Errorf("v − v = %v", w)
	}
	far := v
	far.Exp = 9
	if w := m.Plus(far, NewScaledVector([]float64{math.NaN(), 0, 0})); !math.IsNaN(w.At(0).Mant) {
		t.Errorf("NaN is lost far below: %v", w)
	}
	if got := (ScaledVector{}).At(2); !got.IsZero() {
		t.Errorf("a component of the zero vector is %v", got)
	}
}
