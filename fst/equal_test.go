package fst_test

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// rebuilt returns a copy of f in which each part is modified by a function.
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

// A machine equals one with the same parts, including parallel arcs, and differs if any part
// differs.
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

// The same arcs at other states, or in another order, make a different machine.
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
	// A text file would not keep the numbers of states.
	write := func(name string, f *fst.FST[semiring.Cost]) {
		var b bytes.Buffer
		if err := errors.Join(fstio.WriteBinary(&b, f, nil), os.WriteFile(filepath.Join(x.dir, name), b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	// The start does not change.
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

// altered returns f with another weight somewhere on a path, false if there is no path.
func altered(t *testing.T, f *fst.FST[float64]) (*fst.FST[float64], bool) {
	f = must(fst.Connect(f, nil))(t)
	if f.NumArcs() == 0 {
		return nil, false
	}
	w := append([]float64(nil), f.Graph().Weights()...)
	w[len(w)-1] *= 1.25
	return must(f.WithWeights(w, f.AppendStarts(nil), f.Graph().Finals()))(t), true
}

// A machine is equivalent to its minimal form and to itself. It is not equivalent to a machine
// with one different weight, which may still be in proportion at every state.
func TestEquivalent(t *testing.T) {
	differ := 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		a := automaton(r, reals, .25, .25, .125)
		b := must(fst.Minimize(a, nil))(t)
		if !must(fst.Equivalent(a, b, nil))(t) || !must(fst.RandomlyEquivalent(a, b, r, 20, nil))(t) {
			t.Fatalf("seed %d: a machine is not equivalent to its minimal form", seed)
		}
		c, ok := altered(t, a)
		if !ok {
			continue
		}
		differ++
		if must(fst.Equivalent(c, b, nil))(t) || must(fst.RandomlyEquivalent(b, c, r, 1000, nil))(t) {
			t.Fatalf("seed %d: a machine is equivalent to one with another weight\n%s\n%s", seed, a, c)
		}
	}
	if differ < 50 {
		t.Errorf("%d machines were altered", differ)
	}
}

// Outputs count as well, wherever they are written.
func TestEquivalentTransducers(t *testing.T) {
	early := fst.FromPair(reals, []int32{1, 2}, []int32{3, 0})
	late := fst.FromPair(reals, []int32{1, 2}, []int32{0, 3})
	other := fst.FromPair(reals, []int32{1, 2}, []int32{3, 3})
	if !must(fst.Equivalent(early, late, nil))(t) {
		t.Error("the time of writing matters")
	}
	if must(fst.Equivalent(early, other, nil))(t) {
		t.Error("what is written does not matter")
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	r := fsttest.Rand(0)
	for _, pair := range [][2]*fst.FST[float64]{{empty, early}, {early, empty}} {
		if must(fst.Equivalent(pair[0], pair[1], nil))(t) || must(fst.RandomlyEquivalent(pair[0], pair[1], r, 2, nil))(t) {
			t.Error("a string is equivalent to nothing")
		}
	}
	if !must(fst.Equivalent(empty, empty, nil))(t) || !must(fst.RandomlyEquivalent(empty, empty, r, 2, nil))(t) {
		t.Error("nothing is not equivalent to nothing")
	}
}

// Machines with ε, cycles and several outputs are compared by random paths.
func TestRandomlyEquivalent(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		a := weighted(r, reals, acceptors(r), func() float64 { return .08 * r.Float64() })
		if !must(fst.RandomlyEquivalent(a, fst.RemoveEpsilon(a), r, 20, nil))(t) {
			t.Fatalf("seed %d: ε-removal has changed weights", seed)
		}
	}
}

// metricTraces are traces with a metric.
type metricTraces struct{ fsttest.Traces }

func (metricTraces) Dist(a, b fsttest.Series) float64 {
	if maps.Equal(a, b) {
		return 0
	}
	return math.Inf(1)
}

// If ⊗ is not commutative, the order of weights along a path matters.
func TestRandomlyEquivalentInOrder(t *testing.T) {
	path := func(letters ...int) *fst.FST[fsttest.Series] {
		ring := semiring.Semiring[fsttest.Series](metricTraces{fsttest.Traces{Max: 9}})
		b := fst.NewBuilder(ring)
		b.AddStates(len(letters) + 1)
		b.AddStart(0, ring.One())
		for s, letter := range letters {
			b.AddArc(int32(s), fst.Arc[fsttest.Series]{In: 1, Out: 2, To: int32(s) + 1, Weight: fsttest.Letter(letter)})
		}
		b.SetFinal(int32(len(letters)), ring.One())
		return must(b.Freeze())(t)
	}
	if !must(fst.RandomlyEquivalent(path(1, 2), path(1, 2), fsttest.Rand(1), 4, nil))(t) {
		t.Error("a machine is not equivalent to itself")
	}
	if must(fst.RandomlyEquivalent(path(1, 2), path(2, 1), fsttest.Rand(1), 4, nil))(t) {
		t.Error("weights in another order are equivalent")
	}
}

func TestEquivalentErrors(t *testing.T) {
	f := fst.FromString(reals, []int32{1})
	if _, err := fst.Equivalent(f, noTwins(t, .5, .5, false), nil); !errors.Is(err, fst.ErrNondeterministic) {
		t.Errorf("a nondeterministic machine: %v", err)
	}
	if _, err := fst.Equivalent(f, fst.FromString(reals, []int32{0}), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("ε: %v", err)
	}
	g := fst.FromString(plainReals{}, []int32{1})
	if _, err := fst.Equivalent(f, g, nil); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("another ring: %v", err)
	}
	if _, err := fst.Equivalent(g, g, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without a metric: %v", err)
	}
	loop := must(fst.Expand(fst.Star(f), nil))(t)
	if _, err := fst.RandomlyEquivalent(loop, loop, fsttest.Rand(1), 3, nil); err != nil {
		t.Errorf("a* by strings: %v", err)
	}
	bad := must(fst.Expand(fst.Star(fst.FromString(reals, []int32{0})), nil))(t)
	if _, err := fst.RandomlyEquivalent(bad, bad, fsttest.Rand(1), 3, nil); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("ε*: %v", err)
	}
}

// Machines whose labels have different names are not compared.
func TestEquivalentSymbols(t *testing.T) {
	f := fst.FromString(reals, []int32{1})
	a, b := f.WithSymbols(fst.NewSymbols("a"), nil), f.WithSymbols(fst.NewSymbols("b"), nil)
	r := fsttest.Rand(0)
	for what, compare := range map[string]func(a, b *fst.FST[float64]) (bool, error){
		"Equivalent":         func(a, b *fst.FST[float64]) (bool, error) { return fst.Equivalent(a, b, nil) },
		"Isomorphic":         func(a, b *fst.FST[float64]) (bool, error) { return fst.Isomorphic(a, b, nil) },
		"RandomlyEquivalent": func(a, b *fst.FST[float64]) (bool, error) { return fst.RandomlyEquivalent(a, b, r, 10, nil) },
	} {
		if _, err := compare(a, b); !errors.Is(err, fst.ErrMismatch) {
			t.Errorf("%s of machines of other symbols: %v", what, err)
		}
		if same, err := compare(a, f); err != nil || !same {
			t.Errorf("%s of a machine and itself without names: %v, %v", what, same, err)
		}
	}
}
