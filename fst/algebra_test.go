package fst_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// traces is the ring for tests of operations that allow any ring. It records the order of ⊗.
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
		shape.Plain = false // otherwise the closure may have cycles without letters
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

// checkConnected checks that everything that Connect should remove is removed.
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

// replaced returns the relation of f with labels replaced by machines, by following all paths.
// Calls are recursive and have the given labels.
func replaced(f fst.Machine[series], parts map[int32]fst.Machine[series], labels *fst.Calls) fsttest.Relation {
	all := fsttest.Relation{}
	write := func(p fsttest.Pair, in, out int32) fsttest.Pair {
		return fsttest.Pair{In: p.In + fsttest.String(in), Out: p.Out + fsttest.String(out)}
	}
	var follow func(f fst.Machine[series], s int32, p fsttest.Pair, w series, after func(fsttest.Pair, series))
	follow = func(f fst.Machine[series], s int32, p fsttest.Pair, w series, after func(fsttest.Pair, series)) {
		if len(w) == 0 {
			return
		}
		after(p, traces.Times(w, f.Final(s)))
		for _, a := range f.AppendArcs(nil, s) {
			w := traces.Times(w, a.Weight)
			part, ok := parts[a.Out]
			if !ok {
				follow(f, a.To, write(p, a.In, a.Out), w, after)
				continue
			}
			var in, out, backIn, backOut int32
			if labels != nil {
				in, out = labels.Enter(a.In, a.Out)
				backIn, backOut = labels.Leave(a.Out)
			}
			for _, x := range part.AppendStarts(nil) {
				follow(part, x.State, write(p, in, out), traces.Times(w, x.Weight), func(p fsttest.Pair, w series) {
					follow(f, a.To, write(p, backIn, backOut), w, after)
				})
			}
		}
	}
	for _, x := range f.AppendStarts(nil) {
		follow(f, x.State, fsttest.Pair{}, x.Weight, all.Add)
	}
	return all
}

// TestReplace uses machines that call each other and themselves, with all weights in place.
// Calls nested deeper than the longest trace have weight Zero.
func TestReplace(t *testing.T) {
	for seed := range trials.Seeds(40) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[series] {
			shape := shapes(r)
			shape.Labels, shape.Arcs = 4, 5
			return fsttest.New(r, traces, shape, &letters)
		}
		root, parts := machine(), map[int32]fst.Machine[series]{3: machine(), 4: machine()}
		lazy := fst.Replace(root, parts, &fst.Calls{Depth: 7})
		if d := fsttest.Diff(fsttest.RelationOf(lazy), replaced(root, parts, nil)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		brackets := &fst.Calls{
			Depth: 7,
			Enter: func(in, out int32) (int32, int32) { return in, out + 2 },
			Leave: func(label int32) (int32, int32) { return label, label + 4 },
		}
		lazy = fst.Replace(root, parts, brackets)
		if d := fsttest.Diff(fsttest.RelationOf(lazy), replaced(root, parts, brackets)); d != "" {
			t.Fatalf("seed %d, brackets: %s", seed, d)
		}
		parts[3] = fst.FromPair(traces, []int32{4, 1}, []int32{4, 2})
		parts[4] = fst.FromString(traces, []int32{2})
		if d := fsttest.Diff(fsttest.RelationOf(must(fst.Expand(fst.Replace(root, parts, nil), nil))(t)), replaced(root, parts, nil)); d != "" {
			t.Fatalf("seed %d, frozen: %s", seed, d)
		}
	}
}

func TestReplaceErrors(t *testing.T) {
	one := fst.FromString(reals, []int32{1})
	_, err := fst.Expand(fst.Replace(one, map[int32]fst.Machine[float64]{1: fst.FromString(reals, []int32{2, 1})}, &fst.Calls{Depth: 5}), nil)
	if !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "deeper than 5, on the way to state 2 of the machine for 1") {
		t.Errorf("a machine that calls itself: %v", err)
	}
	names := fst.NewSymbols("S")
	self := fst.FromString(reals, []int32{1}).WithSymbols(names, names)
	if _, err = fst.Expand(fst.Replace(self, map[int32]fst.Machine[float64]{1: self}, &fst.Calls{Depth: 5}), nil); !strings.Contains(fmt.Sprint(err), `the machine for "S"`) {
		t.Errorf("a machine with a name: %v", err)
	}
	if _, err := fst.Expand(fst.Replace(one, map[int32]fst.Machine[float64]{0: one}, nil), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("ε is replaced: %v", err)
	}
	for _, o := range []*fst.Calls{
		{Enter: func(in, _ int32) (int32, int32) { return in, -1 }},
		{Leave: func(label int32) (int32, int32) { return -label, label }},
	} {
		r := fst.Replace(one, map[int32]fst.Machine[float64]{1: fst.FromString(reals, nil)}, o)
		if _, err := fst.Expand(r, nil); !errors.Is(err, fst.ErrInvalid) || err != fst.Err(r) {
			t.Errorf("a negative label: %v", err)
		}
	}
	other := one.WithSymbols(fst.NewSymbols("b"), nil)
	if _, err := fst.Expand(fst.Replace(one.WithSymbols(fst.NewSymbols("a"), nil), map[int32]fst.Machine[float64]{2: other}, nil), nil); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("other symbols: %v", err)
	}
}

// TestSetOperations compares strings and their weights, one by one, on cyclic machines,
// including ε-cycles.
func TestSetOperations(t *testing.T) {
	alphabet := []int32{3, 1, 2, 1}
	for seed := range trials.Seeds(80) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		// With twelve arcs or fewer, all cycles have sums.
		a := acceptor(r, reals, shape, func() float64 { return .08 * r.Float64() })
		b := acceptor(r, reals, shape, func() float64 { return .08 * r.Float64() })
		both := must(fst.Expand(fst.Intersect(a, b), nil))(t)
		costly := fsttest.Frozen(fst.Map(b, costs, func(w float64) semiring.Cost {
			if w == 0 {
				return costs.Zero()
			}
			return semiring.Cost(r.IntN(5))
		}))
		less := must(fst.Expand(fst.Difference(a, costly, nil), nil))(t)
		less2 := must(fst.Expand(fst.Difference(opaque(a), b, nil), nil))(t)
		not := must(fst.Expand(fst.Complement(a, alphabet, nil), nil))(t)
		deterministic(t, seed, not)
		// De Morgan
		neither := must(fst.Expand(fst.Complement(fst.Union(a, b), alphabet, nil), nil))(t)
		nots := must(fst.Expand(fst.Intersect(not, fst.Complement(b, alphabet, nil)), nil))(t)

		wa, wb := fsttest.NewWeigher(a), fsttest.NewWeigher(b)
		machines := []*fsttest.Weigher[float64]{
			fsttest.NewWeigher(both), fsttest.NewWeigher(less), fsttest.NewWeigher(less2),
			fsttest.NewWeigher(not), fsttest.NewWeigher(neither), fsttest.NewWeigher(nots),
		}
		truth := func(b bool) float64 {
			if b {
				return 1
			}
			return 0
		}
		for _, x := range fsttest.Strings(3, 4) {
			u, v := wa.Weight(x, x), wb.Weight(x, x)
			want := []float64{u * v, u * truth(v == 0), u * truth(v == 0), truth(u == 0), truth(u+v == 0), truth(u+v == 0)}
			for i, w := range want {
				if got := machines[i].Weight(x, x); math.Abs(got-w) > 1e-9*w {
					t.Fatalf("seed %d, operation %d: %v has %v, want %v", seed, i, x, got, w)
				}
			}
		}
	}
}

func TestSetErrors(t *testing.T) {
	f := fst.FromString(reals, []int32{1})
	g := fst.FromPair(reals, []int32{1}, []int32{2})
	if err := fst.Err(fst.Intersect(f, g)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("intersection with a transducer: %v", err)
	}
	if err := fst.Err(fst.Difference(g, f, nil)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a transducer less an acceptor: %v", err)
	}
	if err := fst.Err(fst.Difference(f, g, nil)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("an acceptor less a transducer: %v", err)
	}
	if err := fst.Err(fst.Difference(f, noTwins(t, 1, 1, false), &fst.Options{Limit: 3})); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a limit of 3: %v", err)
	}
	if err := fst.Err(fst.Complement(f, []int32{0, 1}, nil)); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("ε in the alphabet: %v", err)
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	if all := must(fst.Expand(fst.Complement(empty, []int32{1}, nil), nil))(t); all.NumStates() != 1 || all.NumArcs() != 1 {
		t.Errorf("the complement of nothing: %s", all)
	}
	if none := must(fst.Connect(fst.Complement(fst.Complement(empty, []int32{1}, nil), []int32{1}, nil), nil))(t); none.NumStates() != 0 {
		t.Errorf("the complement of everything: %s", none)
	}
}
