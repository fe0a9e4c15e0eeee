package ctc_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
)

// readings calls visit with every string of length columns.
func readings(symbols, length int, visit func(columns []int)) {
	columns := make([]int, length)
	for {
		visit(columns)
		i := length - 1
		for ; i >= 0; i-- {
			if columns[i]++; columns[i] < symbols {
				break
			}
			columns[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// spelt maps texts, written by fsttest.String, to the number of paths of a string of columns.
type spelt map[string]int

// collapse is the definition of Standard: equal neighbours are one label, then blanks vanish.
func collapse(blank int, columns []int) spelt {
	var labels []int32
	last := -1
	for _, v := range columns {
		if v != last && v != blank {
			labels = append(labels, int32(v+1))
		}
		last = v
	}
	return spelt{fsttest.String(labels...): 1}
}

// runs is the definition of an HMM with the given columns per label: all ways to cut columns into
// blanks and labels, a label being one frame or more for each of its columns in turn.
func runs(blank int, labels map[int32][]int, columns []int) spelt {
	out := spelt{}
	var cut func(rest []int, text []int32)
	var read func(rest, states []int, text []int32)
	cut = func(rest []int, text []int32) {
		if len(rest) == 0 {
			out[fsttest.String(text...)]++
			return
		}
		if rest[0] == blank {
			cut(rest[1:], text)
		}
		for label, states := range labels {
			read(rest, states, append(slices.Clone(text), label))
		}
	}
	read = func(rest, states []int, text []int32) {
		if len(states) == 0 {
			cut(rest, text)
			return
		}
		for n := 0; n < len(rest) && rest[n] == states[0]; n++ {
			read(rest[n+1:], states[1:], text)
		}
	}
	cut(columns, nil)
	return out
}

// minimal is the definition of Minimal.
func minimal(blank int, columns []int) spelt {
	var labels []int32
	for _, v := range columns {
		if v != blank {
			labels = append(labels, int32(v+1))
		}
	}
	return spelt{fsttest.String(labels...): 1}
}

// spells returns the output of the machine of t for columns by following its paths one by one.
func spells(t ctc.Topology, columns []int) spelt {
	out := spelt{}
	var follow func(s int32, rest []int, text []int32)
	follow = func(s int32, rest []int, text []int32) {
		if len(rest) == 0 {
			if !t.Machine.Final(s).IsZero() {
				out[fsttest.String(text...)]++
			}
			return
		}
		for _, a := range t.Machine.AppendArcs(nil, s) {
			if int(a.In) != rest[0]+1 {
				continue
			}
			next := text
			if a.Out != fst.Epsilon {
				next = append(slices.Clone(text), a.Out)
			}
			follow(a.To, rest[1:], next)
		}
	}
	for _, start := range t.Machine.AppendStarts(nil) {
		follow(start.State, columns, nil)
	}
	return out
}

// topology is one to be tested, and its definition.
type topology struct {
	name string
	ctc.Topology
	define func(columns []int) spelt
}

func topologies() []topology {
	var all []topology
	for symbols := 1; symbols <= 4; symbols++ {
		for _, blank := range slices.Compact([]int{-1, 0, symbols - 1}) {
			name := fmt.Sprintf("of %d columns, blank %d", symbols, blank)
			labels := map[int32][]int{}
			for v := range symbols {
				if v != blank {
					labels[int32(v+1)] = []int{v}
				}
			}
			all = append(all,
				topology{"Standard " + name, ctc.Standard(symbols, blank), func(c []int) spelt { return collapse(blank, c) }},
				topology{"Compact " + name, ctc.Compact(symbols, blank), func(c []int) spelt { return runs(blank, labels, c) }},
				topology{"Minimal " + name, ctc.Minimal(symbols, blank), func(c []int) spelt { return minimal(blank, c) }})
		}
	}
	for _, h := range []struct {
		labels, states int
		o              ctc.HMMOptions
	}{
		{1, 1, ctc.HMMOptions{}}, {2, 1, ctc.HMMOptions{Blank: true}}, {2, 2, ctc.HMMOptions{}}, {1, 2, ctc.HMMOptions{Blank: true}},
		{1, 3, ctc.HMMOptions{Blank: true}}, {2, 2, ctc.HMMOptions{Shared: true, Blank: true}}, {3, 3, ctc.HMMOptions{Shared: true}},
	} {
		top := ctc.HMM(h.labels, h.states, &h.o)
		labels := map[int32][]int{}
		for l := range h.labels {
			for k := range h.states {
				v := l
				if !h.o.Shared {
					v = l*h.states + k
				}
				labels[int32(l+1)] = append(labels[int32(l+1)], v)
			}
		}
		all = append(all, topology{fmt.Sprintf("HMM %d %d %+v", h.labels, h.states, h.o), top,
			func(c []int) spelt { return runs(top.Blank, labels, c) }})
	}
	return all
}

// TestTopologies: every string of columns has the number of paths that the definition requires.
func TestTopologies(t *testing.T) {
	trials.SkipUnderRace(t)
	for _, top := range topologies() {
		if err := fst.Err(top.Machine); err != nil {
			t.Errorf("%s: %v", top.name, err)
			continue
		}
		for length := range 6 {
			readings(top.Symbols, length, func(columns []int) {
				got, want := spells(top.Topology, columns), top.define(columns)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %v spells %v, want %v", top.name, columns, got, want)
				}
			})
		}
	}
}

// TestArcs: the numbers of arcs agree with the documentation.
func TestArcs(t *testing.T) {
	arcs := func(top ctc.Topology) int {
		f, err := fst.Expand(top.Machine, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f.NumArcs()
	}
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"Standard", arcs(ctc.Standard(7, 3)), 49},
		{"Compact", arcs(ctc.Compact(7, 3)), 4*6 + 1},
		{"Minimal", arcs(ctc.Minimal(7, 3)), 7},
		{"HMM", arcs(ctc.HMM(5, 3, nil)), 2 * 5 * 4},
		{"HMM with blank", arcs(ctc.HMM(5, 3, &ctc.HMMOptions{Blank: true})), 2*5*4 + 1},
	} {
		if x.got != x.want {
			t.Errorf("%s: %d arcs, want %d", x.name, x.got, x.want)
		}
	}
}

// TestStandardFinder: the machine that is not stored finds the arcs that it has.
func TestStandardFinder(t *testing.T) {
	for _, blank := range []int{-1, 0, 300, 599} {
		top := ctc.Standard(600, blank)
		f, ok := top.Machine.(fst.Finder[semiring.ScaledFloat])
		if !ok {
			t.Fatal("no Finder")
		}
		for _, s := range []int32{0, 299, 599, 600} {
			if int(s) == blank {
				continue // a state that is not reached
			}
			arcs := f.AppendArcs(nil, s)
			for _, tape := range []fst.Tape{fst.Input, fst.Output} {
				for label := range int32(602) {
					var want []fst.Arc[semiring.ScaledFloat]
					for _, a := range arcs {
						if tape == fst.Input && a.In == label || tape == fst.Output && a.Out == label {
							want = append(want, a)
						}
					}
					if got := f.AppendMatching(nil, s, tape, label); !slices.Equal(got, want) {
						t.Errorf("blank %d, state %d, tape %d, label %d: %v, want %v", blank, s, tape, label, got, want)
					}
				}
			}
		}
	}
}

// TestBadTopologies: arguments that make no sense are an error of the machine.
func TestBadTopologies(t *testing.T) {
	for name, x := range map[string]struct {
		top  ctc.Topology
		want error
	}{
		"no columns":     {ctc.Standard(0, -1), ctc.ErrInvalid},
		"no such blank":  {ctc.Standard(3, 3), ctc.ErrInvalid},
		"blank of −2":    {ctc.Compact(3, -2), ctc.ErrInvalid},
		"Minimal of −1":  {ctc.Minimal(-1, -1), ctc.ErrInvalid},
		"many columns":   {ctc.Standard(math.MaxInt32, 0), semiring.ErrLimit},
		"no states":      {ctc.HMM(2, 0, nil), ctc.ErrInvalid},
		"no labels":      {ctc.HMM(0, 2, nil), ctc.ErrInvalid},
		"many states":    {ctc.HMM(1<<20, 1<<20, nil), semiring.ErrLimit},
		"huge, shared":   {ctc.HMM(math.MaxInt, 1, &ctc.HMMOptions{Shared: true, Blank: true}), semiring.ErrLimit},
		"huge, separate": {ctc.HMM(math.MaxInt, math.MaxInt, nil), semiring.ErrLimit},
	} {
		if err := fst.Err(x.top.Machine); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
}
