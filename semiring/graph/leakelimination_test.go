package graph_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/graph"
)

// bits is the precision of the oracle: enough for 2⁻⁴⁸ of what (7/9)¹⁰⁰⁰ leaves.
const bits = 600

// exactBackward returns β of a graph of positive weights, eliminated in the order of its states
// with all digits, in numbers of 600 bits.
func exactBackward(g *graph.Graph[float64]) []*big.Float {
	n := g.NumStates()
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	rows, into := make([]map[int32]*big.Float, n), make([]map[int32]bool, n)
	for s := range n {
		rows[s], into[s] = map[int32]*big.Float{}, map[int32]bool{}
	}
	add := func(s, t int32, w *big.Float) {
		if x, ok := rows[s][t]; ok {
			x.Add(x, w)
		} else {
			rows[s][t] = number(0).Set(w)
			into[t][s] = true
		}
	}
	beta := make([]*big.Float, n)
	for s := range n {
		beta[s] = number(g.Finals()[s])
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			add(int32(s), g.To()[e], number(g.Weights()[e]))
		}
	}
	// Eliminate from the last state; rows then lead to lower states only.
	product := number(0)
	for k := int32(n) - 1; k >= 0; k-- {
		star := number(1)
		if loop, ok := rows[k][k]; ok {
			star.Sub(star, loop)
			delete(rows[k], k)
			delete(into[k], k)
		}
		star.Quo(number(1), star)
		beta[k].Mul(beta[k], star)
		for _, w := range rows[k] {
			w.Mul(w, star)
		}
		for i := range into[k] {
			if i > k {
				continue
			}
			x := rows[i][k]
			delete(rows[i], k)
			beta[i].Add(beta[i], product.Mul(x, beta[k]))
			for j, y := range rows[k] {
				add(i, j, product.Mul(x, y))
			}
		}
		for j := range rows[k] {
			delete(into[j], k)
		}
	}
	for k := range n {
		for j, w := range rows[k] {
			beta[k].Add(beta[k], product.Mul(w, beta[j]))
		}
	}
	return beta
}

// distanceFrom returns the relative error of got.
func distanceFrom(want *big.Float, got float64) float64 {
	d := new(big.Float).SetPrec(bits).SetFloat64(got)
	d.Sub(d, want)
	if d.Sign() == 0 {
		return 0
	}
	x, _ := d.Quo(d, want).Float64()
	return math.Abs(x)
}

// leakyRing is a symmetric walk on a ring with a leak at state 0, which is final.
func leakyRing(_ *rand.Rand, n int, leak float64) *graph.Graph[float64] {
	arcs := []arc{{0, n, leak}}
	for s := range n {
		w := .5
		if s == 0 {
			w -= leak / 2
		}
		arcs = append(arcs, arc{s, (s + 1) % n, w}, arc{s, (s + n - 1) % n, w})
	}
	return loops(n+1, arcs)
}

// birthDeath is a walk on a line, back with probability 9/16, with a leak at its end, which it
// rarely reaches.
func birthDeath(_ *rand.Rand, n int, leak float64) *graph.Graph[float64] {
	arcs := []arc{{0, 0, .5625}, {0, 1, .4375}, {n - 1, n - 2, .5625}, {n - 1, n - 1, .4375 - leak}, {n - 1, n, leak}}
	for s := 1; s < n-1; s++ {
		arcs = append(arcs, arc{s, s - 1, .5625}, arc{s, s + 1, .4375})
	}
	return loops(n+1, arcs)
}

// randomLeaky has random rounded probabilities, and leaks at one state.
func randomLeaky(r *rand.Rand, n int, leak float64) *graph.Graph[float64] {
	return randomOut(r, n, 4, leak)
}

// denseLeaky is randomLeaky with as many arcs out of each state as there are states.
func denseLeaky(r *rand.Rand, n int, leak float64) *graph.Graph[float64] {
	return randomOut(r, n, n, leak)
}

func randomOut(r *rand.Rand, n, out int, leak float64) *graph.Graph[float64] {
	arcs := []arc{{n - 1, n, leak}}
	for s := range n {
		mass := 1.0
		if s == n-1 {
			mass -= leak
		}
		for i, w := range graphtest.Split(r, out, mass) {
			q := r.IntN(n)
			if i == 0 {
				q = (s + 1) % n
			}
			arcs = append(arcs, arc{s, q, w})
		}
	}
	return loops(n+1, arcs)
}

// columnLeaky is a random graph in which the arcs into each state except the start are
// probabilities.
func columnLeaky(r *rand.Rand, n int, leak float64) *graph.Graph[float64] {
	return reversed(randomLeaky(r, n, leak))
}

// leakyEverywhere leaks at every state.
func leakyEverywhere(r *rand.Rand, n int, leak float64) *graph.Graph[float64] {
	var arcs []arc
	for s := range n {
		arcs = append(arcs, arc{s, n, leak})
		for _, w := range graphtest.Split(r, 3, 1-leak) {
			arcs = append(arcs, arc{s, r.IntN(n), w})
		}
		arcs[len(arcs)-1].To = (s + 1) % n
	}
	return loops(n+1, arcs)
}

// reversed has the arcs of g reversed, from the last state to the first.
func reversed(g *graph.Graph[float64]) *graph.Graph[float64] {
	var arcs []arc
	last := g.NumStates() - 1
	for s := range last {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			arcs = append(arcs, arc{last - int(g.To()[e]), last - s, g.Weights()[e]})
		}
	}
	return loops(last+1, arcs)
}

// scaledBy multiplies every weight by h of its source and divides it by h of its target, where h
// are powers of 2.
func scaledBy(r *rand.Rand, g *graph.Graph[float64], far int) *graph.Graph[float64] {
	h := make([]float64, g.NumStates())
	for s := range h {
		h[s] = math.Ldexp(1, r.IntN(2*far+1)-far)
	}
	for s := range h {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			g.Weights()[e] *= h[s] / h[g.To()[e]]
		}
	}
	return g
}

// Every sum is exact to roundings, however small the leak.
func TestLeaksAreExact(t *testing.T) {
	kinds := []struct {
		name  string
		make  func(r *rand.Rand, n int, leak float64) *graph.Graph[float64]
		sizes []int
	}{
		{"ring", leakyRing, []int{10, 100, trials.Serial(1000)}},
		{"birth and death", birthDeath, []int{10, 100, trials.Serial(1000)}},
		{"random", randomLeaky, []int{10, 40, 100}},
		{"dense", denseLeaky, []int{17, trials.Serial(100)}},
		{"columns", columnLeaky, []int{10, 40}},
		{"leaks everywhere", leakyEverywhere, []int{3, 16, 17}},
		{"columns everywhere", func(r *rand.Rand, n int, leak float64) *graph.Graph[float64] {
			return reversed(leakyEverywhere(r, n, leak))
		}, []int{3, 16, 17}},
	}
	for _, kind := range kinds {
		for _, n := range kind.sizes {
			for _, k := range []int{20, 30, 40, 48} {
				g := kind.make(graphtest.Rand(uint64(n)), n, math.Ldexp(1, -k))
				worst := leakError(t, g)
				t.Logf("%-15s %4d states, leak 2^-%d: %.1e", kind.name, n, k, worst)
				if !(worst <= 1e-12) {
					t.Errorf("%s of %d states, leak 2^-%d: off by %g", kind.name, n, k, worst)
				}
			}
		}
	}
}

// leakError returns the largest relative error of β, and of path sums in Real and
// Scaled, 1 apart from α.
func leakError(t *testing.T, g *graph.Graph[float64]) float64 {
	t.Helper()
	beta, err := graph.Backward(g)
	if err != nil {
		t.Error(err)
		return math.NaN()
	}
	worst := 0.0
	want := exactBackward(g)
	for s, b := range want {
		worst = max(worst, distanceFrom(b, beta[s]))
	}
	total, err := graph.PathSum(graphtest.Scaled(g))
	if err != nil {
		t.Error(err)
		return math.NaN()
	}
	worst = max(worst, distanceFrom(want[0], total.Float64()))
	p, err := graph.Posteriors(g)
	if err != nil {
		t.Error(err)
		return math.NaN()
	}
	alpha, err := graph.Forward(g)
	if err != nil {
		t.Error(err)
		return math.NaN()
	}
	// Visits are α·β/total, and paths end once.
	for s, visits := range p.State {
		if visits == 0 {
			continue
		}
		worst = max(worst, math.Abs(visits-alpha[s]*beta[s]/p.Total)/visits)
	}
	return max(worst, math.Abs(floats.Sum(p.Final)-1))
}

// The same if states are measured in other units. Rows then have arbitrary sums, so it is no
// longer evident that all states except one lose no mass: the leak must exceed the rounding
// errors of the weights.
func TestLeaksAreExactInOtherUnits(t *testing.T) {
	for _, far := range []int{1, 10, 100} {
		for _, k := range []int{10, 20, 30, 40} {
			r := graphtest.Rand(uint64(far))
			g := scaledBy(r, randomLeaky(r, 30, math.Ldexp(1, -k)), far)
			if worst := leakError(t, g); !(worst <= 1e-12) {
				t.Errorf("units up to 2^%d, leak 2^-%d: off by %g", far, k, worst)
			}
		}
	}
}

// A mass within a few roundings of 1 is 1.
func TestNoLeak(t *testing.T) {
	for _, k := range []int{50, 51, 52, 53} {
		for _, n := range []int{1, 10, 100} {
			if n > 1 {
				wantDiverges(t, "ring", leakyRing(nil, n, math.Ldexp(1, -k)), true)
				wantDiverges(t, "random", randomLeaky(graphtest.Rand(1), n, math.Ldexp(1, -k)), true)
			}
			wantDiverges(t, "loop", loops(2, []arc{{0, 0, 1 - math.Ldexp(1, -k)}, {0, 1, 1}}), true)
		}
	}
}
