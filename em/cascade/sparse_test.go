package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// threeLetters is a model of strings of the letters a, b and c, and the likelihood of "aaab".
func threeLetters(t testing.TB, law em.Law) (*em.Group, em.Likelihood) {
	t.Helper()
	params := em.NewParams()
	g := params.Group("letters", 3, law)
	k := params.Space()
	b := fst.NewBuilder(k)
	s := b.AddState()
	b.AddStart(s, k.One())
	b.SetFinal(s, k.One())
	for i := range int32(3) {
		b.AddArc(s, arc(1+i, 1+i, g.Weight(int(i)), s))
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, b)}}
	return g, likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1, 1, 2)}}})
}

// TestGradientRefusesSparsePriors: if the prior density of parameters is unbounded towards 0, the
// error of methods that follow a gradient names the group and a remedy, and EM finds the mode. If
// those parameters are 0 already, the gradient methods find it too.
func TestGradientRefusesSparsePriors(t *testing.T) {
	g, l := threeLetters(t, em.Dirichlet{Alpha: .9})
	want := []float64{2.9 / 3.8, .9 / 3.8, 0}
	methods := []em.Method{em.EM{}, em.Squarem{}, em.Incremental{}, em.LBFGS{}, em.SGD{}, em.SGD{Average: true}}
	for _, m := range methods {
		r, err := em.Fit(context.Background(), l, &em.Options{Method: m})
		if gradient(m) {
			if !errors.Is(err, em.ErrNoMode) {
				t.Errorf("%v: error %v, want ErrNoMode", m, err)
				continue
			}
			wantIn(t, err, m.String(), "group letters", "alpha = 0.9", "EM")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range g.In(r.Theta) {
			if math.Abs(p-want[i]) > 1e-12 {
				t.Errorf("%v: θ is %v, want %v", m, r.Theta, want)
				break
			}
		}
	}
	mixed, l := threeLetters(t, em.Dirichlet{Alphas: []float64{2, 1, .5}})
	for _, m := range methods {
		r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: []float64{.3, .7, 0}, Tolerance: 1e-14, Iterations: 20000})
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		slack := 1e-6
		if stochastic(m) {
			slack = 2e-2
		}
		if p := mixed.In(r.Theta); math.Abs(p[0]-.8) > slack || p[2] != 0 {
			t.Errorf("%v: θ is %v, want [.8 .2 0]", m, p)
		}
	}
}

// TestGradientStartsOutsideThePrior: at a parameter that is 0 under α > 1, which coordinates
// cannot leave, the error of methods that follow a gradient names the group. Other starts are
// still trained.
func TestGradientStartsOutsideThePrior(t *testing.T) {
	g, l := threeLetters(t, em.Dirichlet{Alpha: 2})
	zero := []float64{.3, .7, 0}
	want := []float64{4. / 7, 2. / 7, 1. / 7}
	for _, m := range []em.Method{em.EM{}, em.Squarem{}, em.LBFGS{}, em.SGD{}} {
		r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: zero, Tolerance: 1e-12})
		if gradient(m) {
			if !errors.Is(err, semiring.ErrNotFinite) {
				t.Errorf("%v: error %v, want ErrNotFinite", m, err)
				continue
			}
			wantIn(t, err, m.String(), "group letters", "density is 0")
			r, err = em.Fit(context.Background(), l, &em.Options{Method: m, Start: zero, Starts: [][]float64{{.3, .6, .1}}, Iterations: 2000, Tolerance: 1e-12})
		}
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		for i, p := range g.In(r.Theta) {
			if math.Abs(p-want[i]) > 1e-2 {
				t.Errorf("%v: θ is %v, want %v", m, r.Theta, want)
				break
			}
		}
	}
}

// TestSparseConditional: the M step of a conditional likelihood is made in coordinates, and so
// returns the same error as methods that follow a gradient.
func TestSparseConditional(t *testing.T) {
	for _, alpha := range []float64{.99, .5, .3} {
		problem := sparseChannel(t, em.Dirichlet{Alpha: alpha})
		l, err := problem.ConditionalLikelihood(fourPairs())
		if err != nil {
			t.Fatal(err)
		}
		for seed := range trials.Seeds(10) {
			for _, m := range []em.Method{nil, em.Squarem{}, em.Anneal{}, em.LBFGS{}, em.SGD{}} {
				_, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: problem.Params.Random(rand.NewPCG(seed, 1))})
				if !errors.Is(err, em.ErrNoMode) || errors.Is(err, em.ErrDecreased) {
					t.Errorf("α = %g, %v: error %v, want ErrNoMode", alpha, m, err)
				}
			}
		}
	}
}

// steeped is a Multinomial with its own density, which is unbounded towards the border.
type steeped struct{ em.Multinomial }

func (steeped) Bounded(theta, counts []float64) error {
	if counts == nil {
		return fmt.Errorf("%w: a density of one's own", em.ErrNoMode)
	}
	return nil
}

// TestGradientAsksLaws: laws of other packages are checked, too. A law that embeds a refused one
// is refused for the same reason.
func TestGradientAsksLaws(t *testing.T) {
	for _, law := range []em.Law{steeped{}, struct{ em.Dirichlet }{em.Dirichlet{Alpha: .5}}} {
		_, l := threeLetters(t, law)
		for _, m := range []em.Method{em.LBFGS{}, em.SGD{}} {
			if _, err := em.Fit(context.Background(), l, &em.Options{Method: m}); !errors.Is(err, em.ErrNoMode) {
				t.Errorf("%T, %v: error %v, want ErrNoMode", law, m, err)
			}
		}
	}
}

// TestNeverBelowTheStart: for any steps, a method that visits blocks of the data does not return
// a result below its start, but the start itself.
func TestNeverBelowTheStart(t *testing.T) {
	problem, examples := noisyProblem(t, em.Multinomial{})
	best := fit(t, problem, examples, &em.Options{Iterations: 40}).Theta
	l := likelihood(t, problem, cascade.Data{Examples: examples, ShardSize: 3})
	at := func(theta []float64) float64 {
		v, err := em.LogLikelihood(context.Background(), l, theta)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	stalled, better := map[string]int{}, 0
	for seed := range trials.Seeds(4) {
		random := problem.Params.Random(rand.NewPCG(seed, 6))
		for _, start := range [][]float64{best, random} {
			for _, m := range []em.Method{em.SGD{Rate: 30}, em.SGD{Rate: 30, Average: true}, em.SGD{Rate: .3}, em.Stepwise{Power: .51}} {
				r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: start, Iterations: 7 + int(seed)})
				if err != nil {
					t.Errorf("%v: %v", m, err)
					continue
				}
				from, to := at(start), at(r.Theta)
				if to < from-1e-9*math.Abs(from) {
					t.Errorf("%+v: %g is below the start, %g", m, to, from)
				}
				if r.Status != em.Stalled {
					better++
					continue
				}
				stalled[m.String()]++
				if !slices.Equal(r.Theta, start) || r.Last() != r.Objective[0] || !closeTo(r.LogLikelihood, from, 1e-12) {
					t.Errorf("%+v: stalled at %g, want the start and its %g", m, r.Last(), from)
				}
			}
		}
	}
	if stalled["SGD"] == 0 || stalled["stepwise EM"] == 0 || better == 0 {
		t.Errorf("%v stalled, and %d came to something better", stalled, better)
	}
}

// sparseChannel copies, changes or drops each of two letters; one distribution for each letter
// has law.
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

// fourPairs returns inputs and outputs of a channel.
func fourPairs() cascade.Data {
	return cascade.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
}

// floored is the log density of a Dirichlet prior at theta, up to a constant, with all
// probabilities raised to at least the smallest float64: all points of the simplex are comparable
// by it.
func floored(theta []float64, alpha float64) float64 {
	sum := 0.0
	for _, p := range theta {
		sum += (alpha - 1) * math.Log(max(p, math.SmallestNonzeroFloat64))
	}
	return sum
}

// TestSparseObjective: if a sparse prior makes parameters 0, the objective does not fall, in the
// trace and in the gains for an observer, by any method that claims so. The trace is ln L plus
// the density with a floor, up to one constant, and its last entry is ln L plus LogPrior.
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

// TestSparseStarts: of several starts the one with the best objective wins, for any zeros, and
// the traces of all are comparable.
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

// TestPriorIsBlamed: if a sparse prior makes a parameter 0 that the data need, the error names
// the parameter. If the zeros are in the caller's start, it does not.
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
