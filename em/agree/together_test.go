package agree_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/trials"
)

// opaque is a term that hides everything from a sum except that it is a likelihood.
type opaque struct{ em.Excluder }

// priced is a submodel with costs of its examples.
type priced struct {
	agree.Submodel
	cost func(i int) int
}

func (p priced) Cost(i int) int { return p.cost(i) }

// TestSumsInOnePass: a sum of single submodels, which is computed in one pass over the examples,
// equals the sum of its terms, for any skipped or excluded examples and any costs.
func TestSumsInOnePass(t *testing.T) {
	sums := map[string]func(...em.Likelihood) (em.Likelihood, error){
		"Independent": agree.Independent, "DomainApproximate": agree.DomainApproximate, "ParameterApproximate": agree.ParameterApproximate,
	}
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 13))
		e := pair(seed, 3)
		q := em.Query{Theta: e.params.Random(rng), Temperature: .5 + rng.Float64()}
		var without []em.Skipped
		if seed%3 == 0 {
			without = []em.Skipped{{Index: 1}}
		}
		var own, others, dear []em.Likelihood
		for m, s := range listings(e) {
			if seed%2 == 0 {
				s.skip = func(x int) bool { return x == 2*m }
			}
			l := must(agree.Likelihood(em.Skip, s))
			own, others = append(own, l), append(others, opaque{l.(em.Excluder)})
			dear = append(dear, must(agree.Likelihood(em.Skip, priced{s, func(i int) int { return i / 2 * 1000 }})))
		}
		for name, sum := range sums {
			what := fmt.Sprintf("seed %d, %s", seed, name)
			want := must(must(sum(others...)).(em.Excluder).ExpectWithout(t.Context(), q, without))
			for _, terms := range [][]em.Likelihood{own, dear} {
				got := must(must(sum(terms...)).(em.Excluder).ExpectWithout(t.Context(), q, without))
				near(t, what, got.LogLikelihood, want.LogLikelihood)
				for i := range want.Counts {
					near(t, what, got.Counts[i], want.Counts[i])
				}
				if !slices.Equal(got.Skipped, want.Skipped) || got.Examples != want.Examples {
					t.Errorf("%s: skipped %v of %d, want %v of %d", what, got.Skipped, got.Examples, want.Skipped, want.Examples)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	e := pair(1, 3)
	dear := priced{listings(e)[0], func(i int) int { return i / 2 }}
	if n := must(agree.Likelihood(em.Fail, dear)).Shards(); n >= len(e.weight) {
		t.Errorf("%d shards, want the cheap examples in one", n)
	}
}

// TestCountsOfFailedSteps: counts of a failed E step are not part of the next.
func TestCountsOfFailedSteps(t *testing.T) {
	e := pair(1, 3)
	q := em.Query{Theta: e.params.Start(), Workers: 1}
	s := listings(e)
	together := priced{s[0], func(i int) int { return i / 2 }} // examples 0 and 1 in a shard
	l := must(agree.ProductOfPosteriors(em.Fail, together, s[1]))
	want := must(l.Expect(t.Context(), q))
	fault := errors.New("bad luck")
	s[1].late = fault // at example 1
	_, err := l.Expect(t.Context(), q)
	wants(t, "late fault", err, fault, "submodel 1")
	s[1].late = nil
	got := must(l.Expect(t.Context(), q))
	if !slices.Equal(got.Counts, want.Counts) {
		t.Errorf("counts %v after an error, want %v", got.Counts, want.Counts)
	}
}
