package pairgram

import "example.org/pathsum/internal/keytable"

// bundles contains the features of arcs in one chain of links. A bundle has the features of one
// link. Arcs of a source that agree up to a link share its bundle: of the firings of the arcs of
// English words, a third remains.
//
// A bundle and an arc have the number of the bundle of the link before, or of the last link; −1
// stands for none.
type bundles struct {
	last []int32 // per arc
	new  []link  // bundles whose features are not numbered yet

	// The strengths fired[row[n]:row[n+1]] belong to bundle n, and before[n] precedes it.
	before, row, fired []int32
}

// link is a link of a chain. The features of a bundle are those of the link of any of its arcs.
type link struct{ before, arc, link int32 }

// reset empties b and keeps the memory.
func (b *bundles) reset() {
	b.last, b.new = b.last[:0], b.new[:0]
	b.before, b.row, b.fired = b.before[:0], b.row[:0], b.fired[:0]
}

// divider numbers the links of the chains of a source.
type divider [chains]keytable.Table[uint64]

// divide appends the bundles of the arcs of a source, which have the numbers first, first + 1, …, to
// all. chunk has the chunk of each.
func (d *divider) divide(all *[chains]bundles, arcs []arc, chunk []int32, first int32) {
	var start, n [chains]int32
	for chain := range all {
		d[chain].Reset()
		start[chain] = int32(len(all[chain].new))
	}
	for e := range arcs {
		a := &arcs[e]
		add := func(chain, i int, key uint64, before int32) {
			number, fresh := d[chain].Number(key)
			if fresh {
				all[chain].new = append(all[chain].new, link{before, first + int32(e), int32(i)})
			}
			n[chain] = number
		}
		for chain := range n {
			add(chain, 0, keytable.Pair(^chunk[e], a.after), -1) // the number of a link is not negative
			for i := 1; i < links; i++ {
				name := a.names[i]
				if chain == chainTargets {
					name = a.said[i-1]
				}
				add(chain, i, keytable.Pair(n[chain], int32(name)), start[chain]+n[chain])
			}
			all[chain].last = append(all[chain].last, start[chain]+n[chain])
		}
	}
}

// resolve replaces the features of the bundles of a chain by the indices of strengths. A bundle
// without strengths is replaced by the bundle before it.
func (b *bundles) resolve(chain int, arcs []arc, sources []int32, x *index) {
	number := make([]int32, len(b.new)+1)
	number[0] = -1
	b.row = append(b.row[:0], 0)
	var hashes [features]uint64
	for i, l := range b.new {
		before, fired := number[l.before+1], len(b.fired)
		for _, hash := range arcs[l.arc].appendHashes(hashes[:0], chain, int(l.link), sources) {
			if k := x.Find(hash); k >= 0 {
				b.fired = append(b.fired, k)
			}
		}
		if len(b.fired) == fired {
			number[i+1] = before
			continue
		}
		number[i+1] = int32(len(b.before))
		b.before = append(b.before, before)
		b.row = append(b.row, int32(len(b.fired)))
	}
	for i, n := range b.last {
		b.last[i] = number[n+1]
	}
}

// appendSums appends 0 and, for each bundle, the sum of its strengths and the strengths of the
// bundles before it.
func (b *bundles) appendSums(dst, theta []float64) []float64 {
	base := len(dst)
	dst = append(dst, 0)
	for n, before := range b.before {
		sum := dst[base+int(before)+1]
		for _, k := range b.fired[b.row[n]:b.row[n+1]] {
			sum += theta[k]
		}
		dst = append(dst, sum)
	}
	return dst
}

// appendFirings appends the strengths that fire and their expected numbers of firings, given the
// number of uses of each arc. It returns scratch storage for the next call.
func (b *bundles) appendFirings(numbers []int32, counts []float64, uses, scratch []float64) ([]int32, []float64, []float64) {
	scratch = append(scratch[:0], make([]float64, len(b.before)+1)...)
	for i, n := range b.last {
		scratch[n+1] += uses[i]
	}
	for n := len(b.before) - 1; n >= 0; n-- {
		c := scratch[n+1]
		scratch[b.before[n]+1] += c
		fired := b.fired[b.row[n]:b.row[n+1]]
		numbers = append(numbers, fired...)
		for range fired {
			counts = append(counts, c)
		}
	}
	return numbers, counts, scratch
}
