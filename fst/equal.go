package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/nonnil"
)

// Equal reports whether a and b are the same machine: states of the same numbers, the
// same starts and arcs in the same order, and the same symbols; weights within o.Delta
// count as equal. The ring must be a semiring.Metric; the error wraps
// semiring.ErrCapability, or ErrMismatch for different rings. O(states + arcs).
//
// See Isomorphic for machines with other numbers and another order, and Equivalent for
// others of the same relation.
func Equal[W any](a, b *FST[W], o *Options) (bool, error) {
	nonnil.Check("fst: Equal", "machine", a, "machine", b)
	if err := requireSameRing(a.ring, b.ring); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, fmt.Errorf("fst: equality: %w", err)
	}
	alike := func(x, y Start[W]) bool { return x.State == y.State && near(x.Weight, y.Weight) }
	return slices.EqualFunc(a.starts, b.starts, alike) &&
		slices.EqualFunc(a.final, b.final, near) &&
		slices.Equal(a.labels.row, b.labels.row) &&
		slices.Equal(a.arcs.in, b.arcs.in) &&
		slices.Equal(a.arcs.out, b.arcs.out) &&
		slices.Equal(a.arcs.to, b.arcs.to) &&
		slices.EqualFunc(a.arcs.w, b.arcs.w, near) &&
		a.inSymbols.Equal(b.inSymbols) && a.outSymbols.Equal(b.outSymbols), nil
}
