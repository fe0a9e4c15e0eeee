package graph_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// What elimination cannot do without subtraction is an error where rounding spoils it,
// and the bound covers the error.
func TestErrorBound(t *testing.T) {
	refused := 0
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		k := []int{3, 10, 20, 30, 40}[seed%5]
		g := scaledBy(r, randomLeaky(r, 5+r.IntN(20), math.Ldexp(1, -k)), int(seed/5%3)*10)
		want := exactBackward(g)[0]
		logarithms := graph.Map(g, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) })
		inScaled, errScaled := graph.ErrorBound(graphtest.Scaled(g))
		inLog, errLog := graph.ErrorBound(logarithms)
		if errScaled != nil || errLog != nil && !errors.Is(errLog, semiring.ErrDiverges) {
			t.Fatalf("seed %d: %v, %v", seed, errScaled, errLog)
		}
		total, err := graph.PathSum(graphtest.Scaled(g))
		if err != nil || distanceFrom(want, total.Float64()) > inScaled+1e-13 {
			t.Fatalf("seed %d: %v, %v, off by %g of at most %g", seed, total, err, distanceFrom(want, total.Float64()), inScaled)
		}
		sum, err := graph.PathSum(logarithms)
		switch off := distanceFrom(want, math.Exp(float64(sum))); {
		case errors.Is(err, semiring.ErrInaccurate) && inLog > 1e-9:
			refused++
		case errors.Is(err, semiring.ErrDiverges) && errLog != nil:
		case err != nil || inLog > 1e-9 || off > 10*inLog+1e-12: // logarithms were rounded before
			t.Fatalf("seed %d, leak 2^-%d: in Log %v, %v, off by %g of at most %g", seed, k, sum, err, off, inLog)
		}
	}
	if refused == 0 {
		t.Error("no sum in Log is inaccurate")
	}
}

// Sums that are too close to divergence for the method that is left are refused.
func TestInaccurateSums(t *testing.T) {
	arcs := []arc{{3, 7, -0x1p-35}, {19, 20, 0x1p-30}}
	for s := range 20 {
		arcs = append(arcs, arc{s, (s + 1) % 20, .5}, arc{s, (s + 19) % 20, .5 - 0x1p-30*float64(s/19)})
	}
	signed := loops(21, arcs)
	if total, err := graph.PathSum(signed); !errors.Is(err, semiring.ErrInaccurate) {
		t.Errorf("signed: %v, error %v, want semiring.ErrInaccurate", total, err)
	}
	if bound, err := graph.ErrorBound(signed); err != nil || !(bound > 1e-9) {
		t.Errorf("signed: bound %v, error %v", bound, err)
	}
	if bound, err := graph.ErrorBound(loops(3, []arc{{0, 1, .5}, {0, 2, .5}, {1, 2, 1}})); bound != 0 || err != nil {
		t.Errorf("acyclic: %v, %v", bound, err)
	}
	if bound, err := graph.ErrorBound(leakyRing(nil, 100, 0x1p-40)); bound != 0 || err != nil {
		t.Errorf("a ring: %v, %v", bound, err)
	}
}
