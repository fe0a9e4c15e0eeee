package forest_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// A product that overflows beside a node without a derivation is infinity times 0. The node
// has no part in the sum, which is 1.
func TestOverflowBesideADeadNode(t *testing.T) {
	f := must(forest.New(semiring.Real{}, []int32{0, 0, 1, 3}, []int32{0, 0, 0, 2}, []int32{1, 0},
		[]float64{1e200, 1, 1e200}, []forest.Root[float64]{{Node: 2, Weight: 1}}))
	if sum, err := forest.TreeSum(f); err != nil || sum != 1 {
		t.Errorf("tree sum %v, error %v, want 1", sum, err)
	}
	want := []float64{0, 1e200, 1}
	if inside, err := forest.Inside(f); err != nil || !slices.EqualFunc(inside, want, near) {
		t.Errorf("inside weights %v, error %v, want %v", inside, err, want)
	}
	if p, err := forest.Posteriors(f); err != nil || p.Total != 1 || !slices.Equal(p.Edge, []float64{0, 1, 0}) {
		t.Errorf("posteriors %v, error %v, want 1 for edge 1 alone", p, err)
	}
	// Node 0 would be used beside the overflow: its outside weight, 1e400, is in no float64.
	if _, out, err := forest.Outside(f); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("outside weights %v, error %v, want semiring.ErrNotFinite", out, err)
	}
	if nodes, edges, err := forest.Through(f); err != nil || !slices.Equal(edges, []float64{0, 1, 0}) || nodes[2] != 1 {
		t.Errorf("through nodes %v, edges %v, error %v, want 1 for edge 1 alone", nodes, edges, err)
	}
}

// Sums in Real are those in Scaled, or an error that wraps semiring.ErrNotFinite if one of
// these is out of range: with great weights, nodes without a derivation, and cycles. With
// small weights as well, products underflow, but nothing is infinite or not a number.
func TestRealIsScaledOrAnError(t *testing.T) {
	compared, refused := 0, 0
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		shape := shapes[seed%3]
		shape.Zero = .3
		f := foresttest.New(r, semiring.Real{}, shape, unit)
		if seed%4 == 0 {
			f = foresttest.Cyclic(r, shape, .5)
		}
		factors, underflow := []float64{1e300, 1e200}, seed%2 == 0
		if underflow {
			factors = append(factors, 1e-200, 1e-300)
		}
		for e := range f.Weights() {
			if r.IntN(3) == 0 {
				f.Weights()[e] *= factors[r.IntN(len(factors))]
			}
		}
		check := func(what string, got []float64, err error, want []semiring.ScaledFloat, errScaled error) {
			t.Helper()
			inRange := errScaled == nil
			for _, w := range want {
				inRange = inRange && !math.IsInf(w.Float64(), 0)
			}
			switch {
			case err != nil && inRange && !underflow:
				t.Errorf("seed %d: %s: error %v, in Scaled %v", seed, what, err, want)
			case err != nil && errScaled == nil && !errors.Is(err, semiring.ErrNotFinite):
				t.Errorf("seed %d: %s: error %v, want semiring.ErrNotFinite", seed, what, err)
			case err == nil && errScaled != nil:
				t.Errorf("seed %d: %s %v, in Scaled the error %v", seed, what, got, errScaled)
			case err != nil:
				refused++
			default:
				compared++
				for i, w := range want {
					if x := w.Float64(); got[i]-got[i] != 0 || !underflow && !near(got[i], x) {
						t.Errorf("seed %d: %s: %v, in Scaled %v", seed, what, got[i], x)
					}
				}
			}
		}
		scaled := forest.Map(f, semiring.Scaled{}, semiring.NewScaled)
		sum, err := forest.TreeSum(f)
		sumScaled, errScaled := forest.TreeSum(scaled)
		check("tree sum", []float64{sum}, err, []semiring.ScaledFloat{sumScaled}, errScaled)
		inside, err := forest.Inside(f)
		insideScaled, errScaled := forest.Inside(scaled)
		check("inside", inside, err, insideScaled, errScaled)
		in, out, err := forest.Outside(f)
		inScaled, outScaled, errScaled := forest.Outside(scaled)
		check("outside", append(in, out...), err, append(inScaled, outScaled...), errScaled)
		nodes, edges, err := forest.Through(f)
		nodesScaled, edgesScaled, errScaled := forest.Through(scaled)
		check("through", append(nodes, edges...), err, append(nodesScaled, edgesScaled...), errScaled)
		p, err := forest.Posteriors(f)
		pScaled, errScaled := forest.Posteriors(scaled)
		if errScaled != nil {
			check("posteriors", nil, err, nil, errScaled)
			continue
		}
		if err != nil {
			check("posteriors", nil, err, []semiring.ScaledFloat{pScaled.Total}, nil)
			continue
		}
		check("total", []float64{p.Total}, nil, []semiring.ScaledFloat{pScaled.Total}, nil)
		for e, x := range pScaled.Edge {
			if !(math.Abs(p.Edge[e]-x) <= 1e-9) && (!underflow || p.Edge[e] != p.Edge[e]) {
				t.Errorf("seed %d: posterior of edge %d %v, in Scaled %v", seed, e, p.Edge[e], x)
			}
		}
	}
	if compared == 0 || refused == 0 {
		t.Errorf("%d compared, %d out of range", compared, refused)
	}
}

// A ring over Real is not summed again, as its parts may be anything; a sum that is not a
// number is an error. Over Scaled it is right.
func TestOverflowInDerivedRings(t *testing.T) {
	type number = semiring.Expected[float64, float64]
	f := must(forest.New(semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{})), []int32{0, 0, 1, 3}, []int32{0, 0, 0, 2}, []int32{1, 0},
		[]number{{P: 1e200}, {P: 1, V: 2}, {P: 1e200}}, []forest.Root[number]{{Node: 2, Weight: number{P: 1}}}))
	if sum, err := forest.TreeSum(f); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("tree sum %v, error %v, want semiring.ErrNotFinite", sum, err)
	}
	if inside, err := forest.Inside(f); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("inside weights %v, error %v, want semiring.ErrNotFinite", inside, err)
	}
	type scaled = semiring.Expected[semiring.ScaledFloat, semiring.ScaledFloat]
	exact := forest.Map(f, semiring.Expectation(semiring.Scaled{}, semiring.Scalar(semiring.Scaled{})),
		func(w number) scaled { return scaled{P: semiring.NewScaled(w.P), V: semiring.NewScaled(w.V)} })
	if sum, err := forest.TreeSum(exact); err != nil || sum.P.Float64() != 1 || sum.V.Float64() != 2 {
		t.Errorf("tree sum %v, error %v, want 1 and 2", sum, err)
	}
}
