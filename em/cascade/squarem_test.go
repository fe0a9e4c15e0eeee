package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
)

// TestSquarem: SQUAREM ends where EM does, in fewer iterations, and in some of the
// problems some steps are rejected.
func TestSquarem(t *testing.T) {
	rejected := 0
	problem, data, truth := mixture(t, em.Multinomial{}, 1)
	for seed := range trials.Seeds(20) {
		run := func(m em.Method) *em.Result {
			return fit(t, problem, data, &em.Options{Method: m, Iterations: 100000, Tolerance: 1e-13,
				Start: problem.Params.Random(rand.New(rand.NewPCG(seed, 1))),
				Observer: func(e em.Event) {
					if e.Step == em.RejectedStep {
						rejected++
					}
				}})
		}
		plain, fast := run(em.EM{}), run(em.Squarem{})
		if 3*fast.Iterations() > plain.Iterations() {
			t.Errorf("seed %d: %d iterations, EM %d", seed, fast.Iterations(), plain.Iterations())
		}
		for i, want := range truth {
			if math.Abs(fast.Theta[i]-want) > 1e-4 {
				t.Errorf("seed %d: θ%d is %g after %d iterations, want %g", seed, i, fast.Theta[i], fast.Iterations(), want)
			}
		}
	}
	if rejected == 0 {
		t.Error("no step was rejected")
	}
}

// TestSquaremStep: an extrapolation from θ₀, θ₁ and θ₂ goes where its formula says, with
// the α of scheme S3 or a lower bound of it, which is a power of 4.
func TestSquaremStep(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, 1)
	free, bounded := 0, 0
	for seed := range trials.Seeds(10) {
		var thetas [][]float64
		run := func(m em.Method, start []float64, iterations int, see func(em.Event)) []float64 {
			return fit(t, problem, data, &em.Options{Method: m, Start: start, Iterations: iterations, Tolerance: -1, Observer: see}).Theta
		}
		run(em.Squarem{}, problem.Params.Random(rand.New(rand.NewPCG(seed, 1))), 12, func(e em.Event) {
			thetas = append(thetas, slices.Clone(e.Theta))
			if e.Step != em.Extrapolation && e.Step != em.RejectedStep {
				return
			}
			n := len(thetas)
			x0, x1, x2, got := logits(thetas[n-3]), logits(thetas[n-2]), logits(run(em.EM{}, thetas[n-2], 1, nil)), logits(e.Theta)
			r, v := make([]float64, len(x0)), make([]float64, len(x0))
			floats.SubTo(r, x1, x0)
			floats.SubTo(v, x2, x1)
			floats.Sub(v, r)
			alpha := floats.Norm(r, 2) / floats.Norm(v, 2)
			goes := func(alpha float64) bool {
				x := slices.Clone(x0)
				floats.AddScaled(x, 2*alpha, r)
				floats.AddScaled(x, alpha*alpha, v)
				return floats.EqualFunc(got, x, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*(1+math.Abs(b)) })
			}
			bound := 4.0
			for bound < alpha && !goes(bound) {
				bound *= 4
			}
			switch {
			case bound < alpha:
				bounded++
			case goes(alpha):
				free++
			default:
				t.Errorf("seed %d, iteration %d: no step of α = %g or less leads to %v", seed, e.Iteration, alpha, e.Theta)
			}
		})
	}
	if free == 0 || bounded == 0 {
		t.Errorf("%d steps of the α wanted and %d of less", free, bounded)
	}
}

// logits returns ln θᵢ/θ_last for all i but the last.
func logits(theta []float64) (x []float64) {
	last := len(theta) - 1
	for _, p := range theta[:last] {
		x = append(x, math.Log(p)-math.Log(theta[last]))
	}
	return x
}

// bare is a law without coordinates.
type bare struct{ em.Law }

// TestBare: without coordinates SQUAREM makes the steps of EM, and methods that
// follow a gradient name the group.
func TestBare(t *testing.T) {
	problem, data, _ := mixture(t, bare{em.Multinomial{}}, 1)
	want := fit(t, problem, data, &em.Options{Iterations: 20})
	if got := fit(t, problem, data, &em.Options{Method: em.Squarem{}, Iterations: 20}); !sameBits(got, want) {
		t.Error("other bits than EM")
	}
	for _, m := range []em.Method{em.LBFGS{}, em.SGD{}} {
		_, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Method: m})
		if !errors.Is(err, em.ErrCoordinates) {
			t.Errorf("error %v, want ErrCoordinates", err)
		}
		wantIn(t, err, m.String(), "group mix")
	}
}

// BenchmarkSlow measures the E steps that methods need to come within 1e-6 nats of
// the best objective of a problem in which much is hidden.
func BenchmarkSlow(b *testing.B) {
	for _, overlap := range []float64{.5, 2, 8} {
		for _, m := range []em.Method{em.EM{}, em.Squarem{}, em.LBFGS{}} {
			b.Run(fmt.Sprintf("overlap=%g/%v", overlap, m), func(b *testing.B) {
				problem, data, truth := mixture(b, em.Multinomial{}, overlap)
				l := likelihood(b, problem, cascade.Data{Examples: data})
				e, err := l.Expect(context.Background(), em.Query{Theta: truth})
				if err != nil {
					b.Fatal(err)
				}
				steps := 0
				for b.Loop() {
					ctx, cancel := context.WithCancel(context.Background())
					steps = 0
					em.Fit(ctx, l, &em.Options{Method: m, Iterations: 1000000, Tolerance: -1, Observer: func(v em.Event) {
						steps++
						if v.Objective > e.LogLikelihood-1e-6 {
							cancel()
						}
					}})
				}
				b.ReportMetric(float64(steps), "E-steps")
			})
		}
	}
}
