package fst_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// wantPanic fails the test unless do panics with a message of the package.
func wantPanic(t *testing.T, what, message string, do func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, message) || !strings.Contains(got, ": nil ") {
			t.Errorf("%s: panic %q, want one with %q", what, got, message)
		}
	}()
	do()
}

// What is nil is refused where it is given, typed or not.
func TestNilArguments(t *testing.T) {
	var ring semiring.Semiring[float64]
	var f *fst.FST[float64]
	var m fst.Machine[float64] = f
	good := fst.FromString(reals, []int32{1})
	for what, do := range map[string]func(){
		"Compose": func() { fst.Compose(good, nil) }, "Compose typed": func() { fst.Compose(m, good) },
		"Intersect": func() { fst.Intersect(nil, good) }, "Difference": func() { fst.Difference(good, f, nil) },
		"Complement": func() { fst.Complement(f, nil, nil) }, "Expand": func() { fst.Expand[float64](nil, nil) }, "Expand typed": func() { fst.Expand(m, nil) },
		"Union": func() { fst.Union(good, f) }, "Concat": func() { fst.Concat(f) }, "Star": func() { fst.Star(f) },
		"Determinize": func() { fst.Determinize(f, nil) }, "DeterminizeAll": func() { fst.DeterminizeAll(f, nil) },
		"Disambiguate": func() { fst.Disambiguate(f, nil) }, "Minimize": func() { fst.Minimize(f, nil) }, "MergeBisimilar": func() { fst.MergeBisimilar(f, nil) },
		"RemoveEpsilon": func() { fst.RemoveEpsilon(f) }, "Optimize": func() { fst.Optimize(f, nil) },
		"NormalizeEpsilon": func() { fst.NormalizeEpsilon(f, fst.Input, nil) }, "PushWeights": func() { fst.PushWeights(f, 0, nil) }, "PushLabels": func() { fst.PushLabels(f, 0, nil) },
		"Match": func() { fst.Match(f, fst.Matching{}) }, "LookAhead": func() { fst.LookAhead(f, 0) }, "NewCodec": func() { fst.NewCodec(ring, fst.Labels) },
		"Replace": func() { fst.Replace(good, map[int32]fst.Machine[float64]{1: nil}, nil) }, "Replace root": func() { fst.Replace(f, nil, nil) },
		"Reverse": func() { fst.Reverse(f, nil) }, "Relabel": func() { fst.Relabel(f, nil, nil) }, "Synchronize": func() { fst.Synchronize(f, nil) }, "TopSort": func() { fst.TopSort(f, nil) },
		"Equal": func() { fst.Equal(good, f, nil) }, "Equivalent": func() { fst.Equivalent(f, good, nil) }, "Isomorphic": func() { fst.Isomorphic(f, good, nil) },
		"RandomlyEquivalent": func() { fst.RandomlyEquivalent(good, good, nil, 1, nil) }, "Quotient": func() { fst.Quotient(f, nil, nil) }, "NewSampler": func() { fst.NewSampler(f, nil) },
		"SampleText": func() { fst.SampleText(f, "", rand.NewPCG(1, 1), nil) }, "SampleText, source": func() { fst.SampleText(good, "", nil, nil) },
		"ShortestPaths": func() { fst.ShortestPaths(f, 1, nil) }, "ShortestStrings": func() { fst.ShortestStrings(f, 1, nil) }, "PruneBeam": func() { fst.PruneBeam(f, 1, nil) },
		"ExpandWithin": func() { fst.ExpandWithin[float64](context.Background(), nil, 1, nil) }, "StringMap": func() { fst.StringMap(ring, nil) },
		"Edits": func() { fst.Edits[float64]{}.Machine(ring, nil, nil) }, "UTF8": func() { fst.UTF8(ring, nil) }, "Weight": func() { fst.Weight(m, nil, nil, nil) },
		"Encode": func() { must(fst.NewCodec(reals, fst.Labels))(t).Encode(nil, nil) }, "arena": func() { fst.NewArena(reals).Compose(good, m) },
		"arena, Expand": func() { fst.NewArena(reals).Expand(nil, nil) },
		"Apply":         func() { fst.Apply(m, nil, nil) },
		"NewBuilder":    func() { fst.NewBuilder(ring) }, "FromString": func() { fst.FromString(ring, nil) }, "FromPair": func() { fst.FromPair(ring, nil, nil) },
		"SetSemiring": func() { fst.NewArena(ring) }, "Connect": func() { must(fst.Connect(f, nil))(t) }, "Invert": func() { fst.Invert(f) }, "ProjectIn": func() { fst.ProjectIn(f) },
		"Map, function": func() { fst.Map(good, reals, nil) }, "Map": func() { fst.Map(good, ring, func(w float64) float64 { return w }) },
		"WithSemiring": func() { good.WithSemiring(nil) }, "PruneArcs": func() { must(fst.PruneArcs(good, nil, nil))(t) },

		"ArcSortIn": func() { must(fst.ArcSortIn(f, nil))(t) }, "Uniform": func() { must(fst.Uniform(f, nil))(t) },
	} {
		wantPanic(t, what, "fst: ", do)
	}
	wantPanic(t, "a typed nil ring", "fst: NewBuilder: nil ring", func() { fst.NewBuilder((*expr.Space)(nil)) })
}
