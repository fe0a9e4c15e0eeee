package fst

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// rankSet is a set of numbers: intervals in ascending order that do not touch.
type rankSet []span

// rankSets is the ring of sets with union and intersection.
type rankSets struct{}

func (rankSets) Zero() rankSet         { return nil }
func (rankSets) One() rankSet          { return rankSet{{0, math.MaxInt32}} }
func (rankSets) IsZero(a rankSet) bool { return len(a) == 0 }
func (rankSets) Laws() semiring.Laws   { return semiring.Commutative | semiring.Bounded }
func (rankSets) Plus(a, b rankSet) rankSet {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return slices.Concat(a, b).normal()
}

func (rankSets) Times(a, b rankSet) rankSet {
	var both rankSet
	for len(a) > 0 && len(b) > 0 {
		if x := (span{max(a[0].lo, b[0].lo), min(a[0].hi, b[0].hi)}); x.lo < x.hi {
			both = append(both, x)
		}
		if a[0].hi < b[0].hi {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// Star returns the set of all.
func (r rankSets) Star(rankSet) (rankSet, bool) { return r.One(), true }

func (rankSets) AppendKey(dst []byte, a rankSet, _ float64) []byte {
	for _, x := range a {
		dst = appendNumber(appendNumber(dst, x.lo), x.hi)
	}
	return dst
}

// normal returns the set of the numbers in some intervals, which are overwritten.
func (a rankSet) normal() rankSet {
	slices.SortFunc(a, func(x, y span) int { return cmp.Compare(x.lo, y.lo) })
	n := 0
	for _, x := range a {
		if n > 0 && x.lo <= a[n-1].hi {
			a[n-1].hi = max(a[n-1].hi, x.hi)
			continue
		}
		a[n] = x
		n++
	}
	return slices.Clip(a[:n])
}

// meets reports whether a has one of some numbers in ascending order.
func (a rankSet) meets(numbers []int32) bool {
	if len(a) <= len(numbers) {
		for _, x := range a {
			if i, _ := slices.BinarySearch(numbers, x.lo); i < len(numbers) && numbers[i] < x.hi {
				return true
			}
		}
		return false
	}
	for _, k := range numbers {
		if i, _ := slices.BinarySearchFunc(a, k+1, func(x span, k int32) int { return cmp.Compare(x.hi, k) }); i < len(a) && a[i].lo <= k {
			return true
		}
	}
	return false
}
