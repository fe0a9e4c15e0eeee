package graph_test

import (
	"errors"
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

// used marks the parts of g that lie on a path that keep admits, in the order of
// newParts; paths have at most maxArcs arcs.
func used[W any](g *graph.Graph[W], maxArcs int, keep func(p graph.Path[W], start int) bool) []bool {
	mask := make([]bool, numParts(g))
	arcs := len(g.Starts())
	finals := arcs + g.NumArcs()
	for i, start := range g.Starts() {
		one, err := g.WithWeights(g.Weights(), []graph.Start[W]{start}, g.Finals())
		if err != nil {
			panic(err)
		}
		for p := range oracle.Paths(one, maxArcs) {
			if !keep(p, i) {
				continue
			}
			mask[i] = true
			last := p.Start
			for _, e := range p.Arcs {
				mask[arcs+int(e)] = true
				last = g.To()[e]
			}
			mask[finals+int(last)] = true
		}
	}
	return mask
}

// checkPruned checks that exactly the marked parts are left, and as they were.
func checkPruned[W comparable](t *testing.T, g *graph.Graph[W], p *graph.Pruned[W], want []bool) {
	t.Helper()
	h, ring := p.Graph, g.Ring()
	if len(p.State) != h.NumStates() || len(p.Arc) != h.NumArcs() || len(p.Start) != len(h.Starts()) {
		t.Fatalf("maps of %d states, %d arcs, %d starts for %d, %d, %d", len(p.State), len(p.Arc), len(p.Start),
			h.NumStates(), h.NumArcs(), len(h.Starts()))
	}
	got := make([]bool, numParts(g))
	arcs := len(g.Starts())
	finals := arcs + g.NumArcs()
	for i, start := range h.Starts() {
		old := g.Starts()[p.Start[i]]
		if p.State[start.State] != old.State || start.Weight != old.Weight {
			t.Errorf("start %d is %v, was %v", i, start, old)
		}
		got[p.Start[i]] = true
	}
	for s, old := range p.State {
		for e := h.Row()[s]; e < h.Row()[s+1]; e++ {
			was := p.Arc[e]
			if was < g.Row()[old] || was >= g.Row()[old+1] || g.To()[was] != p.State[h.To()[e]] || g.Weights()[was] != h.Weights()[e] {
				t.Errorf("arc %d was not %d", e, was)
			}
			got[arcs+int(was)] = true
		}
		if f := h.Finals()[s]; !ring.IsZero(f) {
			if f != g.Finals()[old] {
				t.Errorf("state %d has final weight %v, had %v", s, f, g.Finals()[old])
			}
			got[finals+int(old)] = true
		}
	}
	if !slices.IsSorted(p.State) || !slices.IsSorted(p.Arc) || !slices.IsSorted(p.Start) {
		t.Error("another order")
	}
	if !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
}

func checkBeam(t *testing.T, g *graph.Graph[semiring.Cost], beam semiring.Cost, maxArcs int) {
	t.Helper()
	best, err := graph.BestPath(g)
	if err != nil {
		t.Fatal(err)
	}
	p, err := graph.PruneBeam(g, beam)
	if err != nil {
		t.Fatal(err)
	}
	checkPruned(t, g, p, used(g, maxArcs, func(p graph.Path[semiring.Cost], start int) bool {
		return p.Weight <= best.Weight+max(beam, 0)
	}))
	if now, err := graph.BestPath(p.Graph); err != nil || now.Weight != best.Weight {
		t.Errorf("the best path costs %v (%v), was %v", now.Weight, err, best.Weight)
	}
}

func TestPruneBeam(t *testing.T) {
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, acyclic, func(r *rand.Rand) semiring.Cost { return cost(r) - 2 })
		checkBeam(t, g, []semiring.Cost{0, 1, 3, semiring.Cost(math.Inf(1))}[r.IntN(4)], 8)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestPruneBeamCyclic(t *testing.T) {
	shape := graphtest.Shape{States: 4, Arcs: 6, Starts: 3, Finals: .5, Zero: .1}
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, shape, cost)
		h := make([]semiring.Cost, g.NumStates())
		for s := range h {
			h[s] = semiring.Cost(r.IntN(9) * r.IntN(2))
		}
		for s := range h {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				g.Weights()[e] += h[s] - h[g.To()[e]]
			}
		}
		// The best path through an arc need not come by any state more than twice.
		checkBeam(t, g, semiring.Cost(r.IntN(5)), 7)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A beam of the ring's One, or one that no path fits in, leaves the best path although
// weights are rounded.
func TestPruneBeamKeepsBest(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Viterbi{}, graphtest.Shape{States: 40, Arcs: 120, Acyclic: true, Starts: 5, Finals: .3},
			func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) })
		best, err := graph.BestPath(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, beam := range []float64{1, 2, 1e9} {
			p, err := graph.PruneBeam(g, semiring.NewScaled(beam))
			if err != nil {
				t.Fatal(err)
			}
			now, err := graph.BestPath(p.Graph)
			if err != nil || now.Weight != best.Weight || len(now.Arcs) != len(best.Arcs) {
				t.Fatalf("seed %d: best path %v (%v), was %v", seed, now, err, best)
			}
			for i, e := range now.Arcs {
				if p.Arc[e] != best.Arcs[i] {
					t.Fatalf("seed %d: best path %v, was %v", seed, now, best)
				}
			}
		}
	}
}

func TestPruneErrors(t *testing.T) {
	g := loops(2, []arc{{0, 1, 1}})
	if _, err := graph.PruneBeam(g, 1); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	truth := graph.Map(g, semiring.Boolean{}, func(x float64) bool { return x != 0 })
	if _, err := graph.PrunePosterior(truth, .5); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	loop := loops(2, []arc{{0, 0, 1}, {0, 1, 1}})
	if _, err := graph.PrunePosterior(loop, .5); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want semiring.ErrDiverges", err)
	}
}
