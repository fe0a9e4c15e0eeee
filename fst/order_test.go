package fst_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// shuffled returns f with its states in random order.
func shuffled[W any](t *testing.T, r *rand.Rand, f *fst.FST[W]) *fst.FST[W] {
	position := make([]int32, f.NumStates())
	for s, p := range r.Perm(len(position)) {
		position[s] = int32(p)
	}
	return must(fst.Renumber(f, position, nil))(t)
}

func TestTopSort(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := shapes(r)
		f := shuffled(t, r, fsttest.New(r, traces, shape, &letters))
		g, err := fst.TopSort(f, nil)
		if errors.Is(err, fst.ErrCyclic) {
			if shape.Acyclic {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		g = must(g, err)(t)
		for s := range int32(g.NumStates()) {
			for _, a := range g.AppendArcs(nil, s) {
				if a.To <= s {
					t.Fatalf("seed %d: an arc from %d to %d", seed, s, a.To)
				}
			}
		}
		check(t, seed, "topological order", g, fsttest.RelationOf(f))
	}
	for _, position := range [][]int32{{0}, {0, 0}, {1, 2}, {-1, 0}} {
		if _, err := fst.Renumber(fst.FromString(reals, []int32{1}), position, nil); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("positions %v: %v", position, err)
		}
	}
}

// A machine is isomorphic to itself in another order, and to none with another weight,
// label or state.
func TestIsomorphic(t *testing.T) {
	differ := 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		a := must(fst.Connect(original(r, reals, .25, .125), nil))(t)
		b := must(fst.ArcSortOut(shuffled(t, r, a), nil))(t)
		if !must(fst.Isomorphic(a, b, nil))(t) {
			t.Fatalf("seed %d: a machine is not isomorphic to itself", seed)
		}
		c, ok := altered(t, b)
		if !ok {
			continue
		}
		differ++
		d := must(fst.Expand(fst.Concat(b, fst.FromString(reals, nil)), nil))(t)
		for i, x := range []*fst.FST[float64]{c, d, fsttest.Frozen(fst.ProjectIn(must(fst.Connect(original(r, reals, .5), nil))(t)))} {
			if must(fst.Isomorphic(a, x, nil))(t) || must(fst.Isomorphic(x, a, nil))(t) {
				t.Fatalf("seed %d: a machine is isomorphic to another, %d", seed, i)
			}
		}
	}
	if differ < 50 {
		t.Errorf("%d machines were altered", differ)
	}
	if _, err := fst.Isomorphic(noTwins(t, 1, 1, false), noTwins(t, 1, 1, false), nil); !errors.Is(err, fst.ErrNondeterministic) {
		t.Errorf("two arcs of the same labels: %v", err)
	}
	two := must(fst.Expand(fst.Union(fst.FromString(reals, nil), fst.FromString(reals, nil)), nil))(t)
	if _, err := fst.Isomorphic(two, two, nil); !errors.Is(err, fst.ErrNondeterministic) {
		t.Errorf("two starts: %v", err)
	}
	plain := fst.FromString(plainReals{}, nil)
	if _, err := fst.Isomorphic(plain, plain, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without a metric: %v", err)
	}
}
