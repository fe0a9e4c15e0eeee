package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// A determinization that does not end can often be told early. Let a subset have the members of
// one before it on its way, and y be the labels in between. After y again it has these members
// again, and so on for ever. If the only paths by y to a member p come from p itself, each round
// multiplies what is left to p by the sum u of its cycles. If q is another such member with
// the sum v, and powers of u and v grow apart, what is left to p and q is never the same twice.

const (
	firstLook = 1 << 14 // the size from which on subsets are looked at, and then at twice the size
	lookWork  = 4       // arcs that may be visited for it, per unit of the size
	mostSame  = 8       // subsets on the way, with the same members, that are compared
)

// look returns an error if it is certain by now that determinization does not end.
func (z *determinizer[W]) look() error {
	if !z.whole || !z.residuals.measured() || z.size() < max(firstLook, z.next) {
		return nil
	}
	z.next = 2 * z.size()
	last := int32(z.keys.len() - 1)
	way := []int32{last} // subsets from the last one back
	left, same := lookWork*z.size(), 0
	for n := z.parent[last]; n >= 0 && len(way) < traced && same < mostSame && left > 0; n = z.parent[n] {
		way = append(way, n)
		if left -= len(z.members(n)); !z.alike(n, last) {
			continue
		}
		same++
		if err := z.roundTrip(way, &left); err != nil {
			return nested.Errorf("%w: %d states, and there is no end: %w", semiring.ErrLimit, z.keys.len(), err)
		}
	}
	return nil
}

func (z *determinizer[W]) members(n int32) []int32 { return z.state[z.row[n]:z.row[n+1]] }

// alike reports whether the same members follow subsets m and n by the same labels.
func (z *determinizer[W]) alike(m, n int32) bool {
	return slices.Equal(z.members(m), z.members(n)) && (z.sameHead == nil || z.sameHead(m, n))
}

// roundTrip returns an error for two members of the first and last subset of a way back whose
// cycles by its labels grow apart.
func (z *determinizer[W]) roundTrip(way []int32, left *int) error {
	first, found := int32(-1), false
	var u W
	for _, p := range z.members(way[0]) {
		v, ok := z.cycle(way, p, left)
		switch {
		case !ok:
			continue
		case !found:
			first, u, found = p, v, true
		}
		if !z.residuals.apart(u, v) {
			continue
		}
		labels := make([]int32, 0, len(way)-1)
		for _, n := range way[:len(way)-1] {
			labels = append(labels, z.label[n])
		}
		slices.Reverse(labels)
		if p == first {
			return fmt.Errorf("%w: state %d has cycles reading %s with several outputs, %s", ErrTwins, p, z.described(labels), z.residuals.text(u))
		}
		return z.differ(first, p, z.described(labels), u, v)
	}
	return nil
}

// cycle returns the sum of the paths to p by the labels of a way back, false if some come from
// another member, or more arcs than are left had to be visited.
func (z *determinizer[W]) cycle(way []int32, p int32, left *int) (sum W, ok bool) {
	sums := map[int32]W{p: z.ring.One()} // of the paths from a member to p
	for t, n := range way[1:] {
		label := z.label[way[t]]
		before := map[int32]W{}
		for _, s := range z.members(n) {
			a, at := z.arcsOf(s)
			for e := at.lo; e < at.hi; e++ {
				if *left--; *left < 0 {
					return sum, false
				}
				on, found := sums[a.to[e]]
				if !found || a.in[e] != label || z.ring.IsZero(a.w[e]) {
					continue
				}
				w := z.ring.Times(a.w[e], on)
				if old, found := before[s]; found {
					both, ok := z.residuals.merge(old, w)
					if !ok {
						return sum, false
					}
					w = both
				}
				*left -= z.residuals.size(w)
				before[s] = w
			}
		}
		sums = before
	}
	sum, ok = sums[p]
	return sum, ok && len(sums) == 1 && !z.ring.IsZero(sum)
}
