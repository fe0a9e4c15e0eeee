package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// traces is the ring of the tests of operations that any ring will do for: it
// tells the order of ⊗.
var traces = semiring.Semiring[series](fsttest.Traces{Max: 5})

// check compares the relation of f with want.
func check(t *testing.T, seed uint64, what string, f *fst.FST[series], want fsttest.Relation) {
	t.Helper()
	if d := fsttest.Diff(fsttest.RelationOf(f), want); d != "" {
		t.Fatalf("seed %d, %s: %s", seed, what, d)
	}
}

func TestUnionAndConcat(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters := 0
		var fs []*fst.FST[series]
		sum, product := fsttest.Relation{}, fsttest.Unit(traces)
		for range 1 + r.IntN(3) {
			shape := shapes(r)
			shape.Acyclic, shape.Plain = false, shape.Plain && shape.Acyclic
			f := fsttest.New(r, traces, shape, &letters)
			fs = append(fs, f)
			sum = fsttest.Sum(sum, fsttest.RelationOf(f))
			product = fsttest.Product(traces, product, fsttest.RelationOf(f))
		}
		check(t, seed, "union", must(fst.Expand(fst.Union(fs[0], all(fs[1:])...), nil))(t), sum)
		check(t, seed, "concatenation", must(fst.Expand(fst.Concat(fs[0], all(fs[1:])...), nil))(t), product)
	}
}

func TestClosures(t *testing.T) {
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := shapes(r)
		shape.Plain = false // otherwise the closure may have cycles without a letter
		f := fsttest.New(r, traces, shape, &letters)
		once := fsttest.RelationOf(f)
		star := fsttest.Unit(traces)
		for power := once; len(power) > 0; power = fsttest.Product(traces, power, once) {
			star = fsttest.Sum(star, power)
		}
		check(t, seed, "star", must(fst.Expand(fst.Star(f), nil))(t), star)
		check(t, seed, "plus", must(fst.Expand(fst.Plus(f), nil))(t), fsttest.Product(traces, once, star))
		check(t, seed, "optional", must(fst.Expand(fst.Optional(f), nil))(t), fsttest.Sum(once, fsttest.Unit(traces)))
	}
}

func TestReverse(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters := 0
		for _, ring := range []semiring.Semiring[series]{traces, bags} {
			f := fsttest.New(r, ring, shapes(r), &letters)
			check(t, seed, "reverse", must(fst.Reverse(f, nil))(t), fsttest.Reversed(ring, fsttest.RelationOf(f)))
		}
	}
	if _, err := fst.Reverse(fst.FromString(oneWay{}, nil), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without reversal: %v", err)
	}
}

// oneWay is a ring that is neither commutative nor a Reverser.
type oneWay struct{ semiring.Semiring[series] }

func (oneWay) Zero() series            { return nil }
func (oneWay) One() series             { return series{"": 1} }
func (oneWay) IsZero(w series) bool    { return len(w) == 0 }
func (oneWay) Plus(a, b series) series { return a }

func TestRationalMismatch(t *testing.T) {
	a := fst.FromString(reals, []int32{1})
	b := a.WithSymbols(fst.NewSymbols("x"), nil)
	c := a.WithSymbols(fst.NewSymbols("y"), nil)
	if _, err := fst.Expand(fst.Union(b, c), nil); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("union of different symbols: %v", err)
	}
	if f := must(fst.Expand(fst.Concat(a, b), nil))(t); f.InSymbols() != b.InSymbols() || f.OutSymbols() != nil {
		t.Error("concatenation lost the symbols of one machine")
	}
	other := fst.FromString(fsttest.Bags{Max: 3}, nil)
	if _, err := fst.Expand(fst.Concat(other, fst.FromString(bags, nil)), nil); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("concatenation over different rings: %v", err)
	}
}

func TestInvertAndProject(t *testing.T) {
	in, out := fst.NewSymbols("x"), fst.NewSymbols("y")
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, shapes(r), &letters).WithSymbols(in, out)
		swapped, first, second := fsttest.Relation{}, fsttest.Relation{}, fsttest.Relation{}
		for p, w := range fsttest.RelationOf(f) {
			swapped.Add(fsttest.Pair{In: p.Out, Out: p.In}, w)
			first.Add(fsttest.Pair{In: p.In, Out: p.In}, w)
			second.Add(fsttest.Pair{In: p.Out, Out: p.Out}, w)
		}
		check(t, seed, "invert", fsttest.Frozen(fst.Invert(f)), swapped)
		check(t, seed, "project in", fsttest.Frozen(fst.ProjectIn(f)), first)
		check(t, seed, "project out", fsttest.Frozen(fst.ProjectOut(f)), second)
		if g := fsttest.Frozen(fst.Invert(f)); g.InSymbols() != out || g.OutSymbols() != in {
			t.Fatal("invert did not exchange the symbols")
		}
		if g := fsttest.Frozen(fst.ProjectOut(f)); g.InSymbols() != out || g.OutSymbols() != out {
			t.Fatal("projection has other symbols")
		}
	}
}

func TestConnect(t *testing.T) {
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, shapes(r), &letters)
		if r.IntN(2) == 0 { // some weights are Zero
			w := append([]series{}, f.Graph().Weights()...)
			for e := range w {
				if r.IntN(4) == 0 {
					w[e] = traces.Zero()
				}
			}
			f = must(f.WithWeights(w, f.Graph().Starts(), f.Graph().Finals()))(t)
		}
		g := must(fst.Connect(f, nil))(t)
		check(t, seed, "connect", g, fsttest.RelationOf(f))
		checkConnected(t, seed, g)
		if must(fst.Connect(g, nil))(t) != g {
			t.Fatalf("seed %d: a connected machine is not the result itself", seed)
		}
	}
}

// checkConnected looks for what Connect leaves out.
func checkConnected(t *testing.T, seed uint64, f *fst.FST[series]) {
	t.Helper()
	reached, leads := f.Graph().Accessible(), f.Graph().Coaccessible()
	for s := range f.NumStates() {
		if !reached[s] || !leads[s] {
			t.Fatalf("seed %d: state %d is useless", seed, s)
		}
	}
	for _, w := range f.Graph().Weights() {
		if traces.IsZero(w) {
			t.Fatalf("seed %d: an arc has weight Zero", seed)
		}
	}
}

func TestArcSort(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, shapes(r), &letters)
		for name, sort := range map[string]func(fst.Machine[series], *fst.Options) (*fst.FST[series], error){"in": fst.ArcSortIn[series], "out": fst.ArcSortOut[series]} {
			g := must(sort(f, nil))(t)
			check(t, seed, name, g, fsttest.RelationOf(f))
			if must(sort(g, nil))(t) != g {
				t.Fatalf("seed %d: a sorted machine is sorted again", seed)
			}
			key := g.In()
			if name == "out" {
				key = g.Out()
			}
			row := g.Graph().Row()
			for s := range g.NumStates() {
				for e := row[s] + 1; e < row[s+1]; e++ {
					if key[e-1] > key[e] {
						t.Fatalf("seed %d: arcs of state %d are not in order of %s", seed, s, name)
					}
				}
			}
		}
	}
}
