package semiring_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
)

// triangle is a system of n rows in which row s refers to rows before it.
func triangle(r *rand.Rand, n int) (row, i []int32) {
	row = []int32{0}
	for s := range n {
		for range r.IntN(7) {
			if s > 0 {
				i = append(i, int32(r.IntN(s)))
			}
		}
		row = append(row, int32(len(i)))
	}
	return row, i
}

// transposed returns the columns of the system of triangle with weights w, as rows.
func transposed[W any](row, i []int32, w []W) (rowT, iT []int32, wT []W) {
	rowT = []int32{0}
	for t := range len(row) - 1 {
		for s := range len(row) - 1 {
			for e := row[s]; e < row[s+1]; e++ {
				if int(i[e]) == t {
					iT, wT = append(iT, int32(s)), append(wT, w[e])
				}
			}
		}
		rowT = append(rowT, int32(len(iT)))
	}
	return rowT, iT, wT
}

// spread returns what becomes of x where the transpose of the system is spread.
func spread[W any](ring Sweeper[W], x []W, order, row []int32, w []W, i []int32) []W {
	x = append([]W(nil), x...)
	rowT, iT, wT := transposed(row, i, w)
	ring.Spread(x, order, rowT, wT, iT)
	return x
}

// Exponents of all sorts in one row: the sum does not lose its leading terms, nor
// does the exponent of one row matter to the next.
func TestScaledPassesAreExactToRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for trial := range 2000 {
		n := 1 + r.IntN(9)
		row, i := triangle(r, n)
		w, x := make([]ScaledFloat, len(i)), make([]ScaledFloat, n)
		for e := range w {
			w[e] = positive(randomScaled(r, trial%4))
		}
		for s := range x {
			if r.IntN(3) > 0 {
				x[s] = positive(randomScaled(r, trial%4))
			}
		}
		want := append([]ScaledFloat(nil), x...)
		best := append([]ScaledFloat(nil), x...)
		wantBest := append([]ScaledFloat(nil), x...)
		for s := range n {
			for e := row[s]; e < row[s+1]; e++ {
				want[s] = want[s].Add(w[e].Mul(want[i[e]]))
				wantBest[s] = Viterbi{}.Plus(wantBest[s], w[e].Mul(wantBest[i[e]]))
			}
		}
		spreadX, spreadBest := spread(Scaled{}, x, nil, row, w, i), spread(Viterbi{}, best, nil, row, w, i)
		Scaled{}.Sweep(x, nil, row, w, i)
		Viterbi{}.Sweep(best, nil, row, w, i)
		for s := range n {
			for _, x := range []ScaledFloat{x[s], spreadX[s]} {
				if (Scaled{}).Dist(x, want[s]) > 1e-13 || !isNormal(x) && x != want[s] {
					t.Fatalf("row %d is %v, want %v", s, x, want[s])
				}
			}
			if best[s] != wantBest[s] || spreadBest[s] != wantBest[s] {
				t.Fatalf("the best of row %d is %v and %v, want %v", s, best[s], spreadBest[s], wantBest[s])
			}
		}
	}
}

// Logarithms far below 0, rows without a term that is not 0̄, a start far below or
// above the terms.
func TestLogPassesAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 1 + r.IntN(9)
		row, i := triangle(r, n)
		w, x, exact := make([]LogProb, len(i)), make([]LogProb, n), make([]ScaledFloat, n)
		for e := range w {
			w[e] = LogProb(-2000 * r.Float64() * float64(r.IntN(2)))
		}
		for s := range x {
			x[s] = LogProb(-9000 * r.Float64() * float64(r.IntN(3)))
			if r.IntN(2) == 0 {
				x[s] = Log{}.Zero()
			}
			exact[s] = ScaledFromLog(float64(x[s]))
		}
		for s := range n {
			for e := row[s]; e < row[s+1]; e++ {
				exact[s] = exact[s].Add(ScaledFromLog(float64(w[e])).Mul(exact[i[e]]))
			}
		}
		spreadX := spread(Log{}, x, nil, row, w, i)
		Log{}.Sweep(x, nil, row, w, i)
		for s := range n {
			want := exact[s].Log()
			for _, x := range []LogProb{x[s], spreadX[s]} {
				if d := math.Abs(float64(x) - want); d > 1e-14*math.Abs(want)+1e-12 || math.IsNaN(d) && !math.IsInf(want, -1) {
					t.Fatalf("row %d is %v, want %v", s, x, want)
				}
				if math.IsInf(want, -1) && !(Log{}).IsZero(x) {
					t.Fatalf("row %d is %v, want 0̄", s, x)
				}
			}
		}
	}
}

// NaN and Inf spread to the rows that refer to them and to no others.
func TestPassesPropagateNaN(t *testing.T) {
	row, i := []int32{0, 0, 1, 3, 4, 4}, []int32{0, 1, 0, 1}
	order := []int32{4, 0, 1, 3, 2}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ w, x, sum []float64 }{
		{[]float64{1, 2, 1, 1}, []float64{1, 0, 0, 0, 5}, []float64{1, 1, 3, 1, 5}},
		{[]float64{1, nan, 1, 1}, []float64{1, 0, 0, 0, 5}, []float64{1, 1, nan, 1, 5}},
		{[]float64{1, 2, 1, nan}, []float64{1, 0, 0, 0, 5}, []float64{1, 1, 3, nan, 5}},
		{[]float64{1, 2, 1, 1}, []float64{1, nan, 0, 0, 5}, []float64{1, nan, nan, nan, 5}},
		{[]float64{1, inf, 1, 1}, []float64{1, 0, 0, 0, 5}, []float64{1, 1, inf, 1, 5}},
	} {
		equal := func(a, b float64) bool { return a == b || a != a && b != b }
		sameNaN := func(a, b float64) bool { return (a != a) == (b != b) }
		sameKind := func(a, b float64) bool { return sameNaN(a, b) && math.IsInf(a, 1) == math.IsInf(b, 1) }
		for _, p := range []struct {
			ring string
			got  [][]float64
			same func(a, b float64) bool
		}{
			{"Real", passes(Real{}, func(x float64) float64 { return x }, func(x float64) float64 { return x }, c.x, order, row, c.w, i), equal},
			{"Scaled", passes(Scaled{}, NewScaled, ScaledFloat.Float64, c.x, order, row, c.w, i), equal},
			{"Viterbi", passes(Viterbi{}, NewScaled, ScaledFloat.Float64, c.x, order, row, c.w, i), sameKind},
			{"Tropical", passes(Tropical{}, func(x float64) Cost { return Cost(x) }, func(x Cost) float64 { return float64(x) }, c.x, order, row, c.w, i), sameNaN},
			{"Log", passes(Log{}, func(x float64) LogProb { return LogProb(x) }, func(x LogProb) float64 { return float64(x) }, c.x, order, row, c.w, i), sameKind},
		} {
			for _, got := range p.got {
				for s := range got {
					if !p.same(got[s], c.sum[s]) {
						t.Errorf("%s with weights %v: %v, want %v", p.ring, c.w, got, c.sum)
						break
					}
				}
			}
		}
	}
}

// passes returns what becomes of x by Sweep, and by Spread of the transpose.
func passes[W any](ring Sweeper[W], in func(float64) W, out func(W) float64, x []float64, order, row []int32, w []float64, i []int32) [][]float64 {
	var sweep, weight []W
	for _, a := range x {
		sweep = append(sweep, in(a))
	}
	for _, a := range w {
		weight = append(weight, in(a))
	}
	spread := spread(ring, sweep, order, row, weight, i)
	ring.Sweep(sweep, order, row, weight, i)
	got := make([][]float64, 2)
	for s := range sweep {
		got[0], got[1] = append(got[0], out(sweep[s])), append(got[1], out(spread[s]))
	}
	return got
}
