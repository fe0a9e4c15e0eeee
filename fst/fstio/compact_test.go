package fstio_test

import (
	"bytes"
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

// examples returns an example in each form.
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

// oneOne leads to state 1.
var oneOne = fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 1}

// three returns a machine of three states, the last two final, with arcs from the first.
func three(t *testing.T, final semiring.Cost, arcs ...fst.Arc[semiring.Cost]) *fst.FST[semiring.Cost] {
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

// ones returns the string 11…1.
func ones(length int) *fst.FST[semiring.Cost] {
	return fst.FromString(tropical, slices.Repeat([]int32{1}, length))
}

// A container can store machines of its kind, with a limited number of arcs. TestMessages covers
// machines that do not fit.
func TestContainerFits(t *testing.T) {
	long := ones(255)
	for _, x := range []struct {
		container fstio.Container
		f         *fst.FST[semiring.Cost]
	}{
		{fstio.CompactString, three(t, 0, oneOne)},
		{fstio.CompactWeightedString, three(t, 1, oneOne)},
		{fstio.CompactAcceptor, three(t, 1, oneOne, oneOne)},
		{fstio.CompactUnweightedAcceptor, three(t, tropical.Zero(), oneOne, oneOne)},
		{fstio.CompactUnweighted, three(t, 0, fst.Arc[semiring.Cost]{In: 1})},
		{"const8", long},
		{"compact8_string", long},
		{"compact16_string", ones(256)},
		{"compact64_acceptor", ones(1000)},
	} {
		var b bytes.Buffer
		err := fstio.WriteBinary(&b, x.f, &fstio.Binary{Container: x.container})
		switch {
		case err != nil:
			t.Error(err)
		case write(t, readBinary(t, b.Bytes()), nil) != write(t, x.f, nil):
			t.Errorf("%s: another machine was read", x.container)
		}
	}
}
