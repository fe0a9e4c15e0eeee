package graph_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// The accuracy of path sums over long sequences, as the table in the documentation of
// package semiring has it: trellises as of a hidden Markov model, every layer fully
// connected to the next, against sums in 256 bits. A width of 1 is a chain.

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

// bigLogOf returns ln z, to more than float64 has: the logarithm of the mantissa is
// small beside that of the scale, and its product with ln 2 is taken in 256 bits.
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
		// Roundings are as many as layers, and of random signs.
		bound := 10 * math.Sqrt(float64(c.layers)) * 0x1p-53
		if !(relative <= bound) || !(absolute <= bound*math.Abs(ln)) || !(ofTotal <= bound+math.Abs(ln)*0x1p-52) {
			t.Errorf("%d layers of %d: errors %g, %g, %g", c.layers, c.width, relative, ofTotal, absolute)
		}
	}
}
