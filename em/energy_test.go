package em_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
)

// bagEnergy is F by its definition: theta and lambda are heads and tails of either coin, q is the
// posterior of the coin at lambda, or all mass on the likelier one.
func bagEnergy(theta, lambda []float64, best bool) float64 {
	energy := 0.0
	for _, x := range series().Examples {
		heads := float64(strings.Count(x.Name, "H"))
		tails := float64(len(x.Name)) - heads
		joint := func(p []float64, coin int) float64 {
			return .5 * math.Pow(p[2*coin], heads) * math.Pow(p[2*coin+1], tails)
		}
		first := joint(lambda, 0) / (joint(lambda, 0) + joint(lambda, 1))
		if best {
			first = math.Round(first)
		}
		for coin, q := range []float64{first, 1 - first} {
			if q > 0 {
				energy += q * (math.Log(q) - math.Log(joint(theta, coin)))
			}
		}
	}
	return energy
}

// The free energy is what enumeration gives, for any θ and any q. It is least at the posterior,
// where it is minus the log likelihood, and an M step lowers it.
func TestFreeEnergy(t *testing.T) {
	l := bag(em.Multinomial{})
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		theta, lambda := l.Params().Random(r), l.Params().Random(r)
		for _, of := range []em.EStep{em.Marginal, em.Viterbi} {
			got, err := em.FreeEnergy(t.Context(), l, theta, em.Query{Theta: lambda, EStep: of})
			if err != nil {
				t.Fatal(err)
			}
			if want := bagEnergy(theta, lambda, of == em.Viterbi); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
				t.Fatalf("%v: F[%v, q(%v)] is %.15g, want %.15g", of, theta, lambda, got, want)
			}
			log, err := em.LogLikelihood(t.Context(), l, theta)
			if err != nil {
				t.Fatal(err)
			}
			if got < -log-1e-10 {
				t.Fatalf("F = %g below minus the log likelihood, %g", got, -log)
			}
		}
		same, err := em.FreeEnergy(t.Context(), l, theta, em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		log, _ := em.LogLikelihood(t.Context(), l, theta)
		if math.Abs(same+log) > 1e-10 {
			t.Fatalf("F = %g at the posterior, want %g", same, -log)
		}
		fit, err := em.Fit(t.Context(), l, &em.Options{Start: lambda, Iterations: 1, Tolerance: -1})
		if err != nil {
			t.Fatal(err)
		}
		before, after := bagEnergy(lambda, lambda, false), bagEnergy(fit.Theta, lambda, false)
		lower, err := em.FreeEnergy(t.Context(), l, fit.Theta, em.Query{Theta: lambda})
		if err != nil || math.Abs(lower-after) > 1e-10*(1+math.Abs(after)) || lower > before+1e-10 {
			t.Fatalf("the M step leads from %g to %g, enumerated %g: %v", before, lower, after, err)
		}
	}
}

func TestFreeEnergyErrors(t *testing.T) {
	l := bag(em.Multinomial{})
	theta := []float64{.5, .5, .4, .6}
	if f, err := em.FreeEnergy(t.Context(), l, []float64{1, 0, .5, .5}, em.Query{Theta: theta}); err != nil || !math.IsInf(f, 1) {
		t.Errorf("F = %g where q allows the impossible: %v", f, err)
	}
	for name, x := range map[string]struct {
		l     em.Likelihood
		theta []float64
		q     em.Query
		want  error
	}{
		"difference":  {&em.Difference{Plus: l, Minus: l}, theta, em.Query{Theta: theta}, em.ErrMethod},
		"risk":        {&em.Risk{Likelihood: l, Loss: make([]float64, 4)}, theta, em.Query{Theta: theta}, em.ErrMethod},
		"temperature": {l, theta, em.Query{Theta: theta, Temperature: .5}, em.ErrMethod},
		"shards":      {l, theta, em.Query{Theta: theta, Lo: 1, Hi: 2}, em.ErrMethod},
		"theta":       {l, []float64{1}, em.Query{Theta: theta}, em.ErrParameter},
		"q":           {l, theta, em.Query{}, em.ErrParameter},
	} {
		if _, err := em.FreeEnergy(t.Context(), x.l, x.theta, x.q); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
}
