package graph_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func checkEntropies(t *testing.T, p, q *graph.Graph[float64], entropy, cross, divergence float64) {
	t.Helper()
	for _, x := range []struct {
		name string
		f    func() (float64, error)
		want float64
	}{
		{"entropy", func() (float64, error) { return graph.Entropy(p) }, entropy},
		{"cross-entropy", func() (float64, error) { return graph.CrossEntropy(p, q) }, cross},
		{"divergence", func() (float64, error) { return graph.KullbackLeibler(p, q) }, divergence},
		{"divergence in Log", func() (float64, error) {
			return graph.KullbackLeibler(graph.Map(p, semiring.Log{}, toLog), graph.Map(q, semiring.Log{}, toLog))
		}, divergence},
	} {
		got, err := x.f()
		if err != nil || !(got == x.want || math.Abs(got-x.want) <= 1e-11*(1+x.want)) {
			t.Errorf("%s %v (%v), want %v", x.name, got, err, x.want)
		}
	}
}

func TestEntropyAcyclic(t *testing.T) {
	infinite := 0
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		p := graphtest.New(r, semiring.Real{}, acyclic, unit)
		zero := []float64{0, 0, .05}[r.IntN(3)]
		q := graph.Map(p, semiring.Real{}, func(w float64) float64 {
			if r.Float64() < zero {
				return 0
			}
			if w == 0 {
				return float64(r.IntN(2)) * r.Float64()
			}
			return r.Float64()
		})
		inP, inQ := events(p, 8), events(q, 8)
		if len(inP) == 0 || len(inQ) == 0 {
			if _, err := graph.KullbackLeibler(p, q); !errors.Is(err, graph.ErrNoPath) {
				t.Fatalf("seed %d: error %v, want ErrNoPath", seed, err)
			}
			continue
		}
		of := func(x event) string { return key(x.path) + string(rune('a'+startOf(x, len(p.Starts())))) }
		other := map[string]float64{}
		for _, x := range inQ {
			other[of(x)] = x.p
		}
		entropy, cross := 0.0, 0.0
		for _, x := range inP {
			entropy -= x.p * math.Log(x.p)
			if y := other[of(x)]; y > 0 {
				cross -= x.p * math.Log(y)
			} else {
				cross = math.Inf(1)
			}
		}
		if math.IsInf(cross, 1) {
			infinite++
		}
		checkEntropies(t, p, q, entropy, cross, cross-entropy)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if infinite < 20 {
		t.Errorf("only %d infinite divergences", infinite)
	}
}

// startOf returns the start entry of an event.
func startOf(x event, starts int) int {
	for i, n := range x.uses[:starts] {
		if n != 0 {
			return i
		}
	}
	return -1
}

// logarithms returns ln of all weights as values; those of weight 0 do not matter.
func logarithms(g *graph.Graph[float64]) graph.Values {
	log := func(w float64) float64 {
		if w == 0 {
			return 0
		}
		return math.Log(w)
	}
	x := make([]float64, 0, numParts(g))
	for _, start := range g.Starts() {
		x = append(x, log(start.Weight))
	}
	for _, w := range g.Weights() {
		x = append(x, log(w))
	}
	for _, w := range g.Finals() {
		x = append(x, log(w))
	}
	p := partsOf(g, x)
	return graph.Values{Dim: 1, Start: semiring.Scalars(p.Start), Arc: semiring.Scalars(p.Arc), Final: semiring.Scalars(p.Final)}
}

// On any graph, −Σ p ln q is ln Z of q less the mean of the logarithms of weights.
func TestEntropyCyclic(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		p := graphtest.Substochastic(r, loopy, .5+.45*r.Float64())
		q := graph.Map(p, semiring.Real{}, func(w float64) float64 { return w * (.5 + .5*r.Float64()) })
		expected := func(of *graph.Graph[float64]) float64 {
			z, err := graph.PathSum(of)
			if err != nil {
				t.Fatal(err)
			}
			mean, err := graph.Mean(p, logarithms(of))
			if err != nil {
				t.Fatal(err)
			}
			return math.Log(z) - mean[0]
		}
		if z, err := graph.PathSum(p); err != nil || z == 0 {
			continue
		}
		entropy, cross := expected(p), expected(q)
		checkEntropies(t, p, q, entropy, cross, cross-entropy)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Nearly equal weightings: the divergence of one tilted by εv is ε²/2·Var(V) + O(ε³).
func TestDivergenceOfNearlyEqual(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, loopy, .7)
		if z, err := graph.PathSum(g); err != nil || z == 0 {
			continue
		}
		v := partsOf(g, normal(r, numParts(g)))
		_, cov, err := graph.Covariance(g, graph.Values{Dim: 1, Start: semiring.Scalars(v.Start), Arc: semiring.Scalars(v.Arc), Final: semiring.Scalars(v.Final)})
		if err != nil {
			t.Fatal(err)
		}
		p := tilted(g, v, 0)
		for _, epsilon := range []float64{1e-4, 1e-6, 1e-8} {
			got, err := graph.KullbackLeibler(p, tilted(g, v, epsilon))
			if err != nil {
				t.Fatal(err)
			}
			want := epsilon * epsilon / 2 * cov.At(0, 0)
			if got < 0 || math.Abs(got-want) > 100*max(epsilon, 1e-15/epsilon)*want+1e-30 {
				t.Errorf("seed %d, ε = %v: divergence %v, want %v", seed, epsilon, got, want)
			}
		}
		if same, err := graph.KullbackLeibler(p, tilted(g, v, 0)); same != 0 || err != nil {
			t.Errorf("seed %d: a divergence of %v from itself (%v)", seed, same, err)
		}
	}
}

// The number of tails before the first head has a known entropy, also where heads are
// nearly certain, or nearly impossible.
func TestEntropyOfLoop(t *testing.T) {
	for _, tails := range []float64{.5, .999, 1e-3, 1e-30, 1e-300} {
		g := loops(2, []arc{{0, 0, tails}, {0, 1, 1 - tails}})
		got, err := graph.Entropy(g)
		want := -(tails*math.Log(tails) + (1-tails)*math.Log1p(-tails)) / (1 - tails)
		if err != nil || math.Abs(got/want-1) > 1e-12 {
			t.Errorf("tails %v: entropy %v (%v), want %v", tails, got, err, want)
		}
	}
}

// Support counts even where no float64 holds its probability.
func TestDivergenceOfTinySupport(t *testing.T) {
	one, none := semiring.NewScaled(1), semiring.ScaledFloat{}
	row, to := []int32{0, 2, 3, 3}, []int32{1, 2, 2}
	p, err := graph.New(semiring.Scaled{}, row, to, []semiring.ScaledFloat{semiring.ScaledFromLog(-1e4), one, one},
		[]graph.Start[semiring.ScaledFloat]{{State: 0, Weight: one}}, []semiring.ScaledFloat{none, none, one})
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.WithWeights([]semiring.ScaledFloat{one, none, one}, p.Starts(), p.Finals())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		p, q *graph.Graph[semiring.ScaledFloat]
		want float64
	}{{p, q, math.Inf(1)}, {q, p, 1e4}} {
		got, err := graph.KullbackLeibler(test.p, test.q)
		if err != nil || got != test.want {
			t.Errorf("divergence %v (%v), want %v", got, err, test.want)
		}
	}
	// The arc without mass in q comes after a visit too rare for a float64.
	dead, err := p.WithWeights([]semiring.ScaledFloat{one, one, none}, p.Starts(), p.Finals())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := graph.CrossEntropy(p, dead); err != nil || !math.IsInf(got, 1) {
		t.Errorf("cross-entropy %v (%v), want +Inf", got, err)
	}
}

func TestEntropyOfDifferentGraphs(t *testing.T) {
	p := loops(3, []arc{{0, 1, 1}, {1, 2, 1}})
	for name, q := range map[string]*graph.Graph[float64]{
		"arcs":   loops(3, []arc{{0, 1, 1}, {0, 2, 1}}),
		"states": loops(4, []arc{{0, 1, 1}, {1, 2, 1}}),
	} {
		if _, err := graph.KullbackLeibler(p, q); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
	q, err := p.WithWeights(p.Weights(), []graph.Start[float64]{{State: 1, Weight: 1}}, p.Finals())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := graph.CrossEntropy(p, q); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("starts: error %v, want semiring.ErrShape", err)
	}
}
