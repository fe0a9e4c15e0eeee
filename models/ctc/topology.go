package ctc

import (
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Topology relates the columns that are read in the frames to the labels that they spell. Its
// machine reads one input label in every frame, v+1 for column v, and writes the label of a
// symbol in the first of the frames that the symbol takes.
//
// The constructors of this package return topologies whose weights are 1. To use your own
// machine, whose output labels may be any numbers > 0, write a literal.
type Topology struct {
	// Machine reads columns and writes labels. Several goroutines may use the machines of this
	// package. If the arguments of a constructor are invalid, fst.Err(Machine) returns an error
	// that wraps ErrInvalid.
	Machine fst.Machine[semiring.ScaledFloat]
	// Symbols is the number of columns of a frame.
	Symbols int
	// Blank is the column that belongs to no label, −1 if there is no such column. In alignments,
	// frames that are read as Blank belong to no label.
	Blank int

	standard fst.Machine[semiring.ScaledFloat] // Machine as Standard returned it, otherwise nil
}

// frozenSymbols is the number of columns up to which Standard has a frozen machine, which
// composition searches fastest. It has 262,144 arcs at most.
const frozenSymbols = 1 << 9

// Standard returns the topology of Graves et al. 2006, §3.1: a label takes one or more frames, in
// which its column is read. Between two labels the blank may be read in any number of frames;
// between two equal labels it must be read at least once. The label of column v is v+1. Every
// string of columns is read on exactly one path.
//
// With a blank of −1 there is no blank, and equal labels cannot follow each other.
//
// Each state has an arc to every state, symbols² arcs in total. Beyond 512 symbols the machine is
// not stored: it is an fst.Finder, which makes its arcs on demand.
func Standard(symbols, blank int) Topology {
	if err := checkColumns("Standard", symbols, blank); err != nil {
		return failed(symbols, blank, err)
	}
	t := Topology{Machine: standard{symbols, blank}, Symbols: symbols, Blank: blank}
	if symbols <= frozenSymbols {
		frozen, err := machines.Scaled.Expand(t.Machine, nil)
		if err != nil {
			return failed(symbols, blank, err)
		}
		t.Machine = frozen
	}
	t.standard = t.Machine
	return t
}

// Compact returns the topology of compact CTC, with 4·labels + 1 arcs instead of the square:
// "modified" in k2, and in Laptev et al. 2022, there with ε arcs. The label of column v is
// v+1.
//
// It has all paths of Standard. In addition equal labels may follow each other without a blank.
// So n frames of the same column spell its label j times, for every j from 1 to n: there is a path
// for each way to cut the n frames into j pieces. A string of columns without equal neighbours is
// read on exactly one path, as by Standard.
//
// With a blank of −1 there is no blank.
func Compact(symbols, blank int) Topology {
	if err := checkColumns("Compact", symbols, blank); err != nil {
		return failed(symbols, blank, err)
	}
	labels := make([]unit, 0, symbols)
	for v := range symbols {
		if v != blank {
			labels = append(labels, unit{int32(v + 1), []int32{int32(v)}})
		}
	}
	return chains(symbols, blank, labels)
}

// Minimal returns the topology in which a label takes exactly one frame, and the blank any number
// of frames between labels: "minimal" in Laptev et al. 2022. It has a single state and an
// arc for each column. The label of column v is v+1. With a blank of −1 there is no blank.
func Minimal(symbols, blank int) Topology {
	if err := checkColumns("Minimal", symbols, blank); err != nil {
		return failed(symbols, blank, err)
	}
	one := semiring.NewScaled(1)
	arcs := make([]fst.Arc[semiring.ScaledFloat], symbols)
	for v := range int32(symbols) {
		arcs[v] = fst.Arc[semiring.ScaledFloat]{In: v + 1, Out: v + 1, Weight: one}
		if int(v) == blank {
			arcs[v].Out = fst.Epsilon
		}
	}
	return Topology{Machine: machines.Scaled.OneState(semiring.Scaled{}, one, arcs...), Symbols: symbols, Blank: blank}
}

// HMMOptions are the columns of an HMM. Nil stands for the zero value.
type HMMOptions struct {
	// Shared makes all states of label l+1 read column l. By default state k of it has column
	// l·states + k for itself.
	Shared bool
	// Blank adds a last column, the blank, which may be read in any number of frames before,
	// between and after labels.
	Blank bool
}

// HMM returns the topology of hidden Markov models from left to right: each label passes through
// the given number of states, and a state reads its column in one frame or more. Any label may
// follow any label, including itself. The columns belong to the labels 1, 2, …, labels in order;
// see HMMOptions. There are 2·labels·(states+1) arcs, and one for the blank.
//
// With one state and a blank it is Compact with the blank last.
func HMM(labels, states int, o *HMMOptions) Topology {
	var opts HMMOptions
	if o != nil {
		opts = *o
	}
	symbols, blank := int64(labels), -1
	if labels > 0 && states > 0 && labels <= math.MaxInt32 && states <= math.MaxInt32 && !opts.Shared {
		symbols *= int64(states)
	}
	if opts.Blank {
		blank = int(symbols)
		symbols++
	}
	switch {
	case labels <= 0 || states <= 0:
		return failed(0, -1, nested.Errorf("ctc: HMM: %w: %d labels of %d states, want at least one of both", ErrInvalid, labels, states))
	case int64(labels) > maxArcs/2/int64(states+1) || symbols > maxArcs:
		return failed(0, -1, nested.Errorf("ctc: HMM: %w: %d labels of %d states", semiring.ErrLimit, labels, states))
	}
	units := make([]unit, labels)
	for l := range units {
		units[l] = unit{int32(l + 1), make([]int32, states)}
		for k := range states {
			units[l].columns[k] = int32(l)
			if !opts.Shared {
				units[l].columns[k] = int32(l*states + k)
			}
		}
	}
	return chains(int(symbols), blank, units)
}

// maxArcs bounds the arcs and columns of topologies that are stored.
const maxArcs = math.MaxInt32 - 1

// unit is a label whose states, from left to right, read the columns.
type unit struct {
	label   int32
	columns []int32
}

// chains returns a topology whose labels are chains of states, each with a self-loop, that begin
// and end in one state, where the blank is read.
//
// There are no ε arcs. In state k of a chain the next frame is read as its column k; one arc
// stays in the state and one continues, to the common state after the last column. The first
// column has two such states: the common one, where its label is still to be written, and one for
// further frames.
func chains(symbols, blank int, labels []unit) Topology {
	type arc = fst.Arc[semiring.ScaledFloat]
	b, one := machines.Scaled.NewBuilder(semiring.Scaled{}), semiring.NewScaled(1)
	hub := b.AddState()
	b.AddStart(hub, one)
	b.SetFinal(hub, one)
	if blank >= 0 {
		b.AddArc(hub, arc{In: int32(blank + 1), To: hub, Weight: one})
	}
	for _, u := range labels {
		at, label := hub, u.label
		for k, v := range u.columns {
			again, next := at, hub
			if k == 0 {
				again = b.AddState()
			}
			if k+1 < len(u.columns) {
				next = b.AddState()
			}
			for _, to := range []int32{again, next} {
				b.AddArc(at, arc{In: v + 1, Out: label, To: to, Weight: one})
				if k == 0 {
					b.AddArc(again, arc{In: v + 1, To: to, Weight: one})
				}
			}
			at, label = next, fst.Epsilon
		}
	}
	m, err := b.Freeze()
	if err != nil {
		return failed(symbols, blank, err)
	}
	return Topology{Machine: m, Symbols: symbols, Blank: blank}
}

// checkColumns checks the arguments of the named function.
func checkColumns(name string, symbols, blank int) error {
	switch {
	case symbols <= 0:
		return nested.Errorf("ctc: %s: %w: %d symbols, want at least one", name, ErrInvalid, symbols)
	case symbols > maxArcs/4:
		return nested.Errorf("ctc: %s: %w: %d symbols", name, semiring.ErrLimit, symbols)
	case blank < -1 || blank >= symbols:
		return nested.Errorf("ctc: %s: %w: a blank of %d, want a column from 0 to %d, or −1 for none", name, ErrInvalid, blank, symbols-1)
	}
	return nil
}

func failed(symbols, blank int, err error) Topology {
	return Topology{Machine: fst.Failed[semiring.ScaledFloat](semiring.Scaled{}, err), Symbols: symbols, Blank: blank}
}
