package graph_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// The accuracy of path sums over long sequences, for the table in semiring/PERFORMANCE.md:
// trellises as in a hidden Markov model, every layer fully connected to the next, against sums in
// 256 bits. A width of 1 is a chain.

const accuracyBits = 256

// trellis returns the graph of a random trellis with arc masses of about
// exp(−decay)/width, and its path sum in 256 bits.
func trellis(r *rand.Rand, layers, width int, decay float64) (g *graph.Graph[semiring.ScaledFloat], z *big.Float) {
	states := layers * width
	row, to := make([]int32, 0, states+1), make([]int32, 0, (layers-1)*width*width)
	weight := make([]semiring.ScaledFloat, 0, cap(to))
	final := make([]semiring.ScaledFloat, states)
	row = append(row, 0)
	alpha, next := make([]*big.Float, width), make([]*big.Float, width)
	for s := range alpha {
		alpha[s], next[s] = newBigFloat(1), newBigFloat(0)
	}
	term := newBigFloat(0)
	for layer := range layers {
		for s := range width {
			if layer < layers-1 {
				for t := range width {
					w := math.Exp(-decay*2*r.Float64()) / float64(width)
					to = append(to, int32((layer+1)*width+t))
					weight = append(weight, semiring.NewScaled(w))
					next[t].Add(next[t], term.Mul(alpha[s], term.SetFloat64(w)))
				}
			}
			row = append(row, int32(len(to)))
		}
		if layer < layers-1 {
			alpha, next = next, alpha
			for _, x := range next {
				x.SetInt64(0)
			}
		}
	}
	z = newBigFloat(0)
	starts := make([]graph.Start[semiring.ScaledFloat], width)
	for s := range width {
		starts[s] = graph.Start[semiring.ScaledFloat]{State: int32(s), Weight: semiring.NewScaled(1)}
		final[states-1-s] = semiring.NewScaled(1)
		z.Add(z, alpha[s])
	}
	g, err := graph.New(semiring.Scaled{}, row, to, weight, starts, final)
	if err != nil {
		panic(err)
	}
	return g, z
}

func newBigFloat(x float64) *big.Float {
	return new(big.Float).SetPrec(accuracyBits).SetFloat64(x)
}

// errorOfZ returns |got − z| / z.
func errorOfZ(got semiring.ScaledFloat, z *big.Float) float64 {
	mant := new(big.Float)
	exp := z.MantExp(mant)
	m := newBigFloat(got.Mant)
	m.SetMantExp(m, int(512*got.Exp)-exp) // now both are near 1
	e, _ := m.Sub(m, mant).Float64()
	f, _ := mant.Float64()
	return math.Abs(e) / f
}

// bigLogOf returns ln z with more than float64 precision: the logarithm of the mantissa is small
// compared with the logarithm of the scale, whose product with ln 2 is computed in 256 bits.
func bigLogOf(z *big.Float) *big.Float {
	mant := new(big.Float)
	exp := z.MantExp(mant)
	m, _ := mant.Float64()
	ln2, _, err := big.ParseFloat("0.693147180559945309417232121458176568075500134360255254120680009493393621969694716", 10, accuracyBits, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	l := newBigFloat(float64(exp))
	return l.Add(l.Mul(l, ln2), newBigFloat(math.Log(m)))
}

func TestAccuracyOfLongSums(t *testing.T) {
	type shape struct {
		layers, width int
		decay         float64
	}
	cases := []shape{{100, 10, 2}, {10_000, 1, 2}, {10_000, 10, 2}, {100_000, 1, 100}, {100_000, 3, 10}}
	if os.Getenv("PATHSUM_LONG") != "" {
		cases = append(cases, shape{1_000_000, 1, 10}, shape{1_000_000, 3, 10})
	}
	for _, c := range cases {
		c.layers = trials.Serial(c.layers)
		g, z := trellis(rand.New(rand.NewPCG(12, uint64(c.layers))), c.layers, c.width, c.decay)
		total, err := graph.PathSum(g)
		if err != nil {
			t.Fatal(err)
		}
		logs := graph.Map(g, semiring.Log{}, func(w semiring.ScaledFloat) semiring.LogProb { return semiring.LogProb(w.Log()) })
		logTotal, err := graph.PathSum(logs)
		if err != nil {
			t.Fatal(err)
		}
		want := bigLogOf(z)
		ofLog := func(l float64) float64 {
			d, _ := newBigFloat(0).Sub(newBigFloat(l), want).Float64()
			return math.Abs(d)
		}
		ln, _ := want.Float64()
		relative, ofTotal, absolute := errorOfZ(total, z), ofLog(total.Log()), ofLog(float64(logTotal))
		t.Logf("%7d layers of %2d, ln Z = %12.1f: Scaled %.0e of Z, %.0e of ln Z; Log %.0e of ln Z", c.layers, c.width, ln, relative, ofTotal, absolute)
		// The number of roundings is the number of layers, and their signs are random.
		bound := 10 * math.Sqrt(float64(c.layers)) * 0x1p-53
		if !(relative <= bound) || !(absolute <= bound*math.Abs(ln)) || !(ofTotal <= bound+math.Abs(ln)*0x1p-52) {
			t.Errorf("%d layers of %d: errors %g, %g, %g", c.layers, c.width, relative, ofTotal, absolute)
		}
	}
}

// If elimination must subtract and rounding spoils the sum, it is an error, and the bound covers
// the error.
func TestErrorBound(t *testing.T) {
	refused := 0
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		k := []int{3, 10, 20, 30, 40}[seed%5]
		g := scaledBy(r, randomLeaky(r, 5+r.IntN(20), math.Ldexp(1, -k)), int(seed/5%3)*10)
		want := exactBackward(g)[0]
		logarithms := graph.Map(g, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) })
		inScaled, errScaled := graph.ErrorBound(graphtest.Scaled(g))
		inLog, errLog := graph.ErrorBound(logarithms)
		if errScaled != nil || errLog != nil && !errors.Is(errLog, semiring.ErrDiverges) {
			t.Fatalf("seed %d: %v, %v", seed, errScaled, errLog)
		}
		total, err := graph.PathSum(graphtest.Scaled(g))
		if err != nil || distanceFrom(want, total.Float64()) > inScaled+1e-13 {
			t.Fatalf("seed %d: %v, %v, off by %g of at most %g", seed, total, err, distanceFrom(want, total.Float64()), inScaled)
		}
		sum, err := graph.PathSum(logarithms)
		switch off := distanceFrom(want, math.Exp(float64(sum))); {
		case errors.Is(err, semiring.ErrInaccurate) && inLog > 1e-9:
			refused++
		case errors.Is(err, semiring.ErrDiverges) && errLog != nil:
		case err != nil || inLog > 1e-9 || off > 10*inLog+1e-12: // logarithms had been rounded
			t.Fatalf("seed %d, leak 2^-%d: in Log %v, %v, off by %g of at most %g", seed, k, sum, err, off, inLog)
		}
	}
	if refused == 0 {
		t.Error("no sum in Log is inaccurate")
	}
}

// Sums that are too close to divergence for the remaining method are errors.
func TestInaccurateSums(t *testing.T) {
	arcs := []arc{{3, 7, -0x1p-35}, {19, 20, 0x1p-30}}
	for s := range 20 {
		arcs = append(arcs, arc{s, (s + 1) % 20, .5}, arc{s, (s + 19) % 20, .5 - 0x1p-30*float64(s/19)})
	}
	signed := loops(21, arcs)
	if total, err := graph.PathSum(signed); !errors.Is(err, semiring.ErrInaccurate) {
		t.Errorf("signed: %v, error %v, want semiring.ErrInaccurate", total, err)
	}
	if bound, err := graph.ErrorBound(signed); err != nil || !(bound > 1e-9) {
		t.Errorf("signed: bound %v, error %v", bound, err)
	}
	if bound, err := graph.ErrorBound(loops(3, []arc{{0, 1, .5}, {0, 2, .5}, {1, 2, 1}})); bound != 0 || err != nil {
		t.Errorf("acyclic: %v, %v", bound, err)
	}
	if bound, err := graph.ErrorBound(leakyRing(nil, 100, 0x1p-40)); bound != 0 || err != nil {
		t.Errorf("a ring: %v, %v", bound, err)
	}
}

// forwardResidual returns the residual of alpha in the equations that Forward solves: the
// greatest distance, by the ring's semiring.Metric, between the α of a state and ⊕ of its start
// weights and of α ⊗ weight over the arcs into it. If the residual is small, alpha is exact for
// weights with equally small differences. The error of alpha itself grows as cycles come close to
// divergence.
func forwardResidual[W any](g *graph.Graph[W], alpha []W) float64 {
	ring := g.Ring()
	sums := make([]W, g.NumStates())
	for s := range sums {
		sums[s] = ring.Zero()
	}
	row, from, arc := g.Incoming()
	for s := range sums {
		for n := row[s]; n < row[s+1]; n++ {
			sums[s] = ring.Plus(sums[s], ring.Times(alpha[from[n]], g.Weights()[arc[n]]))
		}
	}
	for _, start := range g.Starts() {
		sums[start.State] = ring.Plus(sums[start.State], start.Weight)
	}
	return graphtest.Farthest(ring, alpha, sums)
}

// backwardResidual is forwardResidual for beta and the equations that Backward solves: β of a
// state is ⊕ of its final weight and of weight ⊗ β over its arcs.
func backwardResidual[W any](g *graph.Graph[W], beta []W) float64 {
	ring := g.Ring()
	sums := slices.Clone(g.Finals())
	for s := range sums {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			sums[s] = ring.Plus(sums[s], ring.Times(g.Weights()[e], beta[g.To()[e]]))
		}
	}
	return graphtest.Farthest(ring, beta, sums)
}

func TestResidual(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .95)
		alpha, errA := graph.Forward(g)
		beta, errB := graph.Backward(g)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		resA, resB := forwardResidual(g, alpha), backwardResidual(g, beta)
		if !(resA < 1e-13) || !(resB < 1e-13) {
			t.Fatalf("seed %d: residuals %v and %v", seed, resA, resB)
		}
		// A single wrong value shows in its own equation: by half of its error, less the
		// contribution of self-loops.
		if g.NumStates() == 0 {
			continue
		}
		s := r.IntN(g.NumStates())
		if alpha[s] == 0 || beta[s] == 0 {
			continue
		}
		alpha[s] *= 2
		beta[s] *= 2
		resA, resB = forwardResidual(g, alpha), backwardResidual(g, beta)
		if !(resA > .01) || !(resB > .01) {
			t.Fatalf("seed %d: residuals %v and %v of a wrong value", seed, resA, resB)
		}
	}
}

// The equations also hold in rings that are neither commutative nor rings of numbers.
func TestResidualOfSeries(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, measured{}, graphtest.Shape{States: 5, Arcs: 9, Starts: 2, Finals: .4}, randomSum)
		alpha, err := graph.Forward(g)
		if err != nil {
			t.Fatal(err)
		}
		beta, err := graph.Backward(g)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := forwardResidual(g, alpha), backwardResidual(g, beta); a != 0 || b != 0 {
			t.Fatalf("seed %d: %v %v", seed, a, b)
		}
	}
}

// measured is series with a discrete metric.
type measured struct{ series }

func (measured) Dist(a, b sum) float64 {
	d := 0.0
	for s := range a {
		d = max(d, math.Abs(float64(a[s]-b[s])))
	}
	for s := range b {
		d = max(d, math.Abs(float64(a[s]-b[s])))
	}
	return d
}
