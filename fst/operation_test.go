package fst_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

type realM = fst.Machine[float64]

// lazyOperations make a machine from one or two others.
var lazyOperations = map[string]func(a, b realM) realM{
	"Compose":       func(a, b realM) realM { return fst.Compose(a, b) },
	"Arena.Compose": func(a, b realM) realM { return fst.NewArena(reals).Compose(a, b) },
	"Intersect":     func(a, b realM) realM { return fst.Intersect(a, b) },
	"Union":         func(a, b realM) realM { return fst.Union(a, b) },
	"Concat":        func(a, b realM) realM { return fst.Concat(a, b) },
	"Difference":    func(a, b realM) realM { return fst.Difference(a, b, nil) },
	"Replace":       func(a, b realM) realM { return fst.Replace(a, map[int32]realM{7: b}, nil) },
	"Star":          func(a, _ realM) realM { return fst.Star(a) },
	"Plus":          func(a, _ realM) realM { return fst.Plus(a) },
	"Optional":      func(a, _ realM) realM { return fst.Optional(a) },
	"Invert":        func(a, _ realM) realM { return fst.Invert(a) },
	"ProjectIn":     func(a, _ realM) realM { return fst.ProjectIn(a) },
	"ProjectOut":    func(a, _ realM) realM { return fst.ProjectOut(a) },
	"Relabel":       func(a, _ realM) realM { return fst.Relabel(a, nil, func(l int32) int32 { return l }) },
	"Map":           func(a, _ realM) realM { return fst.Map(a, reals, func(w float64) float64 { return w }) },
	"RemoveEpsilon": func(a, _ realM) realM { return fst.RemoveEpsilon(a) },
	"Determinize":   func(a, _ realM) realM { return fst.Determinize(a, nil) },
	"Complement":    func(a, _ realM) realM { return fst.Complement(a, []int32{1}, nil) },
	"LookAhead":     func(a, _ realM) realM { return fst.LookAhead(a, fst.Output) },
	"Match":         func(a, _ realM) realM { return fst.Match(a, fst.Matching{Any: 9}) },
	"Synchronize":   func(a, _ realM) realM { return fst.Synchronize(a, nil) },
}

// binary names the lazy operations with two operands.
var binary = map[string]bool{"Compose": true, "Arena.Compose": true, "Intersect": true, "Union": true, "Concat": true, "Difference": true, "Replace": true}

// computingOperations return the error of an eager operation, on one or two machines.
var computingOperations = map[string]func(a, b realM) error{
	"Apply":     func(a, _ realM) error { return firstError(fst.Apply(a, []int32{1}, nil)) },
	"ApplyText": func(a, _ realM) error { return firstError(fst.ApplyText(a, "a", nil)) },
	"Arena.Apply": func(a, _ realM) error {
		return firstError(fst.NewArena(reals).Apply(a, []int32{1}, nil))
	},
	"Arena.Expand":       func(a, _ realM) error { return second(fst.NewArena(reals).Expand(a, nil)) },
	"Arena.Weight":       func(a, _ realM) error { return second(fst.NewArena(reals).Weight(a, nil, nil, nil)) },
	"ArcSortIn":          func(a, _ realM) error { return second(fst.ArcSortIn(a, nil)) },
	"ArcSortOut":         func(a, _ realM) error { return second(fst.ArcSortOut(a, nil)) },
	"BestPaths":          func(a, _ realM) error { return second(fst.BestPaths(a, 1, nil)) },
	"BestText":           func(a, _ realM) error { return second(fst.BestText(a, "a", nil)) },
	"Codec.Decode":       func(a, _ realM) error { return second(labelCodec().Decode(a, nil)) },
	"Codec.Encode":       func(a, _ realM) error { return second(labelCodec().Encode(a, nil)) },
	"Connect":            func(a, _ realM) error { return second(fst.Connect(a, nil)) },
	"DeterminizeAll":     func(a, _ realM) error { return second(fst.DeterminizeAll(a, nil)) },
	"DeterminizeBest":    func(a, _ realM) error { return second(fst.DeterminizeBest(a, nil)) },
	"Disambiguate":       func(a, _ realM) error { return second(fst.Disambiguate(a, nil)) },
	"DisambiguateBest":   func(a, _ realM) error { return second(fst.DisambiguateBest(a, nil)) },
	"Equal":              func(a, b realM) error { return second(fst.Equal(a, b, nil)) },
	"Equivalent":         func(a, b realM) error { return second(fst.Equivalent(a, b, nil)) },
	"Expand":             func(a, _ realM) error { return second(fst.Expand(a, nil)) },
	"ExpandWithin":       func(a, _ realM) error { return second(fst.ExpandWithin(context.Background(), a, 1, nil)) },
	"Isomorphic":         func(a, b realM) error { return second(fst.Isomorphic(a, b, nil)) },
	"MergeBisimilar":     func(a, _ realM) error { return second(fst.MergeBisimilar(a, nil)) },
	"Minimize":           func(a, _ realM) error { return second(fst.Minimize(a, nil)) },
	"NewSampler":         func(a, _ realM) error { return second(fst.NewSampler(a, nil)) },
	"NormalizeEpsilon":   func(a, _ realM) error { return second(fst.NormalizeEpsilon(a, fst.Input, nil)) },
	"Optimize":           func(a, _ realM) error { return second(fst.Optimize(a, nil)) },
	"PathSum":            func(a, _ realM) error { return second(fst.PathSum(a, nil)) },
	"PruneArcs":          func(a, _ realM) error { return second(fst.PruneArcs(a, func(float64) bool { return true }, nil)) },
	"PruneBeam":          func(a, _ realM) error { return second(fst.PruneBeam(a, 1, nil)) },
	"PrunePosterior":     func(a, _ realM) error { return second(fst.PrunePosterior(a, .5, nil)) },
	"PushLabels":         func(a, _ realM) error { return second(fst.PushLabels(a, fst.TowardInitial, nil)) },
	"PushWeights":        func(a, _ realM) error { return second(fst.PushWeights(a, fst.TowardInitial, nil)) },
	"Quotient":           func(a, _ realM) error { return second(fst.Quotient(a, nil, nil)) },
	"RandomlyEquivalent": func(a, b realM) error { return second(fst.RandomlyEquivalent(a, b, rand.NewPCG(1, 2), 1, nil)) },
	"Renumber":           func(a, _ realM) error { return second(fst.Renumber(a, nil, nil)) },
	"Reverse":            func(a, _ realM) error { return second(fst.Reverse(a, nil)) },
	"SampleText":         func(a, _ realM) error { return second(fst.SampleText(a, "a", rand.NewPCG(1, 2), nil)) },
	"ShortestPaths":      func(a, _ realM) error { return second(fst.ShortestPaths(a, 1, nil)) },
	"ShortestStrings":    func(a, _ realM) error { return second(fst.ShortestStrings(a, 1, nil)) },
	"TopSort":            func(a, _ realM) error { return second(fst.TopSort(a, nil)) },
	"Unambiguous":        func(a, _ realM) error { return second(fst.Unambiguous(a, nil)) },
	"Uniform":            func(a, _ realM) error { return second(fst.Uniform(a, nil)) },
	"Weight":             func(a, _ realM) error { return second(fst.Weight(a, nil, nil, nil)) },
}

func labelCodec() *fst.Codec[float64] { return must2(fst.NewCodec(reals, fst.Labels)) }

// firstError returns the first error of an iterator.
func firstError[T any](all iter.Seq2[T, error]) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// untouched is a machine that must not be read.
type untouched struct {
	t    *testing.T
	what string
}

func (u untouched) Semiring() semiring.Semiring[float64] { return reals }
func (u untouched) AppendStarts(dst []fst.Start[float64]) []fst.Start[float64] {
	u.t.Errorf("%s: read beside a machine that has failed", u.what)
	return dst
}
func (u untouched) Final(int32) float64                                           { return 0 }
func (u untouched) AppendArcs(dst []fst.Arc[float64], _ int32) []fst.Arc[float64] { return dst }

// failing returns a machine of an operation that could not be applied.
func failing() realM {
	return fst.Compose(fst.FromString(reals, []int32{1}), fst.FromString(plain, []int32{1}))
}

var plain = semiring.Semiring[float64](plainReals{})

// A lazy operation on a failed machine returns its error, repeatedly, and does not read its
// operands.
func TestLazyOperationsOnFailedMachines(t *testing.T) {
	for name, shape := range exported(t) {
		if operation := lazyOperations[name]; (operation != nil) != (shape == lazyShape) {
			t.Errorf("%s is %s, and in the table of lazy operations: %t", name, shape, operation != nil)
		}
	}
	for name, operation := range lazyOperations {
		bad := failing()
		want := fst.Err(bad)
		results := []realM{operation(bad, untouched{t, name})}
		if binary[name] {
			results = append(results, operation(untouched{t, name}, bad))
		}
		for place, m := range results {
			if err := fst.Err(m); err != want || !errors.Is(err, fst.ErrMismatch) {
				t.Errorf("%s, place %d: error %v, want that of Compose: %v", name, place, err, want)
			}
			again := fst.Union(fst.Star(operation(m, untouched{t, name})), untouched{t, name})
			if err := fst.Err(again); err != want || strings.Count(err.Error(), "fst: ") != 1 || strings.Count(err.Error(), "Compose") != 1 {
				t.Errorf("%s, place %d, operations later: %v, want %v", name, place, err, want)
			}
			if f, err := fst.Expand(again, nil); f != nil || err != want {
				t.Errorf("%s, place %d, expanded: %v, %v", name, place, f, err)
			}
			if starts := again.AppendStarts(nil); len(starts) != 0 || again.Semiring() != reals {
				t.Errorf("%s, place %d: a failed machine has starts %v and the ring %v", name, place, starts, again.Semiring())
			}
		}
	}
}

// An eager operation returns the error of a failed machine unchanged, and does not read its
// operands.
func TestComputingOperationsOnFailedMachines(t *testing.T) {
	for name, shape := range exported(t) {
		if operation := computingOperations[name]; (operation != nil) != (shape == computingShape) {
			t.Errorf("%s is %s, and in the table of operations that compute: %t", name, shape, operation != nil)
		}
	}
	comparisons := map[string]bool{"Equal": true, "Equivalent": true, "Isomorphic": true, "RandomlyEquivalent": true}
	for name, operation := range computingOperations {
		bad := failing()
		if err := operation(bad, untouched{t, name}); err != fst.Err(bad) {
			t.Errorf("%s: %v, want %v", name, err, fst.Err(bad))
		}
		if !comparisons[name] {
			continue
		}
		if err := operation(untouched{t, name}, bad); err != fst.Err(bad) {
			t.Errorf("%s, second machine: %v, want %v", name, err, fst.Err(bad))
		}
	}
}

// refusal is the result of an operation that cannot be applied.
type refusal struct {
	err, expanded, later error // of the machine, of Expand, and of an operation on it
	starts               int
}

func refusalOf[W any](m fst.Machine[W]) refusal {
	return refusal{fst.Err(m), second(fst.Expand(m, nil)), fst.Err(fst.Optional(fst.Plus(m))), len(m.AppendStarts(nil))}
}

// The error of a lazy operation or a constructor that cannot be applied names it once, with its
// operands and the cause.
func TestLazyOperationsNameThemselves(t *testing.T) {
	one, pair := fst.FromString(reals, []int32{1}), fst.FromPair(reals, []int32{1}, []int32{2})
	other := fst.FromString(plain, []int32{1})
	words := fst.FromString(semiring.LeftString{}, []int32{1})
	loose := fst.FromString(semiring.Semiring[series](fsttest.Traces{Max: 3}), []int32{1})
	edits := fst.Edits[float64]{Keep: 1}
	for _, x := range []struct {
		text string
		refusal
		cause error
	}{
		{"fst: Compose(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(one, other))), fst.ErrMismatch},
		{"fst: Compose(Star, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(fst.Star(opaque(one)), other))), fst.ErrMismatch},
		{"fst: Compose(Intersect, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(fst.Intersect(one, one), other))), fst.ErrMismatch},
		{"fst: Compose(fsttest.Opaque[float64], 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Compose(opaque(one), other))), fst.ErrMismatch},
		{"fst: Compose(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Machine[series](fst.Compose(loose, loose))), semiring.ErrCapability},
		{"fst: Intersect(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Machine[float64](fst.Intersect(one, pair))), fst.ErrInvalid},
		{"fst: Union(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Union(one, other)), fst.ErrMismatch},
		{"fst: Concat(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Concat(one, other)), fst.ErrMismatch},
		{"fst: RemoveEpsilon(2 states and 1 arc): ", refusalOf(fst.RemoveEpsilon(words)), semiring.ErrCapability},
		{"fst: Determinize(2 states and 1 arc): ", refusalOf(fst.Determinize(other, nil)), semiring.ErrCapability},
		{"fst: Difference(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Difference(one, pair, nil)), fst.ErrInvalid},
		{"fst: Complement(2 states and 1 arc): ", refusalOf(fst.Complement(one, []int32{0}, nil)), fst.ErrInvalid},
		{"fst: Match(2 states and 1 arc): ", refusalOf(fst.Match(one, fst.Matching{Any: -1})), fst.ErrInvalid},
		{"fst: Replace(2 states and 1 arc, 2 states and 1 arc): ", refusalOf(fst.Replace(one, map[int32]realM{0: one}, nil)), fst.ErrInvalid},
		{"fst: FromArcs: ", refusalOf(fst.FromArcs(reals, nil, []fst.Arc[float64]{{In: -1, Weight: 1}})), fst.ErrInvalid},
		{"fst: OneState: ", refusalOf(fst.OneState(reals, 1, fst.Arc[float64]{To: 1, Weight: 1})), fst.ErrInvalid},
		{"fst: StringMap: ", refusalOf(fst.StringMap(reals, []fst.Path[float64]{{Weight: math.NaN()}})), fst.ErrInvalid},
		{"fst: UTF8: ", refusalOf(fst.UTF8(reals, []rune{0})), fst.ErrInvalid},
		{"fst: Edits.Machine: ", refusalOf(edits.Machine(reals, []int32{0}, nil)), fst.ErrInvalid},
		{"fst: Edits.Within: ", refusalOf(edits.Within(reals, nil, nil, -1)), fst.ErrInvalid},
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(x.text, "fst: "), "(")
		name = strings.TrimSuffix(name, ": ")
		if !errors.Is(x.err, x.cause) || !strings.HasPrefix(x.err.Error(), x.text) || strings.Count(x.err.Error(), name) != 1 || strings.Count(x.err.Error(), "fst: ") != 1 {
			t.Errorf("error %v, want %q and then %v", x.err, x.text, x.cause)
		}
		if x.expanded != x.err || x.later != x.err || x.starts != 0 {
			t.Errorf("%v: Expand returns %v, and a later operation has %v", x.err, x.expanded, x.later)
		}
	}
}

// Lazy operations make the same machines as eager ones.
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
			shape.Acyclic, shape.Plain = false, false // or a closure may have cycles without letters
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

// endless has the strings 1ⁿ2ⁿ with cost n, and counts n without limit.
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
	if s%2 == 0 { // s/2 is the number of labels 1 so far
		dst = append(dst, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: s + 2, Weight: 1})
	}
	if s > 1 { // s/2 is the number of labels 2 to come
		dst = append(dst, fst.Arc[semiring.Cost]{In: 2, Out: 2, To: s/2*2 - 1})
	}
	return dst
}

// Infinite machines may be operands of lazy operations, whose results may be operands in turn.
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

// The delay may be unbounded if only a part of the result is created.
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

// If a machine fails, machines made from it fail as well, because its arcs are missing there.
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

// other is a different ring.
type other struct{ semiring.Semiring[float64] }
