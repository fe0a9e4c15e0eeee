package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// What is made on demand is what is made at once.
func TestOnDemand(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		f := weighted(r, reals, acceptors(r), func() float64 { return .08 * r.Float64() })
		lazy := must(fst.RemoveEpsilonLazily(f))(t)
		got, want := must(fst.Expand(fsttest.Opaque[float64]{Machine: lazy}, 0))(t), must(fst.RemoveEpsilon(f, 0))(t)
		if got.NumStates() != want.NumStates() || got.NumArcs() != want.NumArcs() || lazy.Err() != nil {
			t.Fatalf("seed %d: %d states and %d arcs, want %d and %d: %v", seed, got.NumStates(), got.NumArcs(), want.NumStates(), want.NumArcs(), lazy.Err())
		}
		sameWeights(t, seed, "ε-removal", got, f)
		shape := acceptors(r)
		shape.Acyclic = true
		f = acceptor(r, reals, shape, func() float64 { return .1 * float64(r.IntN(3)) })
		lazy = must(fst.DeterminizeLazily(f, nil))(t)
		got, want = must(fst.Expand(lazy, 0))(t), must(fst.Determinize(f, nil))(t)
		if !must(fst.Isomorphic(got, want, nil))(t) || lazy.Err() != nil {
			t.Fatalf("seed %d: not isomorphic: %v", seed, lazy.Err())
		}
	}
}

// Of a machine without a deterministic form, as much is made as is looked at.
func TestOnDemandErrors(t *testing.T) {
	f := noTwins(t, .5, .25, false)
	lazy := must(fst.DeterminizeLazily(f, small))(t)
	s, p := fst.FromString(reals, []int32{1, 2, 2, 2, 4}), must(fst.Compose[float64](fst.FromString(reals, []int32{1, 2, 2, 2, 4}), lazy))(t)
	if w := must(graph.PathSum(must(fst.Expand(p, 0))(t).Graph()))(t); w != 1./64 || lazy.Err() != nil {
		t.Errorf("the weight of %v is %v: %v", s.In(), w, lazy.Err())
	}
	if _, err := fst.Expand(lazy, 0); !errors.Is(err, fst.ErrTwins) || err != lazy.Err() {
		t.Errorf("all of it: %v, %v", err, lazy.Err())
	}
	if _, err := fst.DeterminizeLazily(fst.FromPair(reals, []int32{1}, nil), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a transducer: %v", err)
	}
	if _, err := fst.DeterminizeLazily(fst.FromString(bags, []int32{1}), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
	loop := must(fst.RemoveEpsilonLazily(must(fst.Star(fst.FromString(reals, []int32{0})))(t)))(t)
	if _, err := fst.Expand(loop, 0); !errors.Is(err, graph.ErrDiverges) || err != loop.Err() {
		t.Errorf("a divergent cycle: %v, %v", err, loop.Err())
	}
}

// Operations on parameters commute with giving them values.
func TestOptimizeExpressions(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		space := expr.New()
		n := int32(0)
		shape := acceptors(r)
		f := acceptor(r, semiring.Semiring[expr.W](space), shape, func() expr.W { n++; return space.Param(n - 1) })
		theta := make([]semiring.ScaledFloat, n)
		for i := range theta {
			theta[i] = semiring.NewScaled(.02 + .06*r.Float64())
		}
		noEps := must(fst.RemoveEpsilon(f, 0))(t)
		pushed := must(fst.PushWeights(f, fst.TowardInitial))(t)
		results := map[string]*fst.FST[expr.W]{"ε-removal": noEps, "pushing": pushed}
		if shape.Acyclic {
			results["determinization"] = must(fst.Determinize(f, nil))(t)
			results["minimization"] = must(fst.Minimize(results["determinization"], nil))(t)
		}
		values := must(space.Evaluate(nil, theta))(t)
		value := func(f *fst.FST[expr.W]) *fst.FST[float64] {
			return fst.Map(f, reals, func(w expr.W) float64 { return values[w].Float64() })
		}
		for what, g := range results {
			sameWeights(t, seed, what, value(g), value(f))
		}
	}
}
