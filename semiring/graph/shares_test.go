package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// forwardBackward returns α ⊗ w ⊗ β / total for every arc, and α ⊗ ρ / total for every state. It
// is independent of the shares that Posteriors uses.
func forwardBackward(t *testing.T, g *graph.Graph[semiring.ScaledFloat]) (arc, final []float64) {
	alpha, err := graph.Forward(g)
	if err != nil {
		t.Fatal(err)
	}
	beta, err := graph.Backward(g)
	if err != nil {
		t.Fatal(err)
	}
	total, err := graph.PathSum(g)
	if err != nil {
		t.Fatal(err)
	}
	for s, a := range alpha {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			arc = append(arc, a.Mul(g.Weights()[e]).Mul(beta[g.To()[e]]).Div(total).Float64())
		}
		final = append(final, a.Mul(g.Finals()[s]).Div(total).Float64())
	}
	return arc, final
}

// Posteriors differ from α ⊗ w ⊗ β / total by at most 16 roundings per arc of a path, and in Log
// also by the rounding of the logarithms, even if β spans many exponents of Scaled.
func TestSharesAreAccurate(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := graphtest.Rand(seed)
		row, to := randomRows(r, 400+r.IntN(4000), 1+r.IntN(60))
		n := len(row) - 1
		scale := []float64{0, 1, 30, 300}[seed%4] // of logarithms
		log, final := make([]semiring.LogProb, len(to)), make([]semiring.LogProb, n)
		for e := range log {
			log[e] = semiring.LogProb(-scale * r.Float64())
		}
		for s := range final {
			final[s] = semiring.Log{}.Zero()
			if r.IntN(8) == 0 || s == n-1 {
				final[s] = semiring.LogProb(-scale * float64(n) * r.Float64())
			}
		}
		starts := []graph.Start[semiring.LogProb]{{State: 0, Weight: -1}, {State: int32(n / 2), Weight: semiring.LogProb(-scale)}, {State: 0, Weight: -2}}
		logs := must(graph.New(semiring.Log{}, row, to, log, starts, final))(t)
		scaled := graph.Map(logs, semiring.Scaled{}, func(x semiring.LogProb) semiring.ScaledFloat { return semiring.ScaledFromLog(float64(x)) })
		arc, ends := forwardBackward(t, scaled)
		rounding := 16 * 0x1p-53 * float64(n)
		total, err := graph.PathSum(scaled)
		if err != nil {
			t.Fatal(err)
		}
		near := func(name string, rounding float64, got, want []float64) {
			for i, x := range got {
				if !(math.Abs(x-want[i]) <= rounding*want[i]+0x1p-460) {
					t.Fatalf("seed %d, %s %d: %v, want %v within %g", seed, name, i, x, want[i], rounding)
				}
			}
		}
		p := must(graph.Posteriors(scaled))(t)
		near("arc", rounding, p.Arc, arc)
		near("final weight", rounding, p.Final, ends)
		if p.Total != total {
			t.Fatalf("seed %d: total %v, PathSum %v", seed, p.Total, total)
		}
		q := must(graph.Posteriors(logs))(t)
		// A logarithm is at most scale for each arc of a path in size, and ln of a number of paths.
		paths := 0.0
		for s := range n {
			paths += math.Log(float64(1 + row[s+1] - row[s]))
		}
		rounding *= 1 + scale*float64(n) + paths
		near("arc in Log", rounding, q.Arc, arc)
		near("final weight in Log", rounding, q.Final, ends)
	}
}

// storage calls PosteriorsInto with storage that contains garbage and is longer, shorter or
// missing, and compares bits with Posteriors.
func storage[W comparable](r *rand.Rand, g *graph.Graph[W]) error {
	garbage := func(n int) []float64 {
		s := make([]float64, r.IntN(n+3))
		for i := range s {
			s[i] = math.NaN()
		}
		return s
	}
	want, wantErr := graph.Posteriors(g)
	dst := graph.Posterior[W]{Arc: garbage(g.NumArcs()), State: garbage(g.NumStates()), Start: garbage(len(g.Starts())), Final: garbage(g.NumStates())}
	kept := dst
	if err := graph.PosteriorsInto(&dst, g); err != nil || wantErr != nil {
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			return fmt.Errorf("error %v, want %v", err, wantErr)
		}
		return nil
	}
	if dst.Total != want.Total && dst.Total == dst.Total {
		return fmt.Errorf("total %v, want %v", dst.Total, want.Total)
	}
	for _, x := range []struct {
		name              string
		before, got, want []float64
	}{{"arc", kept.Arc, dst.Arc, want.Arc}, {"state", kept.State, dst.State, want.State}, {"start", kept.Start, dst.Start, want.Start}, {"final", kept.Final, dst.Final, want.Final}} {
		if !slices.Equal(x.got, x.want) {
			return fmt.Errorf("%s posteriors %v, want %v", x.name, x.got, x.want)
		}
		if n := len(x.got); n > 0 && cap(x.before) >= n && &x.before[:1][0] != &x.got[0] {
			return fmt.Errorf("the storage of %s posteriors is not reused", x.name)
		}
	}
	return nil
}

// PosteriorsInto has the bits of Posteriors whatever its storage contains, on every path through
// the code: shares, negative weights, sums out of range, cycles, no path.
func TestPosteriorsIntoStorage(t *testing.T) {
	pool := []float64{0, .25, .3, -.1, 1, 1e-308, 1e-200, 1e200}
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		shape := graphtest.Shape{States: 5, Arcs: 8, Starts: 2, Finals: .4, Zero: .1, Acyclic: seed%3 > 0}
		values := pool[:2+int(seed)%(len(pool)-1)]
		g := graphtest.New(r, semiring.Real{}, shape, func(r *rand.Rand) float64 { return values[r.IntN(len(values))] })
		cost := graph.Map(g, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(-math.Log(math.Abs(x))) })
		for name, err := range map[string]error{
			"Real":     storage(r, g),
			"Scaled":   storage(r, graphtest.Scaled(g)),
			"Log":      storage(r, logOf(cost)),
			"Tropical": storage(r, cost),
		} {
			if err != nil {
				t.Errorf("seed %d, %s: %v", seed, name, err)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// Results in reused storage cost no allocation per arc.
func TestPosteriorsIntoAllocations(t *testing.T) {
	g := scaledOf(randomCosts(t, 10_000, 50))
	var p graph.Posterior[semiring.ScaledFloat]
	allocations := testing.AllocsPerRun(20, func() {
		if err := graph.PosteriorsInto(&p, g); err != nil {
			t.Error(err)
		}
	})
	if allocations > 10 {
		t.Errorf("%v allocations", allocations)
	}
}
