package graph_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// readGraph reads a graph of costs in AT&T text form; state 0 is initial.
func readGraph(tb testing.TB, name string) *graph.Graph[semiring.Cost] {
	in := benchdata.Lines(tb, name)
	row, to, weight, final := []int32{0}, []int32{}, []semiring.Cost{}, []semiring.Cost{}
	zero := semiring.Tropical{}.Zero()
	for in.Scan() {
		f := strings.Fields(in.Text())
		s, err := strconv.Atoi(f[0])
		if err != nil {
			tb.Fatal(err)
		}
		for len(final) <= s {
			final = append(final, zero)
		}
		cost := 0.0
		if len(f)%2 == 0 {
			if cost, err = strconv.ParseFloat(f[len(f)-1], 64); err != nil {
				tb.Fatal(err)
			}
		}
		if len(f) < 3 {
			final[s] = semiring.Cost(cost)
			continue
		}
		t, err := strconv.Atoi(f[1])
		if err != nil {
			tb.Fatal(err)
		}
		for len(row) <= s {
			row = append(row, int32(len(to)))
		}
		if len(row) != s+1 {
			tb.Fatalf("%s: arcs of state %d are not together", name, s)
		}
		to, weight = append(to, int32(t)), append(weight, semiring.Cost(cost))
	}
	for len(row) <= len(final) {
		row = append(row, int32(len(to)))
	}
	g, err := graph.New(semiring.Tropical{}, row, to, weight, []graph.Start[semiring.Cost]{{State: 0}}, final)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func scaledOf(g *graph.Graph[semiring.Cost]) *graph.Graph[semiring.ScaledFloat] {
	return graph.Map(g, semiring.Scaled{}, func(c semiring.Cost) semiring.ScaledFloat { return semiring.ScaledFromLog(-float64(c)) })
}

func realOf(g *graph.Graph[semiring.Cost]) *graph.Graph[float64] {
	return graph.Map(g, semiring.Real{}, func(c semiring.Cost) float64 { return math.Exp(-float64(c)) })
}

func logOf(g *graph.Graph[semiring.Cost]) *graph.Graph[semiring.LogProb] {
	return graph.Map(g, semiring.Log{}, func(c semiring.Cost) semiring.LogProb { return semiring.LogProb(-c) })
}

func TestLatticeKnownAnswer(t *testing.T) {
	if !benchdata.DefaultSeed(t) {
		t.Skip("the inputs are not of the default seed")
	}
	g := readGraph(t, "lattice.fsa.txt")
	p, err := graph.Posteriors(scaledOf(g))
	if err != nil {
		t.Fatal(err)
	}
	arcs := 0.0
	for _, x := range p.Arc {
		arcs += x
	}
	if got := p.Total.Log(); math.Abs(got-3589.519640361) > 1e-8 {
		t.Errorf("ln total %.9f", got)
	}
	if math.Abs(arcs-6532.058369) > 1e-6 {
		t.Errorf("expected arcs %.6f", arcs)
	}
	best, err := graph.BestPath(g)
	if err != nil || math.Abs(float64(best.Weight)-887.1387) > 1e-4 {
		t.Errorf("best path %.4f, %v", best.Weight, err)
	}
}

func benchCall[W, R any](b *testing.B, g *graph.Graph[W], f func(*graph.Graph[W]) (R, error)) {
	if _, err := f(g); err != nil { // warm caches
		b.Fatal(err)
	}
	b.ReportAllocs()
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		f(g)
	}
}

func BenchmarkLattice(b *testing.B) {
	g := readGraph(b, "lattice.fsa.txt")
	scaled, log := scaledOf(g), logOf(g)
	total, err := graph.PathSum(scaled)
	if err != nil {
		b.Fatal(err)
	}
	// All hand-written loops must have the same result.
	check := func(b *testing.B, got float64) {
		if want := total.Log(); math.Abs(got-want) > 1e-9*math.Abs(want) {
			b.Errorf("ln total %.9f by hand, %.9f otherwise", got, want)
		}
	}
	b.Run("Scaled/Forward", func(b *testing.B) { benchCall(b, scaled, graph.Forward) })
	b.Run("Scaled/Forward/hand", func(b *testing.B) { check(b, benchHandScaled(b, g)) })
	b.Run("Scaled/PathSum", func(b *testing.B) { benchCall(b, scaled, graph.PathSum) })
	b.Run("Scaled/PathSum/hand", func(b *testing.B) { check(b, benchHandPathSum(b, g)) })
	b.Run("Scaled/Posteriors", func(b *testing.B) { benchCall(b, scaled, graph.Posteriors) })
	b.Run("Scaled/PosteriorsInto", func(b *testing.B) { benchInto(b, scaled) })
	b.Run("Scaled/Posteriors/hand", func(b *testing.B) { check(b, benchHandPosteriors(b, g)) })
	b.Run("Log/Forward", func(b *testing.B) { benchCall(b, log, graph.Forward) })
	b.Run("Log/PathSum", func(b *testing.B) { benchCall(b, log, graph.PathSum) })
	b.Run("Log/PathSum/hand", func(b *testing.B) { check(b, benchHandLog(b, g)) })
	b.Run("Log/Posteriors", func(b *testing.B) { benchCall(b, log, graph.Posteriors) })
	b.Run("Log/PosteriorsInto", func(b *testing.B) { benchInto(b, log) })
	b.Run("Log/Posteriors/hand", func(b *testing.B) { check(b, benchHandLogPosteriors(b, g)) })
	b.Run("Tropical/PathSum", func(b *testing.B) { benchCall(b, g, graph.PathSum) })
	b.Run("Tropical/PathSum/hand", func(b *testing.B) { benchHandTropical(b, g) })
	b.Run("Tropical/BestPath", func(b *testing.B) { benchCall(b, g, graph.BestPath) })
	b.Run("Tropical/BestPaths100", func(b *testing.B) { benchCall(b, g, hundredBest) })
	b.Run("Scaled/Forward/cold", func(b *testing.B) { benchCold(b, scaled, graph.Forward) })
	b.Run("Scaled/PathSum/cold", func(b *testing.B) { benchCold(b, scaled, graph.PathSum) })
	b.Run("Scaled/Posteriors/cold", func(b *testing.B) { benchCold(b, scaled, graph.Posteriors) })
}

func hundredBest(g *graph.Graph[semiring.Cost]) (sum semiring.Cost, err error) {
	paths, err := graph.BestPaths(g)
	if err != nil {
		return 0, err
	}
	n := 0
	for p := range paths {
		sum += p.Weight
		if n++; n == 100 {
			break
		}
	}
	return sum, nil
}

// benchCold measures without cached data of the topology.
func benchCold[W, R any](b *testing.B, g *graph.Graph[W], f func(*graph.Graph[W]) (R, error)) {
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		fresh, err := graph.New(g.Ring(), g.Row(), g.To(), g.Weights(), g.Starts(), g.Finals())
		if err != nil {
			b.Fatal(err)
		}
		f(fresh)
	}
}

// benchHandScaled is a single-purpose loop: real weights, and an exponent of 2^256
// per state.
func benchHandScaled(b *testing.B, g *graph.Graph[semiring.Cost]) float64 {
	row, from, arc := g.Incoming()
	weight := realOf(g).Weights()
	w := make([]float64, len(weight)) // by target state
	for n, e := range arc {
		w[n] = weight[e]
	}
	mant, exp := make([]float64, g.NumStates()), make([]int32, g.NumStates())
	pass := func() {
		mant[0], exp[0] = 1, 0
		for t := 1; t < len(mant); t++ {
			lo, hi := row[t], row[t+1]
			src, wt := from[lo:hi], w[lo:hi]
			sum, e := 0.0, exp[src[0]]
			for n, s := range src {
				m := mant[s]
				if d := exp[s] - e; d != 0 {
					m = math.Ldexp(m, 256*int(d))
				}
				sum += wt[n] * m
			}
			if sum < 0x1p-128 {
				sum, e = sum*0x1p256, e-1
			} else if sum > 0x1p128 {
				sum, e = sum*0x1p-256, e+1
			}
			mant[t], exp[t] = sum, e
		}
	}
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		pass() // a loop in here would be slowed down by b.Loop
	}
	last := len(mant) - 1
	return math.Log(mant[last]) + float64(exp[last])*256*math.Ln2
}

// handBackward computes backward sums mant·2^(256·exp): real weights, and an exponent
// per state.
func handBackward(row, to []int32, w, mant []float64, exp []int32) {
	n := len(mant)
	mant[n-1], exp[n-1] = 1, 0
	for s := n - 2; s >= 0; s-- {
		lo, hi := row[s], row[s+1]
		next, ws := to[lo:hi], w[lo:hi]
		sum, e := 0.0, exp[next[0]]
		for k, t := range next {
			m := mant[t]
			if d := exp[t] - e; d != 0 {
				m = math.Ldexp(m, 256*int(d))
			}
			sum += ws[k] * m
		}
		if sum < 0x1p-128 {
			sum, e = sum*0x1p256, e-1
		} else if sum > 0x1p128 {
			sum, e = sum*0x1p-256, e+1
		}
		mant[s], exp[s] = sum, e
	}
}

// benchHandPathSum is a single-purpose loop: handBackward.
func benchHandPathSum(b *testing.B, g *graph.Graph[semiring.Cost]) float64 {
	row, to, w := g.Row(), g.To(), realOf(g).Weights()
	mant, exp := make([]float64, g.NumStates()), make([]int32, g.NumStates())
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		handBackward(row, to, w, mant, exp)
	}
	return math.Log(mant[0]) + float64(exp[0])*256*math.Ln2
}

// handLogBackward computes logarithms of backward sums: a maximum, a sum and a
// logarithm per state.
func handLogBackward(row, to []int32, w, beta []float64) {
	for s := len(beta) - 2; s >= 0; s-- {
		lo, hi := row[s], row[s+1]
		next, ws := to[lo:hi], w[lo:hi]
		top, sum := math.Inf(-1), 0.0
		for n, t := range next {
			top = max(top, ws[n]+beta[t])
		}
		for n, t := range next {
			sum += math.Exp(ws[n] + beta[t] - top)
		}
		beta[s] = top + math.Log(sum)
	}
}

// benchHandLog is a single-purpose loop: handLogBackward.
func benchHandLog(b *testing.B, g *graph.Graph[semiring.Cost]) float64 {
	row, to, w := g.Row(), g.To(), logWeights(g)
	beta := make([]float64, g.NumStates())
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		handLogBackward(row, to, w, beta)
	}
	return beta[0]
}

func logWeights(g *graph.Graph[semiring.Cost]) []float64 {
	w := make([]float64, g.NumArcs())
	for e, c := range g.Weights() {
		w[e] = -float64(c)
	}
	return w
}

// benchHandTropical is a single-purpose loop.
func benchHandTropical(b *testing.B, g *graph.Graph[semiring.Cost]) {
	row, to, w := g.Row(), g.To(), g.Weights()
	beta := make([]semiring.Cost, g.NumStates())
	pass := func() {
		for s := len(beta) - 2; s >= 0; s-- {
			lo, hi := row[s], row[s+1]
			next, ws := to[lo:hi], w[lo:hi]
			best := semiring.Cost(math.Inf(1))
			for n, t := range next {
				best = min(best, ws[n]+beta[t])
			}
			beta[s] = best
		}
	}
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		pass() // a loop in here would be slowed down by b.Loop
	}
	if best, err := graph.PathSum(g); err != nil || math.Abs(float64(beta[0]-best)) > 1e-6 {
		b.Errorf("best cost %v by hand, %v otherwise (%v)", beta[0], best, err)
	}
}
