package fst_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// rebuilt returns f made anew, with a change to each part of it on the way.
func rebuilt[W any](t *testing.T, f *fst.FST[W], start func(*fst.Start[W]), arc func(s int32, a *fst.Arc[W]), final func(s int32, w W) W) *fst.FST[W] {
	b := fst.NewBuilder(f.Semiring())
	b.AddStates(f.NumStates())
	for _, s := range f.AppendStarts(nil) {
		start(&s)
		b.AddStart(s.State, s.Weight)
	}
	for s := range int32(f.NumStates()) {
		for _, a := range f.AppendArcs(nil, s) {
			arc(s, &a)
			b.AddArc(s, a)
		}
		b.SetFinal(s, final(s, f.Final(s)))
	}
	return must(b.Freeze())(t)
}

// A machine is equal to one with the same parts, parallel arcs included, and not if any
// part is another.
func TestEqual(t *testing.T) {
	type (
		start = fst.Start[float64]
		arc   = fst.Arc[float64]
	)
	for seed := range trials.Seeds(50) {
		r := fsttest.Rand(seed)
		f := weighted(r, reals, fsttest.Shape{States: 5, Arcs: 12, Labels: 2, Epsilon: .3}, r.Float64)
		if f.NumStates() < 2 || f.NumArcs() == 0 {
			continue
		}
		n, last := int32(f.NumStates()), f.NumArcs()-1
		changed := func(start func(*start), arc func(*arc), end func(float64) float64) *fst.FST[float64] {
			e := 0
			return rebuilt(t, f, start, func(_ int32, a *fst.Arc[float64]) {
				if e == last {
					arc(a)
				}
				e++
			}, func(s int32, w float64) float64 {
				if s == n-1 {
					return end(w)
				}
				return w
			})
		}
		noStart, noArc, noEnd := func(*start) {}, func(*arc) {}, func(w float64) float64 { return w }
		names := fst.NewSymbols("a", "b")
		bigger := fst.NewBuilder(reals)
		bigger.AddStates(f.NumStates() + 1)
		for what, test := range map[string]struct {
			g    *fst.FST[float64]
			want bool
		}{
			"nothing":          {changed(noStart, noArc, noEnd), true},
			"rounding":         {changed(func(s *start) { s.Weight *= 1 + 1e-12 }, func(a *arc) { a.Weight *= 1 + 1e-12 }, func(w float64) float64 { return w * (1 + 1e-12) }), true},
			"a start":          {changed(func(s *start) { s.State = (s.State + 1) % n }, noArc, noEnd), false},
			"start weight":     {changed(func(s *start) { s.Weight *= 1.001 }, noArc, noEnd), false},
			"an input":         {changed(noStart, func(a *arc) { a.In++ }, noEnd), false},
			"an output":        {changed(noStart, func(a *arc) { a.Out++ }, noEnd), false},
			"a target":         {changed(noStart, func(a *arc) { a.To = (a.To + 1) % n }, noEnd), false},
			"a weight":         {changed(noStart, func(a *arc) { a.Weight *= 1.001 }, noEnd), false},
			"a final weight":   {changed(noStart, noArc, func(w float64) float64 { return w * 1.001 }), false},
			"symbols":          {f.WithSymbols(names, nil), false},
			"output symbols":   {f.WithSymbols(nil, names), false},
			"number of states": {must(bigger.Freeze())(t), false},
		} {
			for _, pair := range [][2]*fst.FST[float64]{{f, test.g}, {test.g, f}} {
				if got := must(fst.Equal(pair[0], pair[1], nil))(t); got != test.want {
					t.Fatalf("seed %d: with another %s, equality is %v\n%s\n%s", seed, what, got, f, test.g)
				}
			}
		}
	}
}

// The same arcs at other states, and in another order, make another machine.
func TestEqualOrder(t *testing.T) {
	machine := func(sources ...int32) *fst.FST[float64] {
		b := fst.NewBuilder(reals)
		b.AddStates(3)
		for i, s := range sources {
			b.AddArc(s, fst.Arc[float64]{In: 2 - int32(i), Out: 1, Weight: 1})
		}
		return must(b.Freeze())(t)
	}
	a := machine(0, 0)
	if must(fst.Equal(a, machine(0, 1), nil))(t) {
		t.Error("arcs of two states are those of one")
	}
	sorted := must(fst.ArcSortIn(a, nil))(t)
	if must(fst.Equal(a, sorted, nil))(t) || !must(fst.Equal(sorted, must(fst.ArcSortIn(sorted, nil))(t), nil))(t) {
		t.Error("the order of arcs does not matter")
	}
}

func TestEqualErrors(t *testing.T) {
	f := fst.FromString(reals, nil)
	g := fst.FromString(plainReals{}, nil)
	if _, err := fst.Equal(f, g, nil); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("another ring: %v", err)
	}
	if _, err := fst.Equal(g, g, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without a metric: %v", err)
	}
}

func TestOpenFstEquality(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	// Text would not keep the numbers of states.
	write := func(name string, f *fst.FST[semiring.Cost]) {
		var b bytes.Buffer
		if err := errors.Join(fstio.WriteBinary(&b, f, nil), os.WriteFile(filepath.Join(x.dir, name), b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	// The start stays as it is.
	dearer := func(f *fst.FST[semiring.Cost], by semiring.Cost) *fst.FST[semiring.Cost] {
		g := fsttest.Frozen(fst.Map(f, costs, func(w semiring.Cost) semiring.Cost { return w + by })).Graph()
		return must(f.WithWeights(g.Weights(), f.AppendStarts(nil), g.Finals()))(t)
	}
	answers := map[bool]int{}
	for seed := range trials.Seeds(6) {
		f := single(seed, false)
		if f.NumArcs() == 0 {
			continue
		}
		write("f", f)
		for _, g := range []*fst.FST[semiring.Cost]{
			must(fst.ArcSortIn(f, nil))(t),
			dearer(f, 1e-5),
			dearer(f, .25),
		} {
			write("g", g)
			_, want := x.run(t, nil, "fstequal", "--delta=0.001", "f", "g")
			answers[want]++
			if must(fst.Equal(f, g, &fst.Options{Delta: .001}))(t) != want {
				t.Fatalf("seed %d: OpenFst says that equality is %v\n%s\n%s", seed, want, f, g)
			}
		}
	}
	if answers[true] < 3 || answers[false] < 3 {
		t.Errorf("OpenFst's answers: %v", answers)
	}
}
