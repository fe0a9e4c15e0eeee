package semiring_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "example.org/pathsum/semiring"
)

// sweepTerms returns x after SweepTerms, the shares of terms and of x itself, and whether the sums
// have shares. Storage contains garbage before the call.
func sweepTerms[W any](ring TermSweeper[W], x []W, row []int32, w []W, i []int32) (sums []W, term, own []float64, ok bool) {
	sums = slices.Clone(x)
	unit := make([]float64, len(x))
	term, own = make([]float64, len(i)), make([]float64, len(x))
	for _, s := range [][]float64{term, own, unit} {
		for n := range s {
			s[n] = math.NaN()
		}
	}
	ok = ring.SweepTerms(term, own, unit, sums, nil, row, w, i)
	for s := range x {
		own[s] *= unit[s]
		for e := row[s]; e < row[s+1]; e++ {
			term[e] *= unit[s]
		}
	}
	return sums, term, own, ok
}

// sameBits reports whether SweepTerms has the sums of Sweep, bit by bit.
func sameBits[W comparable](ring Sweeper[W], sums, x []W, row []int32, w []W, i []int32) bool {
	x = slices.Clone(x)
	ring.Sweep(x, nil, row, w, i)
	return slices.Equal(x, sums)
}

const (
	shareRounding = 8 * 0x1p-53 // relative error of a share
	shareLeast    = 0x1p-470    // absolute error of a small share
)

// Exponents in one row differ in any way; shares equal quotients in Scaled.
func TestTermsScaledAreExactToRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	refused := 0
	for trial := range 4000 {
		n := 1 + r.IntN(9)
		row, i := triangle(r, n)
		w, x := make([]ScaledFloat, len(i)), make([]ScaledFloat, n)
		draw := func() ScaledFloat {
			a := randomScaled(r, trial%4)
			if trial%2 == 0 {
				a = positive(a)
			}
			return a
		}
		for e := range w {
			w[e] = draw()
		}
		for s := range x {
			if r.IntN(3) > 0 {
				x[s] = draw()
			}
		}
		sums, term, own, ok := sweepTerms(Scaled{}, x, row, w, i)
		if !sameBits(Scaled{}, sums, x, row, w, i) {
			t.Fatalf("trial %d: sums %v differ from Sweep", trial, sums)
		}
		if !ok {
			refused++
			if trial%2 == 0 {
				t.Fatalf("trial %d: the positive sums %v have no shares", trial, sums)
			}
			continue
		}
		for s := range n {
			check := func(share float64, a ScaledFloat) {
				want := 0.0
				if !sums[s].IsZero() {
					want = a.Div(sums[s]).Float64()
				}
				if !(math.Abs(share-want) <= shareRounding*math.Abs(want)+shareLeast) {
					t.Fatalf("trial %d, row %d: share %v of %v in %v, want %v", trial, s, share, a, sums[s], want)
				}
			}
			check(own[s], x[s])
			for e := row[s]; e < row[s+1]; e++ {
				check(term[e], w[e].Mul(sums[i[e]]))
			}
		}
	}
	if refused > 100 {
		t.Errorf("%d systems have no shares", refused)
	}
}

// In Real, sums beyond 2^±600 have no shares, nor has a 0 that underflow may have caused.
func TestTermsReal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	pool := []float64{0, 0, 1, .25, .3, -.1, 0x1p-300, 0x1p-590, 0x1p-700, 0x1p300, 0x1p700, 0x1p-1074}
	has := [2]int{}
	for trial := range 20000 {
		n := 1 + r.IntN(6)
		row, i := triangle(r, n)
		w, x := make([]float64, len(i)), make([]float64, n)
		for e := range w {
			w[e] = pool[r.IntN(len(pool)-trial%9)]
		}
		for s := range x {
			x[s] = pool[r.IntN(len(pool)-trial%9)]
		}
		sums, term, own, ok := sweepTerms(Real{}, x, row, w, i)
		equal := slices.Clone(x)
		Real{}.Sweep(equal, nil, row, w, i)
		if !slices.EqualFunc(equal, sums, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Fatalf("trial %d: sums %v, want %v", trial, sums, equal)
		}
		want := true
		for s := range n {
			exact := NewScaled(x[s])
			nonzero := x[s] != 0
			for e := row[s]; e < row[s+1]; e++ {
				a, b := NewScaled(w[e]), NewScaled(sums[i[e]])
				exact, nonzero = exact.Add(a.Mul(b)), nonzero || a.Mul(b) != (ScaledFloat{})
			}
			switch a := math.Abs(sums[s]); {
			case a == 0:
				want = want && !nonzero
			default:
				want = want && 0x1p-600 <= a && a <= 0x1p600
			}
		}
		if ok != want {
			t.Fatalf("trial %d: sums %v with shares %t, want %t", trial, sums, ok, want)
		}
		if !ok {
			has[0]++
			continue
		}
		has[1]++
		for s := range n {
			check := func(share float64, a ScaledFloat) {
				want := 0.0
				if sums[s] != 0 {
					want = a.Div(NewScaled(sums[s])).Float64()
				}
				if !(math.Abs(share-want) <= shareRounding*math.Abs(want)+shareLeast) {
					t.Fatalf("trial %d, row %d: share %v of %v in %v, want %v", trial, s, share, a, sums[s], want)
				}
			}
			check(own[s], NewScaled(x[s]))
			for e := row[s]; e < row[s+1]; e++ {
				check(term[e], NewScaled(w[e]).Mul(NewScaled(sums[i[e]])))
			}
		}
	}
	if min(has[0], has[1]) < 1000 {
		t.Errorf("%d systems without shares, %d with shares", has[0], has[1])
	}
}

// Logarithms far apart in one row, and rows of sum 0̄: the share is exp of the difference, up to
// the rounding of the logarithms.
func TestTermsLogAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	for trial := range 4000 {
		n := 1 + r.IntN(9)
		row, i := triangle(r, n)
		w, x := make([]LogProb, len(i)), make([]LogProb, n)
		for e := range w {
			w[e] = LogProb(-2000 * r.Float64() * float64(r.IntN(2)))
			if r.IntN(5) == 0 {
				w[e] = LogProb(30 * r.Float64())
			}
		}
		for s := range x {
			x[s] = LogProb(-9000 * r.Float64() * float64(r.IntN(3)))
			if r.IntN(2) == 0 {
				x[s] = Log{}.Zero()
			}
		}
		sums, term, own, ok := sweepTerms(Log{}, x, row, w, i)
		if !ok || !sameBits(Log{}, sums, x, row, w, i) {
			t.Fatalf("trial %d: sums %v differ from Sweep, or have no shares (%t)", trial, sums, ok)
		}
		for s := range n {
			exact := ScaledFromLog(float64(x[s]))
			for e := row[s]; e < row[s+1]; e++ {
				exact = exact.Add(ScaledFromLog(float64(w[e] + sums[i[e]])))
			}
			check := func(share float64, a LogProb) {
				want, rounding := 0.0, shareRounding
				if !exact.IsZero() {
					want = ScaledFromLog(float64(a)).Div(exact).Float64()
					rounding += 4 * 0x1p-53 * (math.Abs(float64(sums[s])) + math.Abs(max(float64(a), -1e9)))
				}
				if !(math.Abs(share-want) <= rounding*want+shareLeast) {
					t.Fatalf("trial %d, row %d: share %v of %v in %v, want %v", trial, s, share, a, sums[s], want)
				}
			}
			check(own[s], x[s])
			for e := row[s]; e < row[s+1]; e++ {
				check(term[e], w[e]+sums[i[e]])
			}
		}
	}
}

// Sums that are infinite or NaN, and terms that cancel, have no shares. x is still right.
func TestTermsWithoutShares(t *testing.T) {
	row, i := []int32{0, 0, 0, 2}, []int32{0, 1}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		w, x []float64
		want bool
	}{
		{[]float64{1, 2}, []float64{1, 1, 0}, true},
		{[]float64{1, 2}, []float64{1, 1, 5}, true},
		{[]float64{0, 2}, []float64{1, 0, 0}, true}, // no path
		{[]float64{nan, 2}, []float64{1, 1, 0}, false},
		{[]float64{1, inf}, []float64{1, 1, 0}, false},
		{[]float64{1, 1}, []float64{1, 1, inf}, false},
		{[]float64{1, 1}, []float64{1, 1, nan}, false},
	} {
		reals := slices.Clone(c.x)
		if _, _, _, ok := sweepTerms(Real{}, reals, row, c.w, i); ok != c.want {
			t.Errorf("Real: %v, %v has shares: %t", c.w, c.x, ok)
		}
		var ws, xs []ScaledFloat
		var wl, xl []LogProb
		for _, a := range c.w {
			ws, wl = append(ws, NewScaled(a)), append(wl, LogProb(math.Log(a)))
		}
		for _, a := range c.x {
			xs, xl = append(xs, NewScaled(a)), append(xl, LogProb(math.Log(a)))
		}
		if _, _, _, ok := sweepTerms(Scaled{}, xs, row, ws, i); ok != c.want {
			t.Errorf("Scaled: %v, %v has shares: %t", c.w, c.x, ok)
		}
		if _, _, _, ok := sweepTerms(Log{}, xl, row, wl, i); ok != c.want {
			t.Errorf("Log: %v, %v has shares: %t", c.w, c.x, ok)
		}
	}
	for x := range 2 { // 1 − 1, and 1 + 1 − 2
		w, sums := []float64{1, -1 - float64(x)}, []float64{1, 1, float64(x)}
		var ws, xs []ScaledFloat
		for _, a := range w {
			ws = append(ws, NewScaled(a))
		}
		for _, a := range sums {
			xs = append(xs, NewScaled(a))
		}
		if _, _, _, ok := sweepTerms(Scaled{}, xs, row, ws, i); ok {
			t.Errorf("Scaled: %v, %v cancel and have shares", w, sums)
		}
		if _, _, _, ok := sweepTerms(Real{}, sums, row, w, i); ok {
			t.Errorf("Real: %v, %v cancel and have shares", w, sums)
		}
	}
}
