package pairgram

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// TestClassesByEnumeration: the likelihood and the posteriors of classes are those of all ways
// to cut pairs, class by class, and the counts are derivatives of the likelihood.
func TestClassesByEnumeration(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 30))
		pairs := randomPairs(rng, 5, 3)
		a := newTestAligner(t, pairs, &AlignerOptions{Sizes: inventories[seed%4], LengthPrior: float64(seed % 2)})
		c, err := a.Classes(1+rng.IntN(3), rng)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Params.Check(c.Theta); err != nil {
			t.Fatal(err)
		}
		c.Theta = c.Params.Random(rng)
		byHand := func(theta []float64, p *Pair) []float64 {
			n, m := c.Len(), a.chunks.Len()
			all := make([]float64, n)
			for k := range all {
				chunk := theta[n+k*m : n+(k+1)*m]
				cuts(a.chunks, p.Source, p.Target, func(chunks []int32) {
					w := theta[k]
					for _, n := range chunks {
						w *= chunk[n-1] * a.prior[n-1]
					}
					all[k] += w
				})
			}
			return all
		}
		l, err := c.Likelihood(pairs)
		if err != nil {
			t.Fatal(err)
		}
		expect := func(theta []float64, workers int) *em.Expectations {
			e, err := l.Expect(t.Context(), em.Query{Theta: theta, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		want := 0.0
		for i := range pairs {
			p := &pairs[i]
			all := byHand(c.Theta, p)
			sum := 0.0
			for _, x := range all {
				sum += x
			}
			posterior, err := c.Posteriors(p)
			if err != nil {
				t.Fatal(err)
			}
			for k, x := range all {
				x /= sum
				if sum == 0 {
					x = c.Probs()[k]
				}
				if math.Abs(posterior[k]-x) > 1e-9 {
					t.Fatalf("seed %d: posteriors %v of %v, by hand %v", seed, posterior, p, all)
				}
			}
			if sum > 0 {
				want += p.weight() * math.Log(sum)
			}
		}
		got := expect(c.Theta, 1)
		if math.Abs(got.LogLikelihood-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("seed %d: log likelihood %v, by hand %v", seed, got.LogLikelihood, want)
		}
		if again := expect(c.Theta, 3); !slices.Equal(again.Counts, got.Counts) {
			t.Errorf("seed %d: other bits with 3 workers", seed)
		}
	}
}

// habits returns words in which the letter 1 is written 1 or 2, all through a word, and the same
// words' classes.
func habits(rng *rand.Rand, n int) (pairs []Pair, class []int) {
	for range n {
		k := rng.IntN(2)
		var p Pair
		for range 4 + rng.IntN(5) {
			s := 1 + rng.Int32N(3)
			p.Source = append(p.Source, s)
			if s == 1 {
				p.Target = append(p.Target, 1+int32(k))
			} else {
				p.Target = append(p.Target, s+1)
			}
		}
		pairs, class = append(pairs, p), append(class, k)
	}
	return pairs, class
}

// TestClasses: EM finds two habits that nobody told it of.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 31))
	pairs, class := habits(rng, 200)
	a := newTestAligner(t, pairs, nil)
	if _, err := a.Fit(t.Context(), pairs, nil); err != nil {
		t.Fatal(err)
	}
	c, err := a.Classes(2, rng)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Fit(t.Context(), pairs, nil)
	if err != nil || !slices.IsSorted(r.Objective) {
		t.Fatal(err, r)
	}
	same := 0
	for i := range pairs {
		p, err := c.Posteriors(&pairs[i])
		if err != nil {
			t.Fatal(err)
		}
		if (p[1] > .5) == (class[i] == 1) {
			same++
		}
	}
	// Words without the letter may be in any class.
	if same = max(same, len(pairs)-same); same < 180 || math.Abs(c.Probs()[0]-.5) > .15 {
		t.Errorf("%d of %d words are in the right class, of probabilities %v", same, len(pairs), c.Probs())
	}
	for _, n := range []int{0, 101} {
		if _, err := a.Classes(n, rng); !errors.Is(err, ErrInvalid) {
			t.Errorf("%d classes: %v", n, err)
		}
	}
	if _, err := c.Posteriors(&Pair{Source: []int32{0}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("symbol 0: %v", err)
	}
	if _, err := c.Fit(t.Context(), []Pair{{Source: []int32{0}}}, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("symbol 0: %v", err)
	}
}
