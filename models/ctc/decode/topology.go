package decode

import (
	"cmp"
	"slices"
	"sort"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
)

type (
	weight  = semiring.ScaledFloat
	arc     = fst.Arc[weight]
	start   = fst.Start[weight]
	machine = fst.Machine[weight]
)

// index finds the arcs of a machine by their label on a tape.
type index struct {
	machine
	tape   fst.Tape
	finder fst.Finder[weight] // nil if the arcs are stored
	row    []int32
	arcs   []arc // by state and label
}

// newIndex returns an index of m. A machine that is neither frozen nor a Finder is expanded.
func newIndex(m machine, tape fst.Tape) (*index, error) {
	if err := fst.Err(m); err != nil {
		return nil, err
	}
	x := &index{machine: m, tape: tape}
	f, frozen := m.(*fst.FST[weight])
	if !frozen {
		if finder, ok := m.(fst.Finder[weight]); ok {
			x.finder = finder
			return x, nil
		}
		var err error
		if f, err = machines.Scaled.Expand(m, nil); err != nil {
			return nil, err
		}
		x.machine = f
	}
	x.row = append(x.row, 0)
	for s := range int32(f.NumStates()) {
		lo := len(x.arcs)
		x.arcs = f.AppendArcs(x.arcs, s)
		slices.SortStableFunc(x.arcs[lo:], func(a, b arc) int { return cmp.Compare(x.label(a), x.label(b)) })
		x.row = append(x.row, int32(len(x.arcs)))
	}
	return x, nil
}

func (x *index) label(a arc) int32 {
	if x.tape == fst.Output {
		return a.Out
	}
	return a.In
}

// find appends the arcs of a state that have a label.
func (x *index) find(dst []arc, state, label int32) []arc {
	if x.finder != nil {
		return x.finder.AppendMatching(dst, state, x.tape, label)
	}
	arcs := x.arcs[x.row[state]:x.row[state+1]]
	i := sort.Search(len(arcs), func(i int) bool { return x.label(arcs[i]) >= label })
	for ; i < len(arcs) && x.label(arcs[i]) == label; i++ {
		dst = append(dst, arcs[i])
	}
	return dst
}

// topology is a topology whose arcs are indexed by the label that they write.
type topology struct {
	*index
	symbols int
	blank   int32 // the input label of the blank, 0 if there is none
	labels  int32 // the greatest output label
	// most bounds the total weight of the arcs of a state that read the same column, end bounds
	// the final weights. Both are 1 if the machine is not stored.
	most, end float64
}

func newTopology(t ctc.Topology) (*topology, error) {
	if t.Machine == nil || t.Symbols <= 0 {
		return nil, nested.Errorf("decode: topology: %w: no machine or no symbols", ErrInvalid)
	}
	x, err := newIndex(t.Machine, fst.Output)
	if err != nil {
		return nil, nested.Errorf("decode: topology: %w", err)
	}
	top := &topology{index: x, symbols: t.Symbols, blank: int32(t.Blank + 1), labels: int32(t.Symbols), most: 1, end: 1}
	if x.finder != nil {
		return top, nil
	}
	top.labels = 0
	most, end, sum := weight{}, weight{}, make([]weight, t.Symbols)
	for s := range len(x.row) - 1 {
		clear(sum)
		for _, a := range x.arcs[x.row[s]:x.row[s+1]] {
			if a.In < 1 || int(a.In) > t.Symbols {
				return nil, nested.Errorf("decode: topology: %w: an arc of state %d reads label %d, want 1 to %d: a column in each frame",
					ErrInvalid, s, a.In, t.Symbols)
			}
			sum[a.In-1] = sum[a.In-1].Add(a.Weight)
			top.labels = max(top.labels, a.Out)
		}
		for _, w := range sum {
			if w.Cmp(most) > 0 {
				most = w
			}
		}
		if w := x.Final(int32(s)); w.Cmp(end) > 0 {
			end = w
		}
	}
	top.most, top.end = most.Float64(), end.Float64()
	return top, nil
}
