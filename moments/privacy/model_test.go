package privacy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
	"example.org/pathsum/moments/privacy"
)

// TestResponseChannel: the channel of package moments has the probabilities of the mechanism, and
// the sum of its β over records equals the estimated total.
func TestResponseChannel(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 21))
		n := 2 + rng.IntN(4)
		u, sum := make([]float64, n), 0.0
		for i := range u {
			u[i] = .1 + rng.Float64()
			sum += u[i]
		}
		for i := range u {
			u[i] /= sum
		}
		m, err := privacy.NewRandomizedResponse(n, u, .2+3*rng.Float64())
		if err != nil {
			t.Fatal(err)
		}
		channel, err := moments.RandomizedResponse(m.Keep(), m.Replacement())
		if err != nil {
			t.Fatal(err)
		}
		phi := mat.NewDense(n, 2, nil)
		phi.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, phi)
		family, err := moments.NewFamily(phi, nil)
		if err != nil {
			t.Fatal(err)
		}
		beta, err := channel.Invert(family)
		if err != nil {
			t.Fatal(err)
		}
		var tally privacy.Tally
		want := make([]float64, 2)
		for y := range n {
			outcomes, err := m.Outcomes(y)
			if err != nil {
				t.Fatal(err)
			}
			only := make([]float64, n)
			only[y] = 1
			for o, q := range channel.Output(only) {
				if p, _ := outcomes[o].P.Float64(); math.Abs(p-q) > 1e-15 {
					t.Errorf("seed %d: S(%d | %d) = %.17g, want %.17g", seed, o, y, q, p)
				}
			}
			for range 1 + rng.IntN(5) {
				o := rng.IntN(n)
				if err := tally.Add(outcomes[o].Record); err != nil {
					t.Fatal(err)
				}
				for j := range want {
					want[j] += beta.At(o, j)
				}
			}
		}
		e, err := tally.Estimate()
		if err != nil {
			t.Fatal(err)
		}
		for j, x := range family.Mean(e.Total()) {
			if math.Abs(x-want[j]) > 1e-9*(1+math.Abs(want[j])) {
				t.Errorf("seed %d: the total of statistic %d is %g, want %g", seed, j, x, want[j])
			}
		}
	}
}
