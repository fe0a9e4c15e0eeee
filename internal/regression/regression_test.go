package regression

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/moments/privacy"
)

// TestTold: the information of a record about one weight agrees with a formula for small ε, and
// otherwise with draws of the score, in which the largest are distinguished from the others.
func TestTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	scores := make([]float64, 200000)
	for i := range scores {
		scores[i] = rng.NormFloat64() * rng.NormFloat64()
	}
	slices.Sort(scores)
	slices.Reverse(scores)
	before := 0.0
	for _, e := range []float64{.01, .5, 1, 2, 4, 8} {
		got := told(e)
		half := math.Pow(2/math.Pi*math.Tanh(e/2), 2) // the sign of the score, at random
		if got < half*.999 || e < .1 && got > half*1.01 || got <= before {
			t.Errorf("ε = %g: %g, the sign tells %g", e, got, half)
		}
		before = got
		grow, sum, most := math.Expm1(e), 0.0, 0.0
		for k, x := range scores {
			sum += x
			n := float64(len(scores))
			most = max(most, grow*sum/n/(1+grow*float64(k+1)/n))
		}
		if e <= 4 && math.Abs(got/(most*most)-1) > .03 {
			t.Errorf("ε = %g: %g, from draws %g", e, got, most*most)
		}
	}
}

// TestQuestions: answers about normal features estimate the error of the weights with the
// stated accuracy; for small ε bits are more informative, for large ε the largest product.
func TestQuestions(t *testing.T) {
	const width, n = 4, 60000
	rng := rand.New(rand.NewPCG(7, 8))
	off := []float64{.2, -.1, 0, .1}
	for _, ask := range []func(int, float64) (question, error){askBits, askLargest} {
		for _, epsilon := range []float64{2, 6} {
			q, err := ask(width, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			var tally privacy.Tally
			x := make([]float64, width)
			for range n {
				y := residual * rng.NormFloat64() / wide
				for j := range x {
					x[j] = min(max(rng.NormFloat64()/wide, -1), 1)
					y += off[j] * x[j]
				}
				r, err := q.answer(x, y, privacy.NotPrivate(rng))
				if err != nil {
					t.Fatal(err)
				}
				if err := tally.Add(r); err != nil {
					t.Fatal(err)
				}
			}
			e, err := tally.Estimate()
			if err != nil {
				t.Fatal(err)
			}
			gradient, variance := q.read(e)
			for j, g := range gradient {
				if math.Abs(g-off[j]) > 5*math.Sqrt(variance)+.1*math.Abs(off[j]) {
					t.Errorf("ε = %g: gradient %v, want %v ± %g", epsilon, gradient, off, math.Sqrt(variance))
				}
			}
			if got := width / (n * variance); math.Abs(got/q.tells-1) > .1 {
				t.Errorf("ε = %g: answers tell %g, %g was promised", epsilon, got, q.tells)
			}
		}
	}
	for epsilon, more := range map[float64]bool{.5: false, 1: false, 4: true, 8: true} {
		bits, err := askBits(11, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		largest, err := askLargest(11, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if (largest.tells > bits.tells) != more || bits.loss > epsilon || largest.loss > epsilon {
			t.Errorf("ε = %g: bits tell %g, the largest %g", epsilon, bits.tells, largest.tells)
		}
	}
}

// TestBound: on average over tables with uncorrelated features, the regression in rounds comes
// close to the bound and does not exceed it.
func TestBound(t *testing.T) {
	const n, width, signal, tables = 2500, 5, .4, 12
	for _, e := range []float64{1, 3} {
		m, err := gradients(rounds)(width, e)
		if err != nil {
			t.Fatal(err)
		}
		var r2 []float64
		for seed := range uint64(tables) {
			data := Simulate(100+seed, n, width, signal, 0)
			_, scores, err := Try(t.Context(), data, []Release{m}, rand.New(rand.NewPCG(seed, 3)))
			if err != nil {
				t.Fatal(err)
			}
			r2 = append(r2, scores[0].R2)
		}
		got := program.NewDeviation(r2)
		bound, slack := Bound(n-n/5, width, signal, e), 3*got.SD/math.Sqrt(tables)
		if got.Mean > bound+slack || got.Mean < .6*bound-slack || bound > signal {
			t.Errorf("ε = %g: R² %g ± %g, bound %g of %g", e, got.Mean, got.SD, bound, signal)
		}
	}
	if x := Bound(1e9, 3, .5, 1); x < .4999 || x > .5 {
		t.Errorf("of very many people: %g", x)
	}
	if Bound(100, 3, 0, 1) != 0 || Bound(100, 3, -.1, 1) != -.1 {
		t.Error("a bound where there is nothing to explain")
	}
}

// TestSolve: without noise the weights are the least-squares weights, for a singular matrix
// those of least norm; with noise they are not much longer, and go to 0 as it grows.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		const width = 4
		want := []float64{rng.NormFloat64(), rng.NormFloat64(), 0, rng.NormFloat64()}
		mean := make([]float64, Statistics(width))
		const rows = 50
		for range rows {
			x := []float64{rng.NormFloat64(), rng.NormFloat64(), 0, rng.NormFloat64()} // a constant
			y := 0.0
			for j := range x {
				y += want[j] * x[j]
			}
			for k, p := range products(x, y) {
				mean[k] += p / rows
			}
		}
		noise := make([]float64, len(mean))
		w, err := solve(mean, noise, width)
		if err != nil {
			t.Fatal(err)
		}
		for j := range w {
			if math.Abs(w[j]-want[j]) > 1e-9 {
				t.Errorf("weights %v, want %v", w, want)
			}
		}
		for _, size := range []float64{.01, .1, 1, 10, 1e6} {
			for k := range noise {
				noise[k] = size
			}
			w, err := solve(mean, noise, width)
			if err != nil {
				t.Fatal(err)
			}
			if n := floats.Norm(w, 2); !(n <= 1.5*floats.Norm(want, 2)) || size > 1e5 && n > 1e-3 {
				t.Errorf("noise %g: weights %v, without it %v", size, w, want)
			}
		}
	}
}
