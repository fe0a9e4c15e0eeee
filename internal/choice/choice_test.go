package choice_test

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/semiring"
)

func of(logs ...float64) *choice.Choice {
	var c choice.Choice
	for _, l := range logs {
		c.Add(semiring.ScaledFromLog(l))
	}
	c.Divide()
	return &c
}

func TestShares(t *testing.T) {
	for _, at := range []float64{0, -1e6, 1e6} {
		c := of(at, at+math.Log(3), math.Inf(-1), at-5000)
		for n, want := range []float64{.25, .75, 0, 0} {
			if math.Abs(c.Share[n]-want) > 1e-9 {
				t.Errorf("shares %v", c.Share)
			}
		}
	}
	none := of(math.Inf(-1), math.Inf(-1))
	if !slices.Equal(none.Share, []float64{0, 0}) {
		t.Errorf("shares %v of nothing", none.Share)
	}
}

func TestEntropies(t *testing.T) {
	inf := math.Inf(1)
	p, q := of(math.Log(.25), math.Log(.75)), of(math.Log(.5), math.Log(.5))
	certain, never := of(0, -1e4), of(0, -inf)
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"entropy", choice.CrossEntropy(p, p), .25*math.Log(4) + .75*math.Log(4./3)},
		{"cross-entropy", choice.CrossEntropy(p, q), math.Ln2},
		{"divergence", choice.Divergence(p, q), .25*math.Log(.5) + .75*math.Log(1.5)},
		{"divergence from itself", choice.Divergence(p, p), 0},
		{"what hardly happens", choice.CrossEntropy(q, certain), .5e4},
		{"what never happens", choice.CrossEntropy(p, never), inf},
		{"a tiny mass that q has not", choice.Divergence(certain, never), inf},
		{"a mass that p has not", choice.Divergence(never, p), math.Log(4)},
	} {
		if test.got != test.want && !(math.Abs(test.got-test.want) <= 1e-13*(1+test.want)) {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
	// Half of the digits of a divergence of 1e-16 are accurate.
	const x = 1e-8
	a, b := of(math.Log(.5), math.Log(.5)), of(math.Log1p(x)-math.Ln2, math.Log1p(-x)-math.Ln2)
	if d := choice.Divergence(a, b); math.Abs(d-x*x/2) > 1e-7*x*x {
		t.Errorf("divergence %v, want %v", d, x*x/2)
	}
}

func TestFirst(t *testing.T) {
	sum := make([]float64, 3)
	if top := choice.Accumulate(sum, []float64{.5, 0, .25, .25}); top != 1 || !slices.Equal(sum, []float64{.5, .5, .75}) {
		t.Errorf("sums %v, top %v", sum, top)
	}
	for u, want := range map[float64]int{0: 0, .49: 0, .5: 2, .74: 2, .75: 3} {
		if n := choice.First(sum, u); n != want {
			t.Errorf("option %d for %v, want %d", n, u, want)
		}
	}
	var long []float64
	for n := range 100 {
		long = append(long, float64(n+1))
	}
	for u := range 101 {
		if n := choice.First(long, float64(u)); n != u {
			t.Errorf("option %d of 100 for %d", n, u)
		}
	}
}
