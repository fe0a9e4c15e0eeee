package cascade_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// visited returns random examples of one of three kinds, some without a derivation, and a θ:
// composed lattices, graphs with and without cycles, and forests.
func visited(t *testing.T, rng *rand.Rand, kind int, cache int64) (*cascade.Corpus, em.Likelihood, []float64) {
	t.Helper()
	if kind == 2 {
		params := em.NewParams()
		trees := randomTrees(rng, params, rng.IntN(2) == 0)
		trees.CacheBytes = cache
		c, err := trees.Corpus(params)
		if err != nil {
			t.Fatal(err)
		}
		return c, newForests(t, params, trees), positiveTheta(rng, 6)
	}
	p, examples, graphs, theta := written(t, rng)
	if kind == 1 {
		graphs.CacheBytes = cache
		c, err := graphs.Corpus(p.Params)
		if err != nil {
			t.Fatal(err)
		}
		return c, newGraphs(t, p.Params, graphs), theta
	}
	data := cascade.Data{Examples: examples, Underivable: em.Skip, CacheBytes: cache}
	c, err := p.Corpus(data)
	if err != nil {
		t.Fatal(err)
	}
	data.Strategy = cascade.ByLattice // as for visits
	l, err := p.Likelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	return c, l, theta
}

// TestVisits: the expectations of single examples add up to the expectations of the likelihood.
// This holds in any order, by several goroutines, with shards kept or not, and over several E
// steps.
func TestVisits(t *testing.T) {
	for seed := range trials.Seeds(120) {
		rng := rand.New(rand.NewPCG(seed, 21))
		c, l, theta := visited(t, rng, int(seed%3), []int64{0, -1, 2000}[rng.IntN(3)])
		params := c.Params()
		for range 2 {
			q := em.Query{Theta: theta, EStep: em.EStep(rng.IntN(2)), Temperature: .5 + rng.Float64()}
			want, err := l.Expect(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Begin(q); err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			var together sync.WaitGroup
			logLikelihood, counts, arcs := 0.0, make([]float64, params.Len()), int64(0)
			skipped := 0
			for range 2 {
				order := rng.Perm(c.Examples())
				together.Go(func() {
					v := c.Visitor()
					for _, i := range order {
						u, err := v.Visit(i)
						if err != nil {
							t.Error(err)
							return
						}
						handles, grad := make([]float64, u.Space.Len()), make([]float64, params.Len())
						weight := c.Example(i).Weight / 2
						for k, w := range u.Weights {
							handles[w] += weight * u.Counts[k]
						}
						u.Space.Backpropagate(u.Values, handles, grad)
						params.Space().Backpropagate(u.Values[:params.Space().Len()], handles[:params.Space().Len()], grad)
						mu.Lock()
						if u.Total.IsZero() {
							skipped++
						} else {
							logLikelihood += weight * u.Total.Log()
						}
						for p, x := range grad {
							counts[p] += x
						}
						arcs += u.Arcs
						mu.Unlock()
					}
				})
			}
			together.Wait()
			what := fmt.Sprintf("seed %d, %v", seed, q.EStep)
			check := func(name string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
					t.Errorf("%s: %s %.15g, want %.15g", what, name, got, want)
				}
			}
			check("log likelihood", logLikelihood, want.LogLikelihood)
			for p, x := range want.Counts {
				check(params.Name(int32(p)), counts[p], x)
			}
			if skipped != 2*len(want.Skipped) || arcs != 2*want.Arcs {
				t.Errorf("%s: %d skipped, %d arcs, want %d and %d, twice", what, skipped, arcs, len(want.Skipped), want.Arcs)
			}
			theta = positiveTheta(rng, len(theta))
			if seed%3 < 2 {
				for i := range theta {
					theta[i] *= .1
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

func TestVisitErrors(t *testing.T) {
	p, examples, _, theta := written(t, rand.New(rand.NewPCG(1, 21)))
	_, err := p.Corpus(cascade.Data{Stream: cascade.Sequence(func(func(cascade.Example, error) bool) {})})
	wantIs(t, err, em.ErrInvalid)
	wantIn(t, err, "Stream")
	_, err = p.Corpus(cascade.Data{})
	wantIs(t, err, em.ErrInvalid)
	_, err = cascade.Derivations{}.Corpus(p.Params)
	wantIs(t, err, em.ErrInvalid)
	examples[2].Weight = em.Times(0)
	c, err := p.Corpus(cascade.Data{Examples: examples})
	if err != nil {
		t.Fatal(err)
	}
	wantIs(t, c.Begin(em.Query{}), em.ErrParameter)
	wantIs(t, c.Begin(em.Query{Theta: theta, Tangent: theta}), semiring.ErrCapability)
	if err := c.Begin(em.Query{Theta: theta}); err != nil {
		t.Fatal(err)
	}
	_, err = c.Visitor().Visit(2)
	wantIs(t, err, em.ErrInvalid)
	wantIn(t, err, "example 2", "weight is 0")
	failed := false
	for seed := range uint64(20) {
		p, _, graphs, theta := written(t, rand.New(rand.NewPCG(seed, 22)))
		for i := range theta {
			theta[i] = 3
		}
		g, err := graphs.Corpus(p.Params)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Begin(em.Query{Theta: theta}); err != nil {
			t.Fatal(err)
		}
		for i := range g.Examples() {
			if _, err := g.Visitor().Visit(i); err != nil {
				wantIs(t, err, semiring.ErrDiverges)
				wantIn(t, err, fmt.Sprint("example ", i))
				failed = true
			}
		}
	}
	if !failed {
		t.Error("no sum diverged")
	}
	bad := cascade.Derivations{Examples: 1, Forest: func(int) (*forest.Forest[weight], error) { return nil, nil }}
	_, err = bad.Corpus(p.Params)
	wantIs(t, err, em.ErrInvalid)
}
