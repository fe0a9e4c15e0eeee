package phylo

import (
	"math"
	"testing"

	"example.org/pathsum/internal/trials"
)

func randomRates(seed uint64) *rates {
	r := random(seed)
	var pi [bases]float64
	var s [6]float64
	sum := 0.0
	for b := range pi {
		pi[b] = r.ExpFloat64() + 1e-3
		sum += pi[b]
	}
	for b := range pi {
		pi[b] /= sum
	}
	for i := range s {
		s[i] = r.ExpFloat64()
	}
	return must(newRates(pi, s))
}

// exp(Qt) has rows that sum to 1, is in balance with π, and goes on where it left off;
// for short times it is 1 + Qt, for long ones π.
func TestTransition(t *testing.T) {
	for seed := range trials.Seeds(300) {
		q := randomRates(seed)
		times := random(seed + 1000)
		s, u := times.ExpFloat64(), times.ExpFloat64()
		ps, pu, whole, long := q.transition(s), q.transition(u), q.transition(s+u), q.transition(1e6)
		const step = 1e-5
		short, half := q.transition(step), q.transition(step/2)
		change, fastest := 0.0, 0.0
		for i := range bases {
			fastest = max(fastest, -q.q[i][i])
		}
		for i := range bases {
			change -= q.pi[i] * q.q[i][i]
			row := 0.0
			for j := range bases {
				row += ps[i][j]
				composed := 0.0
				for k := range bases {
					composed += ps[i][k] * pu[k][j]
				}
				if !near(composed, whole[i][j], 1e-12) {
					t.Fatalf("seed %d: %v composed, %v at once", seed, composed, whole[i][j])
				}
				if !near(q.pi[i]*ps[i][j], q.pi[j]*ps[j][i], 1e-12) {
					t.Fatalf("seed %d: not in balance", seed)
				}
				rate := (4*half[i][j] - short[i][j]) / step // up to terms of step²
				if i != j && math.Abs(rate-q.q[i][j]) > 1e-9*(1+fastest*fastest*fastest) {
					t.Fatalf("seed %d: a rate of %v in a short time, want %v", seed, rate, q.q[i][j])
				}
				if !near(long[i][j], q.pi[j], 1e-9) {
					t.Fatalf("seed %d: %v in a long time, want %v", seed, long[i][j], q.pi[j])
				}
			}
			if !near(row, 1, 1e-13) {
				t.Fatalf("seed %d: a row sums to %v", seed, row)
			}
		}
		if !near(change, 1, 1e-13) {
			t.Fatalf("seed %d: %v substitutions in a unit of time", seed, change)
		}
	}
}

// Closed forms of Jukes and Cantor 1969, and of Hasegawa, Kishino and Yano 1985.
func TestClosedForms(t *testing.T) {
	jc := must(newRates([bases]float64{.25, .25, .25, .25}, [6]float64{1, 1, 1, 1, 1, 1}))
	pi, kappa := [bases]float64{.1, .2, .3, .4}, 3.5
	hky := must(newRates(pi, [6]float64{1, kappa, 1, 1, kappa, 1}))
	purines, pyrimidines := pi[0]+pi[2], pi[1]+pi[3]
	beta := 1 / (2*purines*pyrimidines + 2*kappa*(pi[0]*pi[2]+pi[1]*pi[3]))
	for _, time := range []float64{0, 1e-12, .01, .3, 1, 20} {
		p, q := jc.transition(time), hky.transition(time)
		decay := math.Exp(-4 * time / 3)
		for i := range bases {
			for j := range bases {
				want := (1 - decay) / 4
				if i == j {
					want = (1 + 3*decay) / 4
				}
				if !near(p[i][j], want, 1e-14) {
					t.Errorf("JC69, time %g: %v, want %v", time, p[i][j], want)
				}
				group := purines
				if j%2 == 1 {
					group = pyrimidines
				}
				e, f := math.Exp(-beta*time), math.Exp(-beta*time*(1+group*(kappa-1)))
				switch {
				case i == j:
					want = pi[j] + pi[j]*(1/group-1)*e + (group-pi[j])/group*f
				case (i+j)%2 == 0:
					want = pi[j] + pi[j]*(1/group-1)*e - pi[j]/group*f
				default:
					want = pi[j] * (1 - e)
				}
				if !near(q[i][j], want, 1e-13) {
					t.Errorf("HKY85, time %g: %d to %d is %v, want %v", time, i, j, q[i][j], want)
				}
			}
		}
	}
}

func TestGamma(t *testing.T) {
	// The exponential distribution has its median at ln 2, and mean 1 − ln 2 below.
	half := make([]float64, 2)
	if err := gammaRates(half, 1); err != nil || !near(half[0], 1-math.Ln2, 1e-12) || !near(half[1], 1+math.Ln2, 1e-12) {
		t.Errorf("%v, %v", half, err)
	}
	for _, shape := range []float64{leastShape, .05, .5, 1, 3, 100, greatestShape} {
		for _, n := range []int{1, 2, 4, 10} {
			rate := make([]float64, n)
			if err := gammaRates(rate, shape); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for k, r := range rate {
				if sum += r; !(r >= 0) || k > 0 && r < rate[k-1] {
					t.Errorf("shape %g: rates %v", shape, rate)
				}
			}
			total := 0.0
			for _, s := range gammaSlopes(n, shape) {
				total += s
			}
			if !near(sum, float64(n), 1e-12) || !near(total, 0, 1e-8) {
				t.Errorf("shape %g: rates sum to %v, slopes to %v", shape, sum, total)
			}
		}
	}
	for _, shape := range []float64{0, math.NaN(), math.Inf(1)} {
		if gammaRates(half, shape) == nil {
			t.Errorf("shape %g is no error", shape)
		}
	}
}
