package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// TestSquarem: SQUAREM reaches the result of EM in fewer iterations, and in some of the problems
// some steps are rejected.
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

// TestSquaremStep: an extrapolation from θ₀, θ₁ and θ₂ follows its formula, with the α of scheme
// S3 or a lower bound of it, which is a power of 4.
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

// BenchmarkSlow measures the number of E steps in which methods come within 1e-6 nats of the best
// objective of a problem with many hidden choices.
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

// silentLoop reads any number of a's and writes p's: λ and μ are the probabilities of continuing
// each. The a's are hidden, so that the sum over them is 1 at β = 1, for any λ. At a lower β it
// rises without bound as λ approaches 1.
func silentLoop(t testing.TB, law em.Law, text string) (cascade.Problem, cascade.Data) {
	t.Helper()
	params := em.NewParams()
	alphabet := fst.NewSymbols("a", "b", "p")
	c := rx.NewCompiler(params.Space(), alphabet)
	c.Groups = em.Alternatives(params, func(string, []string) em.Law { return law })
	f, err := c.Compile(rx.MustParse(text))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := alphabet.Find("p")
	data := cascade.Data{Examples: []cascade.Example{{Y: cascade.Labels(p, p)}, {Y: cascade.Labels(p)}, {Y: cascade.Labels()}}}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, data
}

// TestAnnealSilentLoops: at a low β a silent loop is driven so close to the divergence of its sum
// that the rounding of θ moves the objective. From every start annealing reaches the maximum: for
// any number of loops, the output is geometric, of mean 1.
func TestAnnealSilentLoops(t *testing.T) {
	want, fits, short := -6*math.Ln2, 0, 0
	for i, text := range []string{"(a:())*_λ (b:p)*_μ", "(a:() +_ν b:p)*_μ", "((a:())*_λ b:p)*_μ", "(a:p)*_λ (b:())*_μ"} {
		problem, data := silentLoop(t, em.Multinomial{}, text)
		l := likelihood(t, problem, data)
		for seed := range trials.Seeds(160) {
			for _, m := range []em.Method{em.Anneal{}, em.Anneal{From: .02, Factor: 1.3, Iterations: 30}} {
				fits++
				r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: problem.Params.Random(rand.NewPCG(7+seed, 2)), Iterations: 2000})
				if err != nil {
					t.Errorf("model %d, seed %d, %+v: %v", i, seed, m, err)
					continue
				}
				if r.Status != em.Converged || r.Last() > want+1e-5 {
					t.Errorf("model %d, seed %d, %+v: %v at %.12g, want %.12g", i, seed, m, r.Status, r.Last(), want)
				}
				if r.Last() < want-1e-5 {
					short++ // EM hardly moves with this many silent steps
				}
			}
		}
	}
	if short*1280 > 12*fits {
		t.Errorf("%d of %d end below %g", short, fits, want)
	}
}

// TestRoundingIsNoFall: from a start so close to the divergence of a sum that rounding moves the
// objective, methods that never lower it converge.
func TestRoundingIsNoFall(t *testing.T) {
	problem, data := silentLoop(t, em.Multinomial{}, "(a:())*_λ (b:p)*_μ")
	l := likelihood(t, problem, data)
	i, ok := problem.Params.Lookup("λ[heads]")
	j, also := problem.Params.Lookup("λ[tails]")
	if !ok || !also {
		t.Fatal("no λ")
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		start := problem.Params.Random(rng)
		start[j] = math.Exp(-22 - 10*rng.Float64()) // 3e-10 to 1e-14
		start[i] = 1 - start[j]
		for _, m := range []em.Method{em.EM{}, em.Squarem{}, em.Incremental{}, em.Anneal{From: .9}} {
			r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: start})
			if err != nil {
				t.Errorf("%v from 1 − λ = %g: %v", m, start[j], err)
				continue
			}
			if want := -6 * math.Ln2; r.Status != em.Converged || math.Abs(r.Last()-want) > .3 {
				t.Errorf("%v from 1 − λ = %g: %v at %g, want %g", m, start[j], r.Status, r.Last(), want)
			}
		}
	}
}

// TestAveragedSGD: the result is the mean of the points after each step, which equal the points
// of SGD without averaging. This also holds if training is interrupted and resumed from a
// checkpoint.
func TestAveragedSGD(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, .5)
	start := problem.Params.Random(rand.New(rand.NewPCG(2, 3)))
	coordinates := coordinatesOf(t, problem.Params, start)
	const iterations = 17
	mean, steps := make([]float64, coordinates.Dim()), 0
	add := func(theta []float64) {
		steps++
		floats.Add(mean, coordinates.Of(theta))
	}
	opts := em.Options{Method: em.SGD{Shards: 9, Rate: .3}, Start: start, Iterations: iterations, Tolerance: -1}
	opts.Observer = func(e em.Event) {
		if e.Iteration > 0 {
			add(e.Theta)
		}
	}
	last := fit(t, problem, data, &opts)
	add(last.Theta)
	if steps != iterations {
		t.Fatalf("%d steps, want %d", steps, iterations)
	}
	floats.Scale(1/float64(steps), mean)

	opts.Method, opts.Observer = em.SGD{Shards: 9, Rate: .3, Average: true}, nil
	averaged := fit(t, problem, data, &opts)
	if !slices.Equal(averaged.Objective, last.Objective) {
		t.Error("averaging changes the steps")
	}
	got := coordinates.Of(averaged.Theta)
	if !floats.EqualApprox(got, mean, 1e-12) || floats.EqualApprox(got, coordinates.Of(last.Theta), 1e-3) {
		t.Errorf("the result is %v, want %v", got, mean)
	}

	opts.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	ctx, cancel := context.WithCancel(context.Background())
	opts.Observer = func(e em.Event) {
		if e.Iteration == 12 {
			cancel()
		}
	}
	if _, err := problem.Fit(ctx, cascade.Data{Examples: data}, &opts); err == nil {
		t.Fatal("training was not broken off")
	}
	opts.Observer = nil
	if resumed := fit(t, problem, data, &opts); !slices.Equal(resumed.Theta, averaged.Theta) {
		t.Errorf("%v after a break, %v without", resumed.Theta, averaged.Theta)
	}
}

// TestViterbiCounts compares the E step of the best paths with enumeration.
func TestViterbiCounts(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		params := em.NewParams()
		f := channel(t, params, em.Multinomial{}, 2)
		theta := params.Random(rng)
		in, out := randomLabels(rng, 4), randomLabels(rng, 4)
		e, err := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}},
			cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(in...), Y: cascade.Labels(out...), Weight: em.Times(2)}}}).
			Expect(context.Background(), em.Query{Theta: theta, EStep: em.Viterbi})
		if err != nil {
			t.Fatal(err)
		}
		k := semiring.Semiring[weight](params.Space())
		m := fst.Compose(fst.Compose(fst.FromString(k, in), f), fst.FromString(k, out))
		lattice, err := fst.Expand(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		best, counts := math.Inf(-1), make([]float64, params.Len())
		paths := slices.Collect(lattice.Paths())
		leaves := make([]semiring.ScaledFloat, len(theta))
		for i, x := range theta {
			leaves[i] = semiring.NewScaled(x)
		}
		values, err := params.Space().Evaluate(nil, leaves)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if logp := values[path.Weight].Log(); logp > best {
				best = logp
				clear(counts)
				once := make([]float64, len(values))
				once[path.Weight] = 2
				params.Space().Backpropagate(values, once, counts)
			}
		}
		if math.Abs(e.LogLikelihood-2*best) > 1e-9 {
			t.Errorf("seed %d: best path has ln P %g, want %g", seed, e.LogLikelihood/2, best)
		}
		for i, want := range counts {
			if math.Abs(e.Counts[i]-want) > 1e-12 {
				t.Errorf("seed %d: count %d is %g, want %g", seed, i, e.Counts[i], want)
			}
		}
	}
}
