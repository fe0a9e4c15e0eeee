package fst_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A machine is an implicit graph.
var _ graph.Implicit[bool] = fst.Machine[bool](nil)

// priced returns m with small costs for weights.
func priced(r *rand.Rand, m *fst.FST[series]) *fst.FST[semiring.Cost] {
	return fsttest.Frozen(fst.Map(m, semiring.Tropical{}, func(series) semiring.Cost {
		return semiring.Cost(r.IntN(4))
	}))
}

// A lazy composition searched as it is has the best paths of the expanded one, with
// their labels.
func TestSearchComposition(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[semiring.Cost] { return priced(r, fsttest.New(r, bags, shapes(r), &letters)) }
		a, b, c := machine(), machine(), machine()
		compose := func() fst.Machine[semiring.Cost] {
			ab := fst.Compose(a, b)
			return fst.Compose(ab, c)
		}
		eager := must(fst.Expand(compose(), nil))(t)
		var want []semiring.Cost
		for p := range must(graph.BestPaths(eager.Graph()))(t) {
			if want = append(want, p.Weight); len(want) == 30 {
				break
			}
		}
		lazy, n := compose(), 0
		for p, err := range graph.Search(t.Context(), lazy, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if n == len(want) || p.Weight != want[n] {
				t.Fatalf("seed %d: path %d costs %v, want costs %v", seed, n, p.Weight, want)
			}
			if s := p.Start; !isPath(lazy, s, p.Arcs) {
				t.Fatalf("seed %d: path %d is none: %v", seed, n, p)
			}
			if n++; n == 30 {
				break
			}
		}
		if n != len(want) {
			t.Fatalf("seed %d: %d paths, want %d", seed, n, len(want))
		}
	}
}

// isPath reports whether m has the arcs from state s on, one after the other.
func isPath(m fst.Machine[semiring.Cost], s int32, arcs []fst.Arc[semiring.Cost]) bool {
	for _, a := range arcs {
		found := false
		for _, b := range m.AppendArcs(nil, s) {
			found = found || a == b
		}
		if !found {
			return false
		}
		s = a.To
	}
	return true
}

// The sum over a beam that drops nothing is that of the expanded machine.
func TestBeamComposition(t *testing.T) {
	real := semiring.Real{}
	for seed := range trials.Seeds(300) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[float64] {
			shape := shapes(r)
			shape.Acyclic = true
			return fsttest.Frozen(fst.Map(fsttest.New(r, bags, shape, &letters), real, func(series) float64 { return r.Float64() }))
		}
		c := fst.Compose(machine(), machine())
		want := must(fst.PathSum(c, nil))(t)
		part := must(graph.Beam(t.Context(), c, nil))(t)
		if got := must(graph.PathSum(part.Graph))(t); got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, want)
		}
	}
}

// counted counts the states whose arcs are made.
type counted struct {
	fst.Machine[semiring.Cost]
	states int
}

func (c *counted) AppendArcs(dst []fst.Arc[semiring.Cost], s int32) []fst.Arc[semiring.Cost] {
	c.states++
	return c.Machine.AppendArcs(dst, s)
}

// With what it takes in each machine alone for a heuristic, the best path is as good, and
// fewer states are expanded on the whole.
func TestSearchWithHeuristic(t *testing.T) {
	without, with := 0, 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[semiring.Cost] { return priced(r, fsttest.New(r, bags, shapes(r), &letters)) }
		a, b := machine(), machine()
		ways := func(f *fst.FST[semiring.Cost]) []semiring.Cost { return must(graph.Backward(f.Graph()))(t) }
		best := func(n *int, of func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost) (costs []semiring.Cost) {
			c := fst.Compose(a, b)
			m := &counted{Machine: c}
			for p, err := range graph.Search(t.Context(), m, &graph.SearchOptions[semiring.Cost]{Heuristic: of(c)}) {
				if err != nil {
					t.Fatal(err)
				}
				if costs = append(costs, p.Weight); len(costs) == 1 {
					*n += m.states
				}
				if len(costs) == 10 {
					break
				}
			}
			return costs
		}
		want := best(&without, func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost { return c.Heuristic(nil, nil) })
		for i, of := range []func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost{
			func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost {
				return c.Heuristic(ways(a), ways(b))
			},
			func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost { return c.Heuristic(ways(a), nil) },
			func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost { return c.Heuristic(nil, ways(b)) },
		} {
			n := 0
			if got := best(&n, of); !slices.Equal(got, want) {
				t.Fatalf("seed %d, heuristic %d: paths cost %v, want %v", seed, i, got, want)
			}
			if i == 0 {
				with += n
			}
		}
	}
	if with >= without {
		t.Errorf("%d states expanded, without heuristic %d", with, without)
	}
}
