package semiring_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	. "example.org/pathsum/semiring"
)

// sumOfProducts returns Σ of products of the n-th elements, and Σ of absolute
// values.
func sumOfProducts(factors ...[]ScaledFloat) (sum, size *big.Float) {
	sum, size = new(big.Float).SetPrec(20000), new(big.Float).SetPrec(20000)
	for n := range factors[0] {
		t := newBig(1)
		for _, f := range factors {
			t.Mul(t, bigScaled(f[n]))
		}
		sum.Add(sum, t)
		size.Add(size, t.Abs(t))
	}
	return sum, size
}

// checkSum fails unless |got − sum| ≤ n·2^-53·size.
func checkSum(t *testing.T, got ScaledFloat, sum, size *big.Float, n int) {
	t.Helper()
	bound := new(big.Float).Mul(size, newBig(float64(n+2)*0x1p-53))
	d := new(big.Float).Sub(bigScaled(got), sum)
	if d.Abs(d).Cmp(bound) > 0 {
		t.Fatalf("sum of %d terms is %v, want %v", n, got, fromBig(sum))
	}
}

func TestScaledDotIsExactToRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for trial := range 4000 {
		n, digits := 1+r.IntN(8), r.IntN(4)
		w, x, y := make([]ScaledFloat, n), make([]ScaledFloat, n), make([]ScaledFloat, n)
		for i := range n {
			w[i], x[i], y[i] = randomScaled(r, digits), randomScaled(r, digits), randomScaled(r, digits)
			if trial%2 == 0 {
				w[i], x[i], y[i] = positive(w[i]), positive(x[i]), positive(y[i])
			}
		}
		var dot, dot2 ScaledFloat
		Scaled{}.Dot(&dot, w, nil, x, nil)
		Scaled{}.Dot2(&dot2, w, nil, x, nil, y, nil)
		sum, size := sumOfProducts(w, x)
		checkSum(t, dot, sum, size, n)
		sum, size = sumOfProducts(w, x, y)
		checkSum(t, dot2, sum, size, n)
		if !isNormal(dot) || !isNormal(dot2) {
			t.Fatalf("%v or %v is not normalized", dot, dot2)
		}
	}
}

// A term two digits below the leading one matters if the leading mantissas are
// small and its own large; in Dot2, so does one three digits below.
func TestScaledDotKeepsLowDigits(t *testing.T) {
	small, large := ScaledFloat{0x1p-256, 0}, ScaledFloat{0x1.fffffffffffffp255, 0}
	at := func(a ScaledFloat, e int64) ScaledFloat { a.Exp += e; return a }
	for depth := int64(0); depth < 6; depth++ {
		for _, e := range []int64{0, -7, 1 << 40, -extreme + 10, extreme - 10} {
			w := []ScaledFloat{at(small, e), at(large, e-depth)}
			x := []ScaledFloat{small, large}
			for range 2 { // both orders
				var dot, dot2 ScaledFloat
				Scaled{}.Dot(&dot, w, nil, x, nil)
				Scaled{}.Dot2(&dot2, w, nil, x, nil, x, nil)
				want := w[0].Mul(x[0]).Add(w[1].Mul(x[1]))
				want2 := w[0].Mul(x[0]).Mul(x[0]).Add(w[1].Mul(x[1]).Mul(x[1]))
				if (Scaled{}).Dist(dot, want) > 1e-15 || (Scaled{}).Dist(dot2, want2) > 1e-15 {
					t.Errorf("depth %d: %v and %v, want %v and %v", depth, dot, dot2, want, want2)
				}
				var best, best2 ScaledFloat
				Viterbi{}.Dot(&best, w, nil, x, nil)
				Viterbi{}.Dot2(&best2, w, nil, x, nil, x, nil)
				first, second := w[0].Mul(x[0]), w[1].Mul(x[1])
				if best != (Viterbi{}).Plus(first, second) || best2 != (Viterbi{}).Plus(first.Mul(x[0]), second.Mul(x[1])) {
					t.Errorf("depth %d: best %v and %v", depth, best, best2)
				}
				w[0], w[1], x[0], x[1] = w[1], w[0], x[1], x[0]
			}
		}
	}
}

func TestScaledDotZeroTermsKeepTheExponent(t *testing.T) {
	zero, huge, tiny := ScaledFloat{}, ScaledFloat{1, 1000}, ScaledFloat{3, -1000}
	one := NewScaled(1)
	var dot, dot2 ScaledFloat
	for _, order := range [][]int32{{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}} {
		w, x := []ScaledFloat{zero, tiny, huge}, []ScaledFloat{huge, one, zero}
		Scaled{}.Dot(&dot, w, order, x, order)
		Scaled{}.Dot2(&dot2, w, order, x, order, []ScaledFloat{one, one, huge}, order)
		if dot != tiny || dot2 != tiny {
			t.Errorf("order %v: %v and %v", order, dot, dot2)
		}
		Viterbi{}.Dot(&dot, w, order, x, order)
		if dot != tiny {
			t.Errorf("order %v: best %v", order, dot)
		}
	}
	// Exact cancellation leaves the lower terms.
	Scaled{}.Dot(&dot, []ScaledFloat{huge, huge.Neg(), tiny}, nil, []ScaledFloat{one, one, one}, nil)
	if dot != tiny {
		t.Errorf("after cancellation: %v", dot)
	}
}

func TestKernelsPropagateNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for at := range 3 {
		for _, e := range []int64{0, 1, -1, 9, -9} {
			w := []ScaledFloat{{1, e}, {2, e}, {3, 0}}
			x := []ScaledFloat{{1, 0}, {2, 2 * e}, {3, -e}}
			w[at] = NewScaled(nan)
			var dot, dot2, best, best2 ScaledFloat
			p := make([]float64, 3)
			Scaled{}.Dot(&dot, w, nil, x, nil)
			Scaled{}.Dot2(&dot2, w, nil, x, nil, x, nil)
			Viterbi{}.Dot(&best, w, nil, x, nil)
			Viterbi{}.Dot2(&best2, w, nil, x, nil, x, nil)
			Scaled{}.Marginals(p, NewScaled(1), w, nil, x, nil)
			if !dot.IsNaN() || !dot2.IsNaN() || !best.IsNaN() || !best2.IsNaN() || !math.IsNaN(p[at]) {
				t.Errorf("NaN at %d among exponents %d is lost: %v %v %v %v %v", at, e, dot, dot2, best, best2, p[at])
			}
			w[at] = NewScaled(inf)
			Scaled{}.Dot(&dot, w, nil, x, nil)
			Viterbi{}.Dot(&best, w, nil, x, nil)
			if dot != NewScaled(inf) || best != NewScaled(inf) {
				t.Errorf("Inf at %d among exponents %d gives %v %v", at, e, dot, best)
			}
		}
		reals, costs, logs := []float64{1, 2, 3}, []Cost{1, 2, 3}, []LogProb{-1, -2, -3}
		reals[at], costs[at], logs[at] = nan, Cost(nan), LogProb(nan)
		var z float64
		var c Cost
		var l LogProb
		Real{}.Dot(&z, reals, nil, reals, nil)
		Tropical{}.Dot(&c, costs, nil, costs, nil)
		Log{}.Dot(&l, logs, nil, logs, nil)
		if !math.IsNaN(z) || !math.IsNaN(float64(c)) || !math.IsNaN(float64(l)) {
			t.Errorf("NaN at %d is lost: %v %v %v", at, z, c, l)
		}
	}
}

func TestLogDotAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for range 300 {
		n := 1 + r.IntN(20)
		offset, spread := -25000*r.Float64(), math.Ldexp(1, r.IntN(12)-2)
		w, x := make([]LogProb, n), make([]LogProb, n)
		sum, top := newBig(0), 0.0
		for i := range n {
			w[i], x[i] = LogProb(offset+spread*r.Float64()), LogProb(-spread*r.Float64())
			if r.IntN(10) == 0 {
				w[i] = Log{}.Zero()
				continue
			}
			t := new(big.Float).Add(newBig(float64(w[i])), newBig(float64(x[i])))
			sum.Add(sum, bigExp(t))
			top = max(top, math.Abs(float64(w[i]+x[i])))
		}
		var dot LogProb
		Log{}.Dot(&dot, w, nil, x, nil)
		if sum.Sign() == 0 {
			if !(Log{}).IsZero(dot) {
				t.Fatalf("a sum of zeros is %v", dot)
			}
			continue
		}
		want, _ := bigLog(sum).Float64()
		// The sums w+x are rounded; beyond that, a few units of 16, the slack.
		if e := math.Abs(float64(dot) - want); e > top*0x1p-52+16*0x1p-51 {
			t.Fatalf("%d terms around %v: %v, want %v (error %g)", n, offset, dot, want, e)
		}
	}
}

func TestEmptyDot(t *testing.T) {
	z, s, c, l, b := 1.0, NewScaled(1), Cost(1), LogProb(1), NewScaled(1)
	Real{}.Dot(&z, nil, nil, nil, nil)
	Scaled{}.Dot(&s, nil, nil, nil, nil)
	Viterbi{}.Dot(&b, nil, nil, nil, nil)
	Tropical{}.Dot(&c, nil, nil, nil, nil)
	Log{}.Dot(&l, nil, nil, nil, nil)
	if z != 0 || !s.IsZero() || !b.IsZero() || !(Tropical{}).IsZero(c) || !(Log{}).IsZero(l) {
		t.Errorf("no terms sum to %v %v %v %v %v", z, s, b, c, l)
	}
}

// A nil index slice longer than any before makes the shared one grow.
func TestKernelsAreSafeForConcurrentUse(t *testing.T) {
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for n := 1000 + worker; n < 200000; n *= 2 {
				ones := make([]float64, n)
				for i := range ones {
					ones[i] = 1
				}
				var sum float64
				Real{}.Dot(&sum, ones, nil, ones, nil)
				if sum != float64(n) {
					t.Errorf("sum of %d ones is %v", n, sum)
				}
			}
		})
	}
	group.Wait()
}

func testAllocations[W any](t *testing.T, name string, s Semiring[W], weight W) {
	kernel, ok := As[Kernel[W]](s)
	if !ok {
		t.Fatalf("%s has no kernel", name)
	}
	w := []W{weight, weight, weight, weight}
	k, i := []int32{3, 1, 2, 0}, []int32{0, 1, 2, 3}
	p := make([]float64, 4)
	dst := new(W)
	allocations := testing.AllocsPerRun(20, func() {
		kernel.Dot(dst, w, k, w, i)
		kernel.Dot(dst, w, nil, w, i)
		kernel.Dot2(dst, w, k, w, nil, w, k)
		kernel.Marginals(p, weight, w, k, w, i)
	})
	if allocations != 0 {
		t.Errorf("%s: %v allocations", name, allocations)
	}
}

func TestKernelsDoNotAllocate(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	half := NewScaled(0.5)
	testAllocations(t, "Real", reals, 0.5)
	testAllocations(t, "Scaled", scaled, half)
	testAllocations(t, "Viterbi", Viterbi{}, half)
	testAllocations(t, "Log", Log{}, -1)
	testAllocations(t, "Tropical", Tropical{}, 1)
	testAllocations(t, "Expectation Scalar", Expectation(reals, Scalar(reals)), Expected[float64, float64]{0.5, 1})
	testAllocations(t, "Expectation Dense", Expectation(reals, Dense(reals, 3)), Expected[float64, []float64]{0.5, []float64{1, 2, 3}})
	testAllocations(t, "Expectation Sparse", Expectation(scaled, Sparse(scaled)),
		Expected[ScaledFloat, SparseVector[ScaledFloat]]{half, SparseVector[ScaledFloat]{[]int32{1, 7}, []ScaledFloat{half, half}}})
	testAllocations(t, "Expectation Dense Scaled", Expectation(scaled, Dense(scaled, 2)),
		Expected[ScaledFloat, []ScaledFloat]{half, scaledOf(1, 2)})
}

// Two infinite terms are one infinite sum, in the kernel as in ⊕.
func TestLogKernelInfinite(t *testing.T) {
	inf := LogProb(math.Inf(1))
	for _, x := range [][]LogProb{{inf, inf}, {0, inf, inf}, {inf, 0, inf}, {inf, -inf}} {
		var dot, dot2 LogProb
		one := make([]LogProb, len(x)) // Log{}.One() is 0
		Log{}.Dot(&dot, one, nil, x, nil)
		Log{}.Dot2(&dot2, one, nil, one, nil, x, nil)
		if dot != inf || dot2 != inf {
			t.Errorf("sum of %v: %v and %v", x, dot, dot2)
		}
	}
}

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

// spread returns x after spreading the transpose of the system.
func spread[W any](ring Sweeper[W], x []W, order, row []int32, w []W, i []int32) []W {
	x = append([]W(nil), x...)
	rowT, iT, wT := transposed(row, i, w)
	ring.Spread(x, order, rowT, wT, iT)
	return x
}

// One row has exponents of all sizes: the sum keeps its leading terms, and the exponent of one
// row does not affect the next.
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

// Logarithms far below 0, rows with only 0̄ terms, a start far below or above the terms.
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

// NaN and Inf spread only to the rows that refer to them.
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

// passes returns x after Sweep, and after Spread of the transpose.
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
