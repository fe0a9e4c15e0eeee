package cascade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

func TestMultiplicity(t *testing.T) {
	if n := (em.Multiplicity{}).Float64(); n != 1 || em.Times(1) != (em.Multiplicity{}) {
		t.Errorf("the zero value is %g", n)
	}
	for _, n := range []float64{0, 1, -3, .1, 1e300, 5e-324, math.Inf(1), math.Copysign(0, -1), math.NaN()} {
		type holder struct{ Weight em.Multiplicity }
		text, err := json.Marshal(holder{em.Times(n)})
		if err != nil {
			t.Fatal(err)
		}
		var got holder
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if x := got.Weight.Float64(); math.Float64bits(x) != math.Float64bits(n) && n == n || fmt.Sprint(got.Weight) != fmt.Sprint(n) {
			t.Errorf("%g was written as %s and read as %g", n, text, x)
		}
	}
	if err := new(em.Multiplicity).UnmarshalText([]byte("many")); err == nil {
		t.Error("no error for what is not a number")
	}
}

// sameExpectations fails t unless got and want have the same bits.
func sameExpectations(t *testing.T, what string, got, want *em.Expectations) {
	t.Helper()
	if got.LogLikelihood != want.LogLikelihood || !slices.Equal(got.Counts, want.Counts) || len(got.Skipped) != len(want.Skipped) {
		t.Errorf("%s: log likelihood %.17g, counts %v, %d skipped\nwant %.17g, %v, %d", what,
			got.LogLikelihood, got.Counts, len(got.Skipped), want.LogLikelihood, want.Counts, len(want.Skipped))
	}
}

// TestWeightZero: an example of weight 0 is ignored, and need not have a derivation. Data with
// only such examples are an error, like empty data.
func TestWeightZero(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(5, 11))
	problem, data, graphs, theta := written(t, rng)
	without := graphs
	never := func(i int) bool { return i%2 == 1 }
	graphs.Examples, graphs.Underivable = 2*graphs.Examples, em.Skip
	graphs.Weight = func(i int) float64 {
		if never(i) {
			return 0
		}
		return without.Weight(i / 2)
	}
	graphs.Graph = func(i int) (*graph.Graph[weight], error) {
		if never(i) {
			return nil, fmt.Errorf("the graph of example %d was asked for", i)
		}
		return without.Graph(i / 2)
	}
	var mixed []cascade.Example
	for i, x := range data {
		mixed = append(mixed, x, cascade.Example{X: cascade.Labels(1, 99), Y: data[i].Y, Weight: em.Times(0)})
	}
	both := cascade.Data{Examples: mixed, Underivable: em.Skip}
	some := cascade.Data{Examples: data, Underivable: em.Skip}

	params := em.NewParams()
	trees := randomTrees(rng, params, false)
	extended := trees
	extended.Examples *= 2
	extended.Weight = func(i int) float64 {
		if never(i) {
			return 0
		}
		return trees.Weight(i / 2)
	}
	extended.Forest = func(i int) (*forest.Forest[weight], error) {
		if never(i) {
			return nil, fmt.Errorf("the forest of example %d was asked for", i)
		}
		return trees.Forest(i / 2)
	}
	treeTheta := make([]float64, params.Len())
	for i := range treeTheta {
		treeTheta[i] = .02 + .1*rng.Float64()
	}
	normalized := func(d cascade.Data) em.Likelihood {
		l, err := problem.NormalizedLikelihood(d)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for name, c := range map[string]struct {
		got, want em.Likelihood
		theta     []float64
	}{
		"lattices":   {likelihood(t, problem, both), likelihood(t, problem, some), theta},
		"normalized": {normalized(both), normalized(some), theta},
		"graphs":     {newGraphs(t, problem.Params, graphs), newGraphs(t, problem.Params, without), theta},
		"forests":    {newForests(t, params, extended), newForests(t, params, trees), treeTheta},
	} {
		for range 2 { // the second time from the cache
			got, err := c.got.Expect(ctx, em.Query{Theta: c.theta})
			if err != nil {
				t.Fatal(name, err)
			}
			want, err := c.want.Expect(ctx, em.Query{Theta: c.theta})
			if err != nil {
				t.Fatal(name, err)
			}
			sameExpectations(t, name, got, want)
		}
	}
	for i := range mixed {
		mixed[i].Weight = em.Times(0)
	}
	_, err := problem.Likelihood(both)
	wantIn(t, err, "no examples of a weight > 0")
}

// TestFeatureZero: a feature that fires 0 times is ignored.
func TestFeatureZero(t *testing.T) {
	b := fst.NewBuilder(semiring.Boolean{})
	s := b.AddState()
	b.AddStart(s, true)
	b.SetFinal(s, true)
	for l := range int32(3) {
		b.AddArc(s, fst.Arc[bool]{In: l + 1, Out: l + 1, Weight: true, To: s})
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	names := func(also ...em.Feature) (all []string) {
		params := em.NewParams()
		stage := cascade.JointLogLinear(params, "g", f, func(_ int32, a *fst.Arc[bool]) []em.Feature {
			if a == nil {
				return also
			}
			return append(also, em.Feature{Name: fmt.Sprint(a.In)})
		}, em.LogLinearOptions{})
		if err := fst.Err(stage); err != nil {
			t.Fatal(err)
		}
		for i := range int32(params.Len()) {
			all = append(all, params.Name(i))
		}
		return all
	}
	if got, want := names(em.Feature{Name: "never", Value: em.Times(0)}), names(); !slices.Equal(got, want) {
		t.Errorf("parameters %q, want %q", got, want)
	}
}
