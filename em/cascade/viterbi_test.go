package cascade_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

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
