package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// sparseChannel copies, changes or drops each of two letters; one distribution each has law.
func sparseChannel(t testing.TB, law em.Law) cascade.Problem {
	t.Helper()
	var arcs []fst.Arc[bool]
	for _, in := range "ab" {
		for _, out := range []rune{'a', 'b', fst.Epsilon} {
			arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
		}
	}
	plain := fst.OneState(semiring.Boolean{}, true, arcs...)
	params := em.NewParams()
	channel := cascade.Conditional(params, "channel", plain, law)
	return cascade.Problem{Params: params, Stages: []cascade.Stage{channel}}
}

// fourPairs are what went into a channel and came out.
func fourPairs() cascade.Data {
	return cascade.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
}

// floored is the log density of a Dirichlet prior at the counts of theta where no probability is
// below the least float64, up to a constant: by it all points of the simplex compare.
func floored(theta []float64, alpha float64) float64 {
	sum := 0.0
	for _, p := range theta {
		sum += (alpha - 1) * math.Log(max(p, math.SmallestNonzeroFloat64))
	}
	return sum
}

// TestSparseObjective: where a sparse prior makes parameters 0 the objective does not fall, in
// the trace, in the gains that an observer sees, and by any method that says so; the trace is ln L
// plus the density with a floor, up to one constant, and its last entry is ln L plus LogPrior.
func TestSparseObjective(t *testing.T) {
	zeroed := 0
	for _, alpha := range []float64{.99, .9, .5, .3} {
		problem := sparseChannel(t, em.Dirichlet{Alpha: alpha})
		data := fourPairs()
		data.ShardSize = 1
		l := likelihood(t, problem, data)
		for seed := range trials.Seeds(60) {
			for _, m := range []em.Method{em.EM{}, em.Squarem{}, em.Incremental{}} {
				name := fmt.Sprintf("α = %g, seed %d, %v", alpha, seed, m)
				var want []float64
				r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: problem.Params.Random(rand.NewPCG(seed, 5)), Iterations: 300,
					Observer: func(e em.Event) {
						want = append(want, e.LogLikelihood+floored(e.Theta, alpha))
						if e.Gain < -1e-9 && e.Step != em.RejectedStep {
							t.Errorf("%s: a gain of %g at iteration %d", name, e.Gain, e.Iteration)
						}
					}})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for i := 1; i < len(r.Objective); i++ {
					if fell := r.Objective[i-1] - r.Objective[i]; fell > 1e-9 {
						t.Errorf("%s: fell by %g at iteration %d", name, fell, i)
					}
				}
				for _, p := range r.Theta {
					if p == 0 {
						zeroed++
					}
				}
				if m != (em.EM{}) {
					continue
				}
				if got, want := r.Last(), r.LogLikelihood+problem.Params.LogPrior(r.Theta); !closeTo(got, want, 1e-12) && r.Status == em.Converged {
					t.Errorf("%s: the last objective is %g, want %g", name, got, want)
				}
				for i := range want {
					if got, want := r.Objective[i]-r.Last(), want[i]-want[len(want)-1]; math.Abs(got-want) > 1e-9 {
						t.Errorf("%s: iteration %d is %g below the last, want %g", name, i, -got, -want)
					}
				}
			}
		}
	}
	if zeroed < 100 {
		t.Errorf("only %d parameters became 0", zeroed)
	}
}

// TestSparseStarts: of several starts the one with the best objective wins, wherever they have
// zeros, and the traces of all compare.
func TestSparseStarts(t *testing.T) {
	problem := sparseChannel(t, em.Dirichlet{Alpha: .5})
	l := likelihood(t, problem, fourPairs())
	for seed := range trials.Seeds(10) {
		var starts [][]float64
		rng := rand.New(rand.NewPCG(seed, 8))
		for range 12 {
			starts = append(starts, problem.Params.Random(rng))
		}
		r, err := em.Fit(context.Background(), l, &em.Options{Start: starts[0], Starts: starts[1:]})
		if err != nil {
			t.Fatal(err)
		}
		var alone []float64
		for _, start := range starts {
			o, err := em.Fit(context.Background(), l, &em.Options{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			alone = append(alone, o.LogLikelihood+floored(o.Theta, .5))
		}
		for i, s := range r.Starts {
			got, want := s.Objective[len(s.Objective)-1]-r.Last(), alone[i]-alone[r.Start]
			if math.Abs(got-want) > 1e-9 || got > 0 {
				t.Errorf("seed %d: start %d ends %g above the winner %d, want %g", seed, i, got, r.Start, want)
			}
		}
	}
}

// TestPriorIsBlamed: where a sparse prior makes 0 what the data need, the error names the
// parameter; where the caller's start has the zeros it does not.
func TestPriorIsBlamed(t *testing.T) {
	problem := sparseChannel(t, em.Dirichlet{Alpha: .5})
	data := cascade.Pairs([][2]string{{"aaab", "aaa"}, {"bb", "bb"}, {"bb", "bb"}})
	for i := range data.Examples {
		data.Examples[i].Weight = em.Times(.4)
	}
	l := likelihood(t, problem, data)
	_, err := em.Fit(context.Background(), l, nil)
	if !errors.Is(err, em.ErrUnderivable) {
		t.Fatalf("error %v, want ErrUnderivable", err)
	}
	wantIn(t, err, "channel/0/", "alpha < 1", "others are 0")
	start := problem.Params.Start()
	i, _ := problem.Params.Lookup("channel/0/b[b:ε]")
	j, _ := problem.Params.Lookup("channel/0/b[b:b]")
	start[i] += start[j]
	start[j] = 0
	_, err = em.Fit(context.Background(), l, &em.Options{Start: start})
	if !errors.Is(err, em.ErrUnderivable) {
		t.Fatalf("error %v, want ErrUnderivable", err)
	}
	if strings.Contains(err.Error(), "alpha") {
		t.Errorf("the caller's zeros are blamed on the prior: %v", err)
	}
}
