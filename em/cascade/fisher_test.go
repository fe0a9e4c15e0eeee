package cascade_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
)

func information(t testing.TB, l em.Likelihood, theta []float64) *em.Information {
	t.Helper()
	f, err := em.FisherInformation(context.Background(), l, em.Query{Theta: theta})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func standardErrors(t testing.TB, l em.Likelihood, theta []float64) []float64 {
	t.Helper()
	se, err := information(t, l, theta).StandardErrors()
	if err != nil {
		t.Fatal(err)
	}
	return se
}

// die is a machine that reads a and writes one of the labels 1, 2, …, each with a
// parameter of g, if it is not 0 in the list of them.
func die(t testing.TB, params *em.Params, g *em.Group, labels ...int32) *fst.FST[weight] {
	m := fst.NewBuilder(params.Space())
	s, end := m.AddState(), m.AddState()
	m.AddStart(s, params.Space().One())
	m.SetFinal(end, params.Space().One())
	for i, l := range labels {
		m.AddArc(s, arc(a, l, g.Weight(i), end))
	}
	return freeze(t, m)
}

func throws(counts ...float64) []cascade.Example {
	var data []cascade.Example
	for i, n := range counts {
		if n > 0 {
			data = append(data, cascade.Example{X: cascade.Labels(a), Y: cascade.Labels(int32(i + 1)), Weight: em.Times(n)})
		}
	}
	return data
}

// TestStandardErrorsOfFrequencies: without hidden data the variance of a relative frequency is
// p(1−p)/n. With a Dirichlet prior, n is replaced by n + Σ(α−1). A frequency of zero is left out.
func TestStandardErrorsOfFrequencies(t *testing.T) {
	counts := []float64{30, 0, 50, 20}
	for _, c := range []struct {
		law em.Law
		n   float64
	}{{em.Multinomial{}, 100}, {em.Dirichlet{Alphas: []float64{3, 1, 11, 7}}, 118}} {
		params := em.NewParams()
		g := params.Group("die", 4, c.law)
		params.Group("constant", 2, em.Fixed{Values: []float64{0, 3}})
		params.Group("certain", 1, em.Multinomial{})
		l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{die(t, params, g, 1, 2, 3, 4)}}, cascade.Data{Examples: throws(counts...)})
		r, err := em.Fit(context.Background(), l, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := information(t, l, r.Theta)
		se, err := f.StandardErrors()
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range g.In(r.Theta) {
			if want := math.Sqrt(p * (1 - p) / c.n); p > 0 && !closeTo(se[i], want, 1e-9) {
				t.Errorf("%T: standard error of θ%d is %.12g, want %.12g", c.law, i, se[i], want)
			}
		}
		if !slices.Equal(f.LeftOut, []int{1}) || !math.IsNaN(se[1]) || !slices.Equal(se[4:], []float64{0, 0, 0}) {
			t.Errorf("%T: left out %v, standard errors %v", c.law, f.LeftOut, se)
		}
	}
}

// TestInformationOfConstants: without estimated parameters the information is empty.
func TestInformationOfConstants(t *testing.T) {
	params := em.NewParams()
	g := params.Group("die", 2, em.Fixed{Values: []float64{.5, .5}})
	l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{die(t, params, g, 1, 2)}}, cascade.Data{Examples: throws(1, 1)})
	if se := standardErrors(t, l, params.Start()); !slices.Equal(se, []float64{0, 0}) {
		t.Errorf("standard errors %v", se)
	}
	none := em.NewParams()
	accept := anything(t, none, 1)
	l = likelihood(t, cascade.Problem{Params: none, Stages: []cascade.Stage{accept}}, cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1)}}})
	if se := standardErrors(t, l, none.Start()); len(se) != 0 {
		t.Errorf("standard errors %v of no parameters", se)
	}
}

// TestInformationDifferences compares the information of models with hidden data with
// differences of the gradient, for a likelihood and for a difference of two.
func TestInformationDifferences(t *testing.T) {
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 8))
		params := em.NewParams()
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{
			channel(t, params, em.Dirichlet{Alpha: 1.3}, 1), channel(t, params, em.Multinomial{}, 1)}}
		data := cascade.Data{Examples: noisyPairs(rng, 5, 1)}
		conditional, err := problem.ConditionalLikelihood(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []em.Likelihood{likelihood(t, problem, data), conditional} {
			theta := params.Random(rng)
			for _, g := range params.Groups() { // insertions well below mass 1
				v := g.In(theta)
				v[0], v[1], v[2] = .1+v[0]*.2, .1+v[1]*.2, .8-(v[0]+v[1])*.2
			}
			coordinates := coordinatesOf(t, params, theta)
			x := coordinates.Of(theta)
			gradient := func(x []float64) []float64 {
				theta := coordinates.Theta(x)
				e, err := l.Expect(context.Background(), em.Query{Theta: theta})
				if err != nil {
					t.Fatal(err)
				}
				g := make([]float64, coordinates.Dim())
				coordinates.Gradient(g, theta, e.Counts)
				return g
			}
			f := information(t, l, theta)
			for j := range x {
				for k := range x {
					want := derivative(func(h float64) float64 {
						moved := slices.Clone(x)
						moved[k] += h
						return -gradient(moved)[j]
					})
					if got := f.Matrix.At(j, k); !closeTo(got, want, 1e-7) {
						t.Errorf("seed %d: %T: information %d, %d is %.10g, finite difference %.10g", seed, l, j, k, got, want)
					}
				}
			}
		}
	}
}

func TestNotIdentified(t *testing.T) {
	params := em.NewParams()
	g := params.Group("die", 3, em.Multinomial{})
	params.Group("unused", 2, em.Multinomial{})
	// The first two sides look the same.
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{die(t, params, g, 1, 1, 2)}}
	l := likelihood(t, problem, cascade.Data{Examples: throws(6, 4)})
	_, err := information(t, l, []float64{.2, .4, .4, .5, .5}).StandardErrors()
	if !errors.Is(err, em.ErrNotIdentified) {
		t.Fatalf("error %v, want ErrNotIdentified", err)
	}

	params = em.NewParams()
	g = params.Group("die", 3, em.Multinomial{})
	problem = cascade.Problem{Params: params, Stages: []cascade.Stage{die(t, params, g, 1, 1, 2)}}
	l = likelihood(t, problem, cascade.Data{Examples: throws(6, 4)})
	_, err = information(t, l, []float64{.2, .4, .4}).StandardErrors()
	if !errors.Is(err, em.ErrNotIdentified) {
		t.Fatalf("error %v, want ErrNotIdentified", err)
	}
	wantIn(t, err, "die[0], die[1]")
	if err != nil && strings.Contains(err.Error(), "die[2]") {
		t.Errorf("error %q names the side that is identified", err)
	}
}

// TestNotMaximum: each example is three throws of one of two coins. Equal coins are a saddle.
func TestNotMaximum(t *testing.T) {
	params := em.NewParams()
	first, second := params.Group("first", 2, em.Multinomial{}), params.Group("second", 2, em.Multinomial{})
	m := fst.NewBuilder(params.Space())
	one := params.Space().One()
	for _, coin := range []*em.Group{first, second} {
		s := m.AddState()
		m.AddStart(s, one)
		for range 3 {
			next := m.AddState()
			m.AddArc(s, arc(epsilon, 1, coin.Weight(0), next))
			m.AddArc(s, arc(epsilon, 2, coin.Weight(1), next))
			s = next
		}
		m.SetFinal(s, one)
	}
	l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}},
		cascade.Data{Examples: []cascade.Example{{Y: cascade.Labels(1, 1, 1)}, {Y: cascade.Labels(2, 2, 2)}}})
	_, err := information(t, l, params.Start()).StandardErrors()
	if !errors.Is(err, em.ErrNotMaximum) {
		t.Errorf("error %v, want ErrNotMaximum", err)
	}
	wantIn(t, err, "first[0]", "second[1]")
}

// TestNotIdentifiedBesideTheMaximum: the data of two filters in a row identify only the fraction
// that passes both. Off the maximum the curve of equal likelihood bends, which resembles
// information.
func TestNotIdentifiedBesideTheMaximum(t *testing.T) {
	params := em.NewParams()
	first, second := params.Group("first", 2, em.Multinomial{}), params.Group("second", 2, em.Multinomial{})
	one := params.Space().One()
	m := fst.NewBuilder(params.Space())
	start, within, end := m.AddState(), m.AddState(), m.AddState()
	m.AddStart(start, one)
	m.AddArc(start, arc(a, epsilon, first.Weight(0), within))
	m.AddArc(start, arc(a, 2, first.Weight(1), end))
	m.AddArc(within, arc(epsilon, 1, second.Weight(0), end))
	m.AddArc(within, arc(epsilon, 2, second.Weight(1), end))
	m.SetFinal(end, one)
	l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}},
		cascade.Data{Examples: throws(60, 40)})
	for _, passes := range []float64{.5, .59, .5999, .6, .6001, .61, .7} {
		q := passes / .9
		_, err := information(t, l, []float64{.9, .1, q, 1 - q}).StandardErrors()
		if !errors.Is(err, em.ErrNotIdentified) && !errors.Is(err, em.ErrNotMaximum) {
			t.Errorf("a share of %v: error %v, want ErrNotIdentified or ErrNotMaximum", passes, err)
		}
		wantIn(t, err, "first[0]", "second[1]")
	}
}

// unlisted is a law outside package em.
type unlisted struct{ em.Law }

func TestInformationErrors(t *testing.T) {
	problem, data := noisyProblem(t, unlisted{em.Multinomial{}})
	l := likelihood(t, problem, cascade.Data{Examples: data})
	if _, err := em.FisherInformation(context.Background(), l, em.Query{Theta: problem.Params.Start()}); !errors.Is(err, em.ErrCoordinates) {
		t.Errorf("error %v, want ErrCoordinates", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	problem, data = noisyProblem(t, em.Multinomial{})
	l = likelihood(t, problem, cascade.Data{Examples: data})
	if _, err := em.FisherInformation(ctx, l, em.Query{Theta: problem.Params.Start()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// TestCoverage: the interval of two standard errors around the estimate of a model with hidden
// data contains the truth in about 95.45 % of simulations.
func TestCoverage(t *testing.T) {
	if os.Getenv("PATHSUM_LONG") == "" {
		t.Skip("simulates with PATHSUM_LONG")
	}
	truth := [4]float64{.7, .5, .2, .1}
	rng := rand.New(rand.NewPCG(5, 6))
	c := newCoins()
	problem := cascade.Problem{Params: c.params, Stages: c.cascade(t)}
	const simulations, n = 200, 500
	var inside [4]int
	for range simulations {
		var data []cascade.Example
		for i := range n {
			in, out := sample(rng, truth[0], truth[1], truth[2], truth[3])
			e := cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)}
			if i%2 == 0 {
				e.X = cascade.Side{}
			}
			data = append(data, e)
		}
		l := likelihood(t, problem, cascade.Data{Examples: data})
		r, err := em.Fit(context.Background(), l, &em.Options{Start: c.theta(truth[0], truth[1], truth[2], truth[3]), Iterations: 1000, Tolerance: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		for i, se := range standardErrors(t, l, r.Theta) {
			if i%2 == 0 && math.Abs(r.Theta[i]-truth[i/2]) < 2*se {
				inside[i/2]++
			}
		}
	}
	for i, k := range inside {
		// Four standard errors of the share.
		if share := float64(k) / simulations; math.Abs(share-.9545) > .06 {
			t.Errorf("coin %d: the interval holds the truth in %.3f of simulations, want .9545", i, share)
		}
	}
}
