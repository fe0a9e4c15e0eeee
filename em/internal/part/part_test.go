package part_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em/internal/part"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// acceptor returns a random acceptor whose weights are constants less than most.
func acceptor(t *testing.T, rng *rand.Rand, space *expr.Space, states int32, most float64) *fst.FST[expr.W] {
	weight := func() expr.W { return space.Const(semiring.NewScaled(most * rng.Float64())) }
	b := fst.NewBuilder(space)
	for range states {
		b.SetFinal(b.AddState(), weight())
	}
	b.AddStart(0, expr.One)
	for s := range states {
		for range 3 {
			l := 1 + rng.Int32N(3)
			b.AddArc(s, fst.Arc[expr.W]{In: l, Out: l, Weight: weight(), To: rng.Int32N(states)})
		}
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sum(t *testing.T, m fst.Machine[expr.W], v *part.Values) semiring.ScaledFloat {
	t.Helper()
	f, err := fst.Expand(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sumOf(t, f.Graph(), v)
}

func sumOf(t *testing.T, g *graph.Graph[expr.W], v *part.Values) semiring.ScaledFloat {
	t.Helper()
	values, err := v.All()
	if err != nil {
		t.Fatal(err)
	}
	x, err := graph.PathSum(graph.Map(g, semiring.Scaled{}, func(w expr.W) semiring.ScaledFloat { return values[w] }))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestParts: the sum over a lattice lies between the sum over a part of it and the bound, for
// whole and for searched lattices. The bound of a whole lattice is the sum.
func TestParts(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		space := expr.New()
		cascade := []*fst.FST[expr.W]{acceptor(t, rng, space, 3, .2), acceptor(t, rng, space, 4, .9)}
		m := fst.Compose(cascade[0], cascade[1])
		var v part.Values
		v.Reset(space, 1, nil, nil)
		f, err := fst.Expand(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := sum(t, f, &v)
		for _, by := range []part.Options{{Beam: .3}, {Beam: 1e-3}, {Beam: .1, States: 3}, {K: 1}, {K: 7}} {
			values, err := v.All()
			if err != nil {
				t.Fatal(err)
			}
			connected, err := fst.Connect(f, nil)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := part.Whole(connected, &v, by)
			if err != nil {
				t.Fatal(err)
			}
			searched, err := part.NewCeiling(cascade, values).Lattice(cascade, part.Ends{Strings: true}, &v, 1<<16)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []*part.Lattice{whole, searched} {
				chosen, err := l.Choose(t.Context(), by)
				if err != nil {
					t.Fatal(err)
				}
				g, upper, complete, err := l.Freeze(chosen)
				if err != nil {
					t.Fatal(err)
				}
				lower := sumOf(t, g, &v).Log()
				if lower > all.Log()+1e-12 || upper < all.Log() || !l.Any() || l.Exact() != (l == whole) {
					t.Errorf("%+v, whole %t: %g is not between %g and %g", by, l.Exact(), all.Log(), lower, upper)
				}
				if l.Exact() && math.Abs(upper-all.Log()) > 2*part.Slack {
					t.Errorf("%+v: the bound is %g, the sum %g", by, upper, all.Log())
				}
				if complete && math.Abs(lower-all.Log()) > 1e-12 {
					t.Errorf("%+v: said to be all, %g of %g", by, lower, all.Log())
				}
			}
		}
	}
}
