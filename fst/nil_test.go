package fst_test

import (
	"context"
	"errors"
	"fmt"
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
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, message) || !strings.Contains(got, "is nil") {
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
	second := func(_ any, err error) error { return err }
	for what, err := range map[string]error{
		"Compose": second(fst.Compose[float64](good, nil)), "Compose typed": second(fst.Compose(m, fst.Machine[float64](good))),
		"Intersect": second(fst.Intersect[float64](nil, good)), "Difference": second(fst.Difference[float64](good, f, nil)),
		"Complement": second(fst.Complement(f, nil, nil)), "Expand": second(fst.Expand[float64](nil, 0)), "Expand typed": second(fst.Expand(m, 0)),
		"Union": second(fst.Union(good, f)), "Concat": second(fst.Concat(f)), "Star": second(fst.Star(f)), "UnionLazily": second(fst.UnionLazily[float64](good, m)),
		"Determinize": second(fst.Determinize(f, nil)), "DeterminizeAll": second(fst.DeterminizeAll(f, nil)), "DeterminizeLazily": second(fst.DeterminizeLazily(m, nil)),
		"Disambiguate": second(fst.Disambiguate(f, nil)), "Minimize": second(fst.Minimize(f, nil)), "MergeBisimilar": second(fst.MergeBisimilar(f, nil)),
		"RemoveEpsilon": second(fst.RemoveEpsilon(f, 0)), "RemoveEpsilonLazily": second(fst.RemoveEpsilonLazily(m, 0)), "Optimize": second(fst.Optimize(f, nil)),
		"NormalizeEpsilon": second(fst.NormalizeEpsilon(f, fst.Input, nil)), "PushWeights": second(fst.PushWeights(f, 0)), "PushLabels": second(fst.PushLabels(f, 0)),
		"Match": second(fst.Match(f, fst.Matching{})), "NewLookAhead": second(fst.NewLookAhead(f, 0)), "NewCodec": second(fst.NewCodec(ring, fst.Labels)),
		"Replace": second(fst.Replace(good, map[int32]*fst.FST[float64]{1: nil}, nil)), "Replace root": second(fst.Replace(f, nil, nil)),
		"Reverse": second(fst.Reverse(f)), "Relabel": second(fst.Relabel(f, nil, nil)), "Synchronize": second(fst.Synchronize(f, nil)), "TopSort": second(fst.TopSort(f)),
		"Equal": second(fst.Equal(good, f, nil)), "Equivalent": second(fst.Equivalent(f, good, nil)), "Isomorphic": second(fst.Isomorphic(f, good, nil)),
		"RandomlyEquivalent": second(fst.RandomlyEquivalent(good, good, nil, 1, nil)), "Quotient": second(fst.Quotient(f, nil)), "NewSampler": second(fst.NewSampler(f)),
		"ShortestPaths": second(fst.ShortestPaths(f, 1)), "ShortestStrings": second(fst.ShortestStrings(f, 1)), "PruneBeam": second(fst.PruneBeam(f, 1)),
		"ExpandWithin": second(fst.ExpandWithin[float64](context.Background(), nil, 1, nil)), "StringMap": second(fst.StringMap(ring, nil)),
		"Edits": second(fst.Edits[float64]{}.Machine(ring, nil, nil)), "UTF8": second(fst.UTF8(ring, nil)), "Weight": second(fst.Weight(m, nil, nil, 0)),
		"Encode": second(must(fst.NewCodec(reals, fst.Labels))(t).Encode(nil)), "arena": second(fst.NewArena(reals).Compose(good, m)),
		"arena, Expand": second(fst.NewArena(reals).Expand(nil, 0)),
	} {
		if !errors.Is(err, fst.ErrInvalid) || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for _, err := range fst.Apply(m, nil, 0) {
		if !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("Apply: error %v", err)
		}
	}
	for what, do := range map[string]func(){
		"NewBuilder": func() { fst.NewBuilder(ring) }, "FromString": func() { fst.FromString(ring, nil) }, "FromPair": func() { fst.FromPair(ring, nil, nil) },
		"SetSemiring": func() { fst.NewArena(ring) }, "Connect": func() { fst.Connect(f) }, "Invert": func() { fst.Invert(f) }, "ProjectIn": func() { fst.ProjectIn(f) },
		"Map": func() { fst.Map(good, ring, func(w float64) float64 { return w }) }, "MapLazily": func() { fst.MapLazily[float64, float64](good, reals, nil) },
		"WithSemiring": func() { good.WithSemiring(nil) }, "PruneArcs": func() { fst.PruneArcs(good, nil) }, "StarLazily": func() { fst.StarLazily(m) },
		"InvertLazily": func() { fst.InvertLazily(m) }, "RelabelLazily": func() { fst.RelabelLazily[float64](nil, nil, nil) }, "SynchronizeLazily": func() { fst.SynchronizeLazily(m) },
		"ArcSortIn": func() { fst.ArcSortIn(f) }, "Uniform": func() { fst.Uniform(f) },
	} {
		wantPanic(t, what, "fst: "+what+": argument ", do)
	}
	wantPanic(t, "a typed nil ring", "fst: NewBuilder: ", func() { fst.NewBuilder[expr.W]((*expr.Space)(nil)) })
}
