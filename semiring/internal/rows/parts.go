package rows

import "slices"

// Reachable returns, per state, whether it is in open or reachable from there by arcs for which
// counts returns true; counts is not called for arcs to states already reached. It overwrites the
// storage of open. O(states + arcs).
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
	// In order of insertion, the processor can prefetch the next rows.
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

// Picked returns the elements of s at the given indices.
func Picked[T any](s []T, at []int32) []T {
	picked := make([]T, len(at))
	for i, n := range at {
		picked[i] = s[n]
	}
	return picked
}

// Filled returns n copies of x.
func Filled[T any](n int, x T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = x
	}
	return s
}

// Sorted returns 0, …, n−1 in the order of compare, in the storage of order if that is large
// enough. It sorts numbers instead of elements, and is not inlined, so sorting is compiled once.
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

// KeepBest returns the n of states that have the best scores, in increasing order.
func KeepBest(states []int32, score []float64, n int) []int32 {
	selectBest(states, score, n)
	slices.Sort(states[:n])
	return states[:n]
}

// selectBest reorders states so that the n states with the best scores come first, in any order;
// among equal scores it prefers lower numbers. It takes linear time on average (Hoare 1961).
func selectBest(states []int32, score []float64, n int) {
	before := func(x, y int32) bool { return score[x] > score[y] || score[x] == score[y] && x < y }
	lo, hi := 0, len(states) // states before lo are selected, states from hi on are rejected
	for hi-lo > 1 && n > lo && n < hi {
		pivot := states[lo+(hi-lo)/2]
		i, j := lo, hi-1
		for i <= j {
			for before(states[i], pivot) {
				i++
			}
			for before(pivot, states[j]) {
				j--
			}
			if i <= j {
				states[i], states[j] = states[j], states[i]
				i++
				j--
			}
		}
		// States up to j are not after the pivot, states from i on not before it.
		switch {
		case n <= j+1:
			hi = j + 1
		case n >= i:
			lo = i
		default:
			return
		}
	}
}
