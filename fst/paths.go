package fst

import (
	"iter"
	"slices"
)

// Path is a path from an initial to a final state: the labels that are not ε on
// its two tapes, and its weight λ ⊗ w₁ ⊗ … ⊗ wₙ ⊗ ρ.
type Path[W any] struct {
	In, Out []int32
	Weight  W
}

// Paths returns the paths of f, those with fewer arcs first; paths with as many
// arcs, in the order of starts and arcs. The slices are the receiver's. Starts,
// arcs and final weights of weight Zero belong to no path. There are infinitely
// many paths if f has a cycle on one, so that the loop must be left; different
// paths may have the same labels.
//
// Any ring will do. To know which arcs lead to a path of n arcs, the walk keeps
// for every length up to n the states that are so far from a final state, at most
// O(n·states) memory and O(n·arcs) time; then no arc is followed in vain.
func (f *FST[W]) Paths() iter.Seq[Path[W]] {
	return func(yield func(Path[W]) bool) {
		w := newWalker(f, yield)
		for n := 0; len(w.reach[n]) > 0; n++ {
			for _, s := range w.f.starts {
				if !w.walk(s.State, n, s.Weight) {
					return
				}
			}
			w.reach = append(w.reach, w.before(w.reach[n]))
		}
	}
}

// walker enumerates the paths of a trimmed machine.
type walker[W any] struct {
	f         *FST[W]
	yield     func(Path[W]) bool
	row, from []int32   // arcs by target state
	reach     [][]int32 // reach[n]: states with a path of n arcs to a final one, ascending
	seen      []bool    // scratch: all false
	in, out   []int32   // labels on the way to the current state
}

func newWalker[W any](f *FST[W], yield func(Path[W]) bool) *walker[W] {
	w := &walker[W]{f: Connect(f), yield: yield}
	w.row, w.from, _ = w.f.Graph().Incoming()
	w.seen = make([]bool, w.f.NumStates())
	var final []int32
	for s, weight := range w.f.final {
		if !f.ring.IsZero(weight) {
			final = append(final, int32(s))
		}
	}
	w.reach = [][]int32{final}
	return w
}

// before returns the states with an arc into one of states, which is shared if it
// is the same set.
func (w *walker[W]) before(states []int32) []int32 {
	var x []int32
	for _, t := range states {
		for _, s := range w.from[w.row[t]:w.row[t+1]] {
			if !w.seen[s] {
				w.seen[s] = true
				x = append(x, s)
			}
		}
	}
	for _, s := range x {
		w.seen[s] = false
	}
	slices.Sort(x)
	if slices.Equal(x, states) {
		return states
	}
	return x
}

// reaches reports whether a path of n arcs leads from s to a final state.
func (w *walker[W]) reaches(s int32, n int) bool {
	_, ok := slices.BinarySearch(w.reach[n], s)
	return ok
}

// walk yields the paths that go on from state s with n more arcs; weight is that
// of the way there. It returns false to stop.
func (w *walker[W]) walk(s int32, n int, weight W) bool {
	if !w.reaches(s, n) {
		return true
	}
	f := w.f
	if n == 0 {
		return w.yield(Path[W]{
			In:     append([]int32(nil), w.in...),
			Out:    append([]int32(nil), w.out...),
			Weight: f.ring.Times(weight, f.final[s]),
		})
	}
	for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
		to := f.arcs.to[e]
		if !w.reaches(to, n-1) {
			continue
		}
		i, o := len(w.in), len(w.out)
		w.in = appendLabel(w.in, f.arcs.in[e])
		w.out = appendLabel(w.out, f.arcs.out[e])
		more := w.walk(to, n-1, f.ring.Times(weight, f.arcs.w[e]))
		w.in, w.out = w.in[:i], w.out[:o]
		if !more {
			return false
		}
	}
	return true
}

// appendLabel appends label to a string, unless it is ε.
func appendLabel(s []int32, label int32) []int32 {
	if label == Epsilon {
		return s
	}
	return append(s, label)
}
