package pairgram

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
