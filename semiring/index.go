package semiring

import "sync/atomic"

// A kernel has one loop over explicit indices (and one more for contiguous
// weights where that pays). A nil index slice is replaced by a stretch of
// 0, 1, 2, …, which all share and which grows to the longest ever asked for.

var identity atomic.Pointer[[]int32]

func init() { identity.Store(newIdentity(1 << 10)) }

func newIdentity(n int) *[]int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return &s
}

// indices returns the first n of i, or 0, 1, …, n−1 if i is nil.
func indices(i []int32, n int) []int32 {
	if i == nil {
		return stretch(n)
	}
	return i[:n]
}

// stretch returns 0, 1, …, n−1.
func stretch(n int) []int32 {
	s := *identity.Load()
	if n > len(s) {
		grown := newIdentity(max(n, 2*len(s)))
		identity.Store(grown)
		s = *grown
	}
	return s[:n]
}

// terms returns the number of terms of a kernel call.
func terms[W any](k, i []int32, w []W) int {
	switch {
	case k != nil:
		return len(k)
	case i != nil:
		return len(i)
	}
	return len(w)
}
