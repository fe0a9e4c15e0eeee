package graph_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// The masses and values of the k best paths equal the enumerated ones, one by one. Few masses and
// values make ties frequent, and all are exact.
func TestKBestOfViterbiExpectationIsTheValuesOfTheBestPaths(t *testing.T) {
	const k = 4
	scaled := semiring.Scaled{}
	base := semiring.ViterbiExpectation(scaled, semiring.Dense(scaled, 2))
	best := ring(semiring.KBest(base, k))
	type path struct{ mass, first, second float64 }
	type weight = semiring.Pair[semiring.ScaledFloat, semiring.Expected[semiring.ScaledFloat, []semiring.ScaledFloat]]
	lift := func(p semiring.ScaledFloat, v ...float64) semiring.Ranked[weight] {
		if p.IsZero() {
			return nil
		}
		w := weight{First: p, Second: semiring.Expected[semiring.ScaledFloat, []semiring.ScaledFloat]{P: p}}
		for _, x := range v {
			w.Second.V = append(w.Second.V, p.Mul(semiring.NewScaled(x)))
		}
		return semiring.Ranked[weight]{w}
	}
	ties, cycles := 0, 0
	for seed := range trials.Seeds(400) {
		r := graphtest.Rand(seed)
		for _, shape := range []graphtest.Shape{acyclic, {States: 3, Arcs: 5, Starts: 2, Finals: .5}} {
			g := graphtest.New(r, semiring.Viterbi{}, shape, func(r *rand.Rand) semiring.ScaledFloat {
				return semiring.NewScaled(math.Ldexp(1, -1-r.IntN(2)))
			})
			values := make([][2]float64, g.NumArcs())
			arcs := make([]semiring.Ranked[weight], g.NumArcs())
			for e, p := range g.Weights() {
				values[e] = [2]float64{float64(r.IntN(3) - 1), float64(r.IntN(3))}
				arcs[e] = lift(p, values[e][:]...)
			}
			const most = 8 // arcs; a longer path has a mass of at most 2^−9
			var want []path
			for p := range oracle.Paths(g, most) {
				x := path{mass: p.Weight.Float64()}
				for _, e := range p.Arcs {
					x.first, x.second = x.first+values[e][0], x.second+values[e][1]
				}
				want = append(want, x)
			}
			slices.SortFunc(want, func(a, b path) int {
				return cmp.Or(cmp.Compare(b.mass, a.mass), cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second))
			})
			if want = want[:min(k, len(want))]; !shape.Acyclic {
				if len(want) < k || want[k-1].mass <= math.Ldexp(1, -most-1) {
					continue
				}
				cycles++
			}
			m := graph.Map(g, best, func(p semiring.ScaledFloat) semiring.Ranked[weight] { return lift(p) })
			m, err := m.WithWeights(arcs, m.Starts(), m.Finals())
			if err != nil {
				t.Fatal(err)
			}
			sum, err := graph.PathSum(m)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			var got []path
			for _, w := range sum {
				x := path{mass: w.First.Float64()}
				if v := w.Second.V; len(v) > 0 {
					x.first, x.second = v[0].Div(w.Second.P).Float64(), v[1].Div(w.Second.P).Float64()
				}
				got = append(got, x)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
			for n := range max(0, len(got)-1) {
				if got[n].mass == got[n+1].mass && got[n] != got[n+1] {
					ties++
				}
			}
		}
	}
	if ties < 50 || cycles < 50 {
		t.Errorf("only %d ties and %d cyclic graphs", ties, cycles)
	}
}
