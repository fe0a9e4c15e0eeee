package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// longTrellis is a trellis of many layers, of numbers that grow far apart on the way.
type longTrellis struct {
	states, steps              int
	initial, block, last, stay []float64
	nodes                      [][]float64
}

func randomLongTrellis(r *rand.Rand) *longTrellis {
	l := &longTrellis{states: 1 + r.IntN(4), steps: 1 + r.IntN(80)}
	spread := float64(1 + r.IntN(60))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			if r.IntN(6) > 0 {
				x[i] = math.Pow(10, -spread*r.Float64()*r.Float64())
			}
		}
		return x
	}
	l.initial, l.block, l.last, l.stay = draw(l.states), draw(l.states*l.states), draw(l.states), draw(l.steps)
	l.stay[l.steps-1] = 0 // the last block is not square
	for range l.steps {
		l.nodes = append(l.nodes, draw(l.states))
	}
	l.nodes = append(l.nodes, draw(1))
	return l
}

// of returns the trellis over a ring, with numbers as node weights if that is asked for.
func of[W any](t *testing.T, l *longTrellis, ring semiring.Semiring[W], weight func(float64) W) *graph.Trellis[W] {
	t.Helper()
	weights := func(x []float64) []W {
		w := make([]W, len(x))
		for i, a := range x {
			w[i] = weight(a)
		}
		return w
	}
	var nodes [][]W
	for _, v := range l.nodes {
		nodes = append(nodes, weights(v))
	}
	blocks := []*graph.Block[W]{newBlock(t, ring, l.states, l.states, weights(l.block)...), newBlock(t, ring, l.states, 1, weights(l.last)...)}
	steps := make([]int32, l.steps)
	steps[l.steps-1] = 1
	tr, err := graph.NewTrellis(ring, weights(l.initial), blocks, steps, nodes, nil)
	if err == nil {
		err = tr.SetStay(weights(l.stay))
	}
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// What float64 numbers find, of weights and of numbers, is what logarithms find, also
// where α or β of a layer are further apart than float64 numbers can be.
func TestTrellisNumbers(t *testing.T) {
	s, logs := new(graph.TrellisScratch[semiring.ScaledFloat]), new(graph.TrellisScratch[semiring.LogProb])
	for seed := range trials.Seeds(500) {
		l := randomLongTrellis(graphtest.Rand(seed))
		want, err := of(t, l, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }).Posteriors(logs)
		if err != nil {
			t.Fatal(err)
		}
		tr := of(t, l, semiring.Scaled{}, semiring.NewScaled)
		got, err := tr.Posteriors(s)
		if err != nil {
			t.Fatal(err)
		}
		sum := tr.PathSum(s)
		if err := tr.SetNumbers(slices.Concat(l.nodes...)); err != nil {
			t.Fatal(err)
		}
		numbers, err := tr.Posteriors(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []*graph.TrellisPosterior[semiring.ScaledFloat]{got, numbers} {
			same := func(what string, got, want []float64) {
				for i, x := range want {
					if !(math.Abs(got[i]-x) <= 1e-9*x+1e-150) {
						t.Errorf("seed %d: %s %d: %v, want %v", seed, what, i, got[i], x)
					}
				}
			}
			if x, y := got.Total.Log(), float64(want.Total); x != y && !(math.Abs(x-y) <= 1e-9*(1+math.Abs(y))) {
				t.Errorf("seed %d: total %v, want %v", seed, x, y)
			}
			same("node", got.Node, want.Node)
			same("stay", got.Stay, want.Stay)
			for b := range want.Block {
				same("cell", got.Block[b], want.Block[b])
			}
		}
		if x := tr.PathSum(s); x.Log() != sum.Log() && !nearScaled(x.Div(sum), semiring.NewScaled(1)) {
			t.Errorf("seed %d: path sum %v of numbers, %v of weights", seed, x, sum)
		}
	}
}

func TestSetNumbersRefuses(t *testing.T) {
	tr, err := graph.NewTrellis(semiring.Real{}, []float64{1, 2}, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.SetNumbers([]float64{1}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("one number for two nodes: %v", err)
	}
	s := new(graph.TrellisScratch[float64])
	for _, test := range []struct {
		numbers []float64
		want    float64
	}{{[]float64{3, 5}, 13}, {[]float64{1e200, 0}, 1e200}, {nil, 3}} {
		if err := tr.SetNumbers(test.numbers); err != nil || tr.PathSum(s) != test.want {
			t.Errorf("%v: path sum %v, %v", test.numbers, tr.PathSum(s), err)
		}
	}
	if err := tr.SetNumbers([]float64{1, math.NaN()}); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Posteriors(s); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
	words, err := graph.NewTrellis(semiring.Log{}, []semiring.LogProb{0}, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := words.SetNumbers([]float64{1}); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("logarithms: %v", err)
	}
}
