package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Lazy operations make the machines that the others make.
func TestLazyOperations(t *testing.T) {
	twice := func(w series) series { return traces.Times(w, w) }
	next := func(l int32) int32 { return l + 1 }
	for seed := range trials.Seeds(40) {
		r := fsttest.Rand(seed)
		letters := 0
		var fs []*fst.FST[series]
		var lazy []fst.Machine[series]
		for range 1 + r.IntN(3) {
			shape := shapes(r)
			shape.Acyclic, shape.Plain = false, false // or a closure could go round without a letter
			f := fsttest.New(r, traces, shape, &letters)
			fs, lazy = append(fs, f), append(lazy, disguise(t, r, f))
		}
		f, m := fs[0], lazy[0]
		for _, test := range []struct {
			what string
			lazy fst.Machine[series]
			want *fst.FST[series]
		}{
			{"union", fst.Union(m, lazy[1:]...), must(fst.Expand(fst.Union(f, all(fs[1:])...), nil))(t)},
			{"concatenation", fst.Concat(m, lazy[1:]...), must(fst.Expand(fst.Concat(f, all(fs[1:])...), nil))(t)},
			{"star", fst.Star(m), must(fst.Expand(fst.Star(f), nil))(t)},
			{"plus", fst.Plus(m), must(fst.Expand(fst.Plus(f), nil))(t)},
			{"option", fst.Optional(m), must(fst.Expand(fst.Optional(f), nil))(t)},
			{"inversion", fst.Invert(m), fsttest.Frozen(fst.Invert(f))},
			{"projection to the input", fst.ProjectIn(m), fsttest.Frozen(fst.ProjectIn(f))},
			{"projection to the output", fst.ProjectOut(m), fsttest.Frozen(fst.ProjectOut(f))},
			{"other labels in", fst.Relabel(m, next, nil), must(fst.Expand(fst.Relabel(f, next, nil), nil))(t)},
			{"other labels out", fst.Relabel(m, nil, next), must(fst.Expand(fst.Relabel(f, nil, next), nil))(t)},
			{"other weights", fst.Map(m, traces, twice), fsttest.Frozen(fst.Map(f, traces, twice))},
		} {
			expanded := must(fst.Expand(test.lazy, nil))(t)
			got, want := must(fst.Connect(expanded, nil))(t), must(fst.Connect(test.want, nil))(t)
			check(t, seed, test.what, got, fsttest.RelationOf(want))
			if got.NumStates() != want.NumStates() || got.NumArcs() != want.NumArcs() {
				t.Fatalf("seed %d, %s: %d states and %d arcs, want %d and %d", seed, test.what, got.NumStates(), got.NumArcs(), want.NumStates(), want.NumArcs())
			}
		}
	}
}

func TestLazyOperationsKeepSymbols(t *testing.T) {
	type machine = fst.Machine[float64]
	in, out := fst.NewSymbols("x"), fst.NewSymbols("y")
	same := func(l int32) int32 { return l }
	f := fst.FromPair(reals, []int32{1}, []int32{1}).WithSymbols(in, out)
	for what, test := range map[string]struct {
		m       machine
		in, out *fst.Symbols
	}{
		"union":                    {fst.Union(f.WithSymbols(in, nil), f.WithSymbols(nil, out)), in, out},
		"star":                     {fst.Star(f), in, out},
		"inversion":                {fst.Invert(f), out, in},
		"projection to the input":  {fst.ProjectIn(f), in, in},
		"projection to the output": {fst.ProjectOut(f), out, out},
		"other labels in":          {fst.Relabel(f, same, nil), nil, out},
		"other labels out":         {fst.Relabel(f, nil, same), in, nil},
		"other weights":            {fst.Map(machine(f), reals, func(w float64) float64 { return w / 2 }), in, out},
		"synchronization":          {fst.Synchronize(f, nil), in, out},
	} {
		if f := must(fst.Expand(test.m, nil))(t); f.InSymbols() != test.in || f.OutSymbols() != test.out {
			t.Errorf("%s: the symbols are %v and %v, want %v and %v", what, f.InSymbols(), f.OutSymbols(), test.in, test.out)
		}
	}
}

// endless has the strings 1ⁿ2ⁿ of cost n, of which it counts n without end.
type endless struct{}

func (endless) Semiring() semiring.Semiring[semiring.Cost] { return costs }
func (endless) AppendStarts(dst []fst.Start[semiring.Cost]) []fst.Start[semiring.Cost] {
	return append(dst, fst.Start[semiring.Cost]{})
}
func (endless) Final(s int32) semiring.Cost {
	if s <= 1 {
		return costs.One()
	}
	return costs.Zero()
}
func (endless) AppendArcs(dst []fst.Arc[semiring.Cost], s int32) []fst.Arc[semiring.Cost] {
	if s%2 == 0 { // s/2 labels 1 so far
		dst = append(dst, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: s + 2, Weight: 1})
	}
	if s > 1 { // s/2 labels 2 to come
		dst = append(dst, fst.Arc[semiring.Cost]{In: 2, Out: 2, To: s/2*2 - 1})
	}
	return dst
}

// Machines without end are operands of lazy operations, which are operands in turn.
func TestLazyOperationsOfEndlessMachines(t *testing.T) {
	type machine = fst.Machine[semiring.Cost]
	m := machine(endless{})
	shifted := fst.Relabel(m, func(l int32) int32 { return l + 2 }, nil) // reads 3, 4, writes 1, 2
	doubled := fst.Map(m, costs, func(w semiring.Cost) semiring.Cost { return 2 * w })
	both := fst.Union(machine(fst.Invert(machine(shifted))), doubled)
	all := fst.ProjectIn(machine(fst.Star(machine(both))))
	whole := fst.Concat(machine(all), fst.Optional(machine(fst.FromString(costs, []int32{5}))))
	for _, test := range []struct {
		x    []int32
		want semiring.Cost
	}{
		{[]int32{1, 1, 2, 2}, 2},             // as it is written by what reads 3 and 4
		{[]int32{1, 2, 1, 1, 2, 2, 5}, 3},    // one of each
		{[]int32{5}, 0},                      // none
		{[]int32{1, 2, 2}, costs.Zero()},     // is not among them
		{[]int32{1, 2, 5, 5}, costs.Zero()},  // nor is this
		{[]int32{1, 1, 1, 2, 2, 2, 1, 2}, 4}, // more
	} {
		c := fst.Compose(machine(fst.FromString(costs, test.x)), machine(whole))
		f := must(fst.Expand(c, &fst.Options{Limit: 10_000}))(t)
		if w := must(graph.PathSum(f.Graph()))(t); w != test.want {
			t.Errorf("%v costs %v, want %v", test.x, w, test.want)
		}
	}
}

// The delay need not be bounded if not all of the result is asked for.
func TestSynchronizeOnDemand(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, shapes(r), &letters)
		if want, err := fst.Expand(fst.Synchronize(f, small), nil); err == nil {
			got := must(fst.Expand(fst.Synchronize(disguise(t, r, must(fst.Connect(f, nil))(t)), nil), nil))(t)
			check(t, seed, "all of it", got, fsttest.RelationOf(want))
			if got.NumStates() != want.NumStates() || got.NumArcs() != want.NumArcs() {
				t.Fatalf("seed %d: %d states and %d arcs, want %d and %d", seed, got.NumStates(), got.NumArcs(), want.NumStates(), want.NumArcs())
			}
		}
	}
	// Reads 1ⁿ, each at cost 1, and writes 2, 22, and so on.
	b := fst.NewBuilder(costs)
	b.AddStates(2)
	b.AddStart(0, costs.One())
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, To: 0, Weight: 1})
	b.AddArc(0, fst.Arc[semiring.Cost]{Out: 2, To: 1, Weight: 3})
	b.AddArc(1, fst.Arc[semiring.Cost]{Out: 2, To: 1, Weight: 5})
	b.SetFinal(1, 7)
	f := must(b.Freeze())(t)
	if _, err := fst.Expand(fst.Synchronize(f, small), nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a delay without bound: %v", err)
	}
	lazy := fst.Synchronize(f, nil)
	pair := fst.Compose(fst.Compose(fst.FromString(costs, []int32{1, 1, 1}), lazy), fst.FromString(costs, []int32{2, 2}))
	for p, err := range graph.Search(t.Context(), pair, nil) {
		if err != nil || p.Weight != 3+3+5+7 || fst.Err(lazy) != nil {
			t.Errorf("the pair 111:22 costs %v, want 18: %v, %v", p.Weight, err, fst.Err(lazy))
		}
		break
	}
}

func TestLazyOperationErrors(t *testing.T) {
	type machine = fst.Machine[float64]
	a := fst.FromString(reals, []int32{1, 2})
	x, y := a.WithSymbols(fst.NewSymbols("x"), nil), a.WithSymbols(fst.NewSymbols("y"), nil)
	if err := fst.Err(fst.Union(a, x, y)); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("union of different symbols: %v", err)
	}
	if err := fst.Err(fst.Concat(a, fst.Map(machine(a), other{reals}, func(w float64) float64 { return w }))); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("concatenation over different rings: %v", err)
	}
	negative := fst.Relabel(machine(a), nil, func(l int32) int32 { return 1 - l })
	if _, err := fst.Expand(negative, nil); !errors.Is(err, fst.ErrInvalid) || err != fst.Err(negative) {
		t.Errorf("a negative label: %v, %v", err, fst.Err(negative))
	}
}

// A machine that fails makes what is made from it fail: its arcs are missing there too.
func TestLazyOperationsPassErrorsOn(t *testing.T) {
	type machine = fst.Machine[float64]
	word := fst.FromString(reals, []int32{1, 2})
	for what, from := range map[string]func(m machine) machine{
		"composition, first":  func(m machine) machine { return fst.Compose(m, word) },
		"composition, second": func(m machine) machine { return fst.Compose(word, m) },
		"compositions":        func(m machine) machine { return fst.Compose(word, fst.Compose(word, m)) },
		"union":               func(m machine) machine { return fst.Union(word, m) },
		"closure":             func(m machine) machine { return fst.Star(m) },
		"projection":          func(m machine) machine { return fst.ProjectIn(m) },
		"synchronization":     func(m machine) machine { return fst.Synchronize(m, nil) },
		"difference":          func(m machine) machine { return fst.Difference(m, fst.FromString(reals, []int32{2}), nil) },
		"map": func(m machine) machine {
			return fst.Map(m, m.Semiring(), func(w float64) float64 { return w })
		},
	} {
		m := from(fst.Relabel(machine(word), func(l int32) int32 { return 3 - 2*l }, nil))
		if _, err := fst.Expand(m, nil); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := fst.NewArena(m.Semiring()).Expand(m, nil); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%s in an arena: %v", what, err)
		}
		m = from(fst.Relabel(machine(word), nil, nil))
		if _, err := fst.Expand(m, nil); err != nil {
			t.Errorf("%s of what does not fail: %v", what, err)
		}
	}
}

// other is a ring of its own.
type other struct{ semiring.Semiring[float64] }
