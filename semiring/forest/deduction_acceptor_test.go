package forest_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/erased"
)

// A finite-state acceptor is a deduction whose items are states: an item says that the
// state has a path to the end, and the last item, −1, that there is a path from a start.
// Weights come before tails, so paths are multiplied from left to right.
func acceptor[W any](g *graph.Graph[W]) *forest.Deduction[int32, W] {
	type arc struct {
		from   int32
		weight W
	}
	into := make([][]arc, g.NumStates())
	for s := range int32(g.NumStates()) {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			into[g.To()[e]] = append(into[g.To()[e]], arc{s, g.Weights()[e]})
		}
	}
	d := forest.NewDeduction[int32](g.Ring())
	d.Rule("arc", func(s int32) {
		if s < 0 {
			return
		}
		for _, a := range into[s] {
			d.Derive(a.from, a.weight, s)
		}
	})
	d.Rule("start", func(s int32) {
		for _, start := range g.Starts() {
			if start.State == s {
				d.Derive(-1, start.Weight, s)
			}
		}
	})
	for s, w := range g.Finals() {
		d.Derive(int32(s), w)
	}
	return d
}

// tryAcceptors compares acceptors as deductions with path sums, weights being small
// integers, so that both are exact. An acceptor with a cycle on a path diverges as a forest
// as it does as a graph. It returns how many there were.
func tryAcceptors[W comparable](t *testing.T, ring semiring.Semiring[W], shape graphtest.Shape, weight func(r *rand.Rand) W) (cyclic int) {
	for seed := range trials.Seeds(500) {
		g := graphtest.New(graphtest.Rand(seed), ring, shape, weight)
		want, diverges := graph.PathSum(g)
		c, err := acceptor(g).Run(-1)
		if diverges != nil && err == nil && !shape.Acyclic {
			if _, err := forest.TreeSum(c.Forest); !errors.Is(err, semiring.ErrDiverges) {
				t.Fatalf("%T, seed %d: error %v, want ErrDiverges", ring, seed, err)
			}
			cyclic++
			continue
		}
		if err != nil || diverges != nil {
			t.Fatalf("%T, seed %d: errors %v and %v", ring, seed, err, diverges)
		}
		if got := must(forest.TreeSum(c.Forest)); got != want {
			t.Fatalf("%T, seed %d: total %v, want %v", ring, seed, got, want)
		}
	}
	return cyclic
}

func TestDeductionAcceptor(t *testing.T) {
	shape := graphtest.Shape{States: 7, Arcs: 12, Starts: 3, Finals: .3, Zero: .1}
	number := func(r *rand.Rand) float64 { return float64(1 + r.IntN(3)) }
	if cyclic := tryAcceptors(t, semiring.Real{}, shape, number); cyclic < 50 {
		t.Errorf("only %d acceptors with cycles", cyclic)
	}
	shape.Acyclic = true
	tryAcceptors(t, semiring.Real{}, shape, number)
	tryAcceptors(t, erased.Of(matrices{}), shape, func(r *rand.Rand) any {
		return matrix{{r.Int64N(3), r.Int64N(3)}, {r.Int64N(3), r.Int64N(3)}}
	})
}
