package fst_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

var reals = semiring.Real{}

func TestBuilder(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddArc(1, fst.Arc[float64]{In: 5, Out: 6, To: 0, Weight: 5}) // states may be added later
	if s := b.AddState(); s != 0 {
		t.Fatalf("first state is %d", s)
	}
	if s := b.AddStates(2); s != 1 {
		t.Fatalf("second state is %d", s)
	}
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 2, To: 2, Weight: 1})
	b.AddArc(1, fst.Arc[float64]{In: 3, Out: 4, To: 1, Weight: 3})
	b.AddArc(0, fst.Arc[float64]{In: 0, Out: 7, To: 1, Weight: 2})
	b.AddStart(1, .25)
	b.AddStart(1, .5)
	b.SetFinal(2, .75)
	in, out := fst.NewSymbols("x"), fst.NewSymbols("y")
	b.SetSymbols(in, out)
	f := must(b.Freeze())(t)
	if f.NumStates() != 3 || f.NumArcs() != 4 {
		t.Errorf("%d states and %d arcs, want 3 and 4", f.NumStates(), f.NumArcs())
	}
	if f.InSymbols() != in || f.OutSymbols() != out {
		t.Error("symbols are lost")
	}
	arcs := f.AppendArcs(f.AppendArcs(nil, 0), 1)
	want := []fst.Arc[float64]{
		{In: 1, Out: 2, To: 2, Weight: 1}, {In: 0, Out: 7, To: 1, Weight: 2},
		{In: 5, Out: 6, To: 0, Weight: 5}, {In: 3, Out: 4, To: 1, Weight: 3},
	}
	if !slices.Equal(arcs, want) {
		t.Errorf("arcs %v, want %v", arcs, want)
	}
	if !slices.Equal(f.In(), []int32{1, 0, 5, 3}) || !slices.Equal(f.Out(), []int32{2, 7, 6, 4}) {
		t.Errorf("labels %v:%v", f.In(), f.Out())
	}
	if starts := f.AppendStarts(nil); !slices.Equal(starts, []fst.Start[float64]{{State: 1, Weight: .25}, {State: 1, Weight: .5}}) {
		t.Errorf("starts %v", starts)
	}
	if f.Final(0) != 0 || f.Final(2) != .75 {
		t.Errorf("final weights %g and %g", f.Final(0), f.Final(2))
	}
	if g := must(b.Freeze())(t); g.NumStates() != 0 || g.InSymbols() != nil {
		t.Error("the builder is not empty after Freeze")
	}
}

func TestBuilderErrors(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		want string
		make func(b *fst.Builder[float64])
	}{
		{"arc 0 leaves state 2 of 2", func(b *fst.Builder[float64]) { b.AddArc(2, fst.Arc[float64]{}) }},
		{"arc 0 leaves state -1 of 2", func(b *fst.Builder[float64]) { b.AddArc(-1, fst.Arc[float64]{}) }},
		{"goes to state 5 of 2", func(b *fst.Builder[float64]) { b.AddArc(0, fst.Arc[float64]{To: 5}) }},
		{"labels -1:0", func(b *fst.Builder[float64]) { b.AddArc(0, fst.Arc[float64]{In: -1}) }},
		{"labels 0:-7", func(b *fst.Builder[float64]) { b.AddArc(0, fst.Arc[float64]{Out: -7}) }},
		{"weight of arc 0", func(b *fst.Builder[float64]) { b.AddArc(0, fst.Arc[float64]{Weight: nan}) }},
		{"arc 1 of state 1 has the weight Zero, which usually means that the field Weight was not set", func(b *fst.Builder[float64]) {
			b.AddArc(1, fst.Arc[float64]{In: 1, Weight: 1})
			b.AddArc(0, fst.Arc[float64]{In: 1, Weight: 1})
			b.AddArc(1, fst.Arc[float64]{In: 2})
		}},
		{"start at state 3 of 2", func(b *fst.Builder[float64]) { b.AddStart(3, 1) }},
		{"start weight of state 1", func(b *fst.Builder[float64]) { b.AddStart(1, nan) }},
		{"final weight for state 2 of 2", func(b *fst.Builder[float64]) { b.SetFinal(2, 1) }},
		{"final weight of state 1", func(b *fst.Builder[float64]) { b.SetFinal(1, nan) }},
	} {
		b := fst.NewBuilder(reals)
		b.AddStates(2)
		test.make(b)
		if _, err := b.Freeze(); !errors.Is(err, fst.ErrInvalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one about %s", err, test.want)
		}
		if _, err := b.Freeze(); err != nil {
			t.Errorf("the next machine suffers from %v", err)
		}
	}
}

// A weight is considered forgotten if the zero value of its type is Zero. A computed Zero is
// not forgotten, and if the zero value is One, forgotten weights are not detected.
func TestForgottenWeight(t *testing.T) {
	if _, err := arcOf(semiring.Counting{}, nil, false); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a weight that is nil: %v", err)
	}
	for what, err := range map[string]error{
		"Zero, computed":       second(arcOf(semiring.Counting{}, big.NewInt(0), false)),
		"Zero, where 0 is One": second(arcOf(semiring.Tropical{}, semiring.Tropical{}.Zero(), false)),
		"One by default":       second(arcOf(semiring.Tropical{}, 0, false)),
		"Zero, allowed":        second(arcOf(semiring.Scaled{}, semiring.ScaledFloat{}, true)),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	b := fst.NewBuilder(reals)
	b.AllowZero()
	for range 2 { // the setting lasts
		b.AddStates(1)
		b.AddArc(0, fst.Arc[float64]{})
		if f := must(b.Freeze())(t); f.NumArcs() != 1 {
			t.Errorf("%d arcs, want 1", f.NumArcs())
		}
	}
}

// arcOf returns the machine of one arc with weight w.
func arcOf[W any](ring semiring.Semiring[W], w W, allowZero bool) (*fst.FST[W], error) {
	b := fst.NewBuilder(ring)
	if allowZero {
		b.AllowZero()
	}
	b.AddStates(1)
	b.AddArc(0, fst.Arc[W]{In: 1, Out: 1, Weight: w})
	return b.Freeze()
}

func TestWithWeights(t *testing.T) {
	f := fst.FromString(reals, []int32{1, 2})
	g := must(f.WithWeights([]float64{3, 4}, []fst.Start[float64]{{State: 1, Weight: .5}}, []float64{0, 0, 5}))(t)
	if w := f.AppendArcs(nil, 0)[0].Weight; w != 1 {
		t.Errorf("weight of the original machine is %g", w)
	}
	if a := g.AppendArcs(nil, 1)[0]; a.Weight != 4 || a.In != 2 {
		t.Errorf("arc %v", a)
	}
	if _, err := f.WithWeights([]float64{1}, nil, []float64{0, 0, 1}); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("too few weights: %v", err)
	}
	// A composition includes weights other than One.
	if got := total(t, pairOf("b", "b"), g, g); got != .5*.5*4*4*5*5 {
		t.Errorf("(b, b) has weight %g in the square", got)
	}
}

func TestWithSemiring(t *testing.T) {
	viterbi := semiring.Viterbi{}
	b := fst.NewBuilder(semiring.Scaled{})
	b.AddStates(2)
	b.AddStart(0, semiring.NewScaled(1))
	b.SetFinal(1, semiring.NewScaled(1))
	for _, w := range []float64{.25, .5} {
		b.AddArc(0, fst.Arc[semiring.ScaledFloat]{In: 1, Out: 1, To: 1, Weight: semiring.NewScaled(w)})
	}
	f := must(b.Freeze())(t)
	g := f.WithSemiring(viterbi)
	if g.Semiring() != viterbi || g.Graph().Ring() != viterbi || f.Graph().Ring() == viterbi {
		t.Error("wrong rings")
	}
	if again := g.WithSemiring(f.Semiring()); again.Graph().Ring() != f.Semiring() || again.NumArcs() != 2 {
		t.Error("the way back is lost")
	}
	for _, test := range []struct {
		f    *fst.FST[semiring.ScaledFloat]
		want float64
	}{{f, .75}, {g, .5}} {
		if got := total(t, pairOf("a", "a"), test.f, fst.FromString(test.f.Semiring(), labels("a"))); got.Float64() != test.want {
			t.Errorf("%T: (a, a) has weight %v, want %g", test.f.Semiring(), got, test.want)
		}
	}
}

// Machines made in one call equal machines that a Builder makes from the same arcs.
func TestFromArcs(t *testing.T) {
	loop := fst.Arc[float64]{In: 1, Out: 2, Weight: .5}
	f := must(fst.Expand(fst.OneState(semiring.Real{}, .25, loop, loop), nil))(t)
	if got := must(fst.Weight(f, []int32{1, 1}, []int32{2, 2}, nil))(t); got != .25 {
		t.Errorf("%g, want 1·1·.25", got)
	}
	f = must(fst.Expand(fst.FromArcs(semiring.Real{}, map[int32]float64{3: 1}, nil, []fst.Arc[float64]{{In: 1, Out: 1, Weight: 1, To: 2}}), nil))(t)
	if f.NumStates() != 4 || f.NumArcs() != 1 {
		t.Errorf("%d states, %d arcs", f.NumStates(), f.NumArcs())
	}
	for name, err := range map[string]error{
		"a forgotten weight": errorOf(fst.Expand(fst.OneState(semiring.Real{}, 1, loop, fst.Arc[float64]{In: 1, Out: 1}), nil)),
		"a negative state":   errorOf(fst.Expand(fst.FromArcs(semiring.Real{}, nil, []fst.Arc[float64]{{Weight: 1, To: -1}}), nil)),
		"a negative end":     errorOf(fst.Expand(fst.FromArcs(semiring.Real{}, map[int32]float64{-1: 1}, []fst.Arc[float64]{loop}), nil)),
		"another state":      errorOf(fst.Expand(fst.OneState(semiring.Real{}, 1, fst.Arc[float64]{Weight: 1, To: 1}), nil)),
		"no number":          errorOf(fst.Expand(fst.OneState(semiring.Real{}, math.NaN(), loop), nil)),
	} {
		if !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

// weird is a ring that is not comparable with ==.
type weird struct {
	fsttest.Bags
	table []int
}

func TestRingsThatCannotBeCompared(t *testing.T) {
	ring := semiring.Semiring[series](weird{fsttest.Bags{Max: 3}, []int{1}})
	x := fst.FromString(ring, []int32{1})
	if err := fst.Err(fst.Compose(x, x)); err != nil {
		t.Error(err)
	}
	if err := fst.Err(fst.Compose(x, fst.FromString(bags, nil))); err == nil {
		t.Error("rings of two types are taken for one")
	}
}

func TestFromStringPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a negative label was accepted")
		}
	}()
	fst.FromString(reals, []int32{1, -1})
}

func TestFromPair(t *testing.T) {
	f := fst.FromPair(bags, []int32{1, fst.Epsilon, 2}, []int32{3})
	want := fsttest.Relation{{In: "ab", Out: "c"}: bags.One()}
	if d := fsttest.Diff(fsttest.RelationOf(f), want); d != "" {
		t.Error(d)
	}
}

func ExampleFST_String() {
	b := fst.NewBuilder(semiring.Tropical{})
	b.AddStates(2)
	b.AddStart(0, .25)
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 1, Out: 2, To: 1, Weight: .5})
	b.AddArc(0, fst.Arc[semiring.Cost]{In: 2, Out: 2, To: 0})
	b.AddArc(1, fst.Arc[semiring.Cost]{In: 3, To: 0, Weight: 1})
	b.SetFinal(1, 0)
	b.SetSymbols(fst.NewSymbols("a", "b"), fst.NewSymbols("a", "b"))
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	fmt.Print(f)
	// Output:
	// → 0/0.25
	// 0 a:b/0.5 → 1
	// 0 b → 0
	// 1 3:ε/1 → 0
	// 1 →
}

func TestStringIsShort(t *testing.T) {
	text := fst.FromString(semiring.Real{}, make([]int32, 1000)).String()
	if lines := strings.Split(text, "\n"); len(lines) != 102 || lines[100] != "… of 1001 states and 1000 arcs" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-2])
	}
}

// Names that could be misread, and empty names, are in quotes.
func TestStringQuotesNames(t *testing.T) {
	names := fst.NewSymbols("a", " ", ":", "", "a\nb", "→", "ö'", `"`)
	f := fst.FromString(semiring.Real{}, []int32{1, 2, 3, 4, 5, 6, 7, 8}).WithSymbols(names, names)
	want := "→ 0\n0 a → 1\n1 \" \" → 2\n2 \":\" → 3\n3 \"\" → 4\n4 \"a\\nb\" → 5\n5 \"→\" → 6\n6 ö' → 7\n7 \"\\\"\" → 8\n8 →\n"
	if got := f.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A Builder with more arcs than one of its arrays holds numbers them as if there were only one.
func TestBuilderManyArcs(t *testing.T) {
	const arcs, states = 30_000, 7
	build := func(spoil func(i int, from *int32, a *fst.Arc[float64])) (*fst.FST[float64], error) {
		b := fst.NewBuilder(reals)
		b.AddStates(states)
		for i := range arcs {
			from, a := int32(i%states), fst.Arc[float64]{In: int32(i), Out: int32(i % 3), To: int32(i % 5), Weight: 1 / float64(i+1)}
			spoil(i, &from, &a)
			b.AddArc(from, a)
		}
		return b.Freeze()
	}
	f := must(build(func(int, *int32, *fst.Arc[float64]) {}))(t)
	for s := range int32(states) {
		for k, a := range f.AppendArcs(nil, s) {
			i := k*states + int(s)
			if want := (fst.Arc[float64]{In: int32(i), Out: int32(i % 3), To: int32(i % 5), Weight: 1 / float64(i+1)}); a != want {
				t.Fatalf("arc %d of state %d is %v, want %v", k, s, a, want)
			}
		}
	}
	if f.NumArcs() != arcs {
		t.Errorf("%d arcs, want %d", f.NumArcs(), arcs)
	}
	for want, spoil := range map[string]func(from *int32, a *fst.Arc[float64]){
		"arc 20000 leaves state 7 of 7":                                    func(from *int32, _ *fst.Arc[float64]) { *from = states },
		"arc 20000 from state 1 goes to state 9 of 7":                      func(_ *int32, a *fst.Arc[float64]) { a.To = 9 },
		"arc 20000 from state 1 has labels -1:2":                           func(_ *int32, a *fst.Arc[float64]) { a.In = -1 },
		"weight of arc 20000 from state 1 is not a number":                 func(_ *int32, a *fst.Arc[float64]) { a.Weight = math.NaN() },
		fmt.Sprintf("arc %d of state 1 has the weight Zero", 20000/states): func(_ *int32, a *fst.Arc[float64]) { a.Weight = 0 },
	} {
		_, err := build(func(i int, from *int32, a *fst.Arc[float64]) {
			if i == 20_000 {
				spoil(from, a)
			}
		})
		if !errors.Is(err, fst.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
