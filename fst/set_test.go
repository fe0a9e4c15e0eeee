package fst_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// Strings and their weights, one by one, on cyclic machines with ε-cycles too.
func TestSetOperations(t *testing.T) {
	alphabet := []int32{3, 1, 2, 1}
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		// With twelve arcs or fewer, all cycles have sums.
		a := acceptor(r, reals, shape, func() float64 { return .08 * r.Float64() })
		b := acceptor(r, reals, shape, func() float64 { return .08 * r.Float64() })
		both := must(fst.Expand(fst.Intersect(a, b), nil))(t)
		costly := fsttest.Frozen(fst.Map(b, costs, func(w float64) semiring.Cost {
			if w == 0 {
				return costs.Zero()
			}
			return semiring.Cost(r.IntN(5))
		}))
		less := must(fst.Expand(fst.Difference(a, costly, nil), nil))(t)
		less2 := must(fst.Expand(fst.Difference(opaque(a), b, nil), nil))(t)
		not := must(fst.Expand(fst.Complement(a, alphabet, nil), nil))(t)
		deterministic(t, seed, not)
		// De Morgan
		neither := must(fst.Expand(fst.Complement(fst.Union(a, b), alphabet, nil), nil))(t)
		nots := must(fst.Expand(fst.Intersect(not, fst.Complement(b, alphabet, nil)), nil))(t)

		wa, wb := fsttest.NewWeigher(a), fsttest.NewWeigher(b)
		machines := []*fsttest.Weigher[float64]{
			fsttest.NewWeigher(both), fsttest.NewWeigher(less), fsttest.NewWeigher(less2),
			fsttest.NewWeigher(not), fsttest.NewWeigher(neither), fsttest.NewWeigher(nots),
		}
		truth := func(b bool) float64 {
			if b {
				return 1
			}
			return 0
		}
		for _, x := range fsttest.Strings(3, 4) {
			u, v := wa.Weight(x, x), wb.Weight(x, x)
			want := []float64{u * v, u * truth(v == 0), u * truth(v == 0), truth(u == 0), truth(u+v == 0), truth(u+v == 0)}
			for i, w := range want {
				if got := machines[i].Weight(x, x); math.Abs(got-w) > 1e-9*w {
					t.Fatalf("seed %d, operation %d: %v has %v, want %v", seed, i, x, got, w)
				}
			}
		}
	}
}

func TestSetErrors(t *testing.T) {
	f := fst.FromString(reals, []int32{1})
	g := fst.FromPair(reals, []int32{1}, []int32{2})
	if err := fst.Err(fst.Intersect(f, g)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("intersection with a transducer: %v", err)
	}
	if err := fst.Err(fst.Difference(g, f, nil)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a transducer less an acceptor: %v", err)
	}
	if err := fst.Err(fst.Difference(f, g, nil)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("an acceptor less a transducer: %v", err)
	}
	if err := fst.Err(fst.Difference(f, noTwins(t, 1, 1, false), &fst.Options{Limit: 3})); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a limit of 3: %v", err)
	}
	if err := fst.Err(fst.Complement(f, []int32{0, 1}, nil)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("ε in the alphabet: %v", err)
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	if all := must(fst.Expand(fst.Complement(empty, []int32{1}, nil), nil))(t); all.NumStates() != 1 || all.NumArcs() != 1 {
		t.Errorf("the complement of nothing: %s", all)
	}
	if none := must(fst.Connect(fst.Complement(fst.Complement(empty, []int32{1}, nil), []int32{1}, nil), nil))(t); none.NumStates() != 0 {
		t.Errorf("the complement of everything: %s", none)
	}
}
