package rows

import "slices"

// Reachable returns, per state, whether it is among the states in open or arcs lead to it from
// there. An arc matters if counts says so; it is not asked about arcs to states already
// reached. The storage of open is used up. O(states + arcs).
func Reachable(by Adjacency, open []int32, counts func(arc int32) bool) []bool {
	seen := make([]bool, len(by.Row)-1)
	different := open[:0]
	for _, s := range open {
		if !seen[s] {
			seen[s] = true
			different = append(different, s)
		}
	}
	open = different
	// First come, first served: the processor can fetch the next rows ahead.
	for n := 0; n < len(open); n++ {
		s := open[n]
		for k := by.Row[s]; k < by.Row[s+1]; k++ {
			if t := by.Other[k]; !seen[t] && counts(by.ArcAt(k)) {
				seen[t] = true
				open = append(open, t)
			}
		}
	}
	return seen
}

// Part is a part of a graph, with states and arcs numbered in the order of the whole.
type Part struct {
	Row, To    []int32 // its own topology
	State, Arc []int32 // per state and arc of the part: which one it was
	Number     []int32 // per state of the whole in the part: its number there
}

// Part returns the part of t that has the states in use, and the arcs between them that
// counts reports. O(states + arcs).
func (t *Topology) Part(use []bool, counts func(arc int32) bool) Part {
	p := Part{Row: []int32{0}, Number: make([]int32, t.NumStates())}
	for s, ok := range use {
		if ok {
			p.Number[s] = int32(len(p.State))
			p.State = append(p.State, int32(s))
		}
	}
	for _, s := range p.State {
		for e := t.Row[s]; e < t.Row[s+1]; e++ {
			if use[t.To[e]] && counts(e) {
				p.Arc = append(p.Arc, e)
				p.To = append(p.To, p.Number[t.To[e]])
			}
		}
		p.Row = append(p.Row, int32(len(p.Arc)))
	}
	return p
}

// Picked returns the elements of s at the given places.
func Picked[T any](s []T, at []int32) []T {
	picked := make([]T, len(at))
	for i, n := range at {
		picked[i] = s[n]
	}
	return picked
}

// Filled returns n times x.
func Filled[T any](n int, x T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = x
	}
	return s
}

// Sorted returns 0, …, n−1 in the order of compare, in the storage of order if that is enough.
// It sorts numbers and not what they stand for, and is not inlined, so that sorting is compiled
// once.
//
//go:noinline
func Sorted(order []int32, n int, compare func(i, j int32) int) []int32 {
	order = Resized(order, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, compare)
	return order
}
