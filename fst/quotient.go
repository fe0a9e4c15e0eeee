package fst

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Quotient returns the machine whose states are classes of f's states: state s
// becomes state class[s]. Arcs that become parallel, with the same labels, are one
// arc whose weight is their ⊕; so are final weights and starts that meet. Any ring
// will do. A machine of counts becomes that of the summed counts; the relation
// changes unless the states of a class are equivalent.
//
// The arcs of a state are in the order of their labels. The error wraps ErrInvalid
// where classes are not numbered 0, 1, 2, … without gaps, one for each state.
// O(states + arcs·log arcs).
func Quotient[W any](f *FST[W], class []int32) (*FST[W], error) {
	nonnil.Check("fst: Quotient", "machine", f)
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
		d.arcs.extend(out)
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

// united orders arcs by their labels and target and makes one of those that have the same,
// of the sum of their weights. It takes the slice.
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
		return nil, fmt.Errorf("fst: %w: classes of %d states, want %d", ErrInvalid, len(class), states)
	}
	n := int32(0)
	for _, c := range class {
		n = max(n, c+1)
	}
	if int(n) > states {
		return nil, fmt.Errorf("fst: %w: class %d for %d states", ErrInvalid, n-1, states)
	}
	members := make([][]int32, n)
	for s, c := range class {
		if c < 0 {
			return nil, fmt.Errorf("fst: %w: state %d has class %d", ErrInvalid, s, c)
		}
		members[c] = append(members[c], int32(s))
	}
	for c, states := range members {
		if len(states) == 0 {
			return nil, fmt.Errorf("fst: %w: no state has class %d", ErrInvalid, c)
		}
	}
	return members, nil
}
