package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// stringProblem is a random machine with a finite language, examples of it, half of them with an
// unknown Y, and their strings of Y with probability and number of errors.
type stringProblem struct {
	problem cascade.Problem
	data    cascade.Data
	theta   []float64
	risk    []float64 // losses of the parameters
	strings [][]probable
	several int // strings of more than one path
}

type probable struct{ p, best, errors float64 }

func newStringProblem(t testing.TB, rng *rand.Rand) *stringProblem {
	params := em.NewParams()
	g, loss := params.Group("g", 6, strengths{}), params.Group("loss", 1, em.Fixed{})
	f := acyclicMachine(t, params, g, rng)
	s := &stringProblem{problem: cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, theta: params.Random(rng)}
	s.risk = make([]float64, params.Len())
	s.risk[loss.First()] = .1 + rng.Float64()
	all := enumerate(t, params, f, s.theta)
	for n := range 6 {
		in, reference := randomLabels(rng, 3), randomLabels(rng, 3)
		x := cascade.Example{X: cascade.Labels(in...), Weight: em.Times(.5 + rng.Float64())}
		var outputs []probable
		for pair, p := range all.pair {
			if pair[0] != fmt.Sprint(in) {
				continue
			}
			var errs float64
			if n%2 == 0 {
				var out []int32
				for _, c := range pair[1] {
					if '0' <= c && c <= '9' {
						out = append(out, int32(c-'0'))
					}
				}
				if len(out) != len(reference) {
					continue
				}
				for i := range out {
					if out[i] != reference[i] {
						errs++
					}
				}
			}
			outputs = append(outputs, probable{p, all.best[pair], errs})
			if p > all.best[pair]*(1+1e-9) {
				s.several++
			}
		}
		if n%2 == 0 {
			x.Y = hamming(t, params, loss, reference)
		}
		s.data.Examples, s.strings = append(s.data.Examples, x), append(s.strings, outputs)
	}
	s.data.Underivable = em.Skip
	return s
}

func (s *stringProblem) likelihood(t testing.TB) em.Likelihood {
	t.Helper()
	l, err := s.problem.StringLikelihood(s.data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestStringLikelihoodByEnumeration: at a temperature the likelihood and the risk are sums over
// strings, and the best string has the largest sum; derivatives are differences.
func TestStringLikelihoodByEnumeration(t *testing.T) {
	several, apart := 0, 0
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 41))
		s := newStringProblem(t, rng)
		several += s.several
		l := s.likelihood(t)
		risk := &em.Risk{Likelihood: l, Loss: s.risk}
		unit := slices.Max(s.risk)
		for _, beta := range []float64{1, .6, 1.7} {
			value, best, minus := 0.0, 0.0, 0.0
			for i, outputs := range s.strings {
				sum, top, lost := 0.0, 0.0, 0.0
				for _, y := range outputs {
					p := math.Pow(y.p, beta)
					sum, top, lost = sum+p, max(top, p), lost+p*y.errors*unit
				}
				if sum > 0 {
					often := s.data.Examples[i].Weight.Float64()
					value, best, minus = value+often*math.Log(sum), best+often*math.Log(top), minus-often*lost/sum
				}
			}
			q := em.Query{Theta: s.theta, Temperature: beta}
			hard := q
			hard.EStep = em.Viterbi
			for name, c := range map[string]struct {
				l    em.Likelihood
				q    em.Query
				want float64
			}{"sum": {l, q, value}, "best": {l, hard, best}, "risk": {risk, q, minus}} {
				e, err := c.l.Expect(context.Background(), c.q)
				if err != nil {
					t.Fatalf("seed %d: %s: %v", seed, name, err)
				}
				if !closeTo(e.LogLikelihood, c.want, 1e-10) {
					t.Errorf("seed %d: %s at β = %g: %.12g, want %.12g", seed, name, beta, e.LogLikelihood, c.want)
				}
			}
			checkGradient(t, seed, l, q)
			checkCurvature(t, seed, rng, l, q)
			checkGradient(t, seed, risk, q)
			likelihoodtest.Check(t, l, q)

			paths, err := s.problem.Likelihood(s.data)
			if err != nil {
				t.Fatal(err)
			}
			e, err := paths.Expect(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if same := closeTo(e.LogLikelihood, value, 1e-10); beta == 1 && !same {
				t.Errorf("seed %d: paths sum to %.12g, strings to %.12g", seed, e.LogLikelihood, value)
			} else if !same {
				apart++
			}
		}
	}
	if several < 100 || apart < 30 {
		t.Errorf("only %d strings have several paths, and in %d cases paths are something else", several, apart)
	}
}

// TestStringLikelihoodTrains: EM climbs it as it does the likelihood of paths, and at a
// temperature, too.
func TestStringLikelihoodTrains(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	data = data[:20]
	l, err := problem.StringLikelihood(cascade.Data{Examples: data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := problem.Params.Random(rand.New(rand.NewPCG(2, 2)))
	var end [2]*em.Result
	for i, l := range []em.Likelihood{l, likelihood(t, problem, cascade.Data{Examples: data})} {
		if end[i], err = em.Fit(context.Background(), l, &em.Options{Start: start, Iterations: 20}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range end[1].Theta {
		if !closeTo(end[0].Theta[i], want, 1e-8) {
			t.Errorf("parameter %d: %g over strings, %g over paths", i, end[0].Theta[i], want)
		}
	}
}

// TestStringLikelihoodRefuses: each error names its cause.
func TestStringLikelihoodRefuses(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 2, strengths{})
	loop := fst.OneState(params.Space(), params.Space().One(), arc(1, 1, g.Weight(0), 0), arc(1, 2, g.Weight(1), 0))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{loop}}
	one := params.Space().One()
	twice := fst.FromArcs(params.Space(), map[int32]weight{1: one, 2: one}, []fst.Arc[weight]{
		arc(1, 1, g.Weight(0), 1), arc(1, 1, g.Weight(1), 2)})
	for name, c := range map[string]struct {
		problem cascade.Problem
		data    cascade.Data
		err     error
	}{
		"Y has two paths": {problem, cascade.Data{Examples: []cascade.Example{{}, {X: cascade.Labels(1), Y: cascade.Set(twice)}}}, em.ErrInvalid},
		"Edges":           {cascade.Problem{Params: params, Edges: []cascade.Edge{{From: 0, To: 1, Machines: problem.Stages}}}, cascade.Data{Examples: make([]cascade.Example, 1)}, em.ErrInvalid},
		"Pruning":         {problem, cascade.Data{Examples: make([]cascade.Example, 1), Pruning: &cascade.Pruning{Beam: .1}}, em.ErrInvalid},
		"no data":         {problem, cascade.Data{}, em.ErrInvalid},
	} {
		if _, err := c.problem.StringLikelihood(c.data, nil); !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", name, err, c.err)
		}
	}
	if _, err := problem.StringLikelihood(cascade.Data{Examples: []cascade.Example{{Name: "long", X: cascade.Labels(slices.Repeat([]int32{1}, 40)...)}}},
		&fst.Options{Limit: 5}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want ErrLimit", err)
	} else {
		wantIn(t, err, "long")
	}
	l, err := problem.StringLikelihood(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(2), Name: "unread"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Expect(context.Background(), em.Query{Theta: []float64{1, 1}}); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("error %v, want ErrUnderivable", err)
	} else {
		wantIn(t, err, "unread")
	}
}
