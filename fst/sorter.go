package fst

import (
	"cmp"
	"slices"
)

// arcSorter puts the arcs of every state in order of key, then other, then of
// their numbers.
type arcSorter struct {
	key, other       []int32
	maxKey, maxOther int32
	count, buf       []int32
	pairs            []labelPair
}

type labelPair struct {
	labels uint64 // key, other
	arc    int32
}

// inOrder reports whether there is nothing to sort.
func inOrder(row, key, other []int32) bool {
	for s := range len(row) - 1 {
		for e := row[s] + 1; e < row[s+1]; e++ {
			if key[e] < key[e-1] || key[e] == key[e-1] && other[e] < other[e-1] {
				return false
			}
		}
	}
	return true
}

// sort returns the arcs in order, in the memory of dst.
func (z *arcSorter) sort(dst, row []int32) []int32 {
	dst = resize(dst, len(z.key))
	for s := range len(row) - 1 {
		lo, hi := row[s], row[s+1]
		if int64(z.maxKey)+int64(z.maxOther) <= 4*int64(hi-lo) {
			z.buf = resize(z.buf, int(hi-lo))
			for e := range z.buf {
				z.buf[e] = lo + int32(e)
			}
			z.bucket(dst[lo:hi], z.buf, z.other, z.maxOther)
			copy(z.buf, dst[lo:hi])
			z.bucket(dst[lo:hi], z.buf, z.key, z.maxKey)
		} else {
			z.compare(dst[lo:hi], lo)
		}
	}
	return dst
}

// bucket sets dst to the arcs src stably sorted by label, which is at most
// greatest: one pass of a radix sort.
func (z *arcSorter) bucket(dst, src, label []int32, greatest int32) {
	z.count = resize(z.count, int(greatest)+1)
	clear(z.count)
	for _, e := range src {
		z.count[label[e]]++
	}
	sum := int32(0)
	for l, c := range z.count {
		z.count[l] = sum
		sum += c
	}
	for _, e := range src {
		c := &z.count[label[e]]
		dst[*c] = e
		*c++
	}
}

// compare sets dst to the arcs from lo on, sorted by comparison.
func (z *arcSorter) compare(dst []int32, lo int32) {
	z.pairs = z.pairs[:0]
	for i := range dst {
		e := lo + int32(i)
		z.pairs = append(z.pairs, labelPair{uint64(z.key[e])<<32 | uint64(z.other[e]), e})
	}
	slices.SortFunc(z.pairs, func(a, b labelPair) int {
		if c := cmp.Compare(a.labels, b.labels); c != 0 {
			return c
		}
		return cmp.Compare(a.arc, b.arc)
	})
	for i, p := range z.pairs {
		dst[i] = p.arc
	}
}
