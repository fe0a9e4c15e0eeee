package fst

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// Reverse returns the machine of the reversed strings: ⟦Reverse(m)⟧(x, y) is the reverse of
// ⟦m⟧(x reversed, y reversed). States keep their numbers; initial and final states are
// exchanged. Weights do not change in a commutative ring; any other ring must be a
// semiring.Reverser, or the error wraps semiring.ErrCapability. O(states + arcs).
func Reverse[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("Reverse", m, o, reverse[W])
}

func reverse[W any](f *FST[W], _ Options) (*FST[W], error) {
	turn, ok := semiring.ReverseOf(f.ring)
	if !ok {
		return nil, fmt.Errorf("%w: %s is neither commutative nor a Reverser", semiring.ErrCapability, typename.Of(f.ring))
	}
	d := new(draft[W])
	row, from, arc := f.Graph().Incoming()
	for s, w := range f.final {
		d.state(f.ring.Zero())
		if !f.ring.IsZero(w) {
			d.start(int32(s), turn(w))
		}
		for k := row[s]; k < row[s+1]; k++ {
			e := arc[k]
			addArc(&d.arcs, f.arcs.in[e], f.arcs.out[e], from[k], turn(f.arcs.w[e]))
		}
	}
	for _, s := range f.starts {
		d.final[s.State] = f.ring.Plus(d.final[s.State], turn(s.Weight))
	}
	return d.freezeLike(f)
}

// Connect returns m without the states, arcs and starts that are on no path from an initial to
// a final state. Arcs and starts of weight Zero are on no path. States keep their order. If
// everything is on a path, it returns m itself. Any ring is allowed. O(states + arcs).
func Connect[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("Connect", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return connect(f), nil })
}

func connect[W any](f *FST[W]) *FST[W] {
	g := f.Graph()
	position, n := usefulStates(g.Accessible(), g.Coaccessible())
	if n == len(position) && !anyZero(f) {
		return f
	}
	d := new(draft[W])
	row, kept := arcsBetween(f.labels.row, f.arcs.to, position, func(e int32) bool { return !f.ring.IsZero(f.arcs.w[e]) })
	d.row = row
	d.arcs = arcs[W]{in: at(f.arcs.in, kept), out: at(f.arcs.out, kept), to: at(f.arcs.to, kept), w: make([]W, len(kept))}
	for i, e := range kept {
		d.arcs.w[i] = f.arcs.w[e]
		d.arcs.to[i] = position[d.arcs.to[i]]
	}
	for s, w := range f.final {
		if position[s] >= 0 {
			d.final = append(d.final, w)
		}
	}
	for _, s := range f.starts {
		if position[s.State] >= 0 && !f.ring.IsZero(s.Weight) {
			d.start(position[s.State], s.Weight)
		}
	}
	return part(d, f)
}

// usefulStates renumbers the states that are reachable and from which a final state is
// reachable; others get −1. It also returns the number of such states.
//
//go:noinline
func usefulStates(reached, ends []bool) (position []int32, n int) {
	position = make([]int32, len(reached))
	for s := range position {
		position[s] = -1
		if reached[s] && ends[s] {
			position[s] = int32(n)
			n++
		}
	}
	return position, n
}

// arcsBetween returns the arcs that keep accepts between states with non-negative positions,
// and the index of the first arc of each such state.
//
//go:noinline
func arcsBetween(row, to, position []int32, keep func(e int32) bool) (begin, kept []int32) {
	for s, lo := range row[:len(row)-1] {
		if position[s] < 0 {
			continue
		}
		begin = append(begin, int32(len(kept)))
		for e := lo; e < row[s+1]; e++ {
			if position[to[e]] >= 0 && keep(e) {
				kept = append(kept, e)
			}
		}
	}
	return begin, kept
}

// at returns the elements of s at the given indexes.
//
//go:noinline
func at(s, places []int32) []int32 {
	x := make([]int32, len(places))
	for i, p := range places {
		x[i] = s[p]
	}
	return x
}

// anyZero reports whether an arc or a start has weight Zero.
func anyZero[W any](f *FST[W]) bool {
	return slices.ContainsFunc(f.arcs.w, f.ring.IsZero) ||
		slices.ContainsFunc(f.starts, func(s Start[W]) bool { return f.ring.IsZero(s.Weight) })
}

// part freezes d, a part of f.
func part[W any](d *draft[W], f *FST[W]) *FST[W] {
	g, err := d.freezeLike(f)
	if err != nil {
		panic(err.Error()) // it has no more states and arcs than f
	}
	g.unit = f.unit
	return g
}

// ArcSortIn returns m with the arcs of every state sorted by input label, then by output label;
// if they are already sorted, it returns m itself. Composition does not need sorting, but text
// output may. Any ring is allowed. O(m log d), where d is the largest out-degree.
func ArcSortIn[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("ArcSortIn", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return inOrderOf(f, f.labels.index(Input)), nil })
}

// ArcSortOut is ArcSortIn with the tapes exchanged.
func ArcSortOut[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("ArcSortOut", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return inOrderOf(f, f.labels.index(Output)), nil })
}

func inOrderOf[W any](f *FST[W], x *index) *FST[W] {
	if len(x.arc) == 0 {
		return f
	}
	d := &draft[W]{row: append([]int32{}, x.row[:len(f.final)]...), starts: f.starts, final: f.final}
	for _, e := range x.arc {
		addArc(&d.arcs, f.arcs.in[e], f.arcs.out[e], f.arcs.to[e], f.arcs.w[e])
	}
	return part(d, f)
}

// ErrCyclic is returned for a machine with a cycle if an acyclic machine is required.
var ErrCyclic = errors.New("machine has a cycle")

// Renumber returns m with its states in another order: state s becomes state position[s]. Any
// ring is allowed. The error wraps ErrInvalid if position is not a permutation of 0 …
// NumStates()−1. O(states + arcs).
func Renumber[W any](m Machine[W], position []int32, o *Options) (*FST[W], error) {
	return computed("Renumber", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return renumber(f, position) })
}

func renumber[W any](f *FST[W], position []int32) (*FST[W], error) {
	n := f.NumStates()
	if len(position) != n {
		return nil, fmt.Errorf("%w: positions of %d states, want %d", ErrInvalid, len(position), n)
	}
	state := make([]int32, n)
	for p := range state {
		state[p] = -1
	}
	for s, p := range position {
		if p < 0 || int(p) >= n || state[p] >= 0 {
			return nil, fmt.Errorf("%w: state %d has position %d, want a permutation of the numbers below %d", ErrInvalid, s, p, n)
		}
		state[p] = int32(s)
	}
	d := new(draft[W])
	for _, s := range state {
		d.state(f.final[s])
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			addArc(&d.arcs, f.arcs.in[e], f.arcs.out[e], position[f.arcs.to[e]], f.arcs.w[e])
		}
	}
	for _, s := range f.starts {
		d.start(position[s.State], s.Weight)
	}
	return part(d, f), nil
}

// TopSort returns m with its states in topological order: every arc leads to a state with a
// higher number. Any ring is allowed. If there is a cycle, even one with arcs of weight Zero,
// the error wraps ErrCyclic and names a state on it. O(states + arcs).
func TopSort[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("TopSort", m, o, topSort[W])
}

func topSort[W any](f *FST[W], _ Options) (*FST[W], error) {
	order, ok := f.Graph().TopologicalOrder()
	if !ok {
		return nil, fmt.Errorf("%w: through state %d", ErrCyclic, onCycle(f))
	}
	position := make([]int32, len(order))
	for p, s := range order {
		position[s] = int32(p)
	}
	return renumber(f, position)
}

// onCycle returns the target of an arc within a strongly connected component.
func onCycle[W any](f *FST[W]) int32 {
	component, _ := f.Graph().Components()
	for s := range int32(f.NumStates()) {
		for _, t := range f.arcs.to[f.labels.row[s]:f.labels.row[s+1]] {
			if component[s] == component[t] {
				return t
			}
		}
	}
	panic("fst: no cycle")
}

// Quotient returns the machine whose states are classes of m's states: state s becomes state
// class[s]. Arcs that become parallel, with the same labels, are merged into one arc with the ⊕
// of their weights; the same holds for final weights and starts. Any ring is allowed. For a
// machine of counts, the result has the summed counts; the relation changes unless the states
// of a class are equivalent.
//
// The arcs of a state are sorted by label. The error wraps ErrInvalid unless class has an
// element per state and classes are numbered 0, 1, 2, … without gaps.
// O(states + arcs·log arcs).
func Quotient[W any](m Machine[W], class []int32, o *Options) (*FST[W], error) {
	return computed("Quotient", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return quotient(f, class) })
}

func quotient[W any](f *FST[W], class []int32) (*FST[W], error) {
	members, err := classes(class, len(f.final))
	if err != nil {
		return nil, err
	}
	d := new(draft[W])
	var out []Arc[W]
	for _, states := range members {
		final := f.ring.Zero()
		out = out[:0]
		for _, s := range states {
			final = f.ring.Plus(final, f.final[s])
			out = f.AppendArcs(out, s)
		}
		d.state(final)
		for i := range out {
			out[i].To = class[out[i].To]
		}
		out = united(f.ring, out)
		addArcs(&d.arcs, out)
	}
	starts := make(map[int32]int)
	for _, s := range f.starts {
		c := class[s.State]
		if i, ok := starts[c]; ok {
			d.starts[i].Weight = f.ring.Plus(d.starts[i].Weight, s.Weight)
			continue
		}
		starts[c] = len(d.starts)
		d.start(c, s.Weight)
	}
	return d.freezeLike(f)
}

// united sorts arcs by labels and target, and merges arcs with the same labels and target,
// adding their weights. It reuses the slice.
func united[W any](ring semiring.Semiring[W], arcs []Arc[W]) []Arc[W] {
	slices.SortStableFunc(arcs, func(a, b Arc[W]) int {
		return cmp.Or(cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out), cmp.Compare(a.To, b.To))
	})
	sums := arcs[:0]
	for _, a := range arcs {
		if n := len(sums) - 1; n >= 0 && sums[n].In == a.In && sums[n].Out == a.Out && sums[n].To == a.To {
			sums[n].Weight = ring.Plus(sums[n].Weight, a.Weight)
		} else {
			sums = append(sums, a)
		}
	}
	return sums
}

// classes returns the states of every class.
func classes(class []int32, states int) ([][]int32, error) {
	if len(class) != states {
		return nil, fmt.Errorf("%w: classes of %d states, want %d", ErrInvalid, len(class), states)
	}
	n := int32(0)
	for _, c := range class {
		n = max(n, c+1)
	}
	if int(n) > states {
		return nil, fmt.Errorf("%w: class %d for %d states", ErrInvalid, n-1, states)
	}
	members := make([][]int32, n)
	for s, c := range class {
		if c < 0 {
			return nil, fmt.Errorf("%w: state %d has class %d", ErrInvalid, s, c)
		}
		members[c] = append(members[c], int32(s))
	}
	for c, states := range members {
		if len(states) == 0 {
			return nil, fmt.Errorf("%w: no state has class %d", ErrInvalid, c)
		}
	}
	return members, nil
}
