package graphtest

import (
	"math"
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Arc is an arc of Loops.
type Arc struct {
	From, To int
	Weight   float64
}

// Loops returns a graph of n states with the given arcs. It starts at state 0 with weight 1,
// and its last state is final with weight 1.
func Loops(n int, arcs []Arc) *graph.Graph[float64] {
	out := make([][]Arc, n)
	for _, a := range arcs {
		out[a.From] = append(out[a.From], a)
	}
	row, to, w := []int32{0}, []int32{}, []float64{}
	for _, list := range out {
		for _, a := range list {
			to, w = append(to, int32(a.To)), append(w, a.Weight)
		}
		row = append(row, int32(len(to)))
	}
	final := make([]float64, n)
	final[n-1] = 1
	g, err := graph.New(semiring.Real{}, row, to, w, []graph.Start[float64]{{State: 0, Weight: 1}}, final)
	if err != nil {
		panic(err)
	}
	return g
}

// Split returns n positive numbers whose exact sum is mass, up to rounding.
func Split(r *rand.Rand, n int, mass float64) []float64 {
	x, sum := make([]float64, n), 0.0
	for i := range x {
		x[i] = -math.Log(1 - r.Float64())
		sum += x[i]
	}
	for i := range x {
		x[i] *= mass / sum
	}
	r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
	return x
}

// Substochastic returns a random cyclic graph in which the arcs and the final weight of a state
// sum to at most mass.
func Substochastic(r *rand.Rand, shape Shape, mass float64) *graph.Graph[float64] {
	g := New(r, semiring.Real{}, shape, (*rand.Rand).Float64)
	w, final := g.Weights(), g.Finals()
	for s := range final {
		sum := final[s]
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			sum += w[e]
		}
		scale := mass / max(sum, 1e-3)
		final[s] *= scale
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			w[e] *= scale
		}
	}
	return g
}

// Scaled returns g in Scaled.
func Scaled(g *graph.Graph[float64]) *graph.Graph[semiring.ScaledFloat] {
	return graph.Map(g, semiring.Scaled{}, semiring.NewScaled)
}

// Logs returns g in Log.
func Logs(g *graph.Graph[semiring.ScaledFloat]) *graph.Graph[semiring.LogProb] {
	return graph.Map(g, semiring.Log{}, func(x semiring.ScaledFloat) semiring.LogProb { return semiring.LogProb(x.Log()) })
}

// Farthest returns the greatest distance between the weights of a and b.
func Farthest[W any](ring semiring.Semiring[W], a, b []W) float64 {
	m, err := semiring.Require[semiring.Metric[W]](ring)
	if err != nil {
		panic(err)
	}
	worst := 0.0
	for s := range a {
		if d := m.Dist(a[s], b[s]); !(d <= worst) {
			worst = d
		}
	}
	return worst
}

// CyclicShapes are a few states, many states with few arcs each, and many states with many
// arcs.
var CyclicShapes = []Shape{
	{States: 6, Arcs: 12, Starts: 3, Finals: .4, Zero: .1},
	{States: 40, Arcs: 90, Starts: 3, Finals: .2, Zero: .05},
	{States: 60, Arcs: 1500, Starts: 2, Finals: .1, Zero: .02},
}

// Conjugated returns the graph with every arc s → t multiplied by e^(h(t)−h(s)) and final
// weights by e^(−h(s)). This multiplies α of s by e^h(s) and β by e^−h(s).
func Conjugated(g *graph.Graph[semiring.ScaledFloat], h []float64) *graph.Graph[semiring.ScaledFloat] {
	w, final := make([]semiring.ScaledFloat, g.NumArcs()), make([]semiring.ScaledFloat, g.NumStates())
	starts := make([]graph.Start[semiring.ScaledFloat], len(g.Starts()))
	for s := range final {
		final[s] = g.Finals()[s].Mul(semiring.ScaledFromLog(-h[s]))
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			w[e] = g.Weights()[e].Mul(semiring.ScaledFromLog(h[g.To()[e]] - h[s]))
		}
	}
	for i, start := range g.Starts() {
		start.Weight = start.Weight.Mul(semiring.ScaledFromLog(h[start.State]))
		starts[i] = start
	}
	c, err := g.WithWeights(w, starts, final)
	if err != nil {
		panic(err)
	}
	return c
}

// Irreducible returns a strongly connected graph of mean degree 5. The arcs of each state
// except n−1 and the final state have total mass 1.
func Irreducible(r *rand.Rand, n int) *graph.Graph[float64] {
	arcs := []Arc{{n - 1, n, 1}}
	for s := range n {
		for i, w := range Split(r, 1+r.IntN(9), 1) {
			q := r.IntN(n)
			if i == 0 {
				q = (s + 1) % n
			}
			arcs = append(arcs, Arc{s, q, w})
		}
	}
	return Loops(n+1, arcs)
}

// Periodic returns a strongly connected graph of n·period states in which the length of every
// cycle is divisible by period.
func Periodic(r *rand.Rand, n, period int) *graph.Graph[float64] {
	total := n * period
	arcs := []Arc{{total - 1, total, 1}}
	for s := range total {
		for i, w := range Split(r, 1+r.IntN(4), 1) {
			q := (s + 1 + period*r.IntN(n)) % total
			if i == 0 {
				q = (s + 1) % total
			}
			arcs = append(arcs, Arc{s, q, w})
		}
	}
	return Loops(total+1, arcs)
}

// Torus returns a random walk in a random environment on a square of side² states: each state
// has arcs to its four neighbours with a total of mass. Values decrease by many orders of
// magnitude with the distance, and sums converge slowly.
func Torus(r *rand.Rand, side int, mass float64) *graph.Graph[float64] {
	n := side * side
	var arcs []Arc
	for s := range n {
		i, j := s/side, s%side
		w := Split(r, 4, mass)
		for d, q := range []int{(i+1)%side*side + j, (i+side-1)%side*side + j, i*side + (j+1)%side, i*side + (j+side-1)%side} {
			arcs = append(arcs, Arc{s, q, w[d]})
		}
		arcs = append(arcs, Arc{s, n, .01})
	}
	return Loops(n+1, arcs)
}

// ConjugatedTorus returns a Conjugated Torus, in which the arcs of a state no longer sum to
// mass.
func ConjugatedTorus(r *rand.Rand, side int, mass float64) *graph.Graph[semiring.ScaledFloat] {
	g := Scaled(Torus(r, side, mass))
	h := make([]float64, g.NumStates())
	for s := range h {
		h[s] = r.NormFloat64()
	}
	return Conjugated(g, h)
}
