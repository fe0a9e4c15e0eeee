package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
)

// Isomorphic reports whether a and b are the same machine but for the numbers of
// their states and the order of their arcs; weights within o.Delta count as equal. Both
// must have one start at most, and no state two arcs of the same labels, or the error
// wraps ErrNondeterministic. What no start reaches does not matter. The ring must be a
// semiring.Metric; the error wraps semiring.ErrCapability, or ErrMismatch for different
// rings or symbols. O(states + arcs · log degree).
func Isomorphic[W any](a, b *FST[W], o *Options) (bool, error) {
	nonnil.Check("fst: Isomorphic", "machine", a, "machine", b)
	if _, _, err := alike([]Machine[W]{a, b}); err != nil {
		return false, err
	}
	near, err := nearness(a.ring, o)
	if err != nil {
		return false, fmt.Errorf("fst: isomorphism: %w", err)
	}
	for _, f := range []*FST[W]{a, b} {
		if len(f.starts) > 1 {
			return false, fmt.Errorf("fst: isomorphism: %w: %d starts", ErrNondeterministic, len(f.starts))
		}
		if err := requireDistinct(f); err != nil {
			return false, err
		}
	}
	m := matching[W]{a: a, b: b, near: near, image: unmatched(a.NumStates()), origin: unmatched(b.NumStates())}
	return m.complete(), nil
}

// requireDistinct returns an error, wrapping ErrNondeterministic, that names a state
// with two arcs of the same labels.
func requireDistinct[W any](f *FST[W]) error {
	x := f.labels.indexIn()
	for s, lo := range x.row[:len(x.row)-1] {
		for e := lo + 1; e < x.row[s+1]; e++ {
			if x.key[e] == x.key[e-1] && x.other[e] == x.other[e-1] {
				return fmt.Errorf("fst: isomorphism: %w: two arcs of state %d have the labels %s:%s",
					ErrNondeterministic, s, f.inSymbols.describe(x.key[e]), f.outSymbols.describe(x.other[e]))
			}
		}
	}
	return nil
}

func unmatched(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = -1
	}
	return x
}

// matching maps the states of a to those of b one to one, from the start on.
type matching[W any] struct {
	a, b          *FST[W]
	near          func(x, y W) bool
	image, origin []int32 // −1: none yet
	open          []int32 // states of a
}

// complete reports whether the starts, and all that follows, can be matched.
func (m *matching[W]) complete() bool {
	if len(m.a.starts) == 0 || len(m.b.starts) == 0 {
		return len(m.a.starts) == len(m.b.starts)
	}
	x, y := m.a.starts[0], m.b.starts[0]
	if !m.near(x.Weight, y.Weight) || !m.match(x.State, y.State) {
		return false
	}
	for len(m.open) > 0 {
		s := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		if !m.arcs(s, m.image[s]) {
			return false
		}
	}
	return true
}

// match matches state p of a with state q of b.
func (m *matching[W]) match(p, q int32) bool {
	if m.image[p] < 0 && m.origin[q] < 0 {
		m.image[p], m.origin[q] = q, p
		m.open = append(m.open, p)
	}
	return m.image[p] == q && m.origin[q] == p
}

// arcs matches what the arcs of p and q lead to.
func (m *matching[W]) arcs(p, q int32) bool {
	x, y := m.a.byIn(), m.b.byIn()
	xs := x.arcs[x.index.row[p]:x.index.row[p+1]]
	ys := y.arcs[y.index.row[q]:y.index.row[q+1]]
	if len(xs) != len(ys) || !m.near(m.a.final[p], m.b.final[q]) {
		return false
	}
	for i := range xs {
		if xs[i].In != ys[i].In || xs[i].Out != ys[i].Out || !m.near(xs[i].Weight, ys[i].Weight) || !m.match(xs[i].To, ys[i].To) {
			return false
		}
	}
	return true
}
