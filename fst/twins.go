package fst

import (
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// The rest of this file composes the errors of determinization.

// way is a path through a machine: its states, and its arcs, one fewer.
type way[W any] struct {
	states []int32
	arcs   []Arc[W]
}

// allArcs exceeds the number of arcs of any path.
const allArcs = maxLimit

// wayTo returns the last arcs, at most most, of a path in the machine along the labels of
// subset n to its member s.
func (z *determinizer[W]) wayTo(n, s int32, most int) way[W] {
	w := way[W]{states: []int32{s}}
	for ; z.parent[n] >= 0 && len(w.arcs) < most; n = z.parent[n] {
		last := z.arcsTo(z.parent[n], z.label[n], s)[0]
		s = last.states[0]
		w.states, w.arcs = append(w.states, s), append(w.arcs, last.arcs[0])
	}
	slices.Reverse(w.states)
	slices.Reverse(w.arcs)
	return w
}

// arcsTo returns the arcs with this label from members of subset n to state s.
func (z *determinizer[W]) arcsTo(n, label, s int32) []way[W] {
	var ways []way[W]
	for i := z.row[n]; i < z.row[n+1]; i++ {
		q := z.state[i]
		a, at := z.arcsOf(q)
		for e := at.lo; e < at.hi; e++ {
			if a.in[e] == label && a.to[e] == s && !z.ring.IsZero(a.w[e]) {
				ways = append(ways, way[W]{[]int32{q}, appendArcs(nil, a, e, e+1)})
			}
		}
	}
	return ways
}

// output returns the product of the arc weights of a path.
func (z *determinizer[W]) output(w way[W]) W {
	product := z.ring.One()
	for _, a := range w.arcs {
		product = z.ring.Times(product, a.Weight)
	}
	return product
}

// input returns the input labels of w as text.
func (z *determinizer[W]) input(w way[W]) string {
	var labels []int32
	for _, a := range w.arcs {
		labels = append(labels, a.In)
	}
	return z.described(labels)
}

// described returns input labels as text.
func (z *determinizer[W]) described(labels []int32) string {
	if len(labels) == 0 {
		return "nothing"
	}
	symbols, _ := symbolsOf(z.m)
	var text []string
	for _, label := range labels {
		text = append(text, symbols.Describe(label))
	}
	return strings.Join(text, " ")
}

// ambiguous returns the error for two paths to state s, with label from members of subset n,
// that have written different strings.
func (z *determinizer[W]) ambiguous(n, label, s int32) error {
	var ways []way[W]
	for _, last := range z.arcsTo(n, label, s) {
		w := z.wayTo(n, last.states[0], allArcs)
		ways = append(ways, way[W]{append(w.states, s), append(w.arcs, last.arcs[0])})
	}
	return z.conflict(ways, "to")
}

// ambiguousEnd returns the error for paths along the labels of subset n to its member s and to
// another final member that have written different strings.
func (z *determinizer[W]) ambiguousEnd(n, s int32) error {
	var ways []way[W]
	for i := z.row[n]; i < z.row[n+1] && z.state[i] <= s; i++ {
		if q := z.state[i]; !z.ring.IsZero(z.finalOf(q)) {
			ways = append(ways, z.wayTo(n, q, allArcs))
		}
	}
	return z.conflict(ways, "and end in")
}

// conflict returns the error for the last of ways and another one whose weights cannot be
// merged.
func (z *determinizer[W]) conflict(ways []way[W], where string) error {
	b := ways[len(ways)-1]
	a := ways[0]
	for _, w := range ways {
		if _, ok := z.residuals.merge(z.output(w), z.output(b)); !ok {
			a = w
		}
	}
	return fmt.Errorf("%w: two paths read %s %s states %d and %d: through states %v with %s, through states %v with %s",
		ErrNotFunctional, z.input(b), where, a.states[len(a.states)-1], b.states[len(b.states)-1],
		a.states, z.residuals.text(z.output(a)), b.states, z.residuals.text(z.output(b)))
}

// indivisible returns the error for a weight that common does not divide.
func (z *determinizer[W]) indivisible(n, label int32, common, w W) error {
	at := "at the start"
	if n >= 0 {
		at = fmt.Sprintf("after %s and the label %d", z.input(z.wayTo(n, z.state[z.row[n]], allArcs)), label)
	}
	return fmt.Errorf("%w: %s, the sum %s of weights does not divide one of them, %s", errDivision, at, z.residuals.text(common), z.residuals.text(w))
}

// outgrown returns the error for exceeding the limit.
func (z *determinizer[W]) outgrown() error {
	n := int32(z.keys.len() - 1)
	err := fmt.Errorf("%w: %d states, %d arcs and %d members of subsets, with %d bytes of residual strings, exceed the limit of %d", semiring.ErrLimit,
		n+1, len(z.draft.arcs.to), len(z.state), len(z.keys.bytes), z.options.Limit)
	return z.withTwins(n, err)
}

// outOfRange returns the error for a weight at state s, reached from subset n, that is out of
// the range of the ring.
func (z *determinizer[W]) outOfRange(n, s int32, what string, x W) error {
	return z.withTwins(n, outOfRange(fmt.Sprintf("%s at state %d", what, s), z.residuals.text(x), z.residuals.TypeName()))
}

// withTwins returns err, extended by two states that are not twins, if such states are on the
// path to subset n.
func (z *determinizer[W]) withTwins(n int32, err error) error {
	if n < 0 {
		return err
	}
	members := z.state[z.row[n]:z.row[n+1]]
	var ways []way[W]
	for _, s := range members[:min(len(members), 16)] {
		w := z.wayTo(n, s, traced)
		for _, v := range ways {
			if twins := z.noTwins(v, w); twins != nil {
				return nested.Errorf("%w; %w", err, twins)
			}
		}
		ways = append(ways, w)
	}
	return err
}

// traced is the number of arcs that are searched for states that are not twins.
const traced = 1 << 12

// noTwins returns an error for a pair of states that two paths visit twice, with different
// weights in between; nil if there is no such pair. The paths must have the same labels and the
// same number of arcs.
func (z *determinizer[W]) noTwins(a, b way[W]) error {
	last := map[[2]int32]int{}
	for j, p := range a.states {
		pair := [2]int32{p, b.states[j]}
		i, again := last[pair]
		last[pair] = j
		if !again {
			continue
		}
		x := way[W]{a.states[i : j+1], a.arcs[i:j]}
		y := way[W]{b.states[i : j+1], b.arcs[i:j]}
		if u, v := z.output(x), z.output(y); !z.areTwins(u, v) {
			return z.differ(pair[0], pair[1], z.input(x), u, v)
		}
	}
	return nil
}

// differ returns the error for cycles of states p and q with the same input and different
// weights.
func (z *determinizer[W]) differ(p, q int32, input string, u, v W) error {
	return fmt.Errorf("%w: states %d and %d, which the same strings lead to, have cycles reading %s of weights %s and %s",
		ErrTwins, p, q, input, z.residuals.text(u), z.residuals.text(v))
}

// areTwins reports whether cycles of weights u and v are compatible with determinization.
func (z *determinizer[W]) areTwins(u, v W) bool {
	key := func(w W) string {
		return string(z.residuals.AppendKey(nil, z.residuals.cycle(w), z.options.Delta))
	}
	return key(u) == key(v)
}

// Non-termination of determinization can often be detected early. Let a subset have the same
// members as a predecessor on its path, and let y be the labels in between. After y it has
// these members again, and so on indefinitely. If the only paths along y to a member p come
// from p itself, each round multiplies the residual of p by the sum u of its cycles. If q is
// another such member with the sum v, and the powers of u and v diverge, the residuals of p and
// q never repeat.

const (
	firstLook = 1 << 14 // size at which subsets are first examined; then whenever it doubles
	lookWork  = 4       // arcs that may be visited for this, per unit of size
	mostSame  = 8       // predecessor subsets with the same members that are compared
)

// look returns an error if determinization certainly does not terminate.
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
			return nested.Errorf("%w: %d states without an end: %w", semiring.ErrLimit, z.keys.len(), err)
		}
	}
	return nil
}

func (z *determinizer[W]) members(n int32) []int32 { return z.state[z.row[n]:z.row[n+1]] }

// alike reports whether subsets m and n have the same members and the same head.
func (z *determinizer[W]) alike(m, n int32) bool {
	return slices.Equal(z.members(m), z.members(n)) && (z.sameHead == nil || z.sameHead(m, n))
}

// roundTrip returns an error if the cycles of two members along the labels of way diverge. way
// leads from a subset back to one with the same members.
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

// cycle returns the sum of the paths from p to p along the labels of way, which leads back. It
// returns false if some paths come from another member, or if more than left arcs have to be
// visited.
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
