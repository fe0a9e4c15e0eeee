package fst

import (
	"cmp"
	"slices"
	"sync"
)

// labels holds the labels of a frozen machine's arcs, and everything that depends only on them
// and the topology. Machines that differ only in weights share it.
type labels struct {
	row, in, out []int32
	scan         sync.Once
	tapes        [2]extent
	thin         bool // every state has at most one arc
	indexes      [2]index
	recycled     bool // reset may be called: keep scratch memory
}

// extent bounds the labels of a tape.
type extent struct {
	bound   int64 // exclusive upper bound of the labels
	epsilon bool  // there may be arcs with ε
}

// on returns the labels of a tape.
func (l *labels) on(t Tape) []int32 {
	if t == Output {
		return l.out
	}
	return l.in
}

// measure sets tapes and thin.
func (l *labels) measure() {
	l.scan.Do(func() {
		l.tapes = [2]extent{extentOf(l.in), extentOf(l.out)}
		l.thin = true
		for s, first := range l.row[:len(l.row)-1] {
			l.thin = l.thin && l.row[s+1] <= first+1
		}
	})
}

func extentOf(label []int32) extent {
	greatest, least := int32(0), int32(1)
	for _, x := range label {
		greatest = max(greatest, x)
		least = min(least, x)
	}
	return extent{bound: int64(greatest) + 1, epsilon: least == Epsilon}
}

// reset sets the arrays and discards the data derived from the old ones, keeping the memory.
func (l *labels) reset(row, in, out []int32) {
	l.row, l.in, l.out = row, in, out
	l.scan, l.indexes[Input].once, l.indexes[Output].once = sync.Once{}, sync.Once{}, sync.Once{}
	l.recycled = true
}

// index orders the arcs of every state by the label on one tape, the key, and
// within equal keys by the label on the other tape.
type index struct {
	once sync.Once
	row  []int32 // positions of state s are row[s] … row[s+1]−1
	// The labels in this order. Position e holds arc[e] of the machine, or arc e if arc is
	// empty because the machine is already sorted.
	key, other, arc []int32
	// If the labels are dense enough for a table, first[(s·stride+k)·width+l] is the first
	// position of state s whose labels are at least (k, l). If only the keys are dense enough,
	// width is 1 and l is 0. Otherwise first is empty.
	first         []int32
	stride, width int
	// ownKey and ownOther are the memory for key and other if these are not the machine's own
	// arrays.
	ownKey, ownOther []int32
	sorter           arcSorter
}

// anyLabel stands for no condition on a label.
const anyLabel = -1

// span stands for the positions lo … hi−1.
type span struct{ lo, hi int32 }

// index returns the arcs ordered by the label on a tape.
func (l *labels) index(t Tape) *index {
	x := &l.indexes[t]
	x.once.Do(func() {
		l.measure()
		x.build(l, t)
	})
	return x
}

// build takes O(m log d) time, where d is the largest out-degree, and O(m) if the arcs are
// already sorted or the labels are dense.
func (x *index) build(l *labels, t Tape) {
	key, other := l.on(t), l.on(1-t)
	stride, width := l.tapes[t].bound, l.tapes[1-t].bound // may exceed the range of int
	x.row, x.arc, x.first = l.row, x.arc[:0], x.first[:0]
	if inOrder(l.row, key, other) {
		x.key, x.other = key, other
	} else {
		z := &x.sorter
		z.key, z.other, z.maxKey, z.maxOther = key, other, int32(stride-1), int32(width-1)
		x.arc = z.sort(x.arc, l.row)
		if !l.recycled {
			*z = arcSorter{}
		}
		x.key = gather(&x.ownKey, key, x.arc)
		x.other = gather(&x.ownOther, other, x.arc)
	}
	cells, room := int64(len(l.row)-1)*stride, int64(2*len(key)+64)
	if cells > room {
		return
	}
	if cells > room/width {
		width = 1
	}
	x.stride, x.width = int(stride), int(width)
	x.tabulate(key, other)
}

// gather returns from[index[e]] for all e in *memory, grown as needed.
func gather(memory *[]int32, from, index []int32) []int32 {
	dst := resize((*memory)[:0], len(index))
	*memory = dst
	for e, k := range index {
		dst[e] = from[k]
	}
	return dst
}

// tabulate fills in first; key and other are in the machine's order.
func (x *index) tabulate(key, other []int32) {
	n := len(x.row) - 1
	x.first = resize(x.first, n*x.stride*x.width+1)
	clear(x.first)
	for s := range n {
		for e := x.row[s]; e < x.row[s+1]; e++ {
			cell := (s*x.stride + int(key[e])) * x.width
			if x.width > 1 {
				cell += int(other[e])
			}
			x.first[cell+1]++
		}
	}
	for i, count := range x.first[1:] {
		x.first[i+1] = x.first[i] + count
	}
}

// find returns the positions of the arcs of state s with this key and this other
// label; other may be anyLabel.
func (x *index) find(s, key, other int32) span {
	if len(x.first) == 0 {
		at := search(x.key, key, span{x.row[s], x.row[s+1]})
		if other != anyLabel {
			at = search(x.other, other, at)
		}
		return at
	}
	if int(key) >= x.stride {
		return span{}
	}
	cell := (int(s)*x.stride + int(key)) * x.width
	switch {
	case other == anyLabel:
		return span{x.first[cell], x.first[cell+x.width]}
	case x.width == 1:
		return search(x.other, other, span{x.first[cell], x.first[cell+1]})
	case int(other) >= x.width:
		return span{}
	}
	cell += int(other)
	return span{x.first[cell], x.first[cell+1]}
}

// search returns the positions of x in sorted, restricted to the span at, where sorted is in
// ascending order.
func search(sorted []int32, x int32, at span) span {
	lo, hi, end := at.lo, at.hi, at.hi
	for hi-lo > 8 {
		if mid := lo + (hi-lo)/2; sorted[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for lo < end && sorted[lo] < x {
		lo++
	}
	hi = lo
	for end-hi > 8 && sorted[hi+8] == x { // a long run
		if mid := hi + (end-hi)/2; sorted[mid] > x {
			end = mid
		} else {
			hi = mid
		}
	}
	for hi < end && sorted[hi] == x {
		hi++
	}
	return span{lo, hi}
}

// arcSorter sorts the arcs of every state by key, then other label, then number.
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

// inOrder reports whether the arcs are already sorted.
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

// sort returns the numbers of the arcs in sorted order, in the memory of dst.
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

// bucket sets dst to the arcs src stably sorted by label, which is at most greatest: one pass
// of a radix sort.
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
