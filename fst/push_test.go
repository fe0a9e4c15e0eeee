package fst_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Pushing keeps the weights of all pairs. Afterwards the path sum from every state is One, or
// the path sum to every state is One. Starts or ends have the remaining weight.
func TestPushWeights(t *testing.T) {
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		real := acceptor(r, reals, shape, func() float64 { return .02 + .06*r.Float64() })
		first := must(fst.PushWeights(real, fst.TowardInitial, nil))(t)
		sameWeights(t, seed, "toward initial", first, real)
		for s, x := range must(graph.Backward(first.Graph()))(t) {
			if math.Abs(x-1) > 1e-12 {
				t.Fatalf("seed %d: the paths from state %d sum to %v", seed, s, x)
			}
		}
		last := must(fst.PushWeights(real, fst.TowardFinal, nil))(t)
		sameWeights(t, seed, "toward final", last, real)
		for s, x := range must(graph.Forward(last.Graph()))(t) {
			if math.Abs(x-1) > 1e-12 {
				t.Fatalf("seed %d: the paths to state %d sum to %v", seed, s, x)
			}
		}
		cost := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(5)) })
		for _, d := range []fst.PushDirection{fst.TowardInitial, fst.TowardFinal} {
			sameWeights(t, seed, "tropical", must(fst.PushWeights(cost, d, nil))(t), cost)
		}
	}
}

func TestPushWeightsErrors(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(2)
	b.AddStart(0, 1)
	for i, w := range []float64{.5, -.5} {
		b.AddArc(0, fst.Arc[float64]{In: int32(i), Out: int32(i), To: 1, Weight: w})
	}
	b.SetFinal(1, 1)
	f := must(b.Freeze())(t)
	if _, err := fst.PushWeights(f, fst.TowardInitial, nil); err == nil {
		t.Error("weights that cancel each other have been pushed")
	}
	loop := must(fst.Expand(fst.Plus(fst.FromString(reals, []int32{1})), nil))(t)
	if _, err := fst.PushWeights(loop, fst.TowardInitial, nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("a divergent cycle: %v", err)
	}
	if _, err := fst.PushWeights(fst.FromString(bags, []int32{1}), fst.TowardFinal, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
}

// The relation is kept, and output is written as soon as it is certain.
func TestPushLabels(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		shape.Epsilon = .3
		f := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(5)) })
		for _, d := range []fst.PushDirection{fst.TowardInitial, fst.TowardFinal} {
			sameWeights(t, seed, "labels", must(fst.PushLabels(f, d, nil))(t), f)
		}
	}
	f := fst.FromPair(reals, []int32{1, 2, 3, 4}, []int32{0, 5, 0, 6})
	for d, want := range map[fst.PushDirection][]int32{fst.TowardInitial: {5, 6}, fst.TowardFinal: {0, 0, 0, 0, 5, 6}} {
		g := must(fst.PushLabels(f, d, nil))(t)
		var out []int32
		for s := g.AppendStarts(nil)[0].State; ; {
			arcs := g.AppendArcs(nil, s)
			if len(arcs) == 0 {
				break
			}
			out, s = append(out, arcs[0].Out), arcs[0].To
		}
		if !slices.Equal(out[:len(want)], want) {
			t.Errorf("direction %d: the arcs write %v, want %v at first", d, out, want)
		}
	}
}

// apart returns a machine of two starts that loop on the label 1 with weights u and v. The
// first reads 2 and the second reads second to the final state.
func apart(t *testing.T, u, v float64, second int32) *fst.FST[float64] {
	b := fst.NewBuilder(reals)
	b.AddStates(3)
	for s, w := range []float64{u, v} {
		b.AddStart(int32(s), 1)
		b.AddArc(int32(s), fst.Arc[float64]{In: 1, Out: 1, To: int32(s), Weight: w})
	}
	b.AddArc(0, fst.Arc[float64]{In: 2, Out: 2, To: 2, Weight: 1})
	b.AddArc(1, fst.Arc[float64]{In: second, Out: second, To: 2, Weight: 1})
	b.SetFinal(2, 1)
	return must(b.Freeze())(t)
}

// If weights leave the range of float64, operations that divide report it, and name states that
// are not twins. Over Scaled, which has no such limits, the same machines exceed a limit, or
// are correct.
func TestDivisionWithinRange(t *testing.T) {
	large := &fst.Options{Limit: 1_000_000}
	for _, x := range []struct {
		what   string
		u, v   float64
		second int32
	}{
		{"slowly", 2, 1, 3},
		{"at a stroke", 1, 1e-200, 3},
		{"the other way", 1e-100, 1, 3},
		{"siblings", 2, 1, 2},
	} {
		f := apart(t, x.u, x.v, x.second)
		for name, determinize := range map[string]func(fst.Machine[float64], *fst.Options) (*fst.FST[float64], error){
			"Determinize":    determinized[float64],
			"DeterminizeAll": fst.DeterminizeAll[float64],
			"Disambiguate":   fst.Disambiguate[float64],
			"Determinize on demand": func(f fst.Machine[float64], o *fst.Options) (*fst.FST[float64], error) {
				return fst.Expand(fst.Determinize(opaque(f), o), nil)
			},
		} {
			_, err := determinize(f, large)
			if name == "Disambiguate" && x.second == 3 { // the machine is unambiguous
				if err != nil {
					t.Errorf("%s, %s: %v", name, x.what, err)
				}
				continue
			}
			if !errors.Is(err, semiring.ErrLimit) || !errors.Is(err, fst.ErrTwins) || !strings.Contains(err.Error(), "range") {
				t.Errorf("%s, %s: %v", name, x.what, err)
			}
		}
	}
	parts := semiring.Product(semiring.Real{}, semiring.Boolean{})
	pairs := fsttest.Frozen(fst.Map(apart(t, 1, 1e-200, 3), parts, func(w float64) semiring.Pair[float64, bool] {
		return semiring.Pair[float64, bool]{First: w, Second: w != 0}
	}))
	if _, err := fst.Expand(fst.Determinize(pairs, large), nil); !errors.Is(err, semiring.ErrLimit) || !errors.Is(err, fst.ErrTwins) {
		t.Errorf("a part of a pair: %v", err)
	}
	// Small weights with full precision are accepted, also if a part of a pair is 0.
	tiny := fsttest.Frozen(fst.Map(apart(t, 1, 1, 3), reals, func(w float64) float64 { return w * 0x1p-1060 }))
	if _, err := fst.Expand(fst.Determinize(tiny, small), nil); err == nil {
		t.Error("a product of subnormal numbers is in range")
	}
	b := fst.NewBuilder(parts)
	b.AddStates(2)
	b.AddStart(0, parts.One())
	b.AddArc(0, fst.Arc[semiring.Pair[float64, bool]]{In: 1, Out: 1, To: 1, Weight: semiring.Pair[float64, bool]{First: 0x1p-1060, Second: true}})
	b.SetFinal(1, semiring.Pair[float64, bool]{First: 0, Second: true})
	if _, err := fst.Expand(fst.Determinize(must(b.Freeze())(t), small), nil); err != nil {
		t.Errorf("a part that is 0: %v", err)
	}
}

// pathSum returns the sum of all paths, without limits of range.
func pathSum(t *testing.T, f *fst.FST[float64]) semiring.ScaledFloat {
	scaled := semiring.Scaled{}
	return must(graph.PathSum(fsttest.Frozen(fst.Map(f, scaled, semiring.NewScaled)).Graph()))(t)
}

// Pushing divides by sums of paths, which may be out of range although every path is in range.
func TestPushWithinRange(t *testing.T) {
	chain := func(weights ...float64) *fst.FST[float64] {
		b := fst.NewBuilder(reals)
		b.AddStates(len(weights) + 1)
		b.AddStart(0, 1)
		for s, w := range weights {
			b.AddArc(int32(s), fst.Arc[float64]{In: 1, Out: 1, To: int32(s + 1), Weight: w})
		}
		b.SetFinal(int32(len(weights)), 1)
		return must(b.Freeze())(t)
	}
	for _, f := range []*fst.FST[float64]{
		chain(1e300, 1e-200, 1e-110), chain(1e-200, 1e-110, 1e300), chain(1e-300, 1e200, 1e200), chain(1e200, 1e200, 1e-300),
	} {
		for _, d := range []fst.PushDirection{fst.TowardInitial, fst.TowardFinal} {
			g, err := fst.PushWeights(f, d, nil)
			if err != nil {
				if !errors.Is(err, semiring.ErrLimit) && !errors.Is(err, semiring.ErrNotFinite) {
					t.Errorf("%v: %v", d, err)
				}
				continue
			}
			got, want := pathSum(t, g), pathSum(t, f)
			if d := got.Sub(want).Div(want).Float64(); math.Abs(d) > 1e-14 {
				t.Errorf("%v: the path has %v, want %v", d, got, want)
			}
		}
	}
	if _, err := fst.PushWeights(chain(1e300, 1e-200, 1e-110), fst.TowardInitial, nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a sum of paths that is subnormal: %v", err)
	}
	if _, err := fst.Minimize(chain(1e300, 1e-200, 1e-110), nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("minimization: %v", err)
	}
}
