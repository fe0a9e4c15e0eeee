package em_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/lawtest"
	"example.org/pathsum/internal/trials"
)

// randomSets returns a few sets of outcomes with random terms, for d strengths.
func randomSets(rng *rand.Rand, d int) [][][]em.Term {
	sets := make([][][]em.Term, 1+rng.IntN(3))
	for s := range sets {
		sets[s] = make([][]em.Term, 1+rng.IntN(4))
		for o := range sets[s] {
			for range rng.IntN(4) {
				sets[s][o] = append(sets[s][o], em.Term{Strength: rng.Int32N(int32(d)), Times: 2 * rng.Float64()})
			}
		}
	}
	return sets
}

func logLinearGroup(t testing.TB, params *em.Params, strengths int, sets [][][]em.Term, options em.LogLinearOptions) *em.LogLinear {
	t.Helper()
	law, err := em.NewLogLinear(strengths, sets, options)
	if err != nil {
		t.Fatal(err)
	}
	params.Group("l", law.Len(), law)
	return law
}

// countsOf returns random counts of a group with d strengths; one set in three
// has no counts.
func countsOf(rng *rand.Rand, d int, sets [][][]em.Term) []float64 {
	counts := make([]float64, d)
	for _, s := range sets {
		c := randomCounts(rng, len(s))
		if rng.IntN(3) == 0 {
			clear(c)
		}
		counts = append(counts, c...)
	}
	return counts
}

// TestLogLinearSteps: every step climbs, and all converge to the same optimum.
func TestLogLinearSteps(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		d := 1 + rng.IntN(4)
		sets := randomSets(rng, d)
		counts := countsOf(rng, d, sets)
		for _, prior := range []em.LogLinearOptions{{Sigma: 2}, {Scale: 1}, {Sigma: 3, Scale: 2}} {
			var want float64
			for i, step := range []em.LogLinearStep{em.Exact{}, em.Partial{Steps: 2}, em.Scaling{}} {
				options := prior
				options.Step = step
				params := em.NewParams()
				law := logLinearGroup(t, params, d, sets, options)
				theta := params.Random(rng)
				expected := func() float64 { return lawtest.Score(law, theta, counts) + law.LogPrior(theta) }
				q := expected()
				for n := range 3000 {
					before := q
					if err := law.Maximize(theta, counts); err != nil {
						t.Fatal(err)
					}
					q = expected()
					if q < before-1e-12*(1+math.Abs(q)) {
						t.Errorf("seed %d: %T fell from %g to %g", seed, step, before, q)
					}
					if n > 10 && q-before < 1e-14*math.Abs(q) {
						break
					}
				}
				if i == 0 {
					want = q
				}
				tolerance := 1e-9
				if step == (em.Scaling{}) {
					tolerance = 2e-3 // it is slow, especially if the optimum is far away
				}
				if !closeTo(q, want, tolerance) {
					t.Errorf("seed %d: %T leads to %.12g, want %.12g", seed, step, q, want)
				}
			}
		}
	}
}

// TestLogLinearSaturated: with a feature for each outcome the optimum is the
// relative frequencies, and a strength without counts stays finite.
func TestLogLinearSaturated(t *testing.T) {
	sets := [][][]em.Term{{{{0, 1}}, {{1, 1}}, {{2, 1}}}, {{{3, 1}}, {{4, 1}}}}
	counts := []float64{0, 0, 0, 0, 0, 5, 3, 0, 0, 0}
	for _, step := range []em.LogLinearStep{em.Exact{}, em.Scaling{}} {
		params := em.NewParams()
		law := logLinearGroup(t, params, 5, sets, em.LogLinearOptions{Step: step})
		theta := params.Start()
		for range 100 {
			if err := law.Maximize(theta, counts); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range []float64{.625, .375, 0, .5, .5} {
			if got := theta[5+i]; math.Abs(got-want) > 1e-7 {
				t.Errorf("%T: outcome %d has %g, want %g", step, i, got, want)
			}
		}
		if err := params.Check(theta); err != nil {
			t.Error(err)
		}
	}
}

// TestLogLinearDoesNotUnderflow: values are correct even if θ has become 0.
func TestLogLinearDoesNotUnderflow(t *testing.T) {
	params := em.NewParams()
	law := logLinearGroup(t, params, 1, [][][]em.Term{{{}, {{0, 1}}}}, em.LogLinearOptions{})
	theta := []float64{-1e6, 0, 0}
	law.Derive(theta)
	values := params.Values(theta)
	if got := values[2].Log(); theta[2] != 0 || !closeTo(got, -1e6, 1e-12) {
		t.Errorf("θ = %g, ln value = %g", theta[2], got)
	}
}

func TestLogLinearErrors(t *testing.T) {
	one := [][][]em.Term{{{{0, -1}}, {{1, 1}}}}
	for says, c := range map[string]struct {
		strengths int
		options   em.LogLinearOptions
	}{
		"has strength 1 of 1": {1, em.LogLinearOptions{}},
		"sigma -1":            {2, em.LogLinearOptions{Sigma: -1}},
		"scale NaN":           {2, em.LogLinearOptions{Scale: math.NaN()}},
		"tolerance -1":        {2, em.LogLinearOptions{Step: em.Exact{Tolerance: -1}}},
		"0 steps":             {2, em.LogLinearOptions{Step: em.Partial{}}},
		"less than 0 times":   {2, em.LogLinearOptions{Step: em.Scaling{}}},
	} {
		_, err := em.NewLogLinear(c.strengths, one, c.options)
		if !errors.Is(err, em.ErrParameter) {
			t.Errorf("error %v, want ErrParameter", err)
		}
		wantIn(t, err, says)
	}
}
