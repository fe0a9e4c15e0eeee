package agree_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/semiring"
)

// pair returns a space with two submodels and a few examples. All groups are multinomials.
func pair(seed uint64, examples int) *space {
	rng := rand.New(rand.NewPCG(seed, 10))
	for {
		e := newSpace(rng, shape{private: true, law: multinomial})
		if e.submodels() == 2 && len(e.weight) >= examples && len(e.feature) > 1 {
			return e
		}
	}
}

// listings returns the submodels of e.
func listings(e *space) (submodels []*listed) {
	for m := range e.submodels() {
		submodels = append(submodels, &listed{space: e, m: m, domain: func(z int) bool { return e.domain[m][z] }})
	}
	return submodels
}

func wants(t *testing.T, what string, err, target error, words string) {
	t.Helper()
	if !errors.Is(err, target) || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: error %v, want one wrapping %q with %q", what, err, target, words)
	}
}

func TestUnfitTerms(t *testing.T) {
	e, other := pair(1, 2), pair(2, 2)
	a, b := e.each("independent")[0], other.each("independent")[0]
	few := *e
	few.weight = few.weight[:1]
	for name, sum := range map[string]func(...em.Likelihood) (em.Likelihood, error){
		"Independent": agree.Independent, "DomainApproximate": agree.DomainApproximate, "ParameterApproximate": agree.ParameterApproximate,
	} {
		_, err := sum()
		wants(t, name, err, em.ErrInvalid, "no submodels")
		_, err = sum(a, b)
		wants(t, name, err, em.ErrInvalid, "submodels 0 and 1 have different em.Params")
		_, err = sum(a, a, few.each("independent")[0])
		wants(t, name, err, em.ErrInvalid, "submodel 2 has 1 shards")
	}
	l := must(agree.Independent(a, miscount{a}))
	_, err := l.Expect(context.Background(), em.Query{Theta: e.params.Start()})
	wants(t, "other examples", err, em.ErrInvalid, "submodel 1 has 0 examples")
	_, err = l.Expect(context.Background(), em.Query{Theta: []float64{1}})
	wants(t, "illegal θ", err, em.ErrParameter, "")
}

// miscount is a likelihood with the same number of shards, but without examples.
type miscount struct{ em.Likelihood }

func (m miscount) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	return &em.Expectations{Counts: make([]float64, m.Params().Len())}, nil
}

func TestUnfitSubmodels(t *testing.T) {
	e, other := pair(1, 2), pair(2, 2)
	few, heavy, none := *e, *e, *e
	few.weight = few.weight[:1]
	heavy.weight = slices.Clone(e.weight)
	heavy.weight[1] = 9
	none.weight = nil
	bad := *e
	bad.weight = slices.Clone(e.weight)
	bad.weight[0] = -1
	for name, combine := range map[string]func(em.Policy, ...agree.Submodel) (em.Likelihood, error){
		"Averaged": agree.Averaged, "ProductOfPosteriors": agree.ProductOfPosteriors,
	} {
		for _, test := range []struct {
			words     string
			submodels []agree.Submodel
		}{
			{"no submodels", nil},
			{"no examples", []agree.Submodel{&listed{space: &none}}},
			{"submodels 0 and 1 have different em.Params", []agree.Submodel{&listed{space: e}, &listed{space: other}}},
			{"submodel 1 has 1 examples, submodel 0 has", []agree.Submodel{&listed{space: e}, &listed{space: &few}}},
			{`(x1) has weight 9 in submodel 1`, []agree.Submodel{&listed{space: e}, &listed{space: &heavy}}},
			{`(x0) has weight -1`, []agree.Submodel{&listed{space: &bad}}},
		} {
			_, err := combine(em.Fail, test.submodels...)
			wants(t, name, err, em.ErrInvalid, test.words)
		}
	}
	_, err := agree.Likelihood(em.Policy(7), &listed{space: e})
	wants(t, "policy", err, em.ErrInvalid, "policy 7")

	s := listings(e)
	l := must(agree.Averaged(em.Fail, s[0], s[1]))
	expect := func(q em.Query) error { _, err := l.Expect(context.Background(), q); return err }
	wants(t, "illegal θ", expect(em.Query{Theta: []float64{1}}), em.ErrParameter, "")
	theta := e.params.Start()
	wants(t, "direction", expect(em.Query{Theta: theta, Tangent: theta}), semiring.ErrCapability, "second derivatives")
	s[1].more = 1
	wants(t, "features", expect(em.Query{Theta: theta}), em.ErrInvalid, "features in submodel 1")
	s[1].fault = errors.New("bad luck")
	wants(t, "posterior", expect(em.Query{Theta: theta}), s[1].fault, `(x0): submodel 1`)
	s[0].refuses = errors.New("not now")
	wants(t, "begin", expect(em.Query{Theta: theta}), s[0].refuses, "submodel 0")
}

// TestSkipped: an example that any submodel cannot derive is left out of all.
func TestSkipped(t *testing.T) {
	ctx := context.Background()
	e := pair(3, 3)
	q := em.Query{Theta: e.params.Start()}
	s := listings(e)
	s[1].skip = func(x int) bool { return x == 1 }
	rest := *e
	rest.weight = slices.Clone(e.weight)
	rest.weight[1] = 0

	l := must(agree.ProductOfPosteriors(em.Fail, s[0], s[1]))
	_, err := l.Expect(ctx, q)
	wants(t, "product", err, em.ErrUnderivable, `1 of 3 examples (numbered from 0), the first is example 1 (x1)`)
	terms := func(policy em.Policy) (terms []em.Likelihood) {
		for _, s := range s {
			terms = append(terms, must(agree.Likelihood(policy, s)))
		}
		return terms
	}
	_, err = must(agree.Independent(terms(em.Fail)...)).Expect(ctx, q)
	wants(t, "independent", err, em.ErrUnderivable, `x1`)

	for _, test := range []struct {
		algorithm string
		em.Likelihood
	}{
		{"product", must(agree.ProductOfPosteriors(em.Skip, s[0], s[1]))},
		{"product", must(agree.ProductOfPosteriors(em.Skip, s[1], s[0]))},
		{"independent", must(agree.Independent(terms(em.Skip)...))},
		{"domain", must(agree.DomainApproximate(machines(e, 1)...))},
	} {
		algorithm, found := test.algorithm, must(test.Expect(ctx, q))
		if len(found.Skipped) != 1 || found.Skipped[0].Index != 1 || found.Examples != 3 {
			t.Errorf("%s: skipped %v of %d examples", algorithm, found.Skipped, found.Examples)
		}
		likelihoodtest.Check(t, test, q)
		objective, counts := rest.oracle(algorithm, q.Theta)
		near(t, algorithm, found.LogLikelihood, objective)
		for i, want := range counts {
			near(t, algorithm, found.Counts[i], want)
		}
	}

	// Sums can leave out what a Difference requires, if their terms can.
	without := em.Skipped{Index: 1}
	minus := must(agree.Independent(e.each("independent")...)).(em.Excluder)
	found := must(minus.ExpectWithout(ctx, q, []em.Skipped{without}))
	objective, _ := rest.oracle("independent", q.Theta)
	near(t, "without one", found.LogLikelihood, objective)
	both := rest
	both.weight = slices.Clone(rest.weight)
	both.weight[2] = 0
	found = must(must(agree.Independent(terms(em.Skip)...)).(em.Excluder).ExpectWithout(ctx, q, []em.Skipped{{Index: 2}}))
	objective, _ = both.oracle("independent", q.Theta)
	near(t, "without one and another that a term skips", found.LogLikelihood, objective)
	stubborn := must(agree.Independent(e.each("independent")[0], miscount{e.each("independent")[1]})).(em.Excluder)
	_, err = stubborn.ExpectWithout(ctx, q, []em.Skipped{without})
	wants(t, "cannot leave out", err, em.ErrUnderivable, "cannot leave out")
}

// machines returns the terms of domain-approximate training over machines. The last one cannot
// derive example x.
func machines(e *space, x int) (terms []em.Likelihood) {
	data := e.data()
	data.Underivable = em.Skip
	for m := range e.submodels() {
		stages := []cascade.Stage{e.privateMachine(m), e.sharedMachine(0), e.sharedMachine(1)}
		examples := slices.Clone(data.Examples)
		if m == e.submodels()-1 {
			examples[x].X = cascade.Labels(99)
		}
		data.Examples = examples
		terms = append(terms, must(cascade.Problem{Params: e.params, Stages: stages}.Likelihood(data)))
	}
	return terms
}

// TestMethods: methods that need more than counts do not apply to heuristics.
func TestMethods(t *testing.T) {
	e := pair(4, 2)
	theta := e.params.Random(rand.New(rand.NewPCG(4, 4)))
	for _, algorithm := range algorithms {
		for _, method := range []em.Method{em.EM{}, em.Anneal{}, em.Stepwise{}, em.Incremental{}, em.Squarem{}, em.LBFGS{}, em.SGD{}} {
			l := must(e.likelihood(algorithm))
			_, err := em.Fit(context.Background(), l, &em.Options{Method: method, Start: theta, Iterations: 8, Tolerance: -1})
			heuristic := algorithm == "average" || algorithm == "product"
			switch method.(type) {
			case em.EM, em.Anneal, em.Stepwise:
				heuristic = false
			}
			if heuristic {
				wants(t, algorithm, err, em.ErrMethod, "not the derivatives")
			} else if err != nil {
				t.Errorf("%s by %v: %v", algorithm, method, err)
			}
		}
	}
}

// TestFallingHeuristic: the objective of a heuristic may fall, and training goes on.
func TestFallingHeuristic(t *testing.T) {
	fell := false
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 11))
		e := newSpace(rng, shape{law: multinomial})
		r := must(em.Fit(context.Background(), must(e.likelihood("product")), &em.Options{Start: e.params.Random(rng), Iterations: 10, Tolerance: -1}))
		for k := 1; k < len(r.Objective); k++ {
			fell = fell || r.Objective[k] < r.Objective[k-1]-1e-6
		}
	}
	if !fell {
		t.Error("no objective fell")
	}
}

// TestInterruption: a canceled run continues from its checkpoint to the same bits, and the
// checkpoint of another algorithm is rejected.
func TestInterruption(t *testing.T) {
	e := pair(5, 2)
	theta := e.params.Random(rand.New(rand.NewPCG(5, 5)))
	file := ""
	options := func() *em.Options {
		return &em.Options{Start: theta, Iterations: 6, Tolerance: -1, Checkpoint: file}
	}
	dir := t.TempDir()
	for i, algorithm := range algorithms {
		file = ""
		want := must(em.Fit(context.Background(), must(e.likelihood(algorithm)), options()))
		file = filepath.Join(dir, algorithm)
		ctx, cancel := context.WithCancel(context.Background())
		opts := options()
		opts.Observer = func(v em.Event) {
			if v.Iteration == 2 {
				cancel()
			}
		}
		r, err := em.Fit(ctx, must(e.likelihood(algorithm)), opts)
		if !errors.Is(err, context.Canceled) || r.Status != em.Canceled {
			t.Fatalf("%s: %v", algorithm, err)
		}
		if i > 0 {
			_, err := em.Fit(context.Background(), must(e.likelihood(algorithms[i-1])), options())
			wants(t, algorithms[i-1]+" from "+algorithm, err, em.ErrCheckpoint, "")
		}
		got := must(em.Fit(context.Background(), must(e.likelihood(algorithm)), options()))
		if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
			t.Errorf("%s: other bits after an interruption", algorithm)
		}
	}
}

// TestFingerprints: every input of a combination changes its fingerprint.
func TestFingerprints(t *testing.T) {
	e := pair(6, 2)
	light := *e
	light.weight = slices.Clone(e.weight)
	light.weight[0] /= 2
	seen := map[string]int{}
	for i, l := range []em.Likelihood{
		must(agree.Independent(e.each("independent")...)),
		must(agree.Independent(e.each("independent")[:1]...)),
		must(agree.DomainApproximate(e.each("independent")...)),
		must(agree.ParameterApproximate(e.each("independent")...)),
		must(e.likelihood("average")),
		must(e.likelihood("product")),
		must(light.likelihood("product")),
		must(agree.ProductOfPosteriors(em.Skip, listings(e)[0], listings(e)[1])),
	} {
		var b strings.Builder
		l.Fingerprint(io.Writer(&b))
		if j, ok := seen[b.String()]; ok {
			t.Errorf("%d and %d have one fingerprint", j, i)
		}
		seen[b.String()] = i
	}
}
