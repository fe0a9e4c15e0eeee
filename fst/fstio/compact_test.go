package fstio_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// widths are the bits of positions, as names of containers have them.
var widths = []string{"8", "16", "", "64"}

// compacts are the compact containers of 32 bits, each with a function that makes a
// machine one for it.
var compacts = []struct {
	container fstio.Container
	fit       func(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost]
}{
	{fstio.CompactString, func(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] { return unweighted(stringOf(f)) }},
	{fstio.CompactWeightedString, stringOf},
	{fstio.CompactUnweightedAcceptor, func(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
		return unweighted(fsttest.Frozen(fst.ProjectOut(f)))
	}},
	{fstio.CompactAcceptor, func(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] { return fsttest.Frozen(fst.ProjectOut(f)) }},
	{fstio.CompactUnweighted, unweighted},
}

func unweighted(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
	return fsttest.Frozen(fst.Map(f, tropical, func(w semiring.Cost) semiring.Cost {
		if w == tropical.Zero() {
			return w
		}
		return tropical.One()
	}))
}

// stringOf returns the input labels of all arcs, with their weights, as a string.
func stringOf(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
	b := fst.NewBuilder(tropical)
	b.AddStart(b.AddState(), tropical.One())
	last := int32(0)
	for s := range int32(f.NumStates()) {
		for _, a := range f.AppendArcs(nil, s) {
			b.AddArc(last, fst.Arc[semiring.Cost]{In: a.In, Out: a.In, Weight: a.Weight, To: last + 1})
			last = b.AddState()
		}
	}
	b.SetFinal(last, semiring.Cost(f.NumArcs())/4)
	g, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return g
}

func sized(c fstio.Container, width string) fstio.Container {
	kind, rest, compact := strings.Cut(string(c), "_")
	if compact {
		rest = "_" + rest
	}
	return fstio.Container(kind + width + rest)
}

// example is a machine and a form of it.
type example struct {
	form    fstio.Binary
	machine *fst.FST[semiring.Cost]
}

// examples returns one in each form.
func examples(f *fst.FST[semiring.Cost]) []example {
	var all []example
	for _, arc := range []fstio.ArcType{fstio.Standard, fstio.Log, fstio.Log64} {
		all = append(all, example{fstio.Binary{Arc: arc}, f})
		for _, width := range widths {
			all = append(all, example{fstio.Binary{Arc: arc, Container: sized(fstio.Const, width)}, f})
			for _, c := range compacts {
				g := c.fit(f).WithSymbols(f.InSymbols(), f.OutSymbols())
				all = append(all, example{fstio.Binary{Arc: arc, Container: sized(c.container, width)}, g})
			}
		}
	}
	return all
}

// A container has room for machines of its kind only, and positions for so many arcs.
func TestContainerFits(t *testing.T) {
	machine := func(final semiring.Cost, arcs ...fst.Arc[semiring.Cost]) *fst.FST[semiring.Cost] {
		b := fst.NewBuilder(tropical)
		b.AddStates(3)
		b.AddStart(0, 0)
		b.SetFinal(1, final)
		b.SetFinal(2, 0)
		for _, a := range arcs {
			b.AddArc(0, a)
		}
		return must(b.Freeze())(t)
	}
	arc := fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 1}
	none := tropical.Zero()
	long := fst.FromString(tropical, slices.Repeat([]int32{1}, 255))
	longer := fst.FromString(tropical, slices.Repeat([]int32{1}, 256))
	for _, x := range []struct {
		container fstio.Container
		f         *fst.FST[semiring.Cost]
		want      string // "": it fits
	}{
		{fstio.CompactString, machine(0, arc), ""},
		{fstio.CompactString, machine(0, arc, arc), "state 0 has 2 arcs and final weights, want 1, in a machine of type compact_string"},
		{fstio.CompactString, machine(none, arc), "state 1 has 0 arcs and final weights"},
		{fstio.CompactString, machine(1, arc), "state 1 has −ln p = 1, want 0"},
		{fstio.CompactWeightedString, machine(1, arc), ""},
		{fstio.CompactWeightedString, machine(0, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 2}), "state 0 has an arc to state 2, want 1"},
		{fstio.CompactAcceptor, machine(1, arc, arc), ""},
		{fstio.CompactAcceptor, machine(1, fst.Arc[semiring.Cost]{In: 1}), "state 0 has the labels 1:0, want the same"},
		{fstio.CompactUnweightedAcceptor, machine(none, arc, arc), ""},
		{fstio.CompactUnweightedAcceptor, machine(.5, arc), "state 1 has −ln p = 0.5, want 0"},
		{fstio.CompactUnweighted, machine(0, fst.Arc[semiring.Cost]{In: 1}), ""},
		{fstio.CompactUnweighted, machine(0, fst.Arc[semiring.Cost]{In: 1, Weight: none}), "state 0 has −ln p = +Inf"},
		{"const8", long, ""},
		{"const8", must(fst.Expand(fst.Union(long, long), nil))(t), "a position 256, of at most 255 in a machine of type const8"},
		{"compact8_string", long, ""},
		{"compact8_string", longer, "a position 256"},
		{"compact16_string", longer, ""},
		{"compact8_acceptor", long, "a position 256"},
		{"compact64_acceptor", fst.FromString(tropical, slices.Repeat([]int32{1}, 1000)), ""},
	} {
		var b bytes.Buffer
		err := fstio.WriteBinary(&b, x.f, &fstio.Binary{Container: x.container})
		switch {
		case x.want != "":
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%s: %v, want %s", x.container, err, x.want)
			}
		case err != nil:
			t.Error(err)
		case write(t, readBinary(t, b.Bytes()), nil) != write(t, x.f, nil):
			t.Errorf("%s: another machine was read", x.container)
		}
	}
}

// Hostile positions, counts and elements are errors that say where.
func TestCompactErrors(t *testing.T) {
	machine := func(container string, states, arcs int64, data ...any) []byte {
		return packed(int32(2125659606), container, "standard", int32(2), int32(0), int64(3), int64(0), states, arcs, packed(data...))
	}
	for _, x := range []struct {
		data []byte
		want string
	}{
		{machine("compact_string", 2, 2, int32(5), int32(6)), "byte 78: an arc leads to state 2 of 2 states"},
		{machine("compact_string", 1, 0, int32(-2)), "byte 74: an arc has the labels -2:-2"},
		{machine("compact_string", 2, 2, int32(5), int32(-1)), "byte 82: the states have 1 arcs, the header says 2"},
		{machine("compact_string", -1, 0), "-1 states"},
		{machine("compact_string", 0, 0), "the initial state is 0 of 0 states"},
		{machine("compact_string", math.MaxInt32, 0), "byte 74: the data end too early"},
		{machine("compact_string", math.MaxInt32+1, 0), "2147483648 states"},
		{machine("compact_weighted_string", 1, 0, int32(-1), float32(math.NaN())), "weight NaN"},
		{machine("compact64_acceptor", math.MaxInt32, 0, int64(0)), "byte 86: the data end too early"},
		{machine("compact64_acceptor", 1, 0, int64(1), int64(1)), "byte 78: the elements of state 0 begin at 1, want 0"},
		{machine("compact64_acceptor", 1, 0, int64(0), int64(-1)), "byte 86: the elements of state 0 are those from 0 to 18446744073709551615"},
		{machine("compact64_acceptor", 1, 0, int64(0), int64(math.MaxInt32)), "byte 94: the data end too early"},
		{machine("compact8_unweighted", 2, 1, []byte{0, 2, 1}), "byte 81: the elements of state 1 are those from 2 to 1"},
		{machine("compact8_unweighted", 1, 1, []byte{0, 1}, int32(1), int32(-1), int32(0)), "byte 81: an arc has the labels 1:-1"},
		{machine("compact8_unweighted", 1, 1, []byte{0, 1}, int32(1), int32(1), int32(-1)), "byte 81: an arc leads to state -1"},
		{machine("compact8_unweighted", 1, 0, []byte{0, 2}, bytes.Repeat([]byte{255}, 24)), "byte 93: an arc has the labels -1:-1"},
		{machine("const64", 1, 0, float32(0), float32(0), int64(0), int64(-1)), "-1 arcs"},
		{machine("const8", 1, 0, float32(0), []byte{1, 0, 0, 0}), "the arcs of state 0 begin at 1, want 0"},
		{machine("const32", 1, 0), `a machine of type "const32", want vector, const or a compact one`},
	} {
		_, err := fstio.ReadBinary(bytes.NewReader(x.data), tropical)
		if e := new(fstio.ParseError); !errors.As(err, &e) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %s", err, x.want)
		}
	}
}
