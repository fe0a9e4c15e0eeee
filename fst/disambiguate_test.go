package fst_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// unambiguous fails the test if an acceptor has two paths for a short string.
func unambiguous[W any](t *testing.T, seed uint64, f *fst.FST[W]) {
	t.Helper()
	if x := doubled(t, f); x != nil {
		t.Fatalf("seed %d: several paths for %v in\n%s", seed, *x, f)
	}
}

// doubled returns a string, of up to five labels out of two, for which an acceptor has several
// paths; nil if there is no such string.
func doubled[W any](t *testing.T, f *fst.FST[W]) *[]int32 {
	t.Helper()
	counting := semiring.Semiring[*big.Int](semiring.Counting{})
	ring := f.Semiring()
	paths := fsttest.Frozen(fst.Map(must(fst.Connect(f, nil))(t), counting, func(w W) *big.Int {
		if ring.IsZero(w) {
			return new(big.Int)
		}
		return big.NewInt(1)
	}))
	labels := slices.Max(append([]int32{0}, f.In()...))
	var try func(x []int32) *[]int32
	try = func(x []int32) *[]int32 {
		if k := must(fst.PathSum(fst.Compose(fst.FromString(counting, x), paths), nil))(t); k.Cmp(big.NewInt(1)) > 0 {
			return &x
		}
		for l := int32(1); l <= labels && len(x) < 6-int(labels)/2; l++ {
			if y := try(append(x[:len(x):len(x)], l)); y != nil {
				return y
			}
		}
		return nil
	}
	return try(nil)
}

// named returns an acceptor with a label other than ε in place of ε.
func named[W any](t *testing.T, f *fst.FST[W]) *fst.FST[W] {
	return must(must(fst.NewCodec(f.Semiring(), fst.Labels))(t).Encode(f, nil))(t)
}

// Acceptors keep their weights, including negative ones and sums in rings that are not
// idempotent, and have one path for each string.
func TestDisambiguateAcceptors(t *testing.T) {
	ended, cyclic := 0, 0
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		weights := []float64{3, 6, 6, 6, 5, 2, 4}
		// Sums of ε-arcs stay below 1.
		draw := func() float64 { return (weights[r.IntN(1+int(seed%7))] - 2*float64(seed%3)) / 128 }
		f := acceptor(r, reals, acceptors(r), draw)
		f2 := recosted(r, f)
		_, acyclic := f.Graph().TopologicalOrder()
		got, err := fst.Disambiguate(f, small)
		if errors.Is(err, semiring.ErrLimit) && !acyclic {
			continue
		}
		got = must(got, err)(t)
		unambiguous(t, seed, named(t, got))
		sameWeights(t, seed, "real", got, f)
		if one := must(fst.Unambiguous(got, nil))(t); !one {
			t.Fatalf("seed %d: two paths for a string in\n%s", seed, got)
		}
		// An ambiguous machine may have the same size as an unambiguous one.
		one, twice, same := must(fst.Unambiguous(f, nil))(t), doubled(t, named(t, f)), sameSize(got, must(fst.Connect(f, nil))(t))
		if one && (twice != nil || !same) || !one && twice == nil && same {
			t.Fatalf("seed %d: unambiguous is wrong for\n%s", seed, f)
		}
		if ended++; !acyclic {
			cyclic++
		}
		again := must(fst.Disambiguate(got, small))(t)
		if again.NumStates() != got.NumStates() || again.NumArcs() != got.NumArcs() {
			t.Fatalf("seed %d: unambiguous\n%s became\n%s", seed, got, again)
		}
		if got, err := fst.Disambiguate(f2, small); err == nil {
			unambiguous(t, seed, named(t, got))
			sameWeights(t, seed, "tropical", got, f2)
		} else if acyclic {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if ended < 60 || cyclic < 10 {
		t.Errorf("%d machines, %d of them cyclic, were disambiguated", ended, cyclic)
	}
}

func sameSize[W any](f, g *fst.FST[W]) bool {
	return f.NumStates() == g.NumStates() && f.NumArcs() == g.NumArcs() && len(f.AppendStarts(nil)) == len(g.AppendStarts(nil))
}

// Two arcs, starts or states for one string are detected; states without a path to a final
// state are ignored.
func TestUnambiguous(t *testing.T) {
	build := func(change func(b *fst.Builder[float64])) *fst.FST[float64] {
		b := fst.NewBuilder(reals)
		b.AddStates(3)
		b.AddStart(0, 1)
		b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, Weight: 1, To: 1})
		b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, Weight: 2, To: 2})
		b.AddArc(2, fst.Arc[float64]{In: 1, Out: 1, Weight: 2, To: 2})
		b.SetFinal(1, 1)
		change(b)
		return must(b.Freeze())(t)
	}
	for what, c := range map[string]struct {
		change func(b *fst.Builder[float64])
		want   bool
	}{
		"a state without an end": {func(*fst.Builder[float64]) {}, true},
		"another end":            {func(b *fst.Builder[float64]) { b.SetFinal(2, 1) }, false},
		"another start":          {func(b *fst.Builder[float64]) { b.AddStart(0, 1) }, false},
		"another arc":            {func(b *fst.Builder[float64]) { b.AddArc(0, fst.Arc[float64]{In: 1, Out: 2, Weight: 1, To: 1}) }, false},
		"another label":          {func(b *fst.Builder[float64]) { b.AddArc(0, fst.Arc[float64]{In: 2, Out: 1, Weight: 1, To: 1}) }, true},
	} {
		if got := must(fst.Unambiguous(build(c.change), nil))(t); got != c.want {
			t.Errorf("%s: %t", what, got)
		}
	}
	if _, err := fst.Unambiguous(build(func(b *fst.Builder[float64]) { b.SetFinal(2, 1) }), &fst.Options{Limit: 1}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("limit 1: %v", err)
	}
	if one := must(fst.Unambiguous(must(fst.NewBuilder(reals).Freeze())(t), nil))(t); !one {
		t.Error("the empty machine is ambiguous")
	}
}

// If two cyclic machines read the same strings with different weights, and only the label that
// follows distinguishes them, there is no deterministic form.
func TestDisambiguateBeyondDeterminize(t *testing.T) {
	ended, beyond := 0, 0
	for seed := range trials.Seeds(30) {
		r := fsttest.Rand(seed)
		f := acceptor(r, reals, fsttest.Shape{States: 3, Arcs: 6, Labels: 2}, func() float64 { return .1 + .1*float64(r.IntN(3)) })
		g := fsttest.Frozen(fst.Map(f, reals, func(w float64) float64 { return w * (1 - .5*float64(r.IntN(2))) }))
		ends := fst.Union(fst.Concat(f, fst.FromString(reals, []int32{3})), fst.Concat(g, fst.FromString(reals, []int32{4})))
		both := must(fst.Expand(fst.RemoveEpsilon(must(fst.Expand(ends, nil))(t)), nil))(t)
		got, err := fst.Disambiguate(both, small)
		if errors.Is(err, semiring.ErrLimit) {
			continue
		}
		got = must(got, err)(t)
		unambiguous(t, seed, got)
		sameWeights(t, seed, "union", got, both)
		ended++
		if _, err := fst.Expand(fst.Determinize(both, small), nil); err != nil {
			beyond++
		}
	}
	if ended < 10 || beyond < 3 {
		t.Errorf("%d machines were disambiguated, of which %d have no deterministic form", ended, beyond)
	}
}

func TestDisambiguateTransducers(t *testing.T) {
	testTransducers(t, fst.Disambiguate[semiring.Cost], fst.DisambiguateBest[semiring.Cost], func(t *testing.T, seed uint64, f *fst.FST[semiring.Cost]) {
		unambiguous(t, seed, fsttest.Frozen(fst.ProjectIn(f)))
	})
}

// Two loops of different weights have no deterministic form, but can be disambiguated if
// different labels follow. Otherwise the error names them.
func TestDisambiguateErrors(t *testing.T) {
	for what, f := range map[string]*fst.FST[float64]{"weights": noTwins(t, .5, .25, false), "outputs": noTwins(t, .5, .5, true)} {
		got := must(fst.Disambiguate(f, small))(t)
		if got.NumStates() != f.NumStates() || got.NumArcs() != f.NumArcs() {
			t.Errorf("loops of different %s: the machine became\n%s", what, got)
		}
	}
	_, err := fst.Disambiguate(sameEnd(t, noTwins(t, .5, .25, false)), small)
	if !errors.Is(err, semiring.ErrLimit) || !errors.Is(err, fst.ErrTwins) || !strings.Contains(err.Error(), "states 1 and 2") {
		t.Errorf("loops before the same end: %v", err)
	}
	b := fst.NewBuilder(costs)
	b.AddStates(4)
	b.AddStart(0, 0)
	for s := range int32(2) {
		b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 1 + s})
		b.AddArc(1+s, fst.Arc[semiring.Cost]{In: 2, Out: 2 * s, To: 3})
	}
	b.SetFinal(3, 0)
	_, err = fst.Disambiguate(must(b.Freeze())(t), nil)
	for _, part := range []string{"fst: Disambiguate(4 states and 4 arcs): ", "[0 1 3]", "[0 2 3]"} {
		if !errors.Is(err, fst.ErrNotFunctional) || !strings.Contains(fmt.Sprint(err), part) {
			t.Errorf("two outputs: %v, want %s in it", err, part)
		}
	}
	if _, err := fst.Disambiguate(noTwins(t, .5, .25, false), &fst.Options{Limit: 5}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("limit 5: %v", err)
	}
	if _, err := fst.Disambiguate(fst.FromString(bags, []int32{1}), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without division: %v", err)
	}
	if _, err := fst.DisambiguateBest(noTwins(t, 1, 1, true), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("the best of a ring without order: %v", err)
	}
	if f := must(fst.Disambiguate(must(fst.NewBuilder(reals).Freeze())(t), nil))(t); f.NumStates() != 0 {
		t.Errorf("the empty machine has %d states", f.NumStates())
	}
}

// sameEnd returns the machine of noTwins with the same label before the end of both loops.
func sameEnd(t *testing.T, f *fst.FST[float64]) *fst.FST[float64] {
	b := fst.NewBuilder(reals)
	b.AddStates(f.NumStates())
	b.AddStart(0, 1)
	b.SetFinal(3, 1)
	for s := range int32(f.NumStates()) {
		for _, a := range f.AppendArcs(nil, s) {
			if a.To == 3 {
				a.In, a.Out = 3, 3
			}
			b.AddArc(s, a)
		}
	}
	return must(b.Freeze())(t)
}

// Pending output counts towards the limit. If it grows from state to state, it would otherwise
// take memory quadratic in the limit.
func TestDisambiguateBoundsOutputs(t *testing.T) {
	b := fst.NewBuilder(costs)
	b.AddStates(4)
	b.AddStart(0, 0)
	for s := range int32(2) { // reads 1ⁿ2 and writes 1ⁿ or 2ⁿ
		b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 1 + s, To: 1 + s})
		b.AddArc(1+s, fst.Arc[semiring.Cost]{In: 1, Out: 1 + s, To: 1 + s})
		b.AddArc(1+s, fst.Arc[semiring.Cost]{In: 2, To: 3})
	}
	b.SetFinal(3, 0)
	f := must(b.Freeze())(t)
	memory := memtest.Allocated(func() {
		if _, err := fst.DisambiguateBest(f, &fst.Options{Limit: 30_000}); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("two outputs that grow: %v", err)
		}
	})
	if memory > 10<<20 {
		t.Errorf("%d bytes were allocated within a limit of 30000", memory)
	}
}
