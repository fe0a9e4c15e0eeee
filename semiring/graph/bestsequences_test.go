package graph_test

import (
	"errors"
	"fmt"
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

// checkAllSequences compares BestSequences with the sums over all paths of an acyclic
// graph.
func checkAllSequences[W any](t *testing.T, g *graph.Graph[W], labels []int32) {
	t.Helper()
	ring := g.Ring()
	log := must(semiring.Require[semiring.Probabilistic[W]](ring))(t).Log
	dist := must(semiring.Require[semiring.Metric[W]](ring))(t).Dist
	want := map[string]W{}
	for p := range oracle.Paths(g, 8) {
		k := fmt.Sprint(sequence(p, labels))
		sum, ok := want[k]
		if !ok {
			sum = ring.Zero()
		}
		want[k] = ring.Plus(sum, p.Weight)
	}
	last := math.Inf(1)
	for s, err := range graph.BestSequences(g, labels, nil) {
		if err != nil {
			t.Fatal(err)
		}
		k, own := fmt.Sprint(s.Labels), log(s.Weight)
		if w, ok := want[k]; !ok || dist(s.Weight, w) > 1e-12*max(dist(w, ring.Zero()), 1e-3) || !(own <= last+2e-10) {
			t.Fatalf("%v weighs %v, ln %g, after ln %g, want %v (%v)", s.Labels, s.Weight, own, last, w, ok)
		}
		last = own
		delete(want, k)
	}
	if len(want) > 0 {
		t.Fatalf("missing: %v", want)
	}
}

// triangles are the upper triangular matrices, with mass [0][0]: probabilities with additional
// data, which do not commute.
type triangles struct{ matrices }

func (triangles) FromLog(logp float64) matrix { return matrix{math.Exp(logp), 0, 0, math.Exp(logp)} }
func (triangles) Log(a matrix) float64        { return math.Log(a[0]) }

func TestBestSequencesAcyclic(t *testing.T) {
	type weight = semiring.Expected[float64, float64]
	expectation := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
	for seed := range trials.Seeds(1500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Real{}, acyclic, unit)
		labels := randomLabels(r, g.NumArcs(), 1+r.IntN(3))
		checkAllSequences(t, g, labels)
		checkAllSequences(t, graph.Map(g, semiring.Scaled{}, semiring.NewScaled), labels)
		checkAllSequences(t, graph.Map(g, semiring.Log{}, toLog), labels)
		checkAllSequences(t, graph.Map(g, expectation, func(w float64) weight { return weight{P: w, V: w * r.NormFloat64()} }), labels)
		checkAllSequences(t, graph.Map(g, triangles{}, func(w float64) matrix { return matrix{w, w * r.Float64(), 0, w} }), labels)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Weights of 1/3 to the power of 400 and more, which would underflow float64; many sequences and
// prefixes are equally good.
func TestBestSequencesTiny(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Scaled{}, acyclic, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(1. / 3).Pow(float64(400 + r.IntN(2)))
		})
		labels := randomLabels(r, g.NumArcs(), 2)
		want := map[string]semiring.ScaledFloat{}
		for p := range oracle.Paths(g, 8) {
			k := fmt.Sprint(sequence(p, labels))
			want[k] = want[k].Add(p.Weight)
		}
		last := math.Inf(1)
		for s, err := range graph.BestSequences(g, labels, nil) {
			own, k := s.Weight.Log(), fmt.Sprint(s.Labels)
			if err != nil || math.Abs(own-want[k].Log()) > 1e-9 || own > last+1e-9 {
				t.Fatalf("seed %d: %v has ln %v after %v, want %v (%v)", seed, s.Labels, own, last, want[k].Log(), err)
			}
			last = own
			delete(want, k)
		}
		if len(want) > 0 {
			t.Fatalf("seed %d: missing: %v", seed, want)
		}
	}
}

// weigh returns the sum over the paths of g that have the given sequence: the path sum of
// the graph of pairs of a state and a number of labels read.
func weigh(t *testing.T, g *graph.Graph[float64], labels, s []int32) float64 {
	n, layers := int32(g.NumStates()), int32(len(s)+1)
	row, to, w := []int32{0}, []int32{}, []float64{}
	final := make([]float64, n*layers)
	for read := range layers {
		for q := range n {
			for e := g.Row()[q]; e < g.Row()[q+1]; e++ {
				switch {
				case labels[e] == 0:
					to, w = append(to, read*n+g.To()[e]), append(w, g.Weights()[e])
				case read+1 < layers && labels[e] == s[read]:
					to, w = append(to, (read+1)*n+g.To()[e]), append(w, g.Weights()[e])
				}
			}
			row = append(row, int32(len(to)))
		}
	}
	copy(final[n*(layers-1):], g.Finals())
	product := must(graph.New(semiring.Real{}, row, to, w, slices.Clone(g.Starts()), final))(t)
	return must(graph.PathSum(product))(t)
}

// Cycles, including cycles of ε-arcs: each of the first sequences has the sum of its own product
// graph, and all better short sequences are among them.
func TestBestSequencesCyclic(t *testing.T) {
	var short [][]int32
	for s := [][]int32{nil}; len(s) > 0 && len(s[0]) <= 3; {
		short = append(short, s...)
		var longer [][]int32
		for _, x := range s {
			longer = append(longer, append(x[:len(x):len(x)], 1), append(x[:len(x):len(x)], 2))
		}
		s = longer
	}
	for seed := range trials.Seeds(trials.Serial[uint64](800)) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.Shape{States: 5, Arcs: 12, Starts: 2, Finals: .5, Zero: .1}, .95)
		labels := randomLabels(r, g.NumArcs(), 2)
		last, found := math.Inf(1), map[string]bool{}
		for s, err := range graph.BestSequences(g, labels, nil) {
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			k := fmt.Sprint(s.Labels)
			if want := weigh(t, g, labels, s.Labels); math.Abs(s.Weight-want) > 1e-11*want || s.Weight > last*(1+2e-10) || found[k] {
				t.Fatalf("seed %d: %v weighs %v after %v, want %v", seed, s.Labels, s.Weight, last, want)
			}
			last, found[k] = s.Weight, true
			if len(found) == 10 {
				break
			}
		}
		if len(found) < 10 {
			last = 0
		}
		for _, s := range short {
			if w := weigh(t, g, labels, s); w > last*(1+1e-9) && !found[fmt.Sprint(s)] {
				t.Fatalf("seed %d: %v of weight %v is missing after %v", seed, s, w, last)
			}
		}
	}
}

// A chain of 60 steps of 20 arcs has 20⁶⁰ paths. The best of 2⁶⁰ sequences is found at once, and
// the others as soon as they differ.
func TestBestSequencesOfDuplicates(t *testing.T) {
	costs, labels := sausage(60, 20)
	g := graph.Map(costs, semiring.Scaled{}, func(c semiring.Cost) semiring.ScaledFloat {
		return semiring.ScaledFromLog(-float64(c))
	})
	want := 0.0
	for s := range int32(60) {
		var sums [2]float64
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			sums[labels[e]-1] += g.Weights()[e].Float64()
		}
		want += math.Log(max(sums[0], sums[1]))
	}
	n := 0
	for s, err := range graph.BestSequences(g, labels, &graph.SequenceOptions{MaxStates: 10000}) {
		if err != nil || n == 0 && math.Abs(s.Weight.Log()-want) > 1e-9 {
			t.Fatalf("best sequence weighs ln %v, want %v (%v)", s.Weight.Log(), want, err)
		}
		if n++; n == 50 {
			break
		}
	}
}

// Each of 2¹⁰⁰⁰ sequences that are equally good, up to rounding, takes one additional traversal.
func TestBestSequencesEqual(t *testing.T) {
	const n = 1000
	row, to, labels, weight := []int32{0}, []int32{}, []int32{}, []float64{}
	for s := range int32(n) {
		to, labels, weight = append(to, s+1, s+1), append(labels, 1, 2), append(weight, 1./3, 1./3)
		row = append(row, int32(len(to)))
	}
	row = append(row, int32(len(to)))
	final := make([]float64, n+1)
	final[n] = 1
	g := must(graph.New(semiring.Real{}, row, to, weight, []graph.Start[float64]{{Weight: .7}}, final))(t)
	scaled := graph.Map(g, semiring.Scaled{}, semiring.NewScaled)
	found := map[string]bool{}
	for s, err := range graph.BestSequences(scaled, labels, &graph.SequenceOptions{MaxStates: 20 * 2 * n}) {
		if err != nil {
			t.Fatal(err)
		}
		found[fmt.Sprint(s.Labels)] = true
		if len(found) == 20 {
			return
		}
	}
	t.Fatalf("%d sequences, want 20", len(found))
}

func TestBestSequencesErrors(t *testing.T) {
	first := func(g *graph.Graph[float64], labels []int32, opts *graph.SequenceOptions) (err error) {
		for _, err = range graph.BestSequences(g, labels, opts) {
			break
		}
		return err
	}
	line := func(w, final float64) *graph.Graph[float64] {
		return must(graph.New(semiring.Real{}, []int32{0, 1, 1}, []int32{1}, []float64{w},
			[]graph.Start[float64]{{Weight: 1}}, []float64{0, final}))(t)
	}
	loop := must(graph.New(semiring.Real{}, []int32{0, 1}, []int32{0}, []float64{1}, []graph.Start[float64]{{Weight: 1}}, []float64{1}))(t)
	for _, c := range []struct {
		name   string
		g      *graph.Graph[float64]
		labels []int32
		opts   *graph.SequenceOptions
		want   error
	}{
		{"labels", line(1, 1), nil, nil, semiring.ErrShape},
		{"negative", line(-1, 1), []int32{1}, nil, semiring.ErrNegative},
		{"infinite", line(1, math.Inf(1)), []int32{1}, nil, semiring.ErrNotFinite},
		{"NaN", line(math.NaN(), 1), []int32{1}, nil, semiring.ErrNotFinite},
		{"cycle", loop, []int32{1}, nil, semiring.ErrDiverges},
		{"limit", line(1, 1), []int32{1}, &graph.SequenceOptions{MaxStates: 1}, semiring.ErrLimit},
		{"no limit", line(1, 1), []int32{1}, &graph.SequenceOptions{MaxStates: 2}, nil},
	} {
		if err := first(c.g, c.labels, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	for _, err := range graph.BestSequences(line(1, 0), []int32{1}, nil) {
		t.Errorf("a sequence, or %v, of no path", err)
	}
	costs, labels := sausage(2, 2)
	for _, err := range graph.BestSequences(costs, labels, nil) {
		if !errors.Is(err, semiring.ErrCapability) {
			t.Errorf("error %v where ⊕ selects, want ErrCapability", err)
		}
	}
}

// Ranges that overlap, in goroutines too, give the same sequences.
func TestBestSequencesRestart(t *testing.T) {
	r := graphtest.Rand(1)
	g := graphtest.Substochastic(r, graphtest.Shape{States: 40, Arcs: 300, Starts: 3, Finals: .5}, .99)
	labels := randomLabels(r, g.NumArcs(), 4)
	sequences := graph.BestSequences(g, labels, nil)
	got := make([]string, 4)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() {
			n := 0
			for s, err := range sequences {
				got[i] += fmt.Sprintln(s, err)
				if n++; n == 50 {
					break
				}
			}
		})
	}
	group.Wait()
	for i := range got {
		if got[i] != got[0] || got[i] == "" {
			t.Errorf("range %d: other sequences", i)
		}
	}
}
