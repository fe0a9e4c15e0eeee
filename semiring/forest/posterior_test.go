package forest_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// enumerated computes posteriors by going through all trees.
func enumerated(f *forest.Forest[float64]) *forest.Posterior[float64] {
	p := &forest.Posterior[float64]{Total: oracle.TreeSum(f)}
	p.Node, p.Edge, p.Root = oracle.Through(f)
	if p.Total != 0 {
		for _, x := range [][]float64{p.Node, p.Edge, p.Root} {
			for i := range x {
				x[i] /= p.Total
			}
		}
	}
	return p
}

func checkPosteriors[W any](t *testing.T, f *forest.Forest[W], want *forest.Posterior[float64], near func(a, b float64) bool) {
	t.Helper()
	p, err := forest.Posteriors(f)
	if err != nil {
		t.Fatal(err)
	}
	total, err := semiring.Convert(f.Ring(), semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	if !near(total(p.Total), want.Total) {
		t.Errorf("%T: total %v, want %v", f.Ring(), total(p.Total), want.Total)
	}
	for _, x := range []struct {
		name      string
		got, want []float64
	}{{"edge", p.Edge, want.Edge}, {"node", p.Node, want.Node}, {"root", p.Root, want.Root}} {
		if !slices.EqualFunc(x.got, x.want, near) {
			t.Errorf("%T: %s posteriors %v, want %v", f.Ring(), x.name, x.got, x.want)
		}
	}
}

func TestPosteriors(t *testing.T) {
	expectation := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
	for seed := range trials.Seeds(2000) {
		f := foresttest.New(graphtest.Rand(seed), semiring.Real{}, shapes[seed%3], unit)
		want := enumerated(f)
		checkPosteriors(t, f, want, near)
		checkPosteriors(t, forest.Map(f, semiring.Scaled{}, semiring.NewScaled), want, near)
		log := forest.Map(f, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) })
		checkPosteriors(t, log, want, near)
		// A ring whose kernel folds marginals.
		e := forest.Map(f, expectation, func(x float64) semiring.Expected[float64, float64] {
			return semiring.Expected[float64, float64]{P: x, V: x}
		})
		p, err := forest.Posteriors(e)
		if err != nil || !slices.EqualFunc(p.Edge, want.Edge, near) || !slices.EqualFunc(p.Node, want.Node, near) {
			t.Errorf("in an expectation: %v (%v), want %v", p, err, want)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// An edge without a derivation, whose quotient overflows, and outside weights that underflow: node
// 2 has a derivation by node 1, and another one as probable.
func TestPosteriorsOutOfRange(t *testing.T) {
	f, err := forest.New(semiring.Real{}, []int32{0, 0, 2, 4, 5}, []int32{0, 1, 1, 2, 2, 3}, []int32{0, 1, 2},
		[]float64{1e308, 1e-100, 1e200, 1e100, 1e-200}, []forest.Root[float64]{{Node: 3, Weight: 1e-200}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := forest.Posteriors(f)
	if err != nil {
		t.Fatal(err)
	}
	for e, want := range []float64{0, .5, .5, .5, 1} {
		if math.Abs(p.Edge[e]-want) > 1e-12 {
			t.Errorf("edges %v, want [0 .5 .5 .5 1]", p.Edge)
			break
		}
	}
}

// With negative weights an inside weight may be 0 though there are derivations; the
// posteriors, which are no probabilities then, are the same sums over trees.
func TestPosteriorsNegative(t *testing.T) {
	signed := func(r *rand.Rand) float64 { return float64(r.IntN(5) - 2) }
	checked := 0
	for seed := range trials.Seeds(2000) {
		f := foresttest.New(graphtest.Rand(seed), semiring.Real{}, shapes[seed%3], signed)
		want := enumerated(f)
		if want.Total == 0 {
			continue // trees cancel: there are no posteriors
		}
		checked++
		checkPosteriors(t, f, want, near)
		checkPosteriors(t, forest.Map(f, semiring.Scaled{}, semiring.NewScaled), want, near)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if checked < 300 {
		t.Errorf("only %d forests have a total", checked)
	}
}

// The max-marginal of an edge is the weight of the best tree with it, relative.
func TestMaxMarginals(t *testing.T) {
	for seed := range trials.Seeds(600) {
		f := foresttest.New(graphtest.Rand(seed), semiring.Tropical{}, shapes[seed%3],
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.Float64()) })
		want := &forest.Posterior[float64]{}
		total := oracle.TreeSum(f)
		relative := func(costs []semiring.Cost) []float64 {
			p := make([]float64, len(costs))
			for i, c := range costs {
				if !math.IsInf(float64(c), 1) {
					p[i] = math.Exp(float64(total - c))
				}
			}
			return p
		}
		nodes, edges, roots := oracle.Through(f)
		want.Total = math.Exp(-float64(total))
		want.Node, want.Edge, want.Root = relative(nodes), relative(edges), relative(roots)
		checkPosteriors(t, f, want, near)
		viterbi := forest.Map(f, semiring.Viterbi{}, func(c semiring.Cost) semiring.ScaledFloat {
			return semiring.ScaledFromLog(-float64(c))
		})
		checkPosteriors(t, viterbi, want, near)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestPosteriorsNeedProbabilities(t *testing.T) {
	f := foresttest.New(graphtest.Rand(1), semiring.Boolean{}, small, func(*rand.Rand) bool { return true })
	if _, err := forest.Posteriors(f); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

// doubling returns the forest in which every one of n nodes is derived from the one
// before, twice; the root is the last.
func doubling(t *testing.T, n int, leaf, weight float64) *forest.Forest[float64] {
	t.Helper()
	edge, tail, tails, weights := []int32{0, 1}, []int32{0, 0}, []int32{}, []float64{leaf}
	for v := range int32(n) {
		tails = append(tails, v, v)
		tail = append(tail, int32(len(tails)))
		weights = append(weights, weight)
		edge = append(edge, int32(len(weights)))
	}
	f, err := forest.New(semiring.Real{}, edge, tail, tails, weights, []forest.Root[float64]{{Node: int32(n), Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPosteriorsNotFinite(t *testing.T) {
	for _, test := range []struct {
		name string
		f    *forest.Forest[float64]
	}{
		{"a total that overflows", doubling(t, 20, 2, 1)},
		{"a total that is not a number", doubling(t, 2, math.NaN(), 1)},
		{"more uses than there are numbers", doubling(t, 1030, 1, 1)},
	} {
		if _, err := forest.Posteriors(test.f); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("%s: error %v, want semiring.ErrNotFinite", test.name, err)
		}
	}
	// What Real cannot hold Scaled can: 2 to the power of 2^20.
	p, err := forest.Posteriors(forest.Map(doubling(t, 20, 2, 1), semiring.Scaled{}, semiring.NewScaled))
	if err != nil || !near(p.Total.Log(), math.Ln2*(1<<20)) || p.Edge[0] != 1<<20 {
		t.Errorf("posteriors %v (%v)", p, err)
	}
	// A total whose inverse is out of range is harmless.
	q, err := forest.Posteriors(doubling(t, 1, 0x1p-536, 1))
	if err != nil || q.Total != 0x1p-1072 || !slices.Equal(q.Edge, []float64{2, 1}) {
		t.Errorf("posteriors %v (%v)", q, err)
	}
}

// A mean of 10^12 takes no digits off a variance of 1/4.
func TestCovarianceOfLargeValues(t *testing.T) {
	// Node 0 has two leaves of equal weight; node 1 is derived from it by one edge.
	f, err := forest.New(semiring.Real{}, []int32{0, 2, 3}, []int32{0, 0, 0, 1}, []int32{0}, []float64{1, 1, 1},
		[]forest.Root[float64]{{Node: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	mean, covariance, err := forest.Covariance(f, forest.Values{Dim: 1, Edge: semiring.Scalars([]float64{0, 1, 1e12})})
	if err != nil || mean[0] != 1e12+.5 || covariance.At(0, 0) != .25 {
		t.Errorf("mean %v, variance %v (%v)", mean, covariance, err)
	}
}

func TestPartsThatDoNotFit(t *testing.T) {
	f := doubling(t, 1, 1, 1) // one root, two edges
	if _, err := forest.HessianVector(f, forest.Parts{Edge: []float64{1}}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
}
