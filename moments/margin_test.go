package moments_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

// leastWeight is Margin by enumeration in exact arithmetic. Of all solutions of the
// equations Σ w(y) = 1 and Σ w(y)·φ(y) = mu with w(y) = s + excess(y) and excess ≥ 0,
// the greatest s is one where as few unknowns as there are equations are not 0.
func leastWeight(phi [][]float64, mu []float64) float64 {
	m, d := len(phi), len(mu)
	// A row per equation: the coefficients of the excesses, of s, and the right side.
	a := make([][]*big.Rat, d+1)
	for j := range a {
		a[j] = make([]*big.Rat, m+2)
		sum := new(big.Rat)
		for y := range m {
			a[j][y] = big.NewRat(1, 1)
			if j < d {
				a[j][y].SetFloat64(phi[y][j])
			}
			sum.Add(sum, a[j][y])
		}
		a[j][m], a[j][m+1] = sum, big.NewRat(1, 1)
		if j < d {
			a[j][m+1] = new(big.Rat).SetFloat64(mu[j])
		}
	}
	best := math.Inf(-1)
	// choose tries as pivot of equation row each column from first on; s, which is of
	// any sign, comes first.
	var choose func(row, first int, chosen []int, a [][]*big.Rat)
	choose = func(row, first int, chosen []int, a [][]*big.Rat) {
		rest := a[row:]
		done := true
		for _, equation := range rest {
			for _, x := range equation[:m+1] {
				done = done && x.Sign() == 0
			}
		}
		if done {
			for _, equation := range rest {
				if equation[m+1].Sign() != 0 {
					return
				}
			}
			s := 0.0
			for i, column := range chosen {
				x := a[i][m+1]
				if column == m {
					s, _ = x.Float64()
				} else if x.Sign() < 0 {
					return
				}
			}
			best = math.Max(best, s)
			return
		}
		for column := first; column < m; column++ {
			if next := eliminate(a, row, column); next != nil {
				choose(row+1, column+1, append(chosen[:len(chosen):len(chosen)], column), next)
			}
		}
	}
	next := eliminate(a, 0, m)
	if next == nil { // Σ φ is not 0 in no equation: not so for the last one
		panic("no equation for s")
	}
	choose(1, 0, []int{m}, next)
	return best
}

// eliminate returns the equations after a column is solved for in the given row or one
// below, which takes its place; nil if it is 0 there.
func eliminate(a [][]*big.Rat, row, column int) [][]*big.Rat {
	from := row
	for from < len(a) && a[from][column].Sign() == 0 {
		from++
	}
	if from == len(a) {
		return nil
	}
	out := make([][]*big.Rat, len(a))
	copy(out, a)
	out[row], out[from] = out[from], out[row]
	solved := make([]*big.Rat, len(out[row]))
	for k, x := range out[row] {
		solved[k] = new(big.Rat).Quo(x, out[row][column])
	}
	out[row] = solved
	for i, equation := range out {
		if i == row || equation[column].Sign() == 0 {
			continue
		}
		out[i] = make([]*big.Rat, len(equation))
		for k, x := range equation {
			out[i][k] = new(big.Rat).Sub(x, new(big.Rat).Mul(equation[column], solved[k]))
		}
	}
	return out
}

// Values of y share their statistics in most binary families, and many faces of their
// polytope meet in one point. mu are multiples of 1/8, so that they are in the polytope, on
// its boundary and outside exactly.
func TestMarginOfBinaryFamilies(t *testing.T) {
	var outside, boundary, inside, nowhere int
	for seed := range trials.Seeds(400) {
		r := random(seed)
		d := 1 + r.IntN(4)
		m := 1 + r.IntN([]int{14, 14, 10, 8}[d-1])
		phi := make([][]float64, m)
		for y := range phi {
			phi[y] = make([]float64, d)
			for j := range phi[y] {
				phi[y][j] = float64(r.IntN(2))
			}
		}
		mu := make([]float64, d)
		switch r.IntN(3) {
		case 0: // anywhere
			for j := range mu {
				mu[j] = float64(r.IntN(13)-2) / 8
			}
		case 1: // at or between a few
			for range 8 {
				for j, x := range phi[r.IntN(1+r.IntN(m))] {
					mu[j] += x / 8
				}
			}
		case 2: // combinations of any sign
			weight := 1.0
			for y := range m - 1 {
				w := float64(r.IntN(5)-1) / 8
				weight -= w
				for j := range mu {
					mu[j] += w * phi[y][j]
				}
			}
			for j := range mu {
				mu[j] += weight * phi[m-1][j]
			}
		}
		got, err := family(t, phi).Margin(t.Context(), mu)
		want := leastWeight(phi, mu)
		if err != nil || got != want && !(math.Abs(got-want) <= 1e-13*math.Max(1, math.Abs(want))) {
			t.Fatalf("seed %d: margin %g, %v of %v in %v, want %g", seed, got, err, mu, phi, want)
		}
		switch {
		case math.IsInf(want, -1):
			nowhere++
		case want < 0:
			outside++
		case want == 0:
			boundary++
		default:
			inside++
		}
	}
	if min(outside, boundary, inside, nowhere) < 20 {
		t.Errorf("%d outside, %d on the boundary, %d inside and %d nowhere", outside, boundary, inside, nowhere)
	}
}

func TestMarginOfRepeatedValues(t *testing.T) {
	phi := [][]float64{{1, 0}, {0, 0}, {0, 1}, {1, 0}}
	mu := []float64{.28962649623654535, .6957737133458478}
	// The weights are .0146 and two times half of .2896: the least is the residual string.
	if got := must(family(t, phi).Margin(t.Context(), mu))(t); math.Abs(got-(1-mu[0]-mu[1])) > 1e-15 {
		t.Errorf("margin %g", got)
	}
	// Two values alike share what one of them would have.
	for range 3 {
		phi = append(phi, phi[0], []float64{math.Copysign(0, -1), 1})
		want := leastWeight(phi, mu)
		if got := must(family(t, phi).Margin(t.Context(), mu))(t); math.Abs(got-want) > 1e-15 {
			t.Errorf("margin %g of %d values, want %g", got, len(phi), want)
		}
	}
}

// The corners of a cube, each several times: all statistics in [0, 1] are inside, by
// the product of the least probabilities at the most.
func TestMarginOfCubes(t *testing.T) {
	for _, d := range []int{2, 5, 8} {
		phi := mat.NewDense(3<<d, d, nil)
		phi.Apply(func(y, j int, _ float64) float64 { return float64(y / 3 >> j & 1) }, phi)
		f := must(moments.NewFamily(phi, nil))(t)
		for seed := range trials.Seeds(5) {
			r := random(seed)
			mu := make([]float64, d)
			gauge := 0.0 // of mu seen from the center of the cube
			for j := range mu {
				mu[j] = float64(r.IntN(9)) / 8
				gauge = math.Max(gauge, math.Abs(2*mu[j]-1))
			}
			want := (1 - gauge) / float64(int(3)<<d)
			if got, err := f.Margin(t.Context(), mu); err != nil || math.Abs(got-want) > 1e-15 {
				t.Errorf("seed %d: margin %g, %v of %v, want %g", seed, got, err, mu, want)
			}
		}
	}
}

// Units and offsets of statistics do not matter, up to the ends of float64.
func TestMarginOfUnits(t *testing.T) {
	for seed := range trials.Seeds(40) {
		r := random(seed)
		m, d := 2+r.IntN(8), 1+r.IntN(3)
		phi, mu := make([][]float64, m), make([]float64, d)
		for y := range phi {
			phi[y] = make([]float64, d)
			for j := range phi[y] {
				phi[y][j] = float64(r.IntN(3) - 1)
			}
		}
		for j := range mu {
			mu[j] = float64(r.IntN(17)-8) / 8
		}
		want := must(family(t, phi).Margin(t.Context(), mu))(t)
		for j := range mu {
			unit := math.Ldexp(1, []int{-1060, -100, 30, 1023}[r.IntN(4)])
			mu[j] *= unit
			for y := range phi {
				phi[y][j] *= unit
			}
		}
		got, err := family(t, phi).Margin(t.Context(), mu)
		if err != nil || got != want && !(math.Abs(got-want) <= 1e-13*math.Max(1, math.Abs(want))) {
			t.Errorf("seed %d: margin %g, %v of %v in %v, want %g", seed, got, err, mu, phi, want)
		}
	}
}

func TestMarginStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := family(t, [][]float64{{0}, {1}}).Margin(ctx, []float64{.25}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
