package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// Whatever Optimize does, the relation stays; acyclic acceptors become minimal.
func TestOptimize(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		real := acceptor(r, reals, shape, func() float64 { return .05 * float64(1+r.IntN(3)) })
		got := must(fst.Optimize(real, small))(t)
		sameWeights(t, seed, "real", got, real)
		if shape.Acyclic {
			deterministic(t, seed, got)
			if n := moore(t, got); got.NumStates() != n && got.NumStates() > 0 {
				t.Fatalf("seed %d: %d states, want %d", seed, got.NumStates(), n)
			}
		}
		cost := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(3)) })
		small := must(fst.Optimize(cost, small))(t)
		noEpsilon(t, seed, small)
		sameWeights(t, seed, "tropical", small, cost)
	}
	if _, err := fst.Optimize(fst.FromString(bags, []int32{1}), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
}
