package pcfg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// nestedRules returns S → a T | c, T → S b, the rules of aⁿcbⁿ with the probability pⁿ(1−p).
func nestedRules(p float64) []Rule {
	return []Rule{{"S", []string{"a", "T"}, p}, {"S", []string{"c"}, 1 - p}, {"T", []string{"S", "b"}, 1}}
}

// The superset of random grammars is a distribution at random values of the parameters, in
// which no sentence of the grammar is missing.
func TestSupersetIsADistribution(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := rand.New(rand.NewPCG(seed, 9))
		rules := randomRules(r)
		g, err := New("A", rules, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		g.Theta = g.Params.Random(r)
		for depth := range 2 {
			m, err := cascade.Instantiate(g.Params, g.Superset(depth), g.Theta, semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{}))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			z, err := fst.PathSum(m, nil)
			if err != nil || math.Abs(z.Float64()-1) > 1e-9 {
				t.Errorf("seed %d: depth %d: the sentences sum to %v, %v", seed, depth, z, err)
			}
			parser, err := g.Predictor()
			if err != nil {
				t.Fatal(err)
			}
			for code := range 16 {
				var words []string
				for i := range 1 + code%4 {
					words = append(words, []string{"x", "y"}[code>>i&1])
				}
				logp, err := parser.LogProb(words)
				if err != nil {
					t.Fatal(err)
				}
				labels, err := g.Symbols().Encode(words...)
				if err != nil {
					continue // the grammar has no y
				}
				above, err := fst.Weight(m, labels, labels, nil)
				if err != nil || above.IsZero() && !math.IsInf(logp, -1) {
					t.Errorf("seed %d: depth %d: %v weighs %v, %v; in the grammar its logarithm is %g", seed, depth, words, above, err, logp)
				}
			}
		}
	}
}

// Where recursion is on one side alone the superset is the grammar.
func TestSupersetOfLinearGrammar(t *testing.T) {
	g, err := New("S", []Rule{{"S", []string{"a", "S"}, .3}, {"S", []string{"b", "S"}, .2}, {"S", []string{"c"}, .5}}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := cascade.Instantiate(g.Params, g.Superset(0), g.Theta, semiring.Semiring[float64](semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	labels, err := g.Symbols().Encode("a", "b", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	got, err := fst.Weight(m, labels, labels, nil)
	if want := .3 * .2 * .2 * .5; err != nil || math.Abs(got-want) > 1e-15 {
		t.Errorf("weight %g, %v, want %g", got, err, want)
	}
	if err := fst.Err(g.Superset(-1)); !errors.Is(err, cfg.ErrGrammar) {
		t.Errorf("error %v, want ErrGrammar", err)
	}
}

// By the superset the rules of aⁿcbⁿ are trained on sentences that the grammar does not have:
// aⁿcbᵐ has pⁿ(1−p)/2^(m+1), of which the maximum is the mean of n over one more.
func TestSupersetTrains(t *testing.T) {
	g, err := New("S", nestedRules(.1), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	var data cascade.Data
	for _, words := range [][]string{{"c"}, {"a", "c", "b"}, {"a", "a", "a", "c", "b"}, {"a", "a", "c", "b", "b", "b"}} {
		labels, err := g.Symbols().Encode(words...)
		if err != nil {
			t.Fatal(err)
		}
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(labels...)})
	}
	problem := cascade.Problem{Params: g.Params, Stages: []cascade.Stage{g.Superset(0)}}
	r, err := problem.Fit(context.Background(), data, &em.Options{Start: g.Theta, Method: em.LBFGS{}})
	if err != nil {
		t.Fatal(err)
	}
	g.Theta = r.Theta
	if got := g.Rules()[0].Weight; math.Abs(got-6./10) > 1e-6 {
		t.Errorf("S → a T has %g, want .6", got)
	}
	want := 6*math.Log(.6) + 4*math.Log(.4) - (5+4)*math.Ln2
	if got := r.Objective[len(r.Objective)-1]; math.Abs(got-want) > 1e-9 {
		t.Errorf("log likelihood %.12g, want %.12g", got, want)
	}
}
