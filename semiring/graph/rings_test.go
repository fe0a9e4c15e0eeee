package graph_test

import (
	"errors"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Path sums in derived rings, compared with enumeration.

func ring[W any](s semiring.Semiring[W], err error) semiring.Semiring[W] {
	if err != nil {
		panic(err)
	}
	return s
}

func wholeCost(r *rand.Rand) semiring.Cost { return semiring.Cost(1 + r.IntN(4)) }

// costsOf returns the costs of the paths of g with at most maxArcs arcs, in order.
func costsOf(g *graph.Graph[semiring.Cost], maxArcs int) []semiring.Cost {
	var costs []semiring.Cost
	for p := range oracle.Paths(g, maxArcs) {
		costs = append(costs, p.Weight)
	}
	slices.Sort(costs)
	return costs
}

func TestKBestIsTheBestPaths(t *testing.T) {
	const k = 5
	best := ring(semiring.KBest(semiring.Tropical{}, k))
	list := func(c semiring.Cost) semiring.Ranked[semiring.Cost] {
		if math.IsInf(float64(c), 1) {
			return nil
		}
		return semiring.Ranked[semiring.Cost]{c}
	}
	complete := 0
	for seed := range trials.Seeds(400) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, acyclic, wholeCost)
		all := costsOf(g, 8)
		got, err := graph.PathSum(graph.Map(g, best, list))
		if err != nil || !slices.Equal(got, all[:min(k, len(all))]) {
			t.Fatalf("seed %d: %v, %v, want the first of %v", seed, got, err, all)
		}
		// Arcs cost 1 or more, so paths of more than seven arcs cost more than seven.
		cyclic := graphtest.Shape{States: 3, Arcs: 5, Starts: 2, Finals: .5}
		g = graphtest.New(r, semiring.Tropical{}, cyclic, wholeCost)
		all = costsOf(g, 7)
		got, err = graph.PathSum(graph.Map(g, best, list))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		certain := 0
		for certain < min(k, len(all)) && all[certain] <= 7 {
			certain++
		}
		if len(got) < certain || !slices.Equal(got[:certain], all[:certain]) {
			t.Fatalf("seed %d: %v, want the first of %v", seed, got, all)
		}
		if certain == k {
			complete++
		}
	}
	if complete < 10 {
		t.Errorf("only %d cyclic machines have %d paths", complete, k)
	}
}

func TestLexCountsTheBestPaths(t *testing.T) {
	type weight = semiring.Pair[semiring.Cost, *big.Int]
	counting := ring(semiring.Lex(semiring.Tropical{}, semiring.Counting{}))
	lift := func(c semiring.Cost) weight { return weight{First: c, Second: big.NewInt(1)} }
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		for _, shape := range []graphtest.Shape{acyclic, {States: 4, Arcs: 6, Starts: 2, Finals: .4, Zero: .1}} {
			g := graphtest.New(r, semiring.Tropical{}, shape, wholeCost)
			// The best paths do not repeat states.
			all, n := costsOf(g, shape.States), int64(0)
			for _, c := range all {
				if c == all[0] {
					n++
				}
			}
			got, err := graph.PathSum(graph.Map(g, counting, lift))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if counting.IsZero(got) != (n == 0) || n > 0 && (got.First != all[0] || got.Second.Int64() != n) {
				t.Fatalf("seed %d: %v, want the number of the least of %v", seed, got, all)
			}
		}
	}
	// A free cycle on the best path: infinitely many of them.
	free, err := graph.New(counting, []int32{0, 2, 2}, []int32{0, 1}, []weight{lift(0), lift(1)},
		[]graph.Start[weight]{{State: 0, Weight: lift(0)}}, []weight{counting.Zero(), lift(0)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := graph.PathSum(free); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("%v, %v", got, err)
	}
}

// The distribution of the length of a path: a cycle of any mass has a sum.
func TestSeriesIsTheDistributionOfLengths(t *testing.T) {
	const n = 6
	lengths := semiring.Series(semiring.Real{}, n)
	for seed := range trials.Seeds(500) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Real{}, graphtest.Shape{States: 4, Arcs: 8, Starts: 2, Finals: .4, Zero: .1}, unit)
		want := make([]float64, n)
		for p := range oracle.Paths(g, n-1) {
			want[len(p.Arcs)] += p.Weight
		}
		// Starts and ends have no X.
		counted := graph.Map(g, lengths, func(p float64) semiring.Polynomial[float64] { return semiring.Polynomial[float64]{p} })
		arcs := make([]semiring.Polynomial[float64], g.NumArcs())
		for e, p := range g.Weights() {
			arcs[e] = semiring.Polynomial[float64]{0, p}
		}
		counted, err := counted.WithWeights(arcs, counted.Starts(), counted.Finals())
		if err != nil {
			t.Fatal(err)
		}
		got, err := graph.PathSum(counted)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for m := range want {
			x := 0.0
			if m < len(got) {
				x = got[m]
			}
			if !near(x, want[m]) {
				t.Fatalf("seed %d: mass of paths of %d arcs %v, want %v", seed, m, x, want[m])
			}
		}
	}
}

// Moments of two values along random paths, cycles included: the oracle follows all paths until
// the rest is negligible.
func TestExpectation2IsTheMoments(t *testing.T) {
	product := semiring.ScalarProduct(semiring.Real{})
	second := ring(semiring.Expectation2(semiring.Real{}, product))
	type weight = semiring.Expected2[float64, float64, float64, float64]
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		for _, shape := range []graphtest.Shape{acyclic, {States: 3, Arcs: 3, Starts: 2, Finals: .5}} {
			mass := .01
			if shape.Acyclic {
				mass = 1
			}
			g := graphtest.New(r, semiring.Real{}, shape, func(r *rand.Rand) float64 { return mass * r.Float64() })
			a, b := make([]float64, g.NumArcs()), make([]float64, g.NumArcs())
			arcs := make([]weight, g.NumArcs())
			for e, p := range g.Weights() {
				a[e], b[e] = r.NormFloat64(), r.NormFloat64()
				arcs[e] = weight{P: p, R: p * a[e], S: p * b[e], T: p * a[e] * b[e]}
			}
			var want weight
			for p := range oracle.Paths(g, 8) {
				x, y := 0.0, 0.0
				for _, e := range p.Arcs {
					x, y = x+a[e], y+b[e]
				}
				want.P, want.R, want.S, want.T = want.P+p.Weight, want.R+p.Weight*x, want.S+p.Weight*y, want.T+p.Weight*x*y
			}
			m := graph.Map(g, second, func(p float64) weight { return weight{P: p} })
			m, err := m.WithWeights(arcs, m.Starts(), m.Finals())
			if err != nil {
				t.Fatal(err)
			}
			got, err := graph.PathSum(m)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, d := range []float64{got.P - want.P, got.R - want.R, got.S - want.S, got.T - want.T} {
				if !(math.Abs(d) <= 1e-10*max(want.P, 1e-3)) {
					t.Fatalf("seed %d: %v, want %v", seed, got, want)
				}
			}
		}
	}
}

// The widest path, by enumeration of simple ones.
func TestBottleneckIsTheWidestPath(t *testing.T) {
	width := func(r *rand.Rand) semiring.Width { return semiring.Width(r.NormFloat64()) }
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		for _, shape := range []graphtest.Shape{acyclic, {States: 5, Arcs: 7, Starts: 2, Finals: .4, Zero: .1}} {
			g := graphtest.New(r, semiring.Bottleneck{}, shape, width)
			checkSums(t, g, shape.States, func(a, b semiring.Width) bool { return a == b })
		}
	}
}

// The value along the best path; the mean over all of them if there are several.
func TestViterbiExpectationIsTheValueOfTheBestPath(t *testing.T) {
	scaled := semiring.Scaled{}
	best := semiring.ViterbiExpectation(scaled, semiring.Scalar(scaled))
	type weight = semiring.Pair[semiring.ScaledFloat, semiring.Expected[semiring.ScaledFloat, semiring.ScaledFloat]]
	lift := func(p semiring.ScaledFloat, v float64) weight {
		return weight{First: p, Second: semiring.Expected[semiring.ScaledFloat, semiring.ScaledFloat]{P: p, V: p.Mul(semiring.NewScaled(v))}}
	}
	ties := 0
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		for _, shape := range []graphtest.Shape{acyclic, {States: 4, Arcs: 6, Starts: 2, Finals: .4, Zero: .1}} {
			g := graphtest.New(r, semiring.Viterbi{}, shape, func(r *rand.Rand) semiring.ScaledFloat {
				return semiring.NewScaled(math.Ldexp(1, -1-r.IntN(2)))
			})
			values := make([]float64, g.NumArcs())
			arcs := make([]weight, g.NumArcs())
			for e, p := range g.Weights() {
				values[e] = r.NormFloat64()
				arcs[e] = lift(p, values[e])
			}
			top, sum, n := semiring.ScaledFloat{}, 0.0, 0.0
			for p := range oracle.Paths(g, shape.States) { // paths that repeat a state are not better
				v := 0.0
				for _, e := range p.Arcs {
					v += values[e]
				}
				switch p.Weight.Cmp(top) {
				case 1:
					top, sum, n = p.Weight, v, 1
				case 0:
					sum, n = sum+v, n+1
				}
			}
			m := graph.Map(g, best, func(p semiring.ScaledFloat) weight { return lift(p, 0) })
			m, err := m.WithWeights(arcs, m.Starts(), m.Finals())
			if err != nil {
				t.Fatal(err)
			}
			got, err := graph.PathSum(m)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if best.IsZero(got) && n == 0 {
				continue
			}
			if mean := got.Second.V.Div(got.Second.P).Float64(); got.First != top || !(math.Abs(mean-sum/n) <= 1e-12) {
				t.Fatalf("seed %d: mass %v, value %v, want %v, %v", seed, got.First, mean, top, sum/n)
			}
			if n > 1 {
				ties++
			}
		}
	}
	if ties < 50 {
		t.Errorf("only %d ties", ties)
	}
}

// kCosts is the ring of the k least costs, in increasing order, with one entry per path. It is
// k-closed if no cycle has a negative cost, and neither selective nor idempotent.
type kCosts struct{ k int }

func (kCosts) Zero() []int         { return nil }
func (kCosts) One() []int          { return []int{0} }
func (kCosts) IsZero(a []int) bool { return len(a) == 0 }
func (kCosts) Laws() semiring.Laws { return semiring.Commutative | semiring.KClosed }

func (r kCosts) Plus(a, b []int) []int {
	c := slices.Sorted(slices.Values(slices.Concat(a, b)))
	return c[:min(r.k, len(c))]
}

func (r kCosts) Times(a, b []int) []int {
	var c []int
	for _, x := range a {
		for _, y := range b {
			c = append(c, x+y)
		}
	}
	slices.Sort(c)
	return c[:min(r.k, len(c))]
}

func (kCosts) Dist(a, b []int) float64 { return discrete(slices.Equal(a, b)) }

func discrete(equal bool) float64 {
	if equal {
		return 0
	}
	return math.Inf(1)
}

// subsets is the ring of sets of eight things under union and intersection:
// bounded, but not selective. It has a key and no metric.
type subsets struct{}

func (subsets) Zero() uint8           { return 0 }
func (subsets) One() uint8            { return math.MaxUint8 }
func (subsets) IsZero(a uint8) bool   { return a == 0 }
func (subsets) Plus(a, b uint8) uint8 { return a | b }
func (subsets) Times(a, b uint8) uint8 {
	return a & b
}

func (subsets) Laws() semiring.Laws {
	return semiring.Commutative | semiring.Bounded | semiring.KClosed
}

func (subsets) AppendKey(dst []byte, a uint8, _ float64) []byte { return append(dst, a) }

// tally is series with counts that stop at three: k-closed, neither commutative nor
// idempotent, and with an empty string that goes around cycles.
type tally struct{ series }

const maxTally = 3

func (tally) Laws() semiring.Laws { return semiring.KClosed }

func (t tally) Plus(a, b sum) sum  { return capped(t.series.Plus(a, b)) }
func (t tally) Times(a, b sum) sum { return capped(t.series.Times(a, b)) }

func (tally) Dist(a, b sum) float64 { return discrete(maps.Equal(a, b)) }

func capped(a sum) sum {
	for s, n := range a {
		a[s] = min(n, maxTally)
	}
	return a
}

func randomTally(r *rand.Rand) sum {
	if r.IntN(3) == 0 {
		return sum{"": 1}
	}
	return randomSum(r)
}

// plain is Real with Metric as its only capability.
type plain struct{}

func (plain) Zero() float64              { return 0 }
func (plain) One() float64               { return 1 }
func (plain) IsZero(a float64) bool      { return a == 0 }
func (plain) Plus(a, b float64) float64  { return a + b }
func (plain) Times(a, b float64) float64 { return a * b }
func (plain) Dist(a, b float64) float64  { return math.Abs(a - b) }

// matrices is the ring of 2×2 matrices, row by row, with the distance of the
// largest entry; it has no star.
type matrices struct{}

type matrix [4]float64

func (matrices) Zero() matrix         { return matrix{} }
func (matrices) One() matrix          { return matrix{1, 0, 0, 1} }
func (matrices) IsZero(a matrix) bool { return a == matrix{} }

func (matrices) Plus(a, b matrix) matrix {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

func (matrices) Times(a, b matrix) matrix {
	return matrix{
		a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3],
		a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3],
	}
}

func (matrices) Dist(a, b matrix) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}
