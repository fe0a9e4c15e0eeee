package fst_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Pushing keeps the weights of all pairs, and afterwards all states have the path sum
// One (but for the starts), or all are reached with One (but for the ends).
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
		for _, d := range []fst.Toward{fst.TowardInitial, fst.TowardFinal} {
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

// The relation stays as it is, and what is certain of the output is written at once.
func TestPushLabels(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		shape.Epsilon = .3
		f := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(5)) })
		for _, d := range []fst.Toward{fst.TowardInitial, fst.TowardFinal} {
			sameWeights(t, seed, "labels", must(fst.PushLabels(f, d, nil))(t), f)
		}
	}
	f := fst.FromPair(reals, []int32{1, 2, 3, 4}, []int32{0, 5, 0, 6})
	for d, want := range map[fst.Toward][]int32{fst.TowardInitial: {5, 6}, fst.TowardFinal: {0, 0, 0, 0, 5, 6}} {
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
