package fst_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// A rule with an “otherwise”: a becomes b, everything else is copied.
func ExampleMatch() {
	const rest = 1000
	ring := semiring.Real{}
	b := fst.NewBuilder(ring)
	b.AddStart(b.AddState(), 1)
	b.AddArc(0, fst.Arc[float64]{In: 'a', Out: 'b', Weight: 1})
	b.AddArc(0, fst.Arc[float64]{In: rest, Out: rest, Weight: 1})
	b.SetFinal(0, 1)
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	rule := fst.Match(f, fst.Matching{Rest: rest, Alphabet: fst.RuneLabels("abcdefghijklmnopqrstuvwxyz")})
	for p, err := range fst.Apply(rule, fst.RuneLabels("banana"), nil) {
		if err != nil {
			panic(err)
		}
		fmt.Println(string(p.Out))
	}
	// Output:
	// bbnbnb
}

const specialAny, specialRest, specialFailure, specialOther = 11, 12, 13, 14

// withSpecials returns a random machine with special labels, whose failure arcs form no cycle.
func withSpecials(seed uint64, tape fst.Tape) *fst.FST[fsttest.Series] {
	r := fsttest.Rand(seed)
	letter := 0
	ring := semiring.Semiring[fsttest.Series](fsttest.Bags{Max: 3})
	f := fsttest.New(r, ring, fsttest.Shape{States: 1 + r.IntN(4), Arcs: 5, Labels: 3, Epsilon: .2}, &letter)
	b := fst.NewBuilder(ring)
	b.AddStates(f.NumStates())
	for _, s := range f.AppendStarts(nil) {
		b.AddStart(s.State, s.Weight)
	}
	add := func(from int32, a fst.Arc[fsttest.Series]) {
		if tape == fst.Output {
			a.In, a.Out = a.Out, a.In
		}
		b.AddArc(from, a)
	}
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, f.Final(s))
		for _, a := range f.AppendArcs(nil, s) {
			switch r.IntN(8) {
			case 0:
				a.In = specialAny
			case 1:
				a.In, a.Out = specialAny, specialAny
			case 2:
				a.In = specialRest
			case 3:
				a.In, a.Out = specialRest, specialRest
			case 4:
				a.In = specialOther
			case 5:
				a.In, a.Out = specialOther, specialOther
			}
			add(s, a)
		}
		if s > 0 && r.IntN(2) == 0 {
			add(s, fst.Arc[fsttest.Series]{In: specialFailure, Out: []int32{0, specialFailure}[r.IntN(2)], To: r.Int32N(s), Weight: fsttest.Letter(200 + int(s))})
		}
	}
	g, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return g
}

// spelled returns f with an arc for every label that an arc matches.
func spelled(f *fst.FST[fsttest.Series], tape fst.Tape) *fst.FST[fsttest.Series] {
	ring := f.Semiring()
	own := func(s, label int32) (arcs []fst.Arc[fsttest.Series]) {
		for _, a := range f.AppendArcs(nil, s) {
			if tape == fst.Output {
				a.In, a.Out = a.Out, a.In
			}
			if a.In == label {
				arcs = append(arcs, a)
			}
		}
		return arcs
	}
	known := func(label int32) (known bool) {
		for s := range int32(f.NumStates()) {
			known = known || len(own(s, label)) > 0
		}
		return known
	}
	b := fst.NewBuilder(ring)
	b.AddStates(f.NumStates())
	for _, s := range f.AppendStarts(nil) {
		b.AddStart(s.State, s.Weight)
	}
	for s := range int32(f.NumStates()) {
		final, t := f.Final(s), s
		for w := ring.One(); ring.IsZero(final); final = ring.Times(w, f.Final(t)) {
			fail := own(t, specialFailure)
			if len(fail) == 0 {
				break
			}
			t, w = fail[0].To, ring.Times(w, fail[0].Weight)
		}
		b.SetFinal(s, final)
		for label := range int32(5) {
			t, w := s, ring.One()
			for {
				matched := own(t, label)
				if label > 0 {
					var special []fst.Arc[fsttest.Series]
					if !known(label) {
						special = own(t, specialOther)
					}
					if len(matched)+len(special) == 0 {
						special = append(special, own(t, specialRest)...)
					}
					for _, a := range append(special, own(t, specialAny)...) {
						if a.Out > 10 {
							a.Out = label
						}
						a.In = label
						matched = append(matched, a)
					}
				}
				fail := own(t, specialFailure)
				for _, a := range matched {
					a.Weight = ring.Times(w, a.Weight)
					if tape == fst.Output {
						a.In, a.Out = a.Out, a.In
					}
					b.AddArc(s, a)
				}
				if len(matched) > 0 || label == 0 || len(fail) == 0 {
					break
				}
				t, w = fail[0].To, ring.Times(w, fail[0].Weight)
			}
		}
	}
	g, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return g
}

// A machine with special labels, alone and in compositions on either side, equals the machine
// with all arcs written out.
func TestMatch(t *testing.T) {
	for seed := range trials.Seeds(60) {
		for _, tape := range []fst.Tape{fst.Input, fst.Output} {
			f := withSpecials(seed, tape)
			by := fst.Matching{Tape: tape, Any: specialAny, Rest: specialRest, Other: specialOther, Failure: specialFailure, Alphabet: []int32{4, 3, 2, 1, 1}}
			m := fst.Match(f, by)
			want := spelled(f, tape)
			if d := fsttest.Diff(fsttest.RelationOf(m), fsttest.RelationOf(want)); d != "" {
				t.Fatalf("seed %d: %s", seed, d)
			}
			letter := 100
			r := fsttest.Rand(seed + 1)
			g := fsttest.New(r, f.Semiring(), fsttest.Shape{States: 3, Arcs: 5, Labels: 4, Epsilon: .2}, &letter)
			for _, pair := range [][2]fst.Machine[fsttest.Series]{{g, m}, {m, g}, {m, m}} {
				plain := pair
				for i := range plain {
					if plain[i] == fst.Machine[fsttest.Series](m) {
						plain[i] = want
					}
				}
				got := fsttest.RelationOf(fst.Compose(pair[0], pair[1]))
				if d := fsttest.Diff(got, fsttest.RelationOf(fst.Compose(plain[0], plain[1]))); d != "" {
					t.Fatalf("seed %d, composed: %s", seed, d)
				}
			}
		}
	}
}

// Composed with a string, few arcs are created, independent of the number of labels.
func TestMatchMakesFewArcs(t *testing.T) {
	ring := semiring.Real{}
	b := fst.NewBuilder(ring)
	b.AddStart(b.AddState(), 1)
	b.SetFinal(0, 1)
	b.AddArc(0, fst.Arc[float64]{In: 100_001, Out: 100_001, Weight: 1})
	alphabet := make([]int32, 100_000)
	for i := range alphabet {
		alphabet[i] = int32(i) + 1
	}
	m := fst.Match(must(b.Freeze())(t), fst.Matching{Any: 100_001, Alphabet: alphabet})
	x := fst.FromString(ring, alphabet[:1000])
	allocated := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			f := must(fst.Expand(fst.Compose(x, m), nil))(t)
			if !slices.Equal(f.Out(), alphabet[:1000]) {
				t.Fatal("another string")
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 1<<20 {
		t.Errorf("%d bytes for a string of 1000", allocated)
	}
}

func TestMatchErrors(t *testing.T) {
	arc := func(in, out, to int32) fst.Arc[float64] {
		return fst.Arc[float64]{In: in, Out: out, To: to, Weight: 1}
	}
	for _, x := range []struct {
		by   fst.Matching
		arcs map[int32][]fst.Arc[float64]
	}{
		{by: fst.Matching{Any: -1}},
		{by: fst.Matching{Any: 5, Rest: 5}},
		{by: fst.Matching{Other: 5, Failure: 5}},
		{by: fst.Matching{Other: 9}, arcs: map[int32][]fst.Arc[float64]{0: {arc(1, 9, 1)}}},
		{by: fst.Matching{Rest: 5, Alphabet: []int32{1, 5}}},
		{by: fst.Matching{Alphabet: []int32{0}}},
		{by: fst.Matching{Any: 9}, arcs: map[int32][]fst.Arc[float64]{0: {arc(9, 9, 1)}, 1: {arc(1, 9, 2)}}},
		{by: fst.Matching{Rest: 9}, arcs: map[int32][]fst.Arc[float64]{0: {arc(0, 9, 1)}}},
		{by: fst.Matching{Any: 8, Rest: 9}, arcs: map[int32][]fst.Arc[float64]{0: {arc(8, 9, 1)}}},
		{by: fst.Matching{Failure: 9}, arcs: map[int32][]fst.Arc[float64]{0: {arc(9, 0, 1), arc(9, 0, 2)}}},
		{by: fst.Matching{Failure: 9}, arcs: map[int32][]fst.Arc[float64]{0: {arc(9, 1, 1)}}},
		{by: fst.Matching{Failure: 9}, arcs: map[int32][]fst.Arc[float64]{1: {arc(9, 9, 1)}}},
		{by: fst.Matching{Failure: 9}, arcs: map[int32][]fst.Arc[float64]{0: {arc(9, 0, 1)}, 1: {arc(9, 0, 2)}, 2: {arc(9, 0, 1)}}},
	} {
		b := fst.NewBuilder(semiring.Real{})
		b.AddStates(3)
		for s, arcs := range x.arcs {
			for _, a := range arcs {
				b.AddArc(s, a)
			}
		}
		if err := fst.Err(fst.Match(must(b.Freeze())(t), x.by)); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}

// If the other tape used a special label as an ordinary one, it would be replaced by the
// matched label.
func TestMatchNames(t *testing.T) {
	b := fst.NewBuilder(semiring.Real{})
	b.AddStates(2)
	b.AddArc(0, fst.Arc[float64]{In: 2, Out: 2, To: 1, Weight: 1})
	f := must(b.Freeze())(t)
	same, other := fst.NewSymbols("a", "<any>"), fst.NewSymbols("b", "c")
	for _, x := range []struct {
		out *fst.Symbols
		bad bool
	}{{same, false}, {nil, false}, {other, true}} {
		for _, by := range []fst.Matching{{Any: 2}, {Tape: fst.Output, Rest: 2}, {Other: 2}} {
			if err := fst.Err(fst.Match(f.WithSymbols(same, x.out), by)); errors.Is(err, fst.ErrInvalid) != x.bad {
				t.Errorf("%+v, names %v: %v", by, x.out, err)
			}
		}
	}
}

// Weights along failure arcs are multiplied in order, also if ⊗ is not commutative.
func TestFailuresInOrder(t *testing.T) {
	ring := semiring.Semiring[fsttest.Series](fsttest.Traces{Max: 9})
	b := fst.NewBuilder(ring)
	b.AddStates(3)
	b.AddStart(2, ring.One())
	for s := int32(2); s > 0; s-- {
		b.AddArc(s, fst.Arc[fsttest.Series]{In: specialFailure, To: s - 1, Weight: fsttest.Letter(int(s))})
	}
	b.AddArc(0, fst.Arc[fsttest.Series]{In: 1, Out: 1, To: 0, Weight: fsttest.Letter(5)})
	b.SetFinal(0, fsttest.Letter(6))
	m := fst.Match(must(b.Freeze())(t), fst.Matching{Failure: specialFailure})
	before := ring.Times(fsttest.Letter(2), fsttest.Letter(1))
	if got, want := fmt.Sprint(m.Final(2)), fmt.Sprint(ring.Times(before, fsttest.Letter(6))); got != want {
		t.Errorf("the final weight is %s, want %s", got, want)
	}
	want := fmt.Sprint(ring.Times(before, fsttest.Letter(5)))
	if arcs := m.AppendArcs(nil, 2); len(arcs) != 1 || fmt.Sprint(arcs[0].Weight) != want {
		t.Errorf("arcs %v, want one of weight %s", arcs, want)
	}
}
