package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// written returns a random cyclic machine as a problem with examples, their lattices
// composed beforehand, and a θ.
func written(t *testing.T, rng *rand.Rand) (cascade.Problem, []cascade.Example, cascade.Derivations, []float64) {
	params := em.NewParams()
	m := randomMachine(t, params, params.Group("g", 6, em.Fixed{}), rng, 1+rng.IntN(3), 6+rng.IntN(8))
	ring := semiring.Semiring[weight](params.Space())
	data := make([]cascade.Example, 5)
	graphs := make([]*graph.Graph[weight], len(data))
	for i := range data {
		x, y := randomLabels(rng, 3), randomLabels(rng, 3)
		data[i] = cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...), Weight: em.Times(.5 + rng.Float64())}
		lattice := fst.Compose(fst.Compose(fst.FromString(ring, x), m), fst.FromString(ring, y))
		f, err := fst.Expand(lattice, nil)
		if err != nil {
			t.Fatal(err)
		}
		graphs[i] = f.Graph()
	}
	theta := make([]float64, params.Len())
	for i := range theta {
		theta[i] = .02 + .1*rng.Float64()
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{m}}, data, cascade.Derivations{
		Examples: len(data), Underivable: em.Skip,
		Graph:  func(i int) (*graph.Graph[weight], error) { return graphs[i], nil },
		Weight: func(i int) float64 { return data[i].Weight.Float64() },
	}, theta
}

func newGraphs(t testing.TB, params *em.Params, graphs cascade.Derivations) em.Excluder {
	t.Helper()
	l, err := graphs.Likelihood(params)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestGraphsAreLattices: explicit graphs have the same likelihood as composed lattices.
func TestGraphsAreLattices(t *testing.T) {
	skipped := 0
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 12))
		problem, data, graphs, theta := written(t, rng)
		a, b := likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip}), newGraphs(t, problem.Params, graphs)
		graphs.CacheBytes = -1
		c := newGraphs(t, problem.Params, graphs)
		direction := make([]float64, len(theta))
		for i := range direction {
			direction[i] = rng.NormFloat64()
		}
		for _, q := range []em.Query{
			{Theta: theta}, {Theta: theta, EStep: em.Viterbi}, {Theta: theta, Tangent: direction},
			{Theta: theta, Temperature: .7, Workers: 3}, {Theta: theta, Lo: 1, Hi: 3},
		} {
			without := []em.Skipped{{Index: 2}}
			want, err := a.ExpectWithout(context.Background(), q, without)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want.Skipped {
				want.Skipped[i].Reason = "" // only strings have reasons
			}
			for range 2 { // the second time from the cache
				got, err := b.ExpectWithout(context.Background(), q, without)
				if err != nil {
					t.Fatal(err)
				}
				again, err := c.ExpectWithout(context.Background(), q, without)
				if err != nil || !reflect.DeepEqual(got, again) {
					t.Fatalf("seed %d: the cache changes %+v into %+v (%v)", seed, again, got, err)
				}
				if !closeTo(got.LogLikelihood, want.LogLikelihood, 1e-12) || !reflect.DeepEqual(got.Skipped, want.Skipped) {
					t.Fatalf("seed %d, %+v: %+v, want %+v", seed, q, got, want)
				}
				for i := range want.Counts {
					if !closeTo(got.Counts[i], want.Counts[i], 1e-10) || want.Curvature != nil && !closeTo(got.Curvature[i], want.Curvature[i], 1e-10) {
						t.Fatalf("seed %d: parameter %d: %v and %v, want %v and %v", seed, i, got.Counts, got.Curvature, want.Counts, want.Curvature)
					}
				}
			}
			skipped += len(want.Skipped)
		}
	}
	if skipped == 0 {
		t.Error("every example has a path")
	}
}

func TestGraphsFingerprint(t *testing.T) {
	problem, _, graphs, _ := written(t, rand.New(rand.NewPCG(1, 1)))
	print := func(x cascade.Derivations) string {
		var b bytes.Buffer
		newGraphs(t, problem.Params, x).Fingerprint(&b)
		return b.String()
	}
	swapped, heavier := graphs, graphs
	swapped.Graph = func(i int) (*graph.Graph[weight], error) { return graphs.Graph(4 - i) }
	heavier.Weight = func(int) float64 { return 7 }
	if own := print(graphs); own == "" || own != print(graphs) || own == print(swapped) || own == print(heavier) {
		t.Error("fingerprints do not tell graphs apart")
	}
}

func TestGraphsErrors(t *testing.T) {
	problem, _, good, theta := written(t, rand.New(rand.NewPCG(2, 1)))
	_, _, foreign, _ := written(t, rand.New(rand.NewPCG(2, 1)))
	none := func(int) (*graph.Graph[weight], error) { return nil, nil }
	for says, change := range map[string]func(*cascade.Derivations){
		"no examples":      func(x *cascade.Derivations) { x.Examples = 0 },
		"no function":      func(x *cascade.Derivations) { x.Graph = nil },
		"unknown policy 7": func(x *cascade.Derivations) { x.Underivable = 7 },
		"of a weight > 0":  func(x *cascade.Derivations) { x.Weight = func(int) float64 { return 0 } },
		"(four) has weight -1": func(x *cascade.Derivations) {
			x.Name = func(i int) string { return []string{"", "", "", "", "four"}[i] }
			x.Weight = func(i int) float64 { return float64(3 - i) }
		},
	} {
		x := good
		change(&x)
		_, err := x.Likelihood(problem.Params)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
	broken := errors.New("broken")
	for want, graph := range map[error]func(int) (*graph.Graph[weight], error){
		em.ErrInvalid: none,
		broken:        func(int) (*graph.Graph[weight], error) { return nil, broken },
	} {
		x := good
		x.Graph = graph
		if _, err := newGraphs(t, problem.Params, x).Expect(context.Background(), em.Query{Theta: theta}); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	if _, err := newGraphs(t, problem.Params, foreign).Expect(context.Background(), em.Query{Theta: theta}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("graphs of another Space: %v", err)
	}
	late := cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[weight], error) {
		k := problem.Params.Space()
		return graph.New(k, []int32{0, 1, 1}, []int32{1}, []weight{k.Const(semiring.NewScaled(.123))},
			[]graph.Start[weight]{{State: 0, Weight: expr.One}}, []weight{expr.Zero, expr.One})
	}}
	_, err := newGraphs(t, problem.Params, late).Expect(context.Background(), em.Query{Theta: theta})
	wantIs(t, err, em.ErrInvalid)
	wantIn(t, err, "example 0", "1 new expressions")
}
