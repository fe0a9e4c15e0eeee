package em_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// bag returns the likelihood of five series of ten throws. Each series was thrown with one of
// two coins, drawn blindly from a bag; which one is hidden (Do and Batzoglou 2008). θ is heads
// and tails of the first coin, then of the second.
func bag(law em.Law) em.Excluder {
	likelihood, err := bagOf(law).Likelihood(series())
	if err != nil {
		log.Fatal(err)
	}
	return likelihood
}

// bagOf returns the machine of the bag: it draws a coin, and throws it repeatedly.
func bagOf(law em.Law) cascade.Problem {
	type arcs = []fst.Arc[expr.W]
	params := em.NewParams()
	a, b := params.Group("A", 2, law), params.Group("B", 2, law)
	a.SetStart([]float64{.6, .4})
	half := params.Space().Const(semiring.NewScaled(.5))
	machine := fst.FromArcs(params.Space(), map[int32]expr.W{1: expr.One, 2: expr.One},
		arcs{{Weight: half, To: 1}, {Weight: half, To: 2}},
		arcs{{In: 'H', Out: 'H', Weight: a.Weight(0), To: 1}, {In: 'T', Out: 'T', Weight: a.Weight(1), To: 1}},
		arcs{{In: 'H', Out: 'H', Weight: b.Weight(0), To: 2}, {In: 'T', Out: 'T', Weight: b.Weight(1), To: 2}})
	return cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}
}

// series returns the throws, H for heads and T for tails.
func series() cascade.Data {
	data := cascade.Data{ShardSize: 1}
	for _, series := range []string{"HTTTHHTHTH", "HHHHTHHHHH", "HTHHHHHTHH", "HTHTTTHHTT", "THHHTHHHTH"} {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Text(series), Name: series})
	}
	return data
}

// How often does each coin of the bag show heads? The paper's answer is 0.80 and 0.52.
func ExampleEM() {
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{Method: em.EM{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: heads %.2f and %.2f\n", result.Status, result.Theta[0], result.Theta[2])
	// Output: converged: heads 0.80 and 0.52
}

// Hard assignments: each series belongs wholly to the coin that explains it better. The first
// coin gets the series with 9, 8 and 7 heads, the second coin those with 5 and 4.
func ExampleEStep() {
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{EStep: em.Viterbi})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.2f and %.2f\n", result.Theta[0], result.Theta[2])
	// Output: heads 0.80 and 0.45
}

// A bag of which only the mixture is unknown: one kind of coin shows heads with probability .5, the
// other with .6. The kinds are similar, so EM converges slowly, and SQUAREM extrapolates.
func ExampleSquarem() {
	params := em.NewParams()
	mix, k := params.Group("mix", 2, em.Multinomial{}), params.Space()
	heads := k.Plus(k.Times(mix.Weight(0), k.Const(semiring.NewScaled(.5))), k.Times(mix.Weight(1), k.Const(semiring.NewScaled(.6))))
	tails := k.Plus(k.Times(mix.Weight(0), k.Const(semiring.NewScaled(.5))), k.Times(mix.Weight(1), k.Const(semiring.NewScaled(.4))))
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels('H'), Weight: em.Times(57)}, {X: cascade.Labels('T'), Weight: em.Times(43)}}}
	machine := letter(params, fst.Arc[expr.W]{In: 'H', Out: 'H', Weight: heads}, fst.Arc[expr.W]{In: 'T', Out: 'T', Weight: tails})
	likelihood, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	for _, method := range []em.Method{em.EM{}, em.Squarem{}} {
		result, err := em.Fit(context.Background(), likelihood, &em.Options{Method: method, Iterations: 25, Tolerance: 1e-9})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %v at %.2f of the first kind\n", method, result.Status, result.Theta[0])
	}
	// Output:
	// EM: iteration limit at 0.46 of the first kind
	// SQUAREM: converged at 0.30 of the first kind
}

// Following the gradient finds the same coins. The gradient is 0 at the maximum.
func ExampleLBFGS() {
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{Method: em.LBFGS{}, Tolerance: 1e-12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.2f and %.2f, derivative %.3f\n", result.Theta[0], result.Theta[2], result.GradientNorm)
	// Output: heads 0.80 and 0.52, derivative 0.000
}

// A step along the gradient of one series at a time; the result is the mean of all points met.
func ExampleSGD() {
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{
		Method: em.SGD{}, Iterations: 100,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.1f and %.1f\n", result.Theta[0], result.Theta[2])
	// Output: heads 0.8 and 0.5
}

// An M step after each series, with the most recent counts of the others.
func ExampleIncremental() {
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{Method: em.Incremental{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: heads %.2f and %.2f\n", result.Status, result.Theta[0], result.Theta[2])
	// Output: converged: heads 0.80 and 0.52
}

// Running counts: each series moves them by less than the previous one.
func ExampleStepwise() {
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{
		Method: em.Stepwise{Power: .9}, Iterations: 60,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.1f and %.1f\n", result.Theta[0], result.Theta[2])
	// Output: heads 0.8 and 0.5
}

// Ten random starts, of which the worse half is dropped after each round.
func ExamplePrune() {
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{
		Restarts: 10, Rand: rand.NewPCG(1, 1), Prune: em.Prune{After: 3},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f nats; the second start: %v\n", result.LogLikelihood, result.Starts[1].Status)
	// Output: -31.57 nats; the second start: pruned
}

// An observer that prints each iteration.
func ExampleEvent() {
	_, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{Iterations: 4, Observer: func(e em.Event) {
		fmt.Printf("%d: %.3f nats at heads %.2f and %.2f\n", e.Iteration, e.Objective, e.Theta[0], e.Theta[2])
	}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0: -33.094 nats at heads 0.60 and 0.50
	// 1: -31.859 nats at heads 0.71 and 0.58
	// 2: -31.723 nats at heads 0.75 and 0.57
	// 3: -31.628 nats at heads 0.77 and 0.55
}

// An interrupted run resumes from its checkpoint, with the same result.
func ExampleOptions_checkpoint() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	options := &em.Options{Checkpoint: filepath.Join(dir, "state"), Observer: func(e em.Event) {
		if e.Iteration == 3 {
			cancel()
		}
	}}
	stopped, err := em.Fit(ctx, bag(em.Multinomial{}), options)
	fmt.Println(stopped.Status, err)
	resumed, err := em.Fit(context.Background(), bag(em.Multinomial{}), options)
	if err != nil {
		log.Fatal(err)
	}
	whole, err := em.Fit(context.Background(), bag(em.Multinomial{}), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resumed.Status, resumed.Theta[0] == whole.Theta[0])
	// Output:
	// canceled em: canceled after 4 iterations: context canceled
	// converged true
}

// Annealing: at a low β both coins share every series, and as β rises they separate. The best
// start is not far below the β at which they separate.
func ExampleAnneal() {
	beta := 0.
	result, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{
		Method: em.Anneal{From: .5, Factor: 1.5}, Tolerance: 1e-9, Observer: func(e em.Event) {
			if e.Temperature != beta {
				beta = e.Temperature
				fmt.Printf("β = %.2f from heads %.2f and %.2f\n", beta, e.Theta[0], e.Theta[2])
			}
		}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: heads %.2f and %.2f\n", result.Status, result.Theta[0], result.Theta[2])
	// Output:
	// β = 0.50 from heads 0.60 and 0.50
	// β = 0.75 from heads 0.66 and 0.66
	// β = 1.00 from heads 0.67 and 0.65
	// converged: heads 0.80 and 0.52
}

// EM as descent of the free energy F[θ, q]. The E step takes the posterior for q, where F is minus
// the log likelihood. With that q the M step lowers F, and the next E step lowers it again.
func ExampleFreeEnergy() {
	ctx, likelihood := context.Background(), bag(em.Multinomial{})
	before := likelihood.Params().Start()
	fit, err := em.Fit(ctx, likelihood, &em.Options{Iterations: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range []struct{ theta, q []float64 }{{before, before}, {fit.Theta, before}, {fit.Theta, fit.Theta}} {
		f, err := em.FreeEnergy(ctx, likelihood, x.theta, em.Query{Theta: x.q})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f\n", f)
	}
	// Output:
	// 33.094
	// 31.997
	// 31.859
}

// F of a q that is not a posterior: each series is assigned to either coin with probability ½. F
// exceeds minus the log likelihood by the divergence of this q from the posterior.
func ExampleFreeEnergy_anyDistribution() {
	problem, theta := bagOf(em.Multinomial{}), []float64{.8, .2, .52, .48}
	ring := semiring.Scaled{}
	machine, err := cascade.Instantiate(problem.Params, problem.Stages[0], theta, ring)
	if err != nil {
		log.Fatal(err)
	}
	energy, least := 0.0, 0.0
	for _, x := range series().Examples {
		throws, _ := x.X.Labels()
		lattice, err := fst.Expand(fst.Compose(fst.FromString(ring, throws), machine), nil)
		if err != nil {
			log.Fatal(err)
		}
		p := lattice.Graph() // two paths, of weights P(series, coin | θ)
		q := graph.Map(p, ring, func(w semiring.ScaledFloat) semiring.ScaledFloat {
			if ring.IsZero(w) { // of a state that is not final
				return w
			}
			return ring.One()
		})
		divergence, err := graph.KullbackLeibler(q, p)
		if err != nil {
			log.Fatal(err)
		}
		total, err := graph.PathSum(p)
		if err != nil {
			log.Fatal(err)
		}
		energy, least = energy+divergence-total.Log(), least-total.Log()
	}
	fmt.Printf("F = %.2f, at the posterior %.2f\n", energy, least)
	// Output: F = 34.39, at the posterior 31.57
}
