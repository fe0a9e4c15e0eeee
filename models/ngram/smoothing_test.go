package ngram

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// small is a text of five strings over 1 … 4, in which 4 is not seen. Of single symbols, 1, 2, 3
// and the end are seen 4, 3, 1 and 5 times.
var small = [][]int32{{1, 2}, {1, 2}, {1, 2}, {3}, {1}}

// scored is a history, a symbol and the probability or score that it must have.
type scored struct {
	history []int32
	symbol  int32
	want    float64
}

func checkScores(t *testing.T, m *Model, all []scored) {
	t.Helper()
	for _, x := range all {
		if got := m.Prob(x.history, x.symbol); math.Abs(got-x.want) > 1e-15 {
			t.Errorf("%d after %v: %v, want %v", x.symbol, x.history, got, x.want)
		}
	}
}

// Interpolated modified Kneser-Ney with discounts of the caller's, of which the first list is
// the one that KenLM falls back to.
func TestGivenDiscounts(t *testing.T) {
	m := trainWith(t, 2, 4, small, nil, &Options{Discounts: [][3]float64{{.5, 1, 1.5}, {.25, .5, .75}}})
	// Different symbols before 1, 2, 3 and the end: 1, 1, 1, 3 of 6.
	uni := func(kept float64) float64 { return kept/6 + (3*.5+1.5)/6/5 }
	checkScores(t, m, []scored{
		{nil, 1, (4-.75)/5 + (.75+.25)/5*uni(.5)},
		{nil, 4, (.75 + .25) / 5 * uni(0)},
		{[]int32{1}, 2, (3-.75)/4 + (.75+.25)/4*uni(.5)},
		{[]int32{1}, End, (1-.25)/4 + (.75+.25)/4*uni(1.5)},
		{[]int32{3}, End, (1 - .25) + .25*uni(1.5)},
		{[]int32{4}, End, uni(1.5)},
	})
}

// TestEstimatesAsGiven: the discounts that are estimated make the same model if they are given.
func TestEstimatesAsGiven(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 31))
		c := counter(t, 3, 5)
		all, weights := random(rng, 20, 5)
		for i, s := range all {
			if err := c.AddString(s, weights[i]); err != nil {
				t.Fatal(err)
			}
		}
		d, err := c.Discounts()
		if err != nil {
			t.Fatal(err)
		}
		var given [][3]float64
		for _, x := range d {
			given = append(given, x.D)
		}
		a, b := model(t, c, nil), model(t, c, &Options{Discounts: given})
		if !slices.Equal(a.logp, b.logp) || !slices.Equal(a.backoff, b.backoff) {
			t.Errorf("seed %d: another model", seed)
		}
	}
}

func TestAdditiveByHand(t *testing.T) {
	m := trainWith(t, 2, 4, small, nil, &Options{Smoothing: Additive, Pseudocount: .5})
	checkScores(t, m, []scored{
		{nil, 1, 4.5 / 7.5}, {nil, 3, 1.5 / 7.5}, {nil, 2, .5 / 7.5}, {nil, 4, .5 / 7.5},
		{[]int32{1}, 2, 3.5 / 6.5}, {[]int32{1}, End, 1.5 / 6.5}, {[]int32{1}, 3, .5 / 6.5},
		{[]int32{3}, End, 1.5 / 3.5}, {[]int32{4}, 1, 1. / 5},
	})
	laplace := trainWith(t, 1, 4, small, nil, &Options{Smoothing: Additive})
	checkScores(t, laplace, []scored{{nil, 1, 5. / 18}, {[]int32{2}, 4, 1. / 18}, {nil, End, 6. / 18}})
}

// trainStupid returns the scores of the small text.
func trainStupid(t *testing.T) *Model {
	t.Helper()
	m, err := Fit(2, 4, data(small), &Options{Smoothing: StupidBackoff})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStupidBackoffByHand(t *testing.T) {
	m := trainStupid(t)
	checkScores(t, m, []scored{
		{nil, 1, 4. / 5}, {nil, 2, .4 * 3 / 13}, {[]int32{1}, 2, 3. / 4}, {[]int32{1}, 3, .4 / 13}, {[]int32{1}, End, 1. / 4},
		{[]int32{4}, 1, 4. / 13}, {[]int32{1}, 4, 0}, {[]int32{4}, End, 5. / 13},
	})
	if got, want := m.LogProb([]int32{1, 3}), math.Log(4./5*.4/13*1); math.Abs(got-want) > 1e-14 {
		t.Errorf("the score of a string is %v, want %v", got, want)
	}
	if err := m.Validate(0); !errors.Is(err, ErrInvalid) {
		t.Errorf("Validate: %v", err)
	}
	if _, err := m.Pruned(.1); !errors.Is(err, ErrInvalid) {
		t.Errorf("Pruned: %v", err)
	}
	acceptor, err := Acceptor(m, semiring.Real{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := fst.Weight(acceptor, []int32{1, 3}, []int32{1, 3}, nil)
	if want := 4. / 5 * .4 / 13; err != nil || math.Abs(got-want) > 1e-15 {
		t.Errorf("the weight of a string is %v (%v), want %v", got, err, want)
	}
}

// counts are how often each n-gram of up to order symbols was seen, and each context. An n-gram
// may begin with the mark of the beginning, and no symbol comes before it.
type counts struct {
	order         int
	gram, context map[string]float64
}

func countAll(order int, all [][]int32, weights []float64) counts {
	c := counts{order, map[string]float64{}, map[string]float64{}}
	for i, s := range all {
		text := append(append([]int32{begin}, s...), End)
		for last := 1; last < len(text); last++ {
			for first := max(0, last-order+1); first <= last; first++ {
				c.gram[fmt.Sprint(text[first:last+1])] += weights[i]
				c.context[fmt.Sprint(text[first:last])] += weights[i]
			}
		}
	}
	return c
}

// last returns the context that a history ends in.
func (c counts) last(history []int32) []int32 {
	h := append([]int32{begin}, history...)
	return h[max(0, len(h)-c.order+1):]
}

func (c counts) additive(h []int32, w, vocabulary int32, pseudocount float64) float64 {
	return (c.gram[fmt.Sprint(append(slices.Clone(h), w))] + pseudocount) / (c.context[fmt.Sprint(h)] + pseudocount*(float64(vocabulary)+1))
}

func (c counts) stupid(h []int32, w int32, factor float64) float64 {
	seen := c.context[fmt.Sprint(h)]
	if n := c.gram[fmt.Sprint(append(slices.Clone(h), w))]; n > 0 {
		return n / seen
	}
	if len(h) == 0 {
		return 0
	}
	shorter := c.stupid(h[1:], w, factor)
	if seen > 0 {
		shorter *= factor
	}
	return shorter
}

// TestByCounts: additive smoothing and stupid backoff are their formulas of counts.
func TestByCounts(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 30))
		order, vocabulary := 1+int(seed)%4, 2+rng.Int32N(4)
		all, weights := random(rng, 1+rng.IntN(12), vocabulary)
		c := countAll(order, all, weights)
		added, factor := []float64{.01, 1, 3}[rng.IntN(3)], []float64{.1, .4, 1}[rng.IntN(3)]
		plus := trainWith(t, order, vocabulary, all, weights, &Options{Smoothing: Additive, Pseudocount: added})
		stupid, err := Fit(order, vocabulary, data(all, weights...), &Options{Smoothing: StupidBackoff, BackoffFactor: factor})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			history := make([]int32, rng.IntN(6))
			for j := range history {
				history[j] = 1 + rng.Int32N(vocabulary)
			}
			h := c.last(history)
			for w := range vocabulary + 1 {
				if got, want := plus.Prob(history, w), c.additive(h, w, vocabulary, added); math.Abs(got-want) > 1e-13 {
					t.Fatalf("seed %d, additive: p(%d | %v) is %v, want %v", seed, w, history, got, want)
				}
				if got, want := stupid.Prob(history, w), c.stupid(h, w, factor); math.Abs(got-want) > 1e-13 {
					t.Fatalf("seed %d, stupid backoff: S(%d | %v) is %v, want %v", seed, w, history, got, want)
				}
			}
		}
	}
}

// TestStupidBackoffLeavesOut: an n-gram that is left out has the score that it would have unseen.
func TestStupidBackoffLeavesOut(t *testing.T) {
	m, err := Fit(2, 4, data(small), &Options{Smoothing: StupidBackoff, MinCount: []float64{0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	checkScores(t, m, []scored{{[]int32{1}, 2, 3. / 4}, {[]int32{1}, End, .4 * 5 / 13}, {nil, 3, .4 / 13}, {[]int32{2}, End, 1}})
}
