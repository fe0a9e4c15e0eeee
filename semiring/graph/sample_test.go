package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// fit is a sum of χ² statistics.
type fit struct{ statistic, freedom float64 }

// add compares how often paths were drawn with their probabilities. Paths expected
// less than ten times count as one, along with those that are not listed.
func (f *fit) add(drawn map[string]int, probability map[string]float64, draws int) {
	rare, rareDrawn := float64(draws), draws
	cells := 0.0
	for k, p := range probability {
		if want := p * float64(draws); want >= 10 {
			d := float64(drawn[k]) - want
			f.statistic += d * d / want
			rare -= want
			rareDrawn -= drawn[k]
			cells++
		}
	}
	if rare >= 10 {
		d := float64(rareDrawn) - rare
		f.statistic += d * d / rare
		cells++
	}
	f.freedom += max(0, cells-1)
}

// check fails where only one in a million would.
func (f *fit) check(t *testing.T) {
	t.Helper()
	if z := (f.statistic - f.freedom) / math.Sqrt(2*f.freedom); !(math.Abs(z) < 5) || f.freedom < 300 {
		t.Errorf("χ² is %v with %v degrees of freedom: %v deviations", f.statistic, f.freedom, z)
	}
}

func checkSamples[W any](t *testing.T, f *fit, r *rand.Rand, g *graph.Graph[W], probability map[string]float64, mass func(W) float64) {
	t.Helper()
	s, err := graph.NewSampler(g)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 2000
	drawn := map[string]int{}
	for range draws {
		p := s.Sample(r)
		k := key(p)
		if want, ok := probability[k]; ok && !near(mass(p.Weight), want) {
			t.Fatalf("path %v has probability %v, want %v", p, mass(p.Weight), want)
		}
		drawn[k]++
	}
	f.add(drawn, probability, draws)
}

func TestSampleAcyclic(t *testing.T) {
	var all fit
	for seed := range trials.Seeds(400) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Real{}, acyclic, unit)
		probability, total := map[string]float64{}, 0.0
		for p := range oracle.Paths(merged(g), 8) {
			probability[key(p)], total = p.Weight, total+p.Weight
		}
		if total == 0 {
			continue
		}
		for k := range probability {
			probability[k] /= total
		}
		checkSamples(t, &all, r, g, probability, func(w float64) float64 { return w / total })
		log := graph.Map(g, semiring.Log{}, toLog)
		checkSamples(t, &all, r, log, probability, func(w semiring.LogProb) float64 { return math.Exp(float64(w)) / total })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	all.check(t)
}

// Paths of cyclic graphs, with weights far below the range of float64.
func TestSampleCyclic(t *testing.T) {
	var all fit
	tiny := semiring.ScaledFromLog(-1e5)
	for seed := range trials.Seeds(100) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.Shape{States: 4, Arcs: 7, Starts: 2, Finals: .6}, .9)
		z, err := graph.PathSum(g)
		if err != nil || z == 0 {
			continue
		}
		probability := map[string]float64{}
		for p := range oracle.Paths(merged(g), 6) {
			probability[key(p)] = p.Weight / z
		}
		h := graph.Map(g, semiring.Scaled{}, semiring.NewScaled)
		for i := range h.Starts() {
			h.Starts()[i].Weight = h.Starts()[i].Weight.Mul(tiny)
		}
		checkSamples(t, &all, r, h, probability, func(w semiring.ScaledFloat) float64 { return w.Div(tiny).Float64() / z })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	all.check(t)
}

// A sampler used by many goroutines gives each what its random numbers say.
func TestSampleConcurrent(t *testing.T) {
	g := graphtest.Substochastic(graphtest.Rand(1), graphtest.Shape{States: 30, Arcs: 90, Starts: 30, Finals: .9}, .9)
	s, err := graph.NewSampler(g)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(seed uint64) (keys []string) {
		r := graphtest.Rand(seed)
		for range 100 {
			keys = append(keys, key(s.Sample(r)))
		}
		return keys
	}
	got := make([][]string, 8)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() { got[i] = draw(uint64(i / 2)) })
	}
	group.Wait()
	for i, keys := range got {
		if !slices.Equal(keys, draw(uint64(i/2))) {
			t.Errorf("goroutine %d drew other paths", i)
		}
	}
	if slices.Equal(got[0], got[2]) {
		t.Error("the same paths for other random numbers")
	}
}

// extremes yields the least and the greatest random number in turn.
type extremes struct{ high bool }

func (x *extremes) Uint64() uint64 {
	x.high = !x.high
	if x.high {
		return math.MaxUint64
	}
	return 0
}

// Parts of weight 0 are never drawn, whatever the random numbers.
func TestSampleNeverZero(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		shape := acyclic
		shape.Zero = .5
		g := graphtest.New(r, semiring.Real{}, shape, func(r *rand.Rand) float64 { return r.Float64() / 3 })
		s, err := graph.NewSampler(g)
		if err != nil {
			continue
		}
		source := &extremes{r.IntN(2) == 0}
		for range 10 {
			if p := s.Sample(source); p.Weight == 0 {
				t.Fatalf("seed %d: path %v", seed, p)
			}
		}
	}
}
